//===- RNNGPUToNVVM.cpp - rnngpu ops as inline assembly ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTRNNGPUTONVVMPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {

/// The register constraint of the NVPTX backend for `type`.
StringRef getConstraint(Type type) {
  return type.isF32() ? "f" : type.isF64() ? "d" : type.isInteger(32) ? "r" : "l";
}

/// Creates inline assembly that may access any memory, with at most one result.
Operation *createAssembly(PatternRewriter &rewriter, Location loc, ValueRange operands, StringRef text,
                          TypeRange result = {}) {
  std::string constraints;
  for (Type type : result)
    constraints += "=" + getConstraint(type).str() + ",";
  for (Value operand : operands)
    constraints += getConstraint(operand.getType()).str() + ",";
  constraints += "~{memory}";
  return LLVM::InlineAsmOp::create(rewriter, loc, result, operands, text, constraints,
                                   /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr::get(rewriter.getContext(), LLVM::AsmDialect::AD_ATT),
                                   /*operand_attrs=*/ArrayAttr());
}

struct AddSignalPattern : public OpRewritePattern<rnngpu::AddSignalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(rnngpu::AddSignalOp op, PatternRewriter &rewriter) const final {
    createAssembly(rewriter, op.getLoc(), op.getCounter(), "red.release.sys.global.add.u32 [$0], 1;");
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadSignalPattern : public OpRewritePattern<rnngpu::ReadSignalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(rnngpu::ReadSignalOp op, PatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, createAssembly(rewriter, op.getLoc(), op.getFlag(), "ld.acquire.sys.global.u32 $0, [$1];",
                                          op.getValue().getType()));
    return success();
  }
};

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

/// With `afn` the NVPTX backend selects the approximate instruction.
template <typename OpTy, typename IntrinsicTy> struct ApproximatePattern : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<IntrinsicTy>(op, op.getType(), op.getValue(), LLVM::FastmathFlags::afn);
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

// The shares of all blocks add up to 2^31: 1 for each block, the rest for the first. The top bit flips when the last
// block has added its share; the bits below are then zero again. Labels and registers are scoped by the braces.
constexpr StringLiteral gridBarrier = R"({
.reg .pred p;
.reg .b32 a, b, n, share, before, now;
mov.u32 a, %tid.x;
mov.u32 b, %tid.y;
or.b32 a, a, b;
mov.u32 b, %tid.z;
or.b32 a, a, b;
setp.ne.u32 p, a, 0;
@p bra.uni DONE;
mov.u32 n, %nctaid.x;
mov.u32 b, %nctaid.y;
mul.lo.u32 n, n, b;
mov.u32 b, %nctaid.z;
mul.lo.u32 n, n, b;
mov.u32 a, %ctaid.x;
mov.u32 b, %ctaid.y;
or.b32 a, a, b;
mov.u32 b, %ctaid.z;
or.b32 a, a, b;
setp.eq.u32 p, a, 0;
sub.u32 share, 0x80000001, n;
selp.b32 share, share, 1, p;
atom.add.release.gpu.global.u32 before, [$0], share;
WAIT:
ld.acquire.gpu.global.u32 now, [$0];
xor.b32 now, now, before;
setp.ge.s32 p, now, 0;
@p bra WAIT;
DONE:
})";

struct GridBarrierPattern : public OpRewritePattern<rnngpu::GridBarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(rnngpu::GridBarrierOp op, PatternRewriter &rewriter) const final {
    // Barrier ops are convergent, so LLVM does not duplicate them into divergent branches; inline assembly is not.
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    createAssembly(rewriter, op.getLoc(), op.getCounter(), gridBarrier);
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Turns the launch properties of the kernels of `module` into its offloading handler.
void setLaunchHandler(gpu::GPUModuleOp module) {
  using rnngpu::RNNGPUDialect;
  SmallVector<StringAttr> cooperative, programmatic;
  SmallVector<NamedAttribute> residentClusters;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function->removeDiscardableAttr(RNNGPUDialect::getCooperativeAttrName()))
      cooperative.push_back(function.getNameAttr());
    bool isStep = false;
    if (function->removeDiscardableAttr(RNNGPUDialect::getProgrammaticAttrName())) {
      programmatic.push_back(function.getNameAttr());
      isStep = true;
    }
    if (Attribute items = function->removeDiscardableAttr(RNNGPUDialect::getResidentClustersAttrName())) {
      residentClusters.emplace_back(function.getNameAttr(), items);
      isStep = true;
    }
    // Time steps are bound by latency. Without this, ptxas spills registers to let more blocks run together.
    if (StringRef name = NVVM::NVVMDialect::getMinctasmAttrName(); isStep && !function->hasAttr(name))
      function->setAttr(name, IntegerAttr::get(IntegerType::get(module.getContext(), 32), 1));
  }
  MLIRContext *context = module.getContext();
  auto clusters = residentClusters.empty() ? DictionaryAttr() : DictionaryAttr::get(context, residentClusters);
  if (!module.getOffloadingHandlerAttr())
    module.setOffloadingHandlerAttr(rnngpu::LaunchAttr::get(context, cooperative, programmatic, clusters));
}

/// Declares dynamic shared memory (gpu.dynamic_shared_memory) as `.extern .shared`. Upstream's internal global of no
/// bytes becomes a static array of one byte, which counts against the limit of a block.
void declareDynamicSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getType());
    if (type && type.getNumElements() == 0 && global.getAddrSpace() == unsigned(NVVM::NVVMMemorySpace::Shared))
      global.setLinkage(LLVM::Linkage::External);
  }
}

struct ConvertRNNGPUToNVVM : public rnn::impl::ConvertRNNGPUToNVVMPassBase<ConvertRNNGPUToNVVM> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AddSignalPattern, ReadSignalPattern, StoreAsyncPattern, GridBarrierPattern,
                 ApproximatePattern<rnngpu::Exp2Op, LLVM::Exp2Op>, ApproximatePattern<rnngpu::TanhOp, LLVM::TanhOp>>(
        &getContext());
    patterns.add<PlainPattern<rnngpu::GridWaitOp>>(&getContext(), "griddepcontrol.wait;");
    patterns.add<PlainPattern<rnngpu::LaunchDependentsOp>>(&getContext(), "griddepcontrol.launch_dependents;");
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (auto module = dyn_cast<gpu::GPUModuleOp>(getOperation())) {
      declareDynamicSharedMemory(module);
      setLaunchHandler(module);
    }
  }
};

} // namespace
