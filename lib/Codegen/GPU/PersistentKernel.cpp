//===- PersistentKernel.cpp - the common part of persistent kernels ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/PersistentKernel.h"
#include "ClusterExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

using namespace mlir;
using namespace mlir::rnn;

/// The bits of f32 that tf32 has.
static constexpr int32_t tf32Mask = -0x2000;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

PersistentKernel::PersistentKernel(const Emitter &host, StringRef name, Type element)
    : host(host), e(host.named(name)), builder(host.builder), name(name), fragments(element), element(element),
      f32(builder.getF32Type()), i32(builder.getI32Type()) {}

void PersistentKernel::launch(Value B, int64_t numDirections, int64_t blocks, int64_t threads, int64_t mostRows,
                              int64_t bytes) {
  this->blocks = blocks;
  constexpr int64_t maxStatic = 48 * 1024; // limit of static shared memory
  Value one = host.index(1), size = host.index(blocks);
  // One cluster per example and direction. The runtime launches fewer, so that all of them are resident together.
  Value all = host.mul(host.max(B, one), size);
  Value dynamicBytes = bytes > maxStatic ? constant32(bytes) : Value();
  kernel = gpu::LaunchOp::create(builder, host.loc, all, host.index(numDirections), one, host.index(threads), one, one,
                                 dynamicBytes, nullptr, {}, {}, {}, size, one, one);
  // The builder of gpu.launch omits the arguments for the ids and sizes of clusters.
  Block &body = kernel.getBody().front();
  while (body.getNumArguments() < kernel.getNumConfigRegionAttributes())
    body.addArgument(builder.getIndexType(), host.loc);
  kernel.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), name));
  kernel->setDiscardableAttr(rnngpu::RNNGPUDialect::getResidentClustersAttrName(), builder.getI32IntegerAttr(mostRows));
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
  // In 32 bits, which halves the registers: B is at most the grid size.
  Value clusters = toI32(e.div(kernel.getGridSize().x, e.index(blocks))); // per direction
  rows =
      toIndex(arith::DivUIOp::create(builder, e.loc, toI32(e.add(B, e.sub(toIndex(clusters), e.index(1)))), clusters));
  rows = e.max(rows, e.index(1));
  direction = numDirections == 2 ? kernel.getBlockIds().y : e.index(0);
  firstRow = e.mul(cluster, rows);
}

void PersistentKernel::synchronizeCluster() const {
  NVVM::ClusterArriveOp::create(builder, e.loc, /*aligned=*/nullptr);
  NVVM::ClusterWaitOp::create(builder, e.loc, /*aligned=*/nullptr);
}

void PersistentKernel::finish(function_ref<void()> ending) {
  synchronizeCluster();
  if (ending)
    ending();
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::TerminatorOp::create(builder, kernel.getLoc());
  builder.setInsertionPointAfter(kernel);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value PersistentKernel::toIndex(Value value) const {
  return arith::IndexCastUIOp::create(builder, e.loc, builder.getIndexType(), value);
}

Value PersistentKernel::toI32(Value value) const {
  return arith::IndexCastUIOp::create(builder, e.loc, i32, value);
}

Value PersistentKernel::constant32(int64_t value) const {
  return arith::ConstantOp::create(builder, e.loc, builder.getI32IntegerAttr(value));
}

Value PersistentKernel::at(Value pointer, Type type, Value place) const {
  Value number = arith::IndexCastOp::create(builder, e.loc, builder.getI64Type(), place);
  return LLVM::GEPOp::create(builder, e.loc, pointer.getType(), type, pointer, ArrayRef<LLVM::GEPArg>{number});
}

SmallVector<Value> PersistentKernel::valuesOf(Value condition, function_ref<SmallVector<Value>()> yes,
                                              function_ref<SmallVector<Value>(ArrayRef<Type>)> no) const {
  SmallVector<Type> types;
  auto branch = scf::IfOp::create(
      builder, e.loc, condition,
      [&](OpBuilder &, Location) {
        SmallVector<Value> values = yes();
        llvm::append_range(types, ValueRange(values).getTypes());
        scf::YieldOp::create(builder, e.loc, values);
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(builder, e.loc, no(types)); });
  return llvm::to_vector(ValueRange(branch.getResults()));
}

SmallVector<Value> PersistentKernel::valuesIf(Value condition, function_ref<SmallVector<Value>()> values) const {
  return valuesOf(condition, values, [&](ArrayRef<Type> types) {
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(builder, e.loc, builder.getZeroAttr(type)));
    return zeros;
  });
}

Value PersistentKernel::round(const Emitter &rounding, Value value) const {
  if (!element.isF32() || splitsOperands(element, host.options))
    return rounding.convert(value, element);
  Value bits = NVVM::ConvertFloatToTF32Op::create(builder, rounding.loc, i32, value, NVVM::FPRoundingMode::RNA);
  return LLVM::BitcastOp::create(builder, rounding.loc, f32, bits);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value PersistentKernel::addBuffer(int64_t bytes) {
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

void PersistentKernel::clear(Value buffer, int64_t words) {
  e.loop(thread, e.index(words), *getConstantIntValue(kernel.getBlockSizeOperandValues().x), {},
         [&](Value word, ValueRange) {
           LLVM::StoreOp::create(builder, e.loc, constant32(0), at(buffer, i32, word));
           return SmallVector<Value>();
         });
}

Value PersistentKernel::getRemote(Value pointer, Value other) const {
  return mapToBlock(e, pointer, other);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void PersistentKernel::startBarriers() {
  barriers = addBuffer(PersistentLimits::barrierBytes);
  e.ifThen(e.isEqual(thread, e.index(0)), [&] { initBarriers(e, {getBarrier(e.index(0)), getBarrier(e.index(1))}); });
  // No block may send before all barriers of the cluster are initialized.
  synchronizeCluster();
}

void PersistentKernel::expect(const Emitter &sending, Value turn, Value bytes) const {
  e.ifThen(e.isEqual(thread, e.index(0)), [&] { expectBytes(sending, getBarrier(turn), toI32(bytes)); });
}

void PersistentKernel::waitForStepBefore(Value step) const {
  // Step n - 1 is use (n + 1) / 2 - 1 of barrier (n + 1) % 2. For n = 0 the parity is that of the phase before the
  // first one, which counts as complete (PTX ISA, mbarrier.try_wait): the first step does not wait, without a branch.
  Value next = e.add(step, e.index(1)), turn = e.remainder(next, e.index(2));
  Value use = e.add(e.div(next, e.index(2)), e.index(1));
  waitForPhase(e, getBarrier(turn), toI32(e.remainder(use, e.index(2))));
}

void PersistentKernel::send(const Emitter &sending, ValueRange values, Value target, Value barrier) const {
  rnngpu::StoreAsyncOp::create(builder, sending.loc, values, target, barrier);
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//
//
// f32 in full precision: a = hi + lo, both with the 11 significant bits of tf32, and a * b = lo * hi + hi * lo + hi *
// hi
// ("3xTF32", mma_tensor_op_fast_f32.h of CUTLASS). The error of a = hi + lo is below 2^-23 |a|, and lo * lo is below
// 2^-22 |a b|, so the relative error of a term is at most 2^-21, without a bias. Tensor cores truncate their sums; the
// two small terms therefore have an accumulator of their own, and hi * hi rounds as often as plain tf32.
//
// An operand that is not finite, or at least 2^128 - 2^116, which hi cannot represent, has no lo: the sums that it
// enters become NaN, possibly instead of infinity, but never finite. Sums of other examples are not affected. Parts of
// a operand below 2^-136, the smallest tf32 value, are lost.

void PersistentKernel::loadWeights(Value ordered, const PersistentWeights &all) {
  where = all;
  Emitter reading = named("weights");
  Value block = e.add(e.mul(direction, e.index(where.blocks)), rank);
  Value firstFragment = e.mul(e.add(e.mul(block, e.index(where.warps)), warp), e.index(where.getFragmentsPerWarp()));
  Value first = reading.address(ordered, {firstFragment, e.mul(lane, e.index(Fragments::registers)), e.index(0)});
  for (int64_t fragment = 0; fragment < where.inRegisters; ++fragment)
    weights.push_back(loadFragment(reading, first, fragment));
  if (where.isSplit) {
    maskInMemory = addBuffer(PersistentWeights::maskBytes);
    e.ifThen(e.isEqual(thread, e.index(0)), // visible to all threads after startBarriers
             [&] { LLVM::StoreOp::create(builder, reading.loc, constant32(tf32Mask), maskInMemory); });
  }
  if (where.getFragmentsInMemory() == 0)
    return;
  // No barrier: a lane reads only what it has written.
  Type four = VectorType::get({4}, i32);
  const int64_t count = where.getFragmentsPerWarp() - where.inRegisters;
  Value place = e.add(e.mul(warp, e.index(count * Fragments::lanes)), lane);
  weightsInMemory = at(addBuffer(where.getFragmentBytes()), four, place);
  e.loop(e.index(0), e.index(count), 1, {}, [&](Value fragment, ValueRange) {
    Value from = e.add(e.index(where.inRegisters), fragment), lanes = e.index(Fragments::lanes);
    Value loaded = LLVM::LoadOp::create(builder, reading.loc, four, at(first, four, e.mul(from, lanes)), 16);
    LLVM::StoreOp::create(builder, reading.loc, loaded, at(weightsInMemory, four, e.mul(fragment, lanes)), 16);
    return SmallVector<Value>();
  });
}

SmallVector<Value> PersistentKernel::multiplyAll(Value tile, Value row) const {
  Emitter multiplying = named("product");
  Value mask = where.isSplit ? loadMask(multiplying) : Value();
  auto load = [&](int64_t fragment) { return makeRight(multiplying, tile, row, fragment, mask); };
  return multiplyTiles(multiplying, load, mask, 0, where.tiles);
}

SmallVector<PersistentKernel::RightFragment> PersistentKernel::loadRights(Value tile, Value row, int64_t count) const {
  Emitter multiplying = named("product");
  Value mask = where.isSplit ? loadMask(multiplying) : Value();
  SmallVector<RightFragment> right;
  for (int64_t fragment = 0; fragment < count; ++fragment)
    right.push_back(makeRight(multiplying, tile, row, fragment, mask));
  return right;
}

SmallVector<Value> PersistentKernel::multiplyTiles(ArrayRef<RightFragment> right, int64_t firstTile,
                                                   int64_t numTiles) const {
  Emitter multiplying = named("product");
  Value mask = where.isSplit ? loadMask(multiplying) : Value();
  auto get = [&](int64_t fragment) { return right[fragment]; };
  return multiplyTiles(multiplying, get, mask, firstTile, numTiles);
}

SmallVector<Value> PersistentKernel::multiplyTiles(const Emitter &multiplying,
                                                   function_ref<RightFragment(int64_t)> getRight, Value mask,
                                                   int64_t firstTile, int64_t numTiles) const {
  SmallVector<Value> sums(numTiles * 4, e.number(0.0, f32)), small(sums);
  for (int64_t fragment = 0; fragment < where.fragments; ++fragment) {
    RightFragment right = getRight(fragment);
    for (int64_t tile = 0; tile < numTiles; ++tile) {
      const int64_t number = (firstTile + tile) * where.fragments + fragment, inMemory = number - where.inRegisters;
      SmallVector<Value> left = inMemory < 0 ? weights[number] : loadFragment(multiplying, weightsInMemory, inMemory);
      auto of = [&](MutableArrayRef<Value> all) { return all.slice(tile * 4, 4); };
      if (mask) {
        SmallVector<Value> leftRest = splitOff(multiplying, left, mask);
        multiply(multiplying, leftRest, right.values, of(small));
        multiply(multiplying, left, right.rest, of(small));
      }
      multiply(multiplying, left, right.values, of(sums));
    }
  }
  if (mask)
    for (auto [sum, rest] : llvm::zip(sums, small))
      sum = multiplying.add(sum, rest);
  return sums;
}

PersistentKernel::RightFragment PersistentKernel::makeRight(const Emitter &reading, Value tile, Value row,
                                                            int64_t fragment, Value mask) const {
  RightFragment right{loadRight(reading, tile, row, fragment), {}};
  if (mask)
    right.rest = splitOff(reading, right.values, mask);
  return right;
}

SmallVector<Value> PersistentKernel::loadFragment(const Emitter &reading, Value first, int64_t fragment) const {
  Type four = VectorType::get({4}, i32), pair = VectorType::get({2}, element);
  Value place = at(first, four, e.index(fragment * Fragments::lanes));
  Value loaded = LLVM::LoadOp::create(builder, reading.loc, four, place, 16);
  SmallVector<Value> registers;
  for (int64_t number = 0; number < 4; ++number) {
    Value weight = LLVM::ExtractElementOp::create(builder, reading.loc, loaded, constant32(number));
    // The bf16 MMA has integer operands.
    registers.push_back(element.isF16() ? LLVM::BitcastOp::create(builder, reading.loc, pair, weight).getResult()
                                        : weight);
  }
  return registers;
}

/// Registers of the right operand (PTX ISA): column group, rows at the member and half a fragment later.
SmallVector<Value> PersistentKernel::loadRight(const Emitter &reading, Value tile, Value row, int64_t fragment) const {
  Type type = element.isF16() ? Type(VectorType::get({2}, element)) : i32;
  Value first = e.add(row, e.mul(member, e.index(fragments.getPerRegister())));
  SmallVector<Value> registers;
  for (int64_t half : {0, 1}) {
    Value place = e.add(first, e.index((2 * fragment + half) * fragments.getDepth() / 2));
    registers.push_back(LLVM::LoadOp::create(builder, reading.loc, type, at(tile, element, place), 4));
  }
  return registers;
}

/// Rounds to nearest, ties away from zero, as cvt.rna.tf32 (which takes four instructions; finite numbers need two).
/// The remainder has at most 12 bits and a sign; tensor cores ignore the low 13 bits of a word, so they drop at most
/// its last bit.
SmallVector<Value> PersistentKernel::splitOff(const Emitter &splitting, MutableArrayRef<Value> registers,
                                              Value mask) const {
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

Value PersistentKernel::loadMask(const Emitter &splitting) const {
  // Volatile: otherwise LLVM hoists the split of the weights out of the loop over steps, which doubles their registers.
  return LLVM::LoadOp::create(builder, splitting.loc, i32, maskInMemory, 4, /*isVolatile=*/true);
}

void PersistentKernel::multiply(const Emitter &multiplying, ValueRange a, ValueRange b,
                                MutableArrayRef<Value> sums) const {
  NVVM::MMATypes type = element.isF16()    ? NVVM::MMATypes::f16
                        : element.isBF16() ? NVVM::MMATypes::bf16
                                           : NVVM::MMATypes::tf32;
  Type result = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, f32));
  Value product = NVVM::MmaOp::create(builder, multiplying.loc, result, a, b, ValueRange(ArrayRef<Value>(sums)),
                                      {16, 8, fragments.getDepth()}, std::nullopt, std::nullopt, std::array{type, type},
                                      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [index, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(builder, multiplying.loc, product, index);
}
