//===- VerifyContract.cpp - contracts of the pipeline stages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNVERIFYCONTRACTPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Rejects the op families that convert-tf-to-rnn converts.
static LogicalResult checkImport(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("tf.CudnnRNN") || name.starts_with("tf.BlockLSTM"))
    return op->emitOpError("is left after stage import; run convert-tf-to-rnn");
  return success();
}

static LogicalResult checkSimplify(Operation *op) {
  auto inputMode = isa<LayerOpInterface>(op) ? op->getAttrOfType<InputModeAttr>("input_mode") : InputModeAttr();
  if (inputMode && inputMode.getValue() == InputMode::AutoSelect)
    return op->emitOpError("still has `auto_select` after stage simplify; run canonicalize, or write linear_input or "
                           "skip_input");
  return checkImport(op);
}

static LogicalResult checkSelect(Operation *op) {
  auto layer = dyn_cast<LayerOpInterface>(op);
  if (layer && !layer.getLowering())
    return op->emitOpError("has no `lowering` after stage select; run rnn-select-lowering");
  TargetAttr target = TargetAttr::lookup(op);
  const bool isLayer = isa<BlockLSTMOp, BlockLSTMGradOp, CudnnForwardOp, CudnnBackpropOp>(op);
  if (isLayer && layer.getLowering() == Lowering::Fused && target && !target.getInfo().isHost()) {
    LoweringAttr lowering = layer.getLoweringAttr();
    if (!lowering.getKernel())
      return op->emitOpError("is fused but has no `kernel` after stage select; run rnn-select-lowering");
    if (lowering.getKernel() == FusedKernel::Persistent && !lowering.getCluster())
      return op->emitOpError("has a persistent kernel but no `cluster` after stage select; run rnn-select-lowering");
  }
  return checkSimplify(op);
}

static LogicalResult checkBufferize(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError("has a tensor operand or result after stage bufferize; does an op in the function lack a "
                           "bufferization model?");
  return success();
}

static LogicalResult checkLower(Operation *op) {
  if (isa_and_nonnull<RNNDialect>(op->getDialect()))
    return op->emitOpError("is left after stage lower; no lowering handles it");
  return checkBufferize(op);
}

static LogicalResult checkEmit(Operation *op) {
  // Kernels that are binaries already, and their launches, become calls in the translation to LLVM IR.
  if (isa<ModuleOp, gpu::BinaryOp, gpu::LaunchFuncOp>(op) || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return success();
  return op->emitOpError("is left after stage emit, whose result must be in the LLVM dialect; convert dialect '")
         << op->getName().getDialectNamespace() << "' to LLVM";
}

namespace {
struct VerifyContract : public rnn::impl::RNNVerifyContractPassBase<VerifyContract> {
  using RNNVerifyContractPassBase::RNNVerifyContractPassBase;

  void runOnOperation() override {
    using Check = LogicalResult (*)(Operation *);
    static constexpr Check checks[] = {checkImport, checkSimplify, checkSelect, checkBufferize,
                                       checkLower,  checkEmit,     checkEmit};
    Check check = checks[static_cast<size_t>(stage.getValue())];
    // Report every op that violates the contract, not merely the first.
    bool broken = false;
    getOperation()->walk([&](Operation *op) { broken |= failed(check(op)); });
    if (broken)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
