//===- ThreadCall.cpp - pass the runtime call to every function --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_THREADRUNTIMECALLPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ThreadRuntimeCall : public rnn::impl::ThreadRuntimeCallPassBase<ThreadRuntimeCall> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool failed = false;
    module.walk([&](func::ConstantOp constant) {
      auto callee = module.lookupSymbol<func::FuncOp>(constant.getValue());
      if (!callee || callee.isExternal())
        return;
      constant.emitError("takes the address of `")
          << constant.getValue() << "`, whose signature changes in stage lower; call the function directly";
      failed = true;
    });
    if (failed)
      return signalPassFailure();
    Type callType = rnnrt::CallType::get(&getContext());
    SymbolTableCollection symbols;
    module.walk([&](func::FuncOp function) {
      // Functions of a gpu.module run on the device and have no call.
      if (function.isExternal() || !isa<ModuleOp>(function->getParentOp()))
        return;
      if (llvm::failed(function.insertArgument(0, callType, /*argAttrs=*/{}, function.getLoc()))) {
        failed = true;
        return;
      }
      Value call = function.getArgument(0);
      function.walk([&](rnnrt::CurrentCallOp current) {
        current.getCall().replaceAllUsesWith(call);
        current.erase();
      });
      function.walk([&](func::CallOp caller) {
        auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(caller, caller.getCalleeAttr());
        if (!callee || callee.isExternal())
          return;
        SmallVector<Value> operands{call};
        llvm::append_range(operands, caller.getOperands());
        caller.getOperandsMutable().assign(operands);
      });
    });
    // Threads of a team must not share a call. Functions that they run report no errors and get a null call.
    module.walk([&](LLVM::LLVMFuncOp function) {
      function.walk([&](func::CallOp caller) {
        auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(caller, caller.getCalleeAttr());
        if (!callee || callee.isExternal())
          return;
        OpBuilder b(caller);
        Value null = LLVM::ZeroOp::create(b, caller.getLoc(), LLVM::LLVMPointerType::get(&getContext()));
        SmallVector<Value> operands{
            UnrealizedConversionCastOp::create(b, caller.getLoc(), callType, null).getResult(0)};
        llvm::append_range(operands, caller.getOperands());
        caller.getOperandsMutable().assign(operands);
      });
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
