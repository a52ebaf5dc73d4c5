//===- ClusterForward.cpp - a forward recurrence in one launch ---------------===//
//
// Every block has a tile with the states of all units, of the examples of its cluster. Per step, a warp (1) reads what comes
// from the input, (2) waits until the states of the step before have come from all blocks, (3) multiplies them with its
// rows of the weights, which give all gates of some units, (4) computes these units, whose cells stay in registers, and
// (5) sends their states to all blocks, this one among them.
//
// Two tiles and two mbarriers take turns, and no other barrier stands in the loop. That is enough. The states of step n go
// where those of step n - 2 stood, which every warp of the cluster reads in (3) of step n - 1. A warp sends the states of
// step n only when it has received all states of step n - 1; each warp of each block sent some of these (units that do not
// exist are sent as zeros, so none is left out), and did so in (5) of step n - 1, behind its reads in (3), which a
// synchronization of the warp separates from its sends. So nobody reads any more what is overwritten, in this block or in
// another. For the same reason no two warps of a cluster are more than one step apart: a mbarrier never counts bytes of
// two turns, and its parity tells one turn from the next. One thread of a block says in step n how many bytes will come; the
// turn cannot end before, however early they are there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterForward.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

FailureOr<ClusterForwardShape> ClusterForwardShape::choose(int64_t H, int64_t numGates, Type element,
                                                           const KernelOptions &options, int64_t wanted,
                                                           std::string &reason) {
  // As the backward's: ptxas has registers for so many weights (four less for each warp's tile, and a piece on its way where
  // others stand in memory).
  constexpr int64_t maxRegisters = 144, withMemory = 120, maxWarps = 8;
  return chooseClusterShape<ClusterForwardShape>(H, wanted, reason, [&](int64_t blocks) {
    ClusterForwardShape shape{numGates, H, blocks, 1, 1, element.getIntOrFloatBitWidth(), splitsFactors(element, options), 0};
    // No warp has nothing to do, but in the last blocks.
    int64_t tiles = llvm::divideCeil(llvm::divideCeil(H, blocks), shape.getUnitsOfTile());
    shape.tiles = llvm::divideCeil(tiles, maxWarps);
    shape.warps = llvm::divideCeil(tiles, shape.tiles);
    const ClusterWeights weights = shape.getWeights();
    shape.piecesInRegisters =
        weights.getRegisters() <= maxRegisters ? weights.getPiecesOfWarp() : withMemory / ClusterPieces::registers;
    // As there: near the registers that leave room for a second block.
    if (shape.isSplit && shape.tiles > 1 && shape.piecesInRegisters == weights.getPiecesOfWarp())
      shape.piecesInRegisters -= 1;
    return shape;
  });
}

namespace {

class ForwardKernel : public ClusterKernel {
public:
  ForwardKernel(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterForwardShape &shape,
                const ClusterForwardLayer &layer)
      : ClusterKernel(host, recurrence.name, recurrence.element), recurrence(recurrence), shape(shape), layer(layer) {}

  void build();

private:
  /// A unit of an example that this thread computes.
  struct Place : ClusterForwardLayer::Place {
    Value exists;
    SmallVector<Value> once;
  };
  /// A product leaves four sums in a lane: of two rows, for two examples. Neighbours swap so that a lane has four rows for
  /// one example; those are its slots.
  static constexpr int64_t numSlots = 4;

  int64_t stride() const { return shape.getStride(); }
  int64_t tileElements() const { return shape.getTileElements(); }
  int64_t placesOfTile() const { return shape.hasOneGate() ? numSlots : 1; }
  /// Where the states of the step with this number go; those from before the first are the other ones.
  Value tileOf(Value number) const { return e.mul(e.remainder(number, e.index(2)), e.index(tileElements())); }

  // --- Before the loop ---
  void orderWeights();
  void fillTiles();
  void findPlaces();
  void findTargets();
  SmallVector<Value> startCarried();

  // --- A step ---
  void syncWarp() const;
  Value exchange(Value value, int64_t lanes) const;
  SmallVector<Value> toSlots(ArrayRef<Value> sums);
  Value toBits(Value state) const;
  SmallVector<Value> gather(ArrayRef<Value> states);
  void sendStates(Value number, ArrayRef<Value> states);

  const ClusterRecurrence &recurrence;
  const ClusterForwardShape &shape;
  const ClusterForwardLayer &layer;

  Value tiles;                             ///< two, in workgroup memory
  Value example, pair, unitInTile;         ///< of this lane: of the cluster; whether it has the odd one; first slot or unit
  SmallVector<Place> places;               ///< by tile of the warp
  struct Target {
    Value exists; ///< or null: always
    Value tiles, barriers;
  };
  SmallVector<Target> targets; ///< blocks that this lane sends to
};

} // namespace

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// Zeros stand for gates and units that do not exist.
void ForwardKernel::orderWeights() {
  orderPieces(host, "cluster_weights", pieces, recurrence.orderedWeights,
              [&](const Emitter &e, Value piece, Value row, Value column) {
                auto split = [&](int64_t count) {
                  Value part = e.remainder(piece, e.index(count));
                  piece = e.div(piece, e.index(count));
                  return part;
                };
                Value along = split(shape.getPieces()), tile = split(shape.warps * shape.tiles), block = split(shape.blocks);
                // Rows group and group + 8 are in one lane, so its slots are 0 and 1, or 2 and 3.
                Value lower = e.div(row, e.index(8)), group = e.remainder(row, e.index(8));
                Value slot = e.add(e.mul(e.remainder(group, e.index(2)), e.index(2)), lower);
                Value four = e.div(group, e.index(2)), gate = slot, inTile = four;
                if (shape.hasOneGate())
                  gate = e.index(0), inTile = e.add(e.mul(four, e.index(numSlots)), slot);
                Value unit = e.add(e.mul(block, e.index(shape.getUnits())),
                                   e.add(e.mul(tile, e.index(shape.getUnitsOfTile())), inTile));
                Value from = e.add(e.mul(along, e.index(shape.getDepth())), column), H = e.index(shape.H);
                Value exists = e.both(e.isLess(unit, H), e.isLess(from, H));
                exists = e.both(exists, e.isLess(gate, e.index(shape.numGates)));
                return e.choose(
                    exists, [&] { return layer.getWeight(e, piece, gate, unit, from); },
                    [&] { return e.number(0.0, element); });
              });
}

/// The states before the first step in one, zeros in the other. What nobody sends stays zero, and is multiplied.
void ForwardKernel::fillTiles() {
  Emitter filling = named("states before the first step");
  Value before = e.index(tileElements()), zero = e.number(0.0, element);
  e.loop(thread, before, shape.getThreads(), {}, [&](Value place, ValueRange) {
    Value row = e.div(place, e.index(stride())), unit = e.remainder(place, e.index(stride()));
    ClusterForwardLayer::Place where{direction, e.add(firstRow, row), unit};
    Value exists = e.both(e.both(e.isLess(unit, e.index(shape.H)), e.isLess(row, rows)), e.isLess(where.b, recurrence.B));
    Value state = filling.choose(
        exists, [&] { return round(filling, layer.getState(filling, where)); }, [&] { return zero; });
    LLVM::StoreOp::create(builder, filling.loc, zero, at(tiles, element, place));
    LLVM::StoreOp::create(builder, filling.loc, state, at(tiles, element, e.add(before, place)));
    return SmallVector<Value>();
  });
}

void ForwardKernel::findPlaces() {
  pair = e.remainder(group, e.index(2));
  example = e.add(e.mul(member, e.index(2)), pair);
  unitInTile = e.mul(e.div(group, e.index(2)), e.index(placesOfTile()));
  for (int64_t tile = 0; tile < shape.tiles; ++tile) {
    Value number = e.add(e.mul(warp, e.index(shape.tiles)), e.index(tile));
    Value first = e.add(e.mul(rank, e.index(shape.getUnits())), e.mul(number, e.index(shape.getUnitsOfTile())));
    for (int64_t index = 0; index < placesOfTile(); ++index) {
      Place place;
      place.direction = direction;
      place.b = e.add(firstRow, example);
      place.unit = e.add(e.add(first, unitInTile), e.index(index));
      place.exists = e.both(e.both(e.isLess(place.unit, e.index(shape.H)), e.isLess(example, rows)),
                            e.isLess(place.b, recurrence.B));
      place.once = valuesIf(place.exists, [&] { return layer.readOnce(e, place); });
      places.push_back(place);
    }
  }
}

/// With several gates, the four lanes of an example know the same four units, and share the blocks.
void ForwardKernel::findTargets() {
  const int64_t lanes = shape.hasOneGate() ? 1 : 4;
  for (int64_t first = 0; first < shape.blocks; first += lanes) {
    Value other = lanes == 1 ? e.index(first) : e.add(unitInTile, e.index(first));
    Value exists = first + lanes > shape.blocks ? e.isLess(other, e.index(shape.blocks)) : Value();
    // A block that does not exist has no address.
    Value number = toI32(exists ? e.select(exists, other, e.index(0)) : other);
    targets.push_back({exists, getRemote(tiles, number), getRemote(barriers, number)});
  }
}

/// Of all places, one after the other.
SmallVector<Value> ForwardKernel::startCarried() {
  SmallVector<Value> carried;
  for (const Place &place : places)
    llvm::append_range(carried, valuesIf(place.exists, [&] { return layer.start(e, place); }));
  return carried;
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

void ForwardKernel::syncWarp() const { NVVM::SyncWarpOp::create(builder, e.loc, constant32(-1)); }

/// The value of the lane whose number differs by `lanes`, a power of two.
Value ForwardKernel::exchange(Value value, int64_t lanes) const {
  return gpu::ShuffleOp::create(builder, e.loc, value, lanes, 32, gpu::ShuffleMode::XOR).getShuffleResult();
}

/// From the registers of D (PTX ISA, mma.m16n8k16: rows group and group + 8, of each the columns 2 * member and the next) to
/// the lane's slots: it keeps one column, and gives the other to the lane that has the other rows.
SmallVector<Value> ForwardKernel::toSlots(ArrayRef<Value> sums) {
  Value isOdd = e.isEqual(pair, e.index(1));
  auto keep = [&](int64_t row) { return e.select(isOdd, sums[row * 2 + 1], sums[row * 2]); };
  auto swap = [&](int64_t row) { return exchange(e.select(isOdd, sums[row * 2], sums[row * 2 + 1]), 4); };
  Value own[] = {keep(0), keep(1)}, other[] = {swap(0), swap(1)};
  return {e.select(isOdd, other[0], own[0]), e.select(isOdd, other[1], own[1]), e.select(isOdd, own[0], other[0]),
          e.select(isOdd, own[1], other[1])};
}

Value ForwardKernel::toBits(Value state) const {
  Type bitsType = builder.getIntegerType(shape.bits);
  Value bits = arith::BitcastOp::create(builder, e.loc, bitsType, round(e, state));
  return bitsType == i32 ? bits : arith::ExtUIOp::create(builder, e.loc, i32, bits).getResult();
}

/// Four states of neighbouring units in words, from those of a tile that the lane has.
SmallVector<Value> ForwardKernel::gather(ArrayRef<Value> states) {
  // Two states: a word, or two.
  auto join = [&](Value low, Value high) -> SmallVector<Value> {
    if (shape.bits == 32)
      return {low, high};
    Value shifted = arith::ShLIOp::create(builder, e.loc, high, constant32(16));
    return {arith::OrIOp::create(builder, e.loc, low, shifted)};
  };
  if (shape.hasOneGate()) {
    SmallVector<Value> words = join(toBits(states[0]), toBits(states[1]));
    llvm::append_range(words, join(toBits(states[2]), toBits(states[3])));
    return words;
  }
  Value own = toBits(states[0]), other = exchange(own, 8);
  Value isOdd = e.isEqual(e.remainder(unitInTile, e.index(2)), e.index(1)), isUpper = e.isLess(e.index(1), unitInTile);
  SmallVector<Value> lower, upper;
  for (Value word : join(e.select(isOdd, other, own), e.select(isOdd, own, other))) {
    Value second = exchange(word, 16);
    lower.push_back(e.select(isUpper, second, word));
    upper.push_back(e.select(isUpper, word, second));
  }
  llvm::append_range(lower, upper);
  return lower;
}

void ForwardKernel::sendStates(Value number, ArrayRef<Value> states) {
  Emitter sending = named("send");
  Value turn = e.remainder(number, e.index(2));
  expect(sending, turn, e.mul(rows, e.index(shape.getSentColumns() * shape.bits / 8)));
  SmallVector<SmallVector<Value>> words;
  for (int64_t tile = 0; tile < shape.tiles; ++tile)
    words.push_back(gather(states.slice(tile * placesOfTile(), placesOfTile())));
  // Behind it, all lanes have read their tile.
  syncWarp();
  Value first = e.add(tileOf(number), e.mul(example, e.index(stride())));
  for (const Target &target : targets) {
    // Examples that the cluster does not have stay at home.
    Value wanted = e.isLess(example, rows);
    if (target.exists)
      wanted = e.both(wanted, target.exists);
    sending.when(wanted, [&] {
      Value barrier = at(target.barriers, builder.getI64Type(), turn);
      for (int64_t tile = 0; tile < shape.tiles; ++tile) {
        Value place = e.add(e.mul(rank, e.index(shape.getUnits())),
                            e.mul(e.add(e.mul(warp, e.index(shape.tiles)), e.index(tile)), e.index(shape.getUnitsOfTile())));
        if (shape.hasOneGate())
          place = e.add(place, unitInTile);
        send(sending, words[tile], at(target.tiles, element, e.add(first, place)), barrier);
      }
    });
  }
}

void ForwardKernel::build() {
  orderWeights();
  launch(recurrence.B, recurrence.numDirections, shape.blocks, shape.getThreads(), shape.getBytes());
  tiles = addBuffer(shape.getTileBytes());
  loadWeights(recurrence.orderedWeights, shape.getWeights());
  fillTiles();
  findPlaces();
  SmallVector<Value> carried = startCarried();
  startBarriers();
  findTargets();

  Value zero = e.index(0), one = e.index(1), last = e.sub(recurrence.steps, one);
  const unsigned perPlace = carried.size() / places.size();
  carried = e.loop(zero, recurrence.steps, 1, carried, [&](Value number, ValueRange before) {
    Step step = recurrence.getStep(e, direction, number);
    SmallVector<SmallVector<Value>> values;
    for (const Place &place : places)
      values.push_back(valuesIf(place.exists, [&] { return layer.read(named("from the input"), place, step); }));
    e.when(e.isLess(zero, number), [&] { waitFor(e.sub(number, one)); });
    syncWarp(); // lanes leave the wait one by one, and multiply together
    // With the states of the step before.
    Value row = e.add(tileOf(e.add(number, one)), e.mul(group, e.index(stride())));
    SmallVector<Value> sums = multiplyAll(tiles, row), after, states;
    SmallVector<ClusterForwardLayer::Result> results;
    for (int64_t tile = 0; tile < shape.tiles; ++tile) {
      SmallVector<Value> slots = toSlots(ArrayRef(sums).slice(tile * 4, 4));
      for (int64_t index = 0; index < placesOfTile(); ++index) {
        const int64_t at = tile * placesOfTile() + index;
        ArrayRef<Value> gates = shape.hasOneGate() ? ArrayRef(slots).slice(index, 1) : ArrayRef(slots).take_front(shape.numGates);
        results.push_back(layer.step(e, step, places[at].once, values[at], gates, before.slice(at * perPlace, perPlace)));
        llvm::append_range(after, results.back().carried);
        states.push_back(e.select(places[at].exists, results.back().h, e.number(0.0, f32)));
      }
    }
    // Others wait for the states, and nobody for the results. Behind the last step nobody waits.
    e.when(e.isLess(number, last), [&] { sendStates(number, states); });
    Emitter storing = named("results");
    for (auto [place, result] : llvm::zip(places, results))
      storing.when(place.exists, [&, &place = place, &result = result] { layer.store(storing, place, step, result); });
    return after;
  });

  Emitter ending = named("finish");
  for (auto [number, place] : llvm::enumerate(places))
    ending.when(place.exists, [&, number = number, &place = place] {
      layer.finish(ending, place, ValueRange(carried).slice(number * perPlace, perPlace));
    });
  finish();
}

void rnn::launchClusterForward(const Emitter &host, const ClusterRecurrence &recurrence, const ClusterForwardShape &shape,
                               const ClusterForwardLayer &layer) {
  ForwardKernel(host, recurrence, shape, layer).build();
}
