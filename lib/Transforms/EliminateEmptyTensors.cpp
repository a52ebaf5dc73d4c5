//===- EliminateEmptyTensors.cpp - results computed in their place ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNELIMINATEEMPTYTENSORSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Extracts the slice that the insertion changes, or returns none if each iteration of a loop inserts into the same
/// tensor, which must not change.
static Value extractSlice(RewriterBase &b, SubsetInsertionOpInterface insertion, tensor::EmptyOp empty,
                          Operation *user) {
  auto loop = insertion->getParentOfType<LoopLikeOpInterface>();
  if (loop && loop.isDefinedOutsideOfLoop(insertion.getDestinationOperand().get()))
    return Value();
  // Upstream takes a branch that contains the empty tensor for an op before it.
  for (Value needed : insertion.getValuesNeededToBuildSubsetExtraction())
    if (Operation *op = needed.getDefiningOp(); op && op->isProperAncestor(empty))
      return Value();
  return bufferization::buildSubsetExtraction(b, insertion, empty, user);
}

namespace {
struct EliminateEmptyTensors : public rnn::impl::RNNEliminateEmptyTensorsPassBase<EliminateEmptyTensors> {
  using RNNEliminateEmptyTensorsPassBase::RNNEliminateEmptyTensorsPassBase;

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.allowReturnAllocsFromLoops = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    IRRewriter b(&getContext());
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)) ||
        failed(bufferization::eliminateEmptyTensors(b, getOperation(), state, extractSlice)))
      signalPassFailure();
  }
};
} // namespace
