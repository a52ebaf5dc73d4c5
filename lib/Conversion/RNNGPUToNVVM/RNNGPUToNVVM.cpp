//===- RNNGPUToNVVM.cpp - rnngpu ops as inline assembly ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNGPUTONVVMPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {

/// The letter of LLVM's NVPTX backend for a register of this type.
StringRef getConstraint(Type type) {
  return type.isF32() ? "f" : type.isF64() ? "d" : type.isInteger(32) ? "r" : "l";
}

/// Writes an instruction that may touch any memory, for all that the compiler knows.
void createAssembly(PatternRewriter &rewriter, Location loc, ValueRange operands, StringRef text) {
  std::string constraints;
  for (Value operand : operands)
    constraints += getConstraint(operand.getType()).str() + ",";
  constraints += "~{memory}";
  LLVM::InlineAsmOp::create(rewriter, loc, /*res=*/TypeRange(), operands, text, constraints,
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr::get(rewriter.getContext(), LLVM::AsmDialect::AD_ATT),
                            /*operand_attrs=*/ArrayAttr());
}

struct StoreAsyncPattern : public OpRewritePattern<rnngpu::StoreAsyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(rnngpu::StoreAsyncOp op, PatternRewriter &rewriter) const final {
    SmallVector<Value> operands{op.getAddress()};
    llvm::append_range(operands, op.getValues());
    operands.push_back(op.getBarrier());
    createAssembly(rewriter, op.getLoc(), operands, op.getPTX());
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpTy> struct PlainPattern : public OpRewritePattern<OpTy> {
  PlainPattern(MLIRContext *context, StringRef text) : OpRewritePattern<OpTy>(context), text(text) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    createAssembly(rewriter, op.getLoc(), {}, text);
    rewriter.eraseOp(op);
    return success();
  }

private:
  StringRef text;
};

struct ConvertRNNGPUToNVVM : public rnn::impl::ConvertRNNGPUToNVVMPassBase<ConvertRNNGPUToNVVM> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<StoreAsyncPattern>(&getContext());
    patterns.add<PlainPattern<rnngpu::GridWaitOp>>(&getContext(), "griddepcontrol.wait;");
    patterns.add<PlainPattern<rnngpu::LaunchDependentsOp>>(&getContext(), "griddepcontrol.launch_dependents;");
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
