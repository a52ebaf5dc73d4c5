//===- ClusterLSTM.cpp - the backward recurrence of an LSTM in one launch ----===//
//
// Per step, a block (1) reads what the forward saved, (2) waits until the partial sums of the step before have come from all
// blocks of its cluster, and adds them in the order of the blocks, (3) computes the gradients of its gates, (4) multiplies
// them with its columns of the weights, and (5) sends the partial sums to the blocks that own their units. Two slots and two
// mbarriers take turns. That is enough: a block sends the sums of a step only when it has received all of the step before,
// and those were sent by threads behind a barrier that stands after the last reads of the slot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Layers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

#define DEBUG_TYPE "convert-rnn-to-gpu"

using namespace mlir;
using namespace mlir::rnn;

FailureOr<ClusterShape> ClusterShape::choose(int64_t H, int64_t wanted, std::string &reason) {
  // More weights than this in the registers of a thread, and ptxas spills others (measured with ptxas 13.0 for sm_90a).
  constexpr int64_t maxRegisters = 144;
  // A quarter of the registers keeps the product short; beyond 8 blocks, clusters are not portable. Estimates: no GPU
  // has measured them.
  constexpr int64_t goodRegisters = 64;
  std::optional<ClusterShape> best;
  for (int64_t blocks : {2, 4, 8, 16}) {
    if (wanted && blocks != wanted)
      continue;
    ClusterShape shape{blocks, int64_t(llvm::divideCeil(H, 16 * blocks)), 8};
    while (blocks * shape.tiles % shape.warps != 0)
      --shape.warps;
    if (shape.getWeightRegisters() > maxRegisters)
      continue;
    best = shape;
    if (shape.getWeightRegisters() <= goodRegisters)
      break;
  }
  if (best)
    return *best;
  reason = "the recurrent weights of " + std::to_string(H) + " units do not fit the registers of " +
           (wanted ? "a cluster of " + std::to_string(wanted) + " blocks" : std::string("the largest cluster"));
  return failure();
}

/// The value of a discardable attribute of `op` or the innermost op around it that has it.
template <typename AttrTy>
static AttrTy findAttr(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto attr = dyn_cast_or_null<AttrTy>(op->getDiscardableAttr(name)))
      return attr;
  return {};
}

std::optional<ClusterShape> rnn::chooseCluster(Operation *op, Type element, Value H) {
  auto family = findAttr<StringAttr>(op, "rnn.kernel_family");
  if (!family || family.getValue() != "cluster")
    return std::nullopt;
  auto blocks = findAttr<IntegerAttr>(op, "rnn.cluster_blocks");
  std::optional<int64_t> units = getConstantIntValue(H);
  std::string reason;
  if (!getKernelOptions(op).programmatic) // what the pass knows of the GPU
    reason = "clusters need compute capability 9.0; name the GPU, as --chip=sm_90a";
  else if (!element.isF16() && !element.isBF16())
    reason = "clusters are there for f16 and bf16 alone";
  else if (!units)
    reason = "the number of units is known at run time only";
  else if (FailureOr<ClusterShape> shape = ClusterShape::choose(*units, blocks ? blocks.getInt() : 0, reason);
           succeeded(shape))
    return *shape;
  remark::missed(op->getLoc(), remark::RemarkOpts::name("Cluster").category(DEBUG_TYPE))
      << remark::reason("{0}", reason) << remark::suggest("{0}", "leave the attribute out: there is one kernel per step");
  return std::nullopt;
}

namespace {

class RecurrenceKernel {
public:
  RecurrenceKernel(const Emitter &host, const LSTMRecurrence &layer, const ClusterShape &shape)
      : host(host), e(host.named(layer.name)), builder(host.builder), layer(layer), shape(shape) {}

  void build();

private:
  /// A sum of the block that this thread owns.
  struct Place {
    Value number;  ///< among the block's sums, in the order of the registers that mma.sync leaves
    Value unit, b; ///< of the layer; of the batch
    Value inTile;  ///< where the first gate's gradient stands in the tile, in elements
    Value exists;
    Peephole peephole;
  };
  struct Saved {
    LSTMGates gates;
    Value u, before, cellGradient, stateGradient;
  };

  // --- Small things ---
  Value toIndex(Value value) const { return arith::IndexCastUIOp::create(builder, e.loc, builder.getIndexType(), value); }
  Value toI32(Value value) const { return arith::IndexCastUIOp::create(builder, e.loc, builder.getI32Type(), value); }
  Value constant32(int64_t value) const {
    return arith::ConstantOp::create(builder, e.loc, builder.getI32IntegerAttr(value));
  }
  /// `pointer` + `place` elements.
  Value at(Value pointer, Type type, Value place) const {
    Value number = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), place);
    return LLVM::GEPOp::create(builder, e.loc, pointer.getType(), type, pointer, ArrayRef<LLVM::GEPArg>{number});
  }
  Value loadFrom(Value pointer, Type type) const { return LLVM::LoadOp::create(builder, e.loc, type, pointer); }
  /// `values()` where the condition holds, else zeros.
  SmallVector<Value> valuesIf(Value condition, Type type, unsigned count, function_ref<SmallVector<Value>()> values) const;
  Value half(Value turn) const { return e.mul(turn, e.index(tileElements())); }

  int64_t depth() const { return ClusterShape::numGates * shape.getUnits(); }
  // Eight elements between rows, so that the lanes of a warp read from 32 banks.
  int64_t tileStride() const { return depth() + 8; }
  int64_t tileElements() const { return ClusterShape::maxRows * tileStride(); }

  // --- Before the loop ---
  void launch();
  Value addBuffer(int64_t bytes);
  void orderWeights();
  void loadWeights();
  void startBarriers();
  void clearTile();
  Place findPlace(int64_t number);
  void findTargets();

  // --- A step ---
  Saved readSaved(const Place &place, Value t);
  void waitFor(Value step);
  Value addPartialSums(const Place &place, Value step);
  void storeGates(const Place &place, Value t, Value turn, const LSTMGates &gradients);
  SmallVector<Value> multiply(Value turn);
  void send(Value turn, ValueRange sums);

  const Emitter &host;
  Emitter e;
  OpBuilder &builder;
  const LSTMRecurrence &layer;
  const ClusterShape &shape;

  gpu::LaunchOp kernel;
  Value rows; ///< examples of a cluster
  Type f32, i32, accumulator;
  Value barriers, slots, tile; ///< pointers to workgroup memory
  Value thread, lane, warp, group, member, rank;
  SmallVector<Value> weights; ///< registers: by tile of the warp, then piece, then register
  SmallVector<Place> places;
  /// By tile of the warp: this block's place in the slots of the owner, and the owner's mbarriers.
  SmallVector<Value> targetSlots, targetBarriers;
};

} // namespace

SmallVector<Value> RecurrenceKernel::valuesIf(Value condition, Type type, unsigned count,
                                              function_ref<SmallVector<Value>()> values) const {
  auto branch = scf::IfOp::create(
      builder, e.loc, condition, [&](OpBuilder &, Location) { scf::YieldOp::create(builder, e.loc, values()); },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(builder, e.loc, SmallVector<Value>(count, e.number(0.0, type)));
      });
  return llvm::to_vector(ValueRange(branch.getResults()));
}

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

void RecurrenceKernel::launch() {
  // As few examples in a cluster as let all clusters run at once: an H200 has 132 multiprocessors.
  int64_t together = 132 / shape.blocks;
  rows = host.min(host.parts(layer.B, together), host.index(ClusterShape::maxRows));
  Value one = host.index(1);
  Value clusters = arith::CeilDivUIOp::create(builder, host.loc, layer.B, rows);
  Value blocks = host.mul(host.max(clusters, one), host.index(shape.blocks));
  Value size = host.index(shape.blocks);
  kernel = gpu::LaunchOp::create(builder, host.loc, blocks, one, one, host.index(shape.getThreads()), one, one, nullptr,
                                 nullptr, {}, {}, {}, size, one, one);
  // Ids and sizes of clusters, which upstream's builder forgets.
  Block &body = kernel.getBody().front();
  while (body.getNumArguments() < kernel.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), host.loc);
  kernel.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), layer.name));
  builder.setInsertionPointToStart(&body);
}

/// Workgroup memory at a multiple of 16.
Value RecurrenceKernel::addBuffer(int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({int64_t(llvm::divideCeil(bytes, 16))}, VectorType::get({4}, i32),
                              MemRefLayoutAttrInterface(), space);
  return e.address(kernel.addWorkgroupAttribution(type, kernel.getLoc()), {e.index(0)});
}

/// The matrix that multiplies is R: its rows are the units that sums go to, its columns the gates of the block's units.
/// Registers of A (PTX ISA, mma.m16n8k16): rows group and group + 8, columns 2 * member and 8 more, in pairs. A kernel of
/// its own brings them into this order, with zeros for units that do not exist, so that a thread reads 16 bytes at once.
void RecurrenceKernel::orderWeights() {
  Value pieces = host.index(shape.getNumPieces()), registers = host.index(32 * 4);
  launchPlaces(host, "cluster_weights", pieces, registers, [&](const Emitter &e, Value number, Value column) {
    auto split = [&](Value &value, int64_t count) {
      Value part = e.remainder(value, e.index(count));
      value = e.div(value, e.index(count));
      return part;
    };
    Value rest = number, piece = split(rest, shape.getPieces());
    Value tileOfLayer = e.remainder(rest, e.index(shape.warps * shape.getTilesOfWarp()));
    Value block = e.div(rest, e.index(shape.warps * shape.getTilesOfWarp()));
    rest = column;
    Value lower = split(rest, 2), right = split(rest, 2), member = split(rest, 4), group = rest;
    Value row = e.add(e.mul(tileOfLayer, e.index(16)), e.add(e.mul(lower, e.index(8)), group));
    Value gate = e.div(piece, e.index(shape.tiles)), first = e.mul(e.remainder(piece, e.index(shape.tiles)), e.index(16));
    Value firstColumn = e.index(layer.gateColumns[0]);
    for (int64_t other = 1; other < ClusterShape::numGates; ++other)
      firstColumn = e.select(e.isEqual(gate, e.index(other)), e.index(layer.gateColumns[other]), firstColumn);
    for (int64_t index : {0, 1}) {
      Value unit = e.add(e.mul(block, e.index(shape.getUnits())), e.add(first, e.mul(right, e.index(8))));
      unit = e.add(unit, e.add(e.mul(member, e.index(2)), e.index(index)));
      Value exists = e.both(e.isLess(row, e.index(layer.H)), e.isLess(unit, e.index(layer.H)));
      Value weight = e.choose(
          exists, [&] { return e.load(layer.weights, {e.add(layer.firstRow, row), e.add(firstColumn, unit)}); },
          [&] { return e.number(0.0, layer.element); });
      e.store(weight, layer.orderedWeights, {number, column, e.index(index)});
    }
  });
}

void RecurrenceKernel::loadWeights() {
  Emitter reading = host.named(layer.name.str() + ": weights");
  const int64_t perWarp = shape.getTilesOfWarp() * shape.getPieces();
  Value firstPiece = e.mul(e.add(e.mul(rank, e.index(shape.warps)), warp), e.index(perWarp));
  Value first = reading.address(layer.orderedWeights, {firstPiece, e.mul(lane, e.index(4)), e.index(0)});
  Type four = VectorType::get({4}, i32), pair = VectorType::get({2}, layer.element);
  for (int64_t piece = 0; piece < perWarp; ++piece) {
    Value registers = LLVM::LoadOp::create(builder, reading.loc, four, at(first, four, e.index(piece * 32)), 16);
    for (int64_t number = 0; number < 4; ++number) {
      Value weight = LLVM::ExtractElementOp::create(builder, reading.loc, registers, constant32(number));
      weights.push_back(layer.element.isF16() ? LLVM::BitcastOp::create(builder, reading.loc, pair, weight).getResult()
                                              : weight);
    }
  }
}

void RecurrenceKernel::startBarriers() {
  e.when(e.isEqual(thread, e.index(0)), [&] {
    for (int64_t turn : {0, 1})
      NVVM::MBarrierInitOp::create(builder, e.loc, at(barriers, builder.getI64Type(), e.index(turn)), constant32(1),
                                   nullptr);
    NVVM::FenceMbarrierInitOp::create(builder, e.loc);
  });
  // Nobody may send before.
  NVVM::ClusterArriveOp::create(builder, e.loc, /*aligned=*/nullptr);
  NVVM::ClusterWaitOp::create(builder, e.loc, /*aligned=*/nullptr);
}

/// Rows and units that do not exist are never stored, but multiplied.
void RecurrenceKernel::clearTile() {
  int64_t words = 2 * tileElements() / 2;
  e.loop(thread, e.index(words), shape.getThreads(), {}, [&](Value word, ValueRange) {
    LLVM::StoreOp::create(builder, e.loc, constant32(0), at(tile, i32, word));
    return SmallVector<Value>();
  });
}

/// Registers of D (PTX ISA, mma.m16n8k16): a lane has rows group and group + 8, of each the columns 2 * member and the next.
RecurrenceKernel::Place RecurrenceKernel::findPlace(int64_t number) {
  Place place;
  place.number = e.add(thread, e.index(number * shape.getThreads()));
  auto part = [&](int64_t unit, int64_t count) {
    return e.remainder(e.div(place.number, e.index(unit)), e.index(count));
  };
  Value column = part(1, 2), owner = part(2, 32), upper = part(64, 2), tileNumber = e.div(place.number, e.index(128));
  Value unit = e.add(e.mul(tileNumber, e.index(16)), e.add(e.mul(upper, e.index(8)), e.div(owner, e.index(4))));
  Value row = e.add(e.mul(e.remainder(owner, e.index(4)), e.index(2)), column);
  place.unit = e.add(e.mul(rank, e.index(shape.getUnits())), unit);
  Value cluster = e.div(kernel.getBlockIds().x, e.index(shape.blocks));
  place.b = e.add(e.mul(cluster, rows), row);
  place.inTile = e.add(e.mul(row, e.index(tileStride())), unit);
  place.exists = e.both(e.both(e.isLess(place.unit, e.index(layer.H)), e.isLess(row, rows)), e.isLess(place.b, layer.B));
  if ((number + 1) * shape.getThreads() > shape.getSums())
    place.exists = e.both(place.exists, e.isLess(place.number, e.index(shape.getSums())));
  if (layer.wci) {
    SmallVector<Value> peephole = valuesIf(place.exists, accumulator, 3, [&] {
      SmallVector<Value> values;
      for (Value buffer : {layer.wci, layer.wcf, layer.wco})
        values.push_back(e.convert(e.load(buffer, {place.unit}), accumulator));
      return values;
    });
    place.peephole = {peephole[0], peephole[1], peephole[2]};
  }
  return place;
}

void RecurrenceKernel::findTargets() {
  auto remote = LLVM::LLVMPointerType::get(builder.getContext(), 7);
  Value own = e.mul(rank, e.index(shape.getSums()));
  for (int64_t tileOfWarp = 0; tileOfWarp < shape.getTilesOfWarp(); ++tileOfWarp) {
    Value number = e.add(e.mul(warp, e.index(shape.getTilesOfWarp())), e.index(tileOfWarp));
    Value owner = toI32(e.div(number, e.index(shape.tiles)));
    Value first = e.mul(e.remainder(number, e.index(shape.tiles)), e.index(128));
    Value place = e.add(e.add(own, first), e.mul(lane, e.index(2)));
    targetSlots.push_back(NVVM::MapaOp::create(builder, e.loc, remote, at(slots, f32, place), owner));
    targetBarriers.push_back(NVVM::MapaOp::create(builder, e.loc, remote, barriers, owner));
  }
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

RecurrenceKernel::Saved RecurrenceKernel::readSaved(const Place &place, Value t) {
  Emitter reading = host.named(layer.name.str() + ": saved values");
  SmallVector<Value> values = valuesIf(place.exists, accumulator, 8, [&] {
    SmallVector<Value> read;
    for (Value buffer : {layer.i, layer.g, layer.f, layer.o, layer.u, layer.cellGradients, layer.stateGradients})
      read.push_back(reading.convert(reading.load(buffer, {t, place.b, place.unit}), accumulator));
    Value before = reading.choose(
        reading.isEqual(t, reading.index(0)), [&] { return reading.load(layer.cellBefore, {place.b, place.unit}); },
        [&] { return reading.load(layer.cells, {reading.sub(t, reading.index(1)), place.b, place.unit}); });
    read.push_back(reading.convert(before, accumulator));
    return read;
  });
  return {{values[0], values[1], values[2], values[3]}, values[4], values[7], values[5], values[6]};
}

/// Waits for the partial sums that the blocks sent in a step.
void RecurrenceKernel::waitFor(Value step) {
  Value turn = e.remainder(step, e.index(2)), use = e.div(step, e.index(2));
  Value barrier = at(barriers, builder.getI64Type(), turn), parity = toI32(e.remainder(use, e.index(2)));
  scf::WhileOp::create(
      builder, e.loc, TypeRange(), ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        Value done = NVVM::MBarrierTryWaitOp::create(builder, e.loc, builder.getI1Type(), barrier, parity, nullptr,
                                                     NVVM::MemScopeKind::CLUSTER);
        Value isTrue = arith::ConstantOp::create(builder, e.loc, builder.getBoolAttr(true));
        scf::ConditionOp::create(builder, e.loc, arith::XOrIOp::create(builder, e.loc, done, isTrue), ValueRange());
      },
      [&](OpBuilder &, Location, ValueRange) { scf::YieldOp::create(builder, e.loc); });
}

Value RecurrenceKernel::addPartialSums(const Place &place, Value step) {
  Emitter adding = host.named(layer.name.str() + ": partial sums");
  Value first = e.mul(e.remainder(step, e.index(2)), e.index(shape.blocks * shape.getSums()));
  return valuesIf(place.exists, accumulator, 1, [&] {
    Value sum;
    for (int64_t block = 0; block < shape.blocks; ++block) {
      Value number = e.add(e.add(first, e.index(block * shape.getSums())), place.number);
      Value part = LLVM::LoadOp::create(builder, adding.loc, f32, at(slots, f32, number));
      sum = sum ? adding.add(sum, part) : part;
    }
    return SmallVector<Value>{sum};
  })[0];
}

void RecurrenceKernel::storeGates(const Place &place, Value t, Value turn, const LSTMGates &gradients) {
  Emitter storing = host.named(layer.name.str() + ": gradients of the gates");
  storing.when(place.exists, [&] {
    Value row = storing.add(storing.mul(t, layer.B), place.b);
    const Value gates[] = {gradients.i, gradients.g, gradients.f, gradients.o};
    for (auto [gate, value] : llvm::enumerate(gates)) {
      Value rounded = storing.convert(value, layer.element);
      storing.store(rounded, layer.gateGradients,
                    {row, storing.add(place.unit, storing.index(layer.gateColumns[gate]))});
      Value number = e.add(e.add(half(turn), place.inTile), e.index(gate * shape.getUnits()));
      LLVM::StoreOp::create(builder, storing.loc, rounded, at(tile, layer.element, number));
    }
  });
}

/// Partial sums of all units, for the warp's tiles. Registers of B (PTX ISA, mma.m16n8k16): column group, rows 2 * member
/// and the next, and 8 more.
SmallVector<Value> RecurrenceKernel::multiply(Value turn) {
  Emitter multiplying = host.named(layer.name.str() + ": product");
  Location loc = multiplying.loc;
  const bool isF16 = layer.element.isF16();
  Type registerType = isF16 ? Type(VectorType::get({2}, layer.element)) : i32;
  NVVM::MMATypes type = isF16 ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, f32));
  SmallVector<Value> sums(shape.getTilesOfWarp() * 4, e.number(0.0, f32));
  Value first = e.add(half(turn), e.add(e.mul(group, e.index(tileStride())), e.mul(member, e.index(2))));
  for (int64_t piece = 0; piece < shape.getPieces(); ++piece) {
    Value b[2];
    for (int64_t index : {0, 1})
      b[index] = LLVM::LoadOp::create(builder, loc, registerType,
                                      at(tile, layer.element, e.add(first, e.index(piece * 16 + index * 8))), 4);
    for (int64_t tileOfWarp = 0; tileOfWarp < shape.getTilesOfWarp(); ++tileOfWarp) {
      MutableArrayRef<Value> tileSums = MutableArrayRef(sums).slice(tileOfWarp * 4, 4);
      ArrayRef<Value> a = ArrayRef(weights).slice((tileOfWarp * shape.getPieces() + piece) * 4, 4);
      Value product = NVVM::MmaOp::create(builder, loc, result, ValueRange(a), ValueRange(b), ValueRange(tileSums),
                                          {16, 8, 16}, std::nullopt, std::nullopt, std::array{type, type},
                                          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (auto [index, sum] : llvm::enumerate(tileSums))
        sum = LLVM::ExtractValueOp::create(builder, loc, product, index);
    }
  }
  return sums;
}

void RecurrenceKernel::send(Value turn, ValueRange sums) {
  Emitter sending = host.named(layer.name.str() + ": send");
  // The columns of examples that the cluster does not have stay at home.
  Value wanted = e.isLess(e.mul(member, e.index(2)), rows);
  sending.when(e.isEqual(thread, e.index(0)), [&] {
    Value pairs = e.div(e.add(rows, e.index(1)), e.index(2));
    Value bytes = e.mul(pairs, e.index(shape.blocks * shape.getUnits() * 2 * 4));
    NVVM::MBarrierArriveExpectTxOp::create(builder, sending.loc, Type(), at(barriers, builder.getI64Type(), turn),
                                           toI32(bytes), NVVM::MemScopeKind::CLUSTER, /*relaxed=*/false, nullptr);
  });
  sending.when(wanted, [&] {
    Value first = e.mul(turn, e.index(shape.blocks * shape.getSums()));
    for (int64_t tileOfWarp = 0; tileOfWarp < shape.getTilesOfWarp(); ++tileOfWarp) {
      Value barrier = at(targetBarriers[tileOfWarp], builder.getI64Type(), turn);
      for (int64_t upper : {0, 1})
        rnngpu::StoreAsyncOp::create(builder, sending.loc, sums.slice(tileOfWarp * 4 + upper * 2, 2),
                                     at(targetSlots[tileOfWarp], f32, e.add(first, e.index(upper * 64))), barrier);
    }
  });
}

void RecurrenceKernel::build() {
  f32 = builder.getF32Type();
  i32 = builder.getI32Type();
  accumulator = f32;
  orderWeights();
  launch();
  barriers = addBuffer(2 * 8);
  slots = addBuffer(2 * shape.blocks * shape.getSums() * 4);
  tile = addBuffer(2 * tileElements() * 2);
  thread = kernel.getThreadIds().x;
  lane = e.remainder(thread, e.index(32));
  warp = e.div(thread, e.index(32));
  group = e.div(lane, e.index(4));
  member = e.remainder(lane, e.index(4));
  rank = toIndex(NVVM::ClusterId::create(builder, e.loc, i32));
  loadWeights();
  clearTile();
  for (int64_t number = 0; number * shape.getThreads() < shape.getSums(); ++number)
    places.push_back(findPlace(number));
  startBarriers();
  findTargets();

  Value zero = e.index(0), one = e.index(1), last = e.sub(layer.steps, one);
  SmallVector<Value> carried(places.size(), e.number(0.0, accumulator));
  carried = e.loop(zero, layer.steps, 1, carried, [&](Value step, ValueRange before) {
    Value t = e.sub(last, step), turn = e.remainder(step, e.index(2));
    SmallVector<Saved> saved;
    for (const Place &place : places)
      saved.push_back(readSaved(place, t));
    Value previous = e.sub(step, one), isLater = e.isLess(zero, step);
    SmallVector<Value> sums = valuesIf(isLater, accumulator, places.size(), [&] {
      waitFor(previous);
      SmallVector<Value> values;
      for (const Place &place : places)
        values.push_back(addPartialSums(place, previous));
      return values;
    });
    SmallVector<Value> after;
    for (auto [place, values, sum, carry] : llvm::zip(places, saved, sums, before)) {
      Value dc = e.add(carry, values.cellGradient);
      LSTMGates gradients = stepBackLSTM(e, values.gates, values.u, values.before,
                                         e.add(sum, values.stateGradient), dc, place.peephole);
      storeGates(place, t, turn, gradients);
      after.push_back(dc);
    }
    // The gates' gradients of the block are in the tile, and all that it received has been read.
    e.barrier();
    auto sendSums = [&] { send(turn, multiply(turn)); };
    if (layer.gradientBefore)
      sendSums();
    else // nobody wants what the first step sends back
      e.when(e.isLess(step, last), sendSums);
    return after;
  });

  Emitter ending = host.named(layer.name.str() + ": finish");
  if (layer.gradientBefore) {
    Value any = e.isLess(zero, layer.steps);
    SmallVector<Value> sums = valuesIf(any, accumulator, places.size(), [&] {
      waitFor(last);
      SmallVector<Value> values;
      for (const Place &place : places)
        values.push_back(addPartialSums(place, last));
      return values;
    });
    for (auto [place, sum] : llvm::zip(places, sums))
      ending.when(place.exists, [&, place = place, sum = sum] {
        ending.store(ending.convert(sum, layer.element), layer.gradientBefore, {place.b, place.unit});
      });
  }
  if (layer.cellGradientBefore)
    for (auto [place, carry] : llvm::zip(places, carried))
      ending.when(place.exists, [&, place = place, carry = carry] {
        ending.store(ending.convert(carry, layer.element), layer.cellGradientBefore, {place.b, place.unit});
      });
  // A block stays until nobody sends to it any more.
  NVVM::ClusterArriveOp::create(builder, e.loc, /*aligned=*/nullptr);
  NVVM::ClusterWaitOp::create(builder, e.loc, /*aligned=*/nullptr);
  gpu::TerminatorOp::create(builder, kernel.getLoc());
  builder.setInsertionPointAfter(kernel);
}

void rnn::launchLSTMRecurrence(const Emitter &host, const LSTMRecurrence &layer, const ClusterShape &shape) {
  RecurrenceKernel(host, layer, shape).build();
}
