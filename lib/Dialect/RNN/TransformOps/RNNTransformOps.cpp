//===- RNNTransformOps.cpp - ops of the transform dialect for rnn ops --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/TransformOps/RNNTransformOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "rnn/Dialect/RNN/TransformOps/RNNTransformOps.cpp.inc"

DiagnosedSilenceableFailure rnn::TransformDecomposeOp::apply(transform::TransformRewriter &rewriter,
                                                             transform::TransformResults &,
                                                             transform::TransformState &state) {
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getTarget()))) {
    auto aggregated = dyn_cast<linalg::AggregatedOpInterface>(op);
    if (!aggregated || !isa<rnn::LayerOpInterface>(op)) {
      DiagnosedSilenceableFailure failure = emitSilenceableError()
                                            << "expects rnn ops, but got '" << op->getName() << "'";
      failure.attachNote(op->getLoc()) << "this op";
      return failure;
    }
    FailureOr<SmallVector<Value>> results = aggregated.decomposeOperation(rewriter);
    if (failed(results))
      return emitDefiniteFailure("an op has no decomposition");
    rewriter.replaceOp(op, *results);
  }
  return DiagnosedSilenceableFailure::success();
}

void rnn::TransformDecomposeOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

namespace {
class RNNTransformExtension : public transform::TransformDialectExtension<RNNTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RNNTransformExtension)

  void init() {
    declareDependentDialect<linalg::LinalgDialect>();
    declareDependentDialect<rnn::RNNDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "rnn/Dialect/RNN/TransformOps/RNNTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void rnn::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<RNNTransformExtension>();
}
