//===- DetachTarget.cpp - remove the target from a module --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNDETACHTARGETPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

namespace {
struct DetachTarget : public rnn::impl::RNNDetachTargetPassBase<DetachTarget> {
  using RNNDetachTargetPassBase::RNNDetachTargetPassBase;

  void runOnOperation() override { getOperation()->removeDiscardableAttr(TargetAttr::attributeName); }
};
} // namespace
