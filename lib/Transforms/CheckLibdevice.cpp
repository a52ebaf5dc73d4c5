//===- CheckLibdevice.cpp - report kernels that require libdevice ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCHECKLIBDEVICEPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct CheckLibdevice : public rnn::impl::RNNCheckLibdevicePassBase<CheckLibdevice> {
  using RNNCheckLibdevicePassBase::RNNCheckLibdevicePassBase;

  void runOnOperation() override {
    if (!toolkit.empty())
      return;
    bool broken = false;
    getOperation().walk([&](LLVM::CallOp call) {
      std::optional<StringRef> callee = call.getCallee();
      if (!callee || !callee->starts_with("__nv_"))
        return;
      call.emitError("the kernel calls `")
          << *callee
          << "` of NVIDIA's libdevice, but no CUDA toolkit was found; install it and set "
             "CUDA_HOME to its folder, or compile for another target";
      broken = true;
    });
    if (broken)
      signalPassFailure();
  }
};
} // namespace
