//===- ClusterKernel.cpp - what kernels of clusters are made of ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

#define DEBUG_TYPE "convert-rnn-to-gpu"

using namespace mlir;
using namespace mlir::rnn;

/// The bits of f32 that tf32 has.
static constexpr int32_t tf32Mask = -0x2000;

//===----------------------------------------------------------------------===//
// The wish for clusters
//===----------------------------------------------------------------------===//

bool rnn::wantsCluster(Operation *op) {
  auto family = findAttr<StringAttr>(op, "rnn.kernel_family");
  return family && family.getValue() == "cluster";
}

std::string rnn::findReasonAgainstCluster(Operation *op, Type element, Value H) {
  ClusterQuery query;
  query.element = element;
  query.H = getConstantIntValue(H);
  return findReasonAgainstCluster(query, getKernelOptions(op));
}

void rnn::remarkNoCluster(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("Cluster").category(DEBUG_TYPE))
      << remark::reason("{0}", reason) << remark::suggest("{0}", "leave the attribute out: there is one kernel per step");
}

//===----------------------------------------------------------------------===//
// The order of weights
//===----------------------------------------------------------------------===//

/// Registers of A (PTX ISA, mma.m16n8k16 and m16n8k8): rows group and group + 8; columns from that of the member on, and
/// half a piece later. A kernel of its own brings them into this order, so that a thread reads 16 bytes at once; with
/// --tf32, f32 is rounded there.
void rnn::orderPieces(const Emitter &host, StringRef name, const ClusterPieces &pieces, Value ordered,
                      function_ref<Value(const Emitter &, Value, Value, Value)> read) {
  Value count = host.size(ordered, 0), registers = host.index(ClusterPieces::lanes * ClusterPieces::registers);
  launchPlaces(host, name, count, registers, [&](const Emitter &e, Value piece, Value place) {
    auto split = [&](int64_t count) {
      Value part = e.remainder(place, e.index(count));
      place = e.div(place, e.index(count));
      return part;
    };
    Value lower = split(2), right = split(2), member = split(4), group = place;
    Value row = e.add(e.mul(lower, e.index(8)), group);
    Value first = e.add(e.mul(right, e.index(pieces.getDepth() / 2)), e.mul(member, e.index(pieces.getPerRegister())));
    Value lane = e.add(e.mul(group, e.index(4)), member);
    Value number = e.add(e.mul(lane, e.index(4)), e.add(e.mul(right, e.index(2)), lower));
    for (int64_t index = 0; index < pieces.getPerRegister(); ++index) {
      Value value = read(e, piece, row, e.add(first, e.index(index)));
      if (pieces.element.isF32() && !splitsFactors(pieces.element, e.options)) {
        value = NVVM::ConvertFloatToTF32Op::create(e.builder, e.loc, e.builder.getI32Type(), value, NVVM::FPRoundingMode::RNA);
        value = LLVM::BitcastOp::create(e.builder, e.loc, pieces.element, value);
      }
      e.store(value, ordered, {piece, number, e.index(index)});
    }
  });
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

ClusterKernel::ClusterKernel(const Emitter &host, StringRef name, Type element)
    : host(host), e(host.named(name)), builder(host.builder), name(name), pieces(element), element(element),
      f32(builder.getF32Type()), i32(builder.getI32Type()) {}

Value ClusterKernel::chooseRows(const Emitter &host, Value B, int64_t numDirections, int64_t blocks) {
  int64_t together = 132 / blocks; // an H200 has 132 multiprocessors
  return host.min(host.parts(host.mul(B, host.index(numDirections)), together), host.index(maxRows));
}

void ClusterKernel::launch(Value B, int64_t numDirections, int64_t blocks, int64_t threads, int64_t bytes) {
  constexpr int64_t maxStatic = 48 * 1024; // above it, the launch has to tell the size
  rows = chooseRows(host, B, numDirections, blocks);
  Value one = host.index(1), size = host.index(blocks);
  Value clusters = host.max(arith::CeilDivUIOp::create(builder, host.loc, B, rows), one); // of a direction
  Value all = host.mul(host.mul(clusters, host.index(numDirections)), size);
  Value dynamicBytes = bytes > maxStatic ? constant32(bytes) : Value();
  kernel = gpu::LaunchOp::create(builder, host.loc, all, one, one, host.index(threads), one, one, dynamicBytes, nullptr, {},
                                 {}, {}, size, one, one);
  // Ids and sizes of clusters, which upstream's builder forgets.
  Block &body = kernel.getBody().front();
  while (body.getNumArguments() < kernel.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), host.loc);
  kernel.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), name));
  builder.setInsertionPointToStart(&body);
  if (dynamicBytes) {
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(), MemRefLayoutAttrInterface(), space);
    dynamic = gpu::DynamicSharedMemoryOp::create(builder, e.loc, type);
  }

  thread = kernel.getThreadIds().x;
  lane = e.remainder(thread, e.index(32));
  warp = e.div(thread, e.index(32));
  group = e.div(lane, e.index(4));
  member = e.remainder(lane, e.index(4));
  rank = toIndex(NVVM::ClusterId::create(builder, e.loc, i32));
  Value cluster = e.div(kernel.getBlockIds().x, e.index(blocks));
  direction = e.index(0);
  if (numDirections == 2) {
    direction = e.div(cluster, clusters);
    cluster = e.remainder(cluster, clusters);
  }
  firstRow = e.mul(cluster, rows);
}

void ClusterKernel::finish() {
  NVVM::ClusterArriveOp::create(builder, e.loc, /*aligned=*/nullptr);
  NVVM::ClusterWaitOp::create(builder, e.loc, /*aligned=*/nullptr);
  gpu::TerminatorOp::create(builder, kernel.getLoc());
  builder.setInsertionPointAfter(kernel);
}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value ClusterKernel::toIndex(Value value) const {
  return arith::IndexCastUIOp::create(builder, e.loc, builder.getIndexType(), value);
}

Value ClusterKernel::toI32(Value value) const { return arith::IndexCastUIOp::create(builder, e.loc, i32, value); }

Value ClusterKernel::constant32(int64_t value) const {
  return arith::ConstantOp::create(builder, e.loc, builder.getI32IntegerAttr(value));
}

Value ClusterKernel::at(Value pointer, Type type, Value place) const {
  Value number = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), place);
  return LLVM::GEPOp::create(builder, e.loc, pointer.getType(), type, pointer, ArrayRef<LLVM::GEPArg>{number});
}

SmallVector<Value> ClusterKernel::valuesIf(Value condition, function_ref<SmallVector<Value>()> values) const {
  SmallVector<Type> types;
  auto branch = scf::IfOp::create(
      builder, e.loc, condition,
      [&](OpBuilder &, Location) {
        SmallVector<Value> yes = values();
        llvm::append_range(types, ValueRange(yes).getTypes());
        scf::YieldOp::create(builder, e.loc, yes);
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> no;
        for (Type type : types)
          no.push_back(isa<FloatType>(type) ? e.number(0.0, type) : e.index(0));
        scf::YieldOp::create(builder, e.loc, no);
      });
  return llvm::to_vector(ValueRange(branch.getResults()));
}

Value ClusterKernel::round(const Emitter &rounding, Value value) const {
  if (!element.isF32() || splitsFactors(element, host.options))
    return rounding.convert(value, element);
  Value bits = NVVM::ConvertFloatToTF32Op::create(builder, rounding.loc, i32, value, NVVM::FPRoundingMode::RNA);
  return LLVM::BitcastOp::create(builder, rounding.loc, f32, bits);
}

//===----------------------------------------------------------------------===//
// Memory of the block
//===----------------------------------------------------------------------===//

Value ClusterKernel::addBuffer(int64_t bytes) {
  if (dynamic) {
    Value first = e.index(dynamicEnd);
    dynamicEnd = llvm::alignTo(dynamicEnd + bytes, 16);
    return e.address(dynamic, {first});
  }
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({int64_t(llvm::divideCeil(bytes, 16))}, VectorType::get({4}, i32),
                              MemRefLayoutAttrInterface(), space);
  return e.address(kernel.addWorkgroupAttribution(type, kernel.getLoc()), {e.index(0)});
}

void ClusterKernel::clear(Value buffer, int64_t words) {
  e.loop(thread, e.index(words), *getConstantIntValue(kernel.getBlockSizeOperandValues().x), {}, [&](Value word, ValueRange) {
    LLVM::StoreOp::create(builder, e.loc, constant32(0), at(buffer, i32, word));
    return SmallVector<Value>();
  });
}

Value ClusterKernel::getRemote(Value pointer, Value other) const {
  auto remote = LLVM::LLVMPointerType::get(builder.getContext(), 7);
  return NVVM::MapaOp::create(builder, e.loc, remote, pointer, other);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void ClusterKernel::startBarriers() {
  barriers = addBuffer(barrierBytes);
  e.when(e.isEqual(thread, e.index(0)), [&] {
    for (int64_t turn : {0, 1})
      NVVM::MBarrierInitOp::create(builder, e.loc, getBarrier(e.index(turn)), constant32(1), nullptr);
    NVVM::FenceMbarrierInitOp::create(builder, e.loc);
  });
  // Nobody may send before.
  NVVM::ClusterArriveOp::create(builder, e.loc, /*aligned=*/nullptr);
  NVVM::ClusterWaitOp::create(builder, e.loc, /*aligned=*/nullptr);
}

void ClusterKernel::expect(const Emitter &sending, Value turn, Value bytes) const {
  e.when(e.isEqual(thread, e.index(0)), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(builder, sending.loc, Type(), getBarrier(turn), toI32(bytes),
                                           NVVM::MemScopeKind::CLUSTER, /*relaxed=*/false, nullptr);
  });
}

void ClusterKernel::waitFor(Value step) const {
  Value turn = e.remainder(step, e.index(2)), use = e.div(step, e.index(2));
  Value barrier = getBarrier(turn), parity = toI32(e.remainder(use, e.index(2)));
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

void ClusterKernel::send(const Emitter &sending, ValueRange values, Value target, Value barrier) const {
  rnngpu::StoreAsyncOp::create(builder, sending.loc, values, target, barrier);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//
//
// f32 in full precision: a = hi + lo, both with the 11 bits that tf32 has, and a * b is lo * hi + hi * lo + hi * hi, as
// CUTLASS does it ("3xTF32", mma_tensor_op_fast_f32.h). What a = hi + lo leaves out is below 2^-23 |a|, and lo * lo below
// 2^-22 |a b|, so a product is off by 2^-21 of itself at most, and not to one side. Tensor cores cut their sums off, so the
// two small products have sums of their own: then hi * hi rounds as often as one product of tf32 would.
//
// A factor that is not finite, or at least 2^128 - 2^116, which hi cannot hold, has no lo: the sums that it enters become NaN,
// where one product may be infinite. They never become finite, and sums of other examples know nothing of it. tf32 has nothing
// below 2^-136; what that is in a factor is lost.

void ClusterKernel::loadWeights(Value ordered, const ClusterWeights &all) {
  where = all;
  Emitter reading = named("weights");
  Value block = e.add(e.mul(direction, e.index(where.blocks)), rank);
  Value firstPiece = e.mul(e.add(e.mul(block, e.index(where.warps)), warp), e.index(where.getPiecesOfWarp()));
  Value first =
      reading.address(ordered, {firstPiece, e.mul(lane, e.index(ClusterPieces::registers)), e.index(0)});
  for (int64_t piece = 0; piece < where.inRegisters; ++piece)
    weights.push_back(loadPiece(reading, first, piece));
  if (where.isSplit) {
    maskInMemory = addBuffer(ClusterWeights::maskBytes);
    e.when(e.isEqual(thread, e.index(0)), // startBarriers makes it known to all
           [&] { LLVM::StoreOp::create(builder, reading.loc, constant32(tf32Mask), maskInMemory); });
  }
  if (where.getPiecesInMemory() == 0)
    return;
  // A lane writes what it alone reads.
  Type four = VectorType::get({4}, i32);
  const int64_t count = where.getPiecesOfWarp() - where.inRegisters;
  Value place = e.add(e.mul(warp, e.index(count * ClusterPieces::lanes)), lane);
  weightsInMemory = at(addBuffer(where.getPieceBytes()), four, place);
  e.loop(e.index(0), e.index(count), 1, {}, [&](Value piece, ValueRange) {
    Value from = e.add(e.index(where.inRegisters), piece), lanes = e.index(ClusterPieces::lanes);
    Value loaded = LLVM::LoadOp::create(builder, reading.loc, four, at(first, four, e.mul(from, lanes)), 16);
    LLVM::StoreOp::create(builder, reading.loc, loaded, at(weightsInMemory, four, e.mul(piece, lanes)), 16);
    return SmallVector<Value>();
  });
}

SmallVector<Value> ClusterKernel::multiplyAll(Value tile, Value row) const {
  Emitter multiplying = named("product");
  SmallVector<Value> sums(where.tiles * 4, e.number(0.0, f32)), small(sums);
  Value mask = where.isSplit ? loadMask(multiplying) : Value();
  for (int64_t piece = 0; piece < where.pieces; ++piece) {
    SmallVector<Value> right = loadRight(multiplying, tile, row, piece), rightRest;
    if (mask)
      rightRest = splitOff(multiplying, right, mask);
    for (int64_t tileOfWarp = 0; tileOfWarp < where.tiles; ++tileOfWarp) {
      const int64_t number = tileOfWarp * where.pieces + piece, inMemory = number - where.inRegisters;
      SmallVector<Value> left = inMemory < 0 ? weights[number] : loadPiece(multiplying, weightsInMemory, inMemory);
      auto of = [&](MutableArrayRef<Value> all) { return all.slice(tileOfWarp * 4, 4); };
      if (mask) {
        SmallVector<Value> leftRest = splitOff(multiplying, left, mask);
        multiply(multiplying, leftRest, right, of(small));
        multiply(multiplying, left, rightRest, of(small));
      }
      multiply(multiplying, left, right, of(sums));
    }
  }
  if (mask)
    for (auto [sum, rest] : llvm::zip(sums, small))
      sum = multiplying.add(sum, rest);
  return sums;
}

SmallVector<Value> ClusterKernel::loadPiece(const Emitter &reading, Value first, int64_t piece) const {
  Type four = VectorType::get({4}, i32), pair = VectorType::get({2}, element);
  Value place = at(first, four, e.index(piece * ClusterPieces::lanes));
  Value loaded = LLVM::LoadOp::create(builder, reading.loc, four, place, 16);
  SmallVector<Value> registers;
  for (int64_t number = 0; number < 4; ++number) {
    Value weight = LLVM::ExtractElementOp::create(builder, reading.loc, loaded, constant32(number));
    // bf16 stays in integers: that is what its instruction takes.
    registers.push_back(element.isF16() ? LLVM::BitcastOp::create(builder, reading.loc, pair, weight).getResult() : weight);
  }
  return registers;
}

/// Registers of B (PTX ISA): column group; rows from that of the member on, and half a piece later.
SmallVector<Value> ClusterKernel::loadRight(const Emitter &reading, Value tile, Value row, int64_t piece) const {
  Type type = element.isF16() ? Type(VectorType::get({2}, element)) : i32;
  Value first = e.add(row, e.mul(member, e.index(pieces.getPerRegister())));
  SmallVector<Value> registers;
  for (int64_t half : {0, 1}) {
    Value place = e.add(first, e.index((2 * piece + half) * pieces.getDepth() / 2));
    registers.push_back(LLVM::LoadOp::create(builder, reading.loc, type, at(tile, element, place), 4));
  }
  return registers;
}

/// To nearest, ties away from zero, as cvt.rna.tf32 does in four instructions where finite numbers need two. What is lost has
/// 12 bits and a sign, or is one bit alone: tensor cores drop at most the last of them, as they do not see the low 13 bits of
/// a word.
SmallVector<Value> ClusterKernel::splitOff(const Emitter &splitting, MutableArrayRef<Value> registers, Value mask) const {
  Location loc = splitting.loc;
  auto cast = [&](Type type, Value value) { return LLVM::BitcastOp::create(builder, loc, type, value); };
  Value half = LLVM::AShrOp::create(builder, loc, mask, constant32(1)); // -0x1000
  SmallVector<Value> rests;
  for (Value &value : registers) {
    Value rounded = LLVM::AndOp::create(builder, loc, LLVM::SubOp::create(builder, loc, value, half), mask);
    rests.push_back(cast(i32, LLVM::FSubOp::create(builder, loc, cast(f32, value), cast(f32, rounded))));
    value = rounded;
  }
  return rests;
}

Value ClusterKernel::loadMask(const Emitter &splitting) const {
  // Weights are the same in all steps. Who knew that their parts are too would compute these once, for twice the registers.
  return LLVM::LoadOp::create(builder, splitting.loc, i32, maskInMemory, 4, /*isVolatile=*/true);
}

void ClusterKernel::multiply(const Emitter &multiplying, ValueRange a, ValueRange b, MutableArrayRef<Value> sums) const {
  NVVM::MMATypes type = element.isF16()   ? NVVM::MMATypes::f16
                        : element.isBF16() ? NVVM::MMATypes::bf16
                                           : NVVM::MMATypes::tf32;
  Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, f32));
  Value product = NVVM::MmaOp::create(builder, multiplying.loc, result, a, b, ValueRange(ArrayRef<Value>(sums)),
                                      {16, 8, pieces.getDepth()}, std::nullopt, std::nullopt, std::array{type, type},
                                      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [index, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(builder, multiplying.loc, product, index);
}
