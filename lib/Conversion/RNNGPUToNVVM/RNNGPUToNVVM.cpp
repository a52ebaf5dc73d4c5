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

struct StoreAsyncPattern : public OpRewritePattern<rnngpu::StoreAsyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(rnngpu::StoreAsyncOp op, PatternRewriter &rewriter) const final {
    SmallVector<Value> operands{op.getAddress()};
    llvm::append_range(operands, op.getValues());
    operands.push_back(op.getBarrier());
    std::string constraints;
    for (Value operand : operands)
      constraints += getConstraint(operand.getType()).str() + ",";
    // The compiler knows nothing of the memory that it touches.
    constraints += "~{memory}";
    LLVM::InlineAsmOp::create(rewriter, op.getLoc(), /*res=*/TypeRange(), operands, op.getPTX(), constraints,
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
                              /*operand_attrs=*/ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertRNNGPUToNVVM : public rnn::impl::ConvertRNNGPUToNVVMPassBase<ConvertRNNGPUToNVVM> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<StoreAsyncPattern>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
