//===- Gemm.cpp - tiled GEMM kernels -------------------------------------------===//
//
// A block keeps several pairs of tiles in shared memory: while it multiplies one, asynchronous copies fill the next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/GPU/Kernel.h"
#include <numeric>

using namespace mlir;
using namespace mlir::rnn;

/// Returns true if tiles of this size occupy most multiprocessors of a large GPU. Dynamic sizes count as large, except
/// in chained kernels, which are time steps.
static bool fills(const Gemm &gemm, int64_t rows, int64_t columns) {
  constexpr int64_t enough = 96;
  std::optional<int64_t> numRows = getConstantIntValue(gemm.rows), numColumns = getConstantIntValue(gemm.columns);
  if (numRows && numColumns)
    return llvm::divideCeil(*numRows, rows) * llvm::divideCeil(*numColumns, columns) * gemm.copies >= enough;
  return !gemm.chained;
}

/// A number that divides `value`, as far as it is known; 0 divides for zero only.
static int64_t getKnownMultiple(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return std::gcd(getKnownMultiple(select.getTrueValue()), getKnownMultiple(select.getFalseValue()));
  return 1;
}

/// The greatest value that `value` can have, if it is known.
static std::optional<int64_t> getKnownMaximum(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto yes = getKnownMaximum(select.getTrueValue()), no = getKnownMaximum(select.getFalseValue());
    return yes && no ? std::optional(std::max(*yes, *no)) : std::nullopt;
  }
  return getConstantIntValue(value);
}

/// Chooses the micro-kernel and its tile. No shape spills registers (test/Conversion/RNNToGPU/kernels.mlir). Three
/// stages fit 48 KB, the limit of static shared memory, except flat ones of four panels, which need 58 KB.
static std::unique_ptr<MicroKernel> chooseMicroKernel(const Gemm &gemm, const KernelOptions &options,
                                                      TileShape &shape) {
  Type element = gemm.element;
  const bool isMedium = gemm.panels == 1 && fills(gemm, 64, 64);
  const bool isLarge = isMedium && fills(gemm, 128, 64);
  // Steps of small batches: no row of the tile is padding only.
  const bool isFlat = gemm.chained && getKnownMaximum(gemm.rows).value_or(INT64_MAX) <= 16;
  if (element.isF32() && !options.tf32) {
    shape = isFlat            ? TileShape{16, 32, gemm.panels, 16, 8, 16}
            : gemm.panels > 1 ? TileShape{32, 16, gemm.panels, 16, 8, 16}
            : isMedium        ? TileShape{64, 64, 1, 16, 16, 16}
                              : TileShape{32, 32, 1, 16, 8, 16};
    return createScalarMicroKernel(shape, element);
  }
  const bool isHalf = element.getIntOrFloatBitWidth() == 16;
  const int64_t depth = element.isF64() ? 16 : element.isF32() ? 32 : 64;
  shape = isFlat              ? TileShape{16, 32, gemm.panels, depth, 1, 4}
          : gemm.panels > 1   ? TileShape{32, 16, gemm.panels, depth, 2, 2}
          : gemm.isNarrow     ? TileShape{64, 32, 1, depth / 2, 2, 2}
          : isLarge && isHalf ? TileShape{128, 64, 1, depth / 2, 2, 2}
          : isMedium          ? TileShape{64, 64, 1, depth / 2, 2, 2}
                              : TileShape{32, 32, 1, depth, 2, 2};
  return createTensorMicroKernel(shape, element);
}

/// How a kernel runs through the depth.
struct Pipeline {
  int64_t stages = 3; ///< pairs of tiles in shared memory
  int64_t split = 1;  ///< blocks of a cluster that multiply slices of the depth
};

/// Time steps of known sizes are bound by latency: more stages, and a cluster for each tile if the tiles alone do not
/// fill the GPU.
static Pipeline choosePipeline(const Gemm &gemm, const KernelOptions &options, const TileShape &shape,
                               int64_t bytesOfStage) {
  constexpr int64_t maxStages = 6, leastIterations = 2, maxBlocks = 2 * 132; // two blocks per multiprocessor of an H200
  constexpr int64_t maxBytes = 110 * 1024;                                   // of two blocks on a multiprocessor
  Pipeline pipeline;
  std::optional<int64_t> depth = getKnownMaximum(gemm.depth), columns = getKnownMaximum(gemm.columns);
  if (!gemm.chained || !options.programmatic || !depth || !columns)
    return pipeline;
  const int64_t blocks = llvm::divideCeil(getKnownMaximum(gemm.rows).value_or(1), shape.rows) *
                         llvm::divideCeil(*columns, shape.columns) * gemm.copies;
  for (int64_t split : {2, 4})
    if (gemm.mayUseClusters && blocks * split <= maxBlocks && *depth >= split * leastIterations * shape.depth)
      pipeline.split = split;
  const int64_t iterations = llvm::divideCeil(*depth, pipeline.split * shape.depth);
  pipeline.stages = std::clamp<int64_t>(iterations + 1, pipeline.stages, maxStages);
  while (pipeline.stages > 3 && pipeline.stages * bytesOfStage > maxBytes)
    --pipeline.stages;
  return pipeline;
}

/// A row and a column of the tile, and the sum of each panel there.
struct Sum {
  Value row, column;
  SmallVector<Value> panels;
};

/// The sums of the whole depth that this block of the cluster owns.
static SmallVector<Sum> reduceSums(const Emitter &e, const ClusterReduction &reduction, Value thread, Value rank,
                                   int64_t split, ArrayRef<Sum> all) {
  SmallVector<Value> flat;
  for (const Sum &sum : all)
    llvm::append_range(flat, sum.panels);
  reduction.connect(e);
  SmallVector<Value> totals = reduction.reduce(e, thread, flat);
  const size_t owned = all.size() / split, panels = all[0].panels.size();
  SmallVector<Sum> result;
  for (size_t number = 0; number < owned; ++number) {
    Sum sum = all[number];
    for (int64_t block = 1; block < split; ++block) {
      const Sum &other = all[block * owned + number];
      Value isOwner = e.isEqual(rank, e.index(block));
      sum.row = e.select(isOwner, other.row, sum.row);
      sum.column = e.select(isOwner, other.column, sum.column);
    }
    sum.panels.assign(totals.begin() + number * panels, totals.begin() + (number + 1) * panels);
    result.push_back(std::move(sum));
  }
  return result;
}

namespace {

/// The shape of a kernel.
struct GemmShape {
  GemmShape(const Gemm &gemm, const KernelOptions &options) {
    micro = chooseMicroKernel(gemm, options, tile);
    const bool leftOrder = gemm.left.depthIsContiguous, rightOrder = gemm.right.depthIsContiguous;
    left = {leftOrder, tile.rows, tile.depth, micro->getRoom(leftOrder)};
    right = {rightOrder, tile.columns * tile.panels, tile.depth, micro->getRoom(rightOrder)};
    bytesOfStage = (left.getSize() + right.getSize()) * gemm.element.getIntOrFloatBitWidth() / 8;
    pipeline = choosePipeline(gemm, options, tile, bytesOfStage);
  }

  std::unique_ptr<MicroKernel> micro;
  TileShape tile;
  TileLayout left, right;
  int64_t bytesOfStage;
  Pipeline pipeline;
};

} // namespace

bool rnn::usesClusters(const Emitter &host, const Gemm &gemm) {
  return GemmShape(gemm, host.options).pipeline.split > 1;
}

void rnn::launchGemm(const Emitter &host, const Gemm &gemm) {
  const GemmShape chosen(gemm, host.options);
  const TileShape &shape = chosen.tile;
  const TileLayout &leftLayout = chosen.left, &rightLayout = chosen.right;
  const std::unique_ptr<MicroKernel> &micro = chosen.micro;
  const bool leftOrder = gemm.left.depthIsContiguous, rightOrder = gemm.right.depthIsContiguous;
  const int64_t threads = micro->getThreads(), numStages = chosen.pipeline.stages, split = chosen.pipeline.split;
  Type accumulator = getAccumulatorType(gemm.element);
  ClusterReduction reduction(split, threads, shape.rows * shape.columns * shape.panels / threads, accumulator);

  // A one-dimensional grid, since the y and z dimensions are limited to 65535.
  Value columnBlocks = host.parts(gemm.columns, shape.columns);
  Value blocks = host.mul(host.parts(gemm.rows, shape.rows), columnBlocks);
  Value depthOfBlock = gemm.depth;
  if (split > 1) // whole tiles
    depthOfBlock = host.mul(host.parts(gemm.depth, split * shape.depth), host.index(shape.depth));
  Kernel::Options options;
  options.chained = gemm.chained && host.options.programmatic;
  options.cluster = split;
  const int64_t bytes = numStages * chosen.bytesOfStage + (split > 1 ? reduction.getBytes() : 0);
  if (bytes > Kernel::maxStaticBytes)
    options.dynamicBytes = bytes;
  Kernel kernel(host, gemm.name, host.mul(blocks, host.index(gemm.copies * split)), threads, options);
  const Emitter &e = host;
  Value thread = kernel.getThread(), block = kernel.getBlock(), copy = e.index(0), rank = e.index(0);
  if (split > 1) {
    rank = e.remainder(block, e.index(split));
    block = e.div(block, e.index(split));
  }
  if (gemm.copies > 1) {
    copy = e.div(block, blocks);
    block = e.remainder(block, blocks);
  }
  if (gemm.start)
    gemm.start(e, copy);
  Value firstRow = e.mul(e.div(block, columnBlocks), e.index(shape.rows));
  Value firstColumn = e.mul(e.remainder(block, columnBlocks), e.index(shape.columns));
  Value validRows = gemm.validRows ? gemm.validRows : gemm.rows;

  Value leftTiles = kernel.addWorkgroupBuffer({numStages * leftLayout.getSize()}, gemm.element);
  Value rightTiles = kernel.addWorkgroupBuffer({numStages * rightLayout.getSize()}, gemm.element);
  TileCopy left(gemm.left, gemm.element, leftLayout, shape.rows, threads);
  TileCopy right(gemm.right, gemm.element, rightLayout, shape.columns, threads);
  if (split > 1)
    reduction.start(e, kernel, thread);
  Value firstDepth = e.mul(rank, depthOfBlock);
  Value endDepth = split > 1 ? e.min(e.add(firstDepth, depthOfBlock), gemm.depth) : gemm.depth;
  const int64_t depthMultiple = getKnownMultiple(gemm.depth);
  auto leftTile = [&](Value stage) { return Tile{leftLayout, leftTiles, e.mul(stage, e.index(leftLayout.getSize()))}; };
  auto rightTile = [&](Value stage) {
    return Tile{rightLayout, rightTiles, e.mul(stage, e.index(rightLayout.getSize()))};
  };
  Emitter reading = e.named(gemm.name.str() + ": read"), writing = e.named(gemm.name.str() + ": tile"),
          multiplying = e.named(gemm.name.str() + ": multiply"), ending = e.named(gemm.name.str() + ": finish");

  left.prepare(reading, thread,
               {firstRow, validRows, firstDepth, endDepth, leftOrder ? gemm.depth : validRows,
                getKnownMultiple(validRows), depthMultiple});
  right.prepare(reading, thread,
                {firstColumn, gemm.columns, firstDepth, endDepth, rightOrder ? gemm.depth : gemm.columns,
                 getKnownMultiple(gemm.columns), depthMultiple});
  auto beginLeft = [&](Value stage, Value done) { return left.begin(reading, thread, leftTile(stage), done); };
  auto beginRight = [&](Value stage, Value done) { return right.begin(reading, thread, rightTile(stage), done); };
  // Elements that go through registers are stored after `multiply`, which hides their latency.
  auto finishCopies = [&](Value stage, ValueRange leftValues, ValueRange rightValues, function_ref<void()> multiply) {
    NVVM::CpAsyncCommitGroupOp::create(reading.builder, reading.loc);
    multiply();
    left.end(writing, thread, leftTile(stage), leftValues);
    right.end(writing, thread, rightTile(stage), rightValues);
  };
  auto wait = [&](int64_t pending) { NVVM::CpAsyncWaitGroupOp::create(reading.builder, reading.loc, pending); };

  // The previous launch does not write the right operand, so read it before the wait.
  SmallVector<SmallVector<Value>> rightValues;
  for (int64_t stage = 0; stage + 1 < numStages; ++stage)
    rightValues.push_back(beginRight(e.index(stage), e.index(stage * shape.depth)));
  kernel.wait(reading);
  for (int64_t stage = 0; stage + 1 < numStages; ++stage) {
    SmallVector<Value> leftValues = beginLeft(e.index(stage), e.index(stage * shape.depth));
    finishCopies(e.index(stage), leftValues, rightValues[stage], [] {});
  }
  // Carried: the sums and the index of the current stage.
  SmallVector<Value> carried = micro->start(e);
  carried.push_back(e.index(0));
  carried = e.loop(e.index(0), e.sub(endDepth, firstDepth), shape.depth, carried, [&](Value done, ValueRange before) {
    // The tiles of this stage have arrived for all threads, and all reads of the previous stage are complete.
    wait(numStages - 2);
    writing.barrier();
    Value stage = before.back();
    Value isFirst = e.isEqual(stage, e.index(0));
    Value target = e.select(isFirst, e.index(numStages - 1), e.sub(stage, e.index(1)));
    Value targetDepth = e.add(done, e.index((numStages - 1) * shape.depth));
    SmallVector<Value> leftValues = beginLeft(target, targetDepth), rightValues = beginRight(target, targetDepth),
                       after;
    finishCopies(target, leftValues, rightValues, [&] {
      after = micro->accumulate(multiplying, thread, leftTile(stage), rightTile(stage), before.drop_back());
    });
    Value isLast = e.isEqual(stage, e.index(numStages - 1));
    after.push_back(e.select(isLast, e.index(0), e.add(stage, e.index(1))));
    return after;
  });
  wait(0);

  SmallVector<Sum> all;
  micro->forEachSum(ending, thread, ArrayRef(carried).drop_back(), [&](Value row, Value column, ArrayRef<Value> sums) {
    all.push_back({row, column, SmallVector<Value>(sums)});
  });
  if (split > 1)
    all = reduceSums(ending, reduction, thread, rank, split, all);
  for (const auto &[row, column, sums] : all) {
    Value globalRow = ending.add(firstRow, row), globalColumn = ending.add(firstColumn, column);
    Value inside = ending.both(ending.isLess(globalRow, gemm.rows), ending.isLess(globalColumn, gemm.columns));
    ending.ifThen(inside, [&, &sums = sums] {
      SmallVector<Value> valid(sums);
      // Zeros in the left operand would not suffice: the right one may hold NaN.
      if (gemm.validRows)
        for (Value &sum : valid)
          sum = ending.select(ending.isLess(globalRow, validRows), sum, ending.number(0.0, sum.getType()));
      gemm.finish(ending, globalRow, globalColumn, valid);
    });
  }
  kernel.finish();
}
