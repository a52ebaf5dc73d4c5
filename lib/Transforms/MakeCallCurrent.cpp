//===- MakeCallCurrent.cpp - bind launches to the runtime call ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNMAKECALLCURRENTPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct MakeCallCurrent : public rnn::impl::RNNMakeCallCurrentPassBase<MakeCallCurrent> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      WalkResult result = function.walk([](Operation *op) {
        return isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!result.wasInterrupted())
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
      auto type = rnnrt::CallType::get(&getContext());
      Value call = rnnrt::CurrentCallOp::create(builder, function.getLoc(), type);
      rnnrt::MakeCurrentOp::create(builder, function.getLoc(), call);
    }
  }
};
} // namespace
