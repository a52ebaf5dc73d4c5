//===- DecomposeLinalg.cpp - linalg ops that are no loop nests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDECOMPOSELINALGPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// The same op on tensors, since upstream decomposes only these. The result is copied to the output at the end, so the
/// output may be the input.
static linalg::SoftmaxOp useTensors(RewriterBase &b, linalg::SoftmaxOp op) {
  Location loc = op.getLoc();
  auto getTensor = [&](Value buffer) -> Value {
    return bufferization::ToTensorOp::create(b, loc, memref::getTensorTypeFromMemRefType(buffer.getType()), buffer,
                                             /*restrict=*/true);
  };
  Value input = getTensor(op.getInput());
  Value output = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, input), getElementTypeOrSelf(input));
  auto softmax = linalg::SoftmaxOp::create(b, loc, TypeRange{output.getType()}, input, output, op.getDimension());
  auto copy = bufferization::MaterializeInDestinationOp::create(b, loc, softmax.getResult().front(), op.getOutput());
  copy.setRestrict(true);
  copy.setWritable(true);
  b.eraseOp(op);
  return softmax;
}

static LogicalResult decompose(RewriterBase &b, linalg::SoftmaxOp op) {
  Type elementType = getElementTypeOrSelf(op.getInput().getType());
  if (!isa<FloatType>(elementType))
    return op.emitOpError("has elements of type ") << elementType << ", but expects floating-point numbers";
  const bool writesMemory = isa<MemRefType>(op.getOutput().getType());
  if (isa<MemRefType>(op.getInput().getType()) != writesMemory)
    return op.emitOpError("has a tensor and a memref, but expects two tensors or two memrefs");
  if (writesMemory)
    op = useTensors(b, op);
  b.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(b);
  if (failed(results))
    return op.emitOpError("cannot be decomposed");
  b.replaceOp(op, *results);
  return success();
}

// Upstream has special forms for outer dimensions of size 1, which insert or extract a slice. The form of lowerUnPack
// extracts a wrong slice if another dimension has size 1. Both are disabled.
static auto lower(RewriterBase &b, linalg::PackOp op) {
  return linalg::lowerPack(b, op, /*lowerPadLikeWithInsertSlice=*/false);
}

static auto lower(RewriterBase &b, linalg::UnPackOp op) {
  return linalg::lowerUnPack(b, op, /*lowerUnpadLikeWithExtractSlice=*/false);
}

/// Pack and unpack.
template <typename Op> static LogicalResult decompose(RewriterBase &b, Op op) {
  if (llvm::any_of(op.getStaticInnerTiles(), ShapedType::isDynamic))
    return op.emitOpError("has inner tiles of unknown size; write their sizes as constants");
  if (failed(lower(b, op)))
    return op.emitOpError("cannot be decomposed");
  return success();
}

namespace {
struct DecomposeLinalg : public rnn::impl::RNNDecomposeLinalgPassBase<DecomposeLinalg> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    bool hasWinograd = false;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::SoftmaxOp, linalg::PackOp, linalg::UnPackOp>(op))
        ops.push_back(op);
      hasWinograd |=
          isa<linalg::WinogradFilterTransformOp, linalg::WinogradInputTransformOp, linalg::WinogradOutputTransformOp>(
              op);
    });
    bool hasFailed = false;
    for (Operation *op : ops) {
      IRRewriter b(op);
      hasFailed |= failed(
          llvm::TypeSwitch<Operation *, LogicalResult>(op).Case<linalg::SoftmaxOp, linalg::PackOp, linalg::UnPackOp>(
              [&](auto op) { return decompose(b, op); }));
    }
    if (hasWinograd) {
      RewritePatternSet patterns(&getContext());
      linalg::populateDecomposeWinogradOpsPatterns(patterns);
      hasFailed |= failed(applyPatternsGreedily(getOperation(), std::move(patterns)));
    }
    if (hasFailed)
      signalPassFailure();
  }
};
} // namespace
