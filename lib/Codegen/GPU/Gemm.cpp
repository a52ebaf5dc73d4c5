//===- Gemm.cpp - tiled GEMM kernels -------------------------------------------===//
//
// A block keeps several pairs of tiles in shared memory: while it multiplies one, asynchronous copies fill the next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/GPU/Kernel.h"

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

/// Chooses the micro-kernel and its tile. No shape spills registers (test/Conversion/RNNToGPU/kernels.mlir), and all
/// stages fit 48 KB, the limit of static shared memory.
static std::unique_ptr<MicroKernel> chooseMicroKernel(const Gemm &gemm, const KernelOptions &options,
                                                      TileShape &shape) {
  Type element = gemm.element;
  const bool isMedium = gemm.panels == 1 && fills(gemm, 64, 64);
  const bool isLarge = isMedium && fills(gemm, 128, 64);
  if (element.isF32() && !options.tf32) {
    shape = gemm.panels > 1 ? TileShape{32, 16, gemm.panels, 16, 8, 16}
            : isMedium      ? TileShape{64, 64, 1, 16, 16, 16}
                            : TileShape{32, 32, 1, 16, 8, 16};
    return createScalarMicroKernel(shape, element);
  }
  const bool isHalf = element.getIntOrFloatBitWidth() == 16;
  const int64_t depth = element.isF64() ? 16 : element.isF32() ? 32 : 64;
  shape = gemm.panels > 1     ? TileShape{32, 16, gemm.panels, depth, 2, 2}
          : isLarge && isHalf ? TileShape{128, 64, 1, depth / 2, 2, 2}
          : isMedium          ? TileShape{64, 64, 1, depth / 2, 2, 2}
                              : TileShape{32, 32, 1, depth, 2, 2};
  return createTensorMicroKernel(shape, element);
}

/// Pairs of tiles in shared memory.
static constexpr int64_t numStages = 3;

void rnn::launchGemm(const Emitter &host, const Gemm &gemm) {
  TileShape shape;
  std::unique_ptr<MicroKernel> micro = chooseMicroKernel(gemm, host.options, shape);
  const int64_t threads = micro->getThreads();

  // A one-dimensional grid, since the y and z dimensions are limited to 65535.
  Value columnBlocks = host.parts(gemm.columns, shape.columns);
  Value blocks = host.mul(host.parts(gemm.rows, shape.rows), columnBlocks);
  Kernel kernel(host, gemm.name, host.mul(blocks, host.index(gemm.copies)), threads,
                gemm.chained && host.options.programmatic);
  const Emitter &e = host;
  Value thread = kernel.getThread(), block = kernel.getBlock(), copy = e.index(0);
  if (gemm.copies > 1) {
    copy = e.div(block, blocks);
    block = e.remainder(block, blocks);
  }
  if (gemm.start)
    gemm.start(e, copy);
  Value firstRow = e.mul(e.div(block, columnBlocks), e.index(shape.rows));
  Value firstColumn = e.mul(e.remainder(block, columnBlocks), e.index(shape.columns));
  Value validRows = gemm.validRows ? gemm.validRows : gemm.rows;

  bool leftOrder = gemm.left.depthIsContiguous, rightOrder = gemm.right.depthIsContiguous;
  TileLayout leftLayout{leftOrder, shape.rows, shape.depth, micro->getRoom(leftOrder)};
  TileLayout rightLayout{rightOrder, shape.columns * shape.panels, shape.depth, micro->getRoom(rightOrder)};
  Value leftTiles = kernel.addWorkgroupBuffer({numStages * leftLayout.getSize()}, gemm.element);
  Value rightTiles = kernel.addWorkgroupBuffer({numStages * rightLayout.getSize()}, gemm.element);
  TileCopy left(gemm.left, gemm.element, leftLayout, shape.rows, threads);
  TileCopy right(gemm.right, gemm.element, rightLayout, shape.columns, threads);
  auto leftTile = [&](Value stage) { return Tile{leftLayout, leftTiles, e.mul(stage, e.index(leftLayout.getSize()))}; };
  auto rightTile = [&](Value stage) {
    return Tile{rightLayout, rightTiles, e.mul(stage, e.index(rightLayout.getSize()))};
  };
  Emitter reading = e.named(gemm.name.str() + ": read"), writing = e.named(gemm.name.str() + ": tile"),
          multiplying = e.named(gemm.name.str() + ": multiply"), ending = e.named(gemm.name.str() + ": finish");

  auto beginLeft = [&](Value stage, Value depth) {
    return left.begin(reading, thread, leftTile(stage), {firstRow, validRows, depth, gemm.depth});
  };
  auto beginRight = [&](Value stage, Value depth) {
    return right.begin(reading, thread, rightTile(stage), {firstColumn, gemm.columns, depth, gemm.depth});
  };
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
  carried = e.loop(e.index(0), gemm.depth, shape.depth, carried, [&](Value depth, ValueRange before) {
    // The tiles of this stage have arrived for all threads, and all reads of the previous stage are complete.
    wait(numStages - 2);
    writing.barrier();
    Value stage = before.back();
    Value isFirst = e.isEqual(stage, e.index(0));
    Value target = e.select(isFirst, e.index(numStages - 1), e.sub(stage, e.index(1)));
    Value targetDepth = e.add(depth, e.index((numStages - 1) * shape.depth));
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

  micro->forEachSum(ending, thread, ArrayRef(carried).drop_back(), [&](Value row, Value column, ArrayRef<Value> sums) {
    Value globalRow = ending.add(firstRow, row), globalColumn = ending.add(firstColumn, column);
    Value inside = ending.both(ending.isLess(globalRow, gemm.rows), ending.isLess(globalColumn, gemm.columns));
    ending.ifThen(inside, [&] {
      SmallVector<Value> valid(sums);
      // Zeros in the left operand would not suffice: the right one may hold NaN.
      if (gemm.validRows)
        for (Value &sum : valid)
          sum = ending.select(ending.isLess(globalRow, validRows), sum, ending.number(0.0, sum.getType()));
      gemm.finish(ending, globalRow, globalColumn, valid);
    });
  });
  kernel.finish();
}
