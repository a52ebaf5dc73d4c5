//===- ProtectArguments.cpp - make arguments of public functions read-only ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNPROTECTARGUMENTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ProtectArguments : public rnn::impl::RNNProtectArgumentsPassBase<ProtectArguments> {
  void runOnOperation() override {
    StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
    Attribute no = BoolAttr::get(&getContext(), false);
    getOperation().walk([&](func::FuncOp function) {
      if (!function.isPublic() || function.isExternal())
        return;
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()) && !function.getArgAttr(argument.getArgNumber(), name))
          function.setArgAttr(argument.getArgNumber(), name, no);
    });
  }
};
} // namespace
