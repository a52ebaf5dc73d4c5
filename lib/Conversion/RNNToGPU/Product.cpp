//===- Product.cpp - tiled matrix products -----------------------------------===//
//
// A block has several pairs of tiles in workgroup memory. While it multiplies one, the next are on their way.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::rnn;

/// Whether cutting into tiles of this size gives most multiprocessors of a large GPU something to do. Sizes of run time
/// are taken for large ones, but for those of steps.
static bool fills(const Product &product, int64_t rows, int64_t columns) {
  constexpr int64_t enough = 96;
  std::optional<int64_t> numRows = getConstantIntValue(product.rows), numColumns = getConstantIntValue(product.columns);
  if (numRows && numColumns)
    return llvm::divideCeil(*numRows, rows) * llvm::divideCeil(*numColumns, columns) * product.copies >= enough;
  return !product.chained;
}

/// How a product is cut, and with what. No thread runs out of registers (test/Conversion/RNNToGPU/kernels.mlir), and all
/// stages fit 48 KB, the workgroup memory that needs no permission.
static std::unique_ptr<MicroKernel> chooseMicroKernel(const Product &product, const KernelOptions &options,
                                                      TileShape &shape) {
  Type element = product.element;
  const bool isMedium = product.panels == 1 && fills(product, 64, 64);
  const bool isLarge = isMedium && fills(product, 128, 64);
  if (element.isF32() && !options.tf32) {
    shape = product.panels > 1 ? TileShape{32, 16, product.panels, 16, 8, 16}
            : isMedium         ? TileShape{64, 64, 1, 16, 16, 16}
                               : TileShape{32, 32, 1, 16, 8, 16};
    return createScalarMicroKernel(shape, element);
  }
  const bool isHalf = element.getIntOrFloatBitWidth() == 16;
  const int64_t depth = element.isF64() ? 16 : element.isF32() ? 32 : 64;
  shape = product.panels > 1 ? TileShape{32, 16, product.panels, depth, 2, 2}
          : isLarge && isHalf ? TileShape{128, 64, 1, depth / 2, 2, 2}
          : isMedium         ? TileShape{64, 64, 1, depth / 2, 2, 2}
                             : TileShape{32, 32, 1, depth, 2, 2};
  return createTensorMicroKernel(shape, element);
}

/// Pairs of tiles.
static constexpr int64_t numStages = 3;

void rnn::launchProduct(const Emitter &host, const Product &product) {
  TileShape shape;
  std::unique_ptr<MicroKernel> micro = chooseMicroKernel(product, host.options, shape);
  const int64_t threads = micro->getThreads();

  // One dimension of blocks, since the other two have 65535 at most.
  Value columnBlocks = host.parts(product.columns, shape.columns);
  Value blocks = host.mul(host.parts(product.rows, shape.rows), columnBlocks);
  Kernel kernel(host, product.name, host.mul(blocks, host.index(product.copies)), threads,
                product.chained && host.options.programmatic);
  const Emitter &e = host;
  Value thread = kernel.getThread(), block = kernel.getBlock(), copy = e.index(0);
  if (product.copies > 1) {
    copy = e.div(block, blocks);
    block = e.remainder(block, blocks);
  }
  if (product.start)
    product.start(e, copy);
  Value firstRow = e.mul(e.div(block, columnBlocks), e.index(shape.rows));
  Value firstColumn = e.mul(e.remainder(block, columnBlocks), e.index(shape.columns));
  Value validRows = product.validRows ? product.validRows : product.rows;

  bool leftOrder = product.left.depthIsContiguous, rightOrder = product.right.depthIsContiguous;
  TileLayout leftLayout{leftOrder, shape.rows, shape.depth, micro->getRoom(leftOrder)};
  TileLayout rightLayout{rightOrder, shape.columns * shape.panels, shape.depth, micro->getRoom(rightOrder)};
  Value leftTiles = kernel.addWorkgroupBuffer({numStages * leftLayout.getSize()}, product.element);
  Value rightTiles = kernel.addWorkgroupBuffer({numStages * rightLayout.getSize()}, product.element);
  TileCopy left(product.left, product.element, leftLayout, shape.rows, threads);
  TileCopy right(product.right, product.element, rightLayout, shape.columns, threads);
  auto leftTile = [&](Value stage) {
    return Tile{leftLayout, leftTiles, e.mul(stage, e.index(leftLayout.getSize()))};
  };
  auto rightTile = [&](Value stage) {
    return Tile{rightLayout, rightTiles, e.mul(stage, e.index(rightLayout.getSize()))};
  };
  Emitter reading = e.named(product.name.str() + ": read"), writing = e.named(product.name.str() + ": tile"),
          multiplying = e.named(product.name.str() + ": multiply"), ending = e.named(product.name.str() + ": finish");

  auto beginLeft = [&](Value stage, Value depth) {
    return left.begin(reading, thread, leftTile(stage), {firstRow, validRows, depth, product.depth});
  };
  auto beginRight = [&](Value stage, Value depth) {
    return right.begin(reading, thread, rightTile(stage), {firstColumn, product.columns, depth, product.depth});
  };
  // Elements that come by registers are written when `multiply` has had the time that they take.
  auto finishCopies = [&](Value stage, ValueRange leftValues, ValueRange rightValues, function_ref<void()> multiply) {
    NVVM::CpAsyncCommitGroupOp::create(reading.builder, reading.loc);
    multiply();
    left.end(writing, thread, leftTile(stage), leftValues);
    right.end(writing, thread, rightTile(stage), rightValues);
  };
  auto wait = [&](int64_t pending) { NVVM::CpAsyncWaitGroupOp::create(reading.builder, reading.loc, pending); };

  // The right side does not depend on the launch in front, if that is still running.
  SmallVector<SmallVector<Value>> rightValues;
  for (int64_t stage = 0; stage + 1 < numStages; ++stage)
    rightValues.push_back(beginRight(e.index(stage), e.index(stage * shape.depth)));
  kernel.wait(reading);
  for (int64_t stage = 0; stage + 1 < numStages; ++stage) {
    SmallVector<Value> leftValues = beginLeft(e.index(stage), e.index(stage * shape.depth));
    finishCopies(e.index(stage), leftValues, rightValues[stage], [] {});
  }
  // Carried: the sums, and the stage whose turn it is.
  SmallVector<Value> carried = micro->start(e);
  carried.push_back(e.index(0));
  carried = e.loop(e.index(0), product.depth, shape.depth, carried, [&](Value depth, ValueRange before) {
    // The tiles are there for all threads, and the last readers of the stage before are done.
    wait(numStages - 2);
    writing.barrier();
    Value stage = before.back();
    Value isFirst = e.isEqual(stage, e.index(0));
    Value target = e.select(isFirst, e.index(numStages - 1), e.sub(stage, e.index(1)));
    Value targetDepth = e.add(depth, e.index((numStages - 1) * shape.depth));
    SmallVector<Value> leftValues = beginLeft(target, targetDepth), rightValues = beginRight(target, targetDepth), after;
    finishCopies(target, leftValues, rightValues, [&] {
      after = micro->accumulate(multiplying, thread, leftTile(stage), rightTile(stage), before.drop_back());
    });
    Value isLast = e.isEqual(stage, e.index(numStages - 1));
    after.push_back(e.select(isLast, e.index(0), e.add(stage, e.index(1))));
    return after;
  });
  wait(0);

  micro->forEachSum(ending, thread, ArrayRef(carried).drop_back(),
                    [&](Value row, Value column, ArrayRef<Value> sums) {
                      Value globalRow = ending.add(firstRow, row), globalColumn = ending.add(firstColumn, column);
                      Value inside = ending.both(ending.isLess(globalRow, product.rows),
                                                 ending.isLess(globalColumn, product.columns));
                      ending.when(inside, [&] {
                        SmallVector<Value> valid(sums);
                        // Not merely zeros on the left: the right side may hold what is no number.
                        if (product.validRows)
                          for (Value &sum : valid)
                            sum = ending.select(ending.isLess(globalRow, validRows), sum,
                                                ending.number(0.0, sum.getType()));
                        product.finish(ending, globalRow, globalColumn, valid);
                      });
                    });
  kernel.finish();
}
