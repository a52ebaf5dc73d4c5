//===- AttachTarget.cpp - write the target into a module ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNATTACHTARGETPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
struct AttachTarget : public rnn::impl::RNNAttachTargetPassBase<AttachTarget> {
  using RNNAttachTargetPassBase::RNNAttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringAttr chipAttr = chip.empty() ? StringAttr() : StringAttr::get(&getContext(), chip.getValue());
    auto attr = TargetAttr::getChecked([&] { return emitError(module.getLoc()); }, &getContext(), target.getValue(),
                                       chipAttr, tf32.getValue(), largeGemms.getValue(), int64_t(wavefrontChunk));
    if (!attr)
      return signalPassFailure();
    module->setDiscardableAttr(TargetAttr::attributeName, attr);
  }
};
} // namespace
