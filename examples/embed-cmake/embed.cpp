//===- embed.cpp - a tiny compiler that lowers its layers through rnn-mlir ---===//
//
// A dialect with one op, a pass that rewrites it to an rnn op, and the pipeline of rnn-mlir down to the LLVM dialect.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "rnn/InitAllDialects.h"
#include "rnn/Pipelines/Pipelines.h"

using namespace mlir;

namespace tiny {

/// `tiny.gru` (input [T,B,I], state [1,B,H], parameters) -> hidden states [T,B,H].
class GRUOp : public Op<GRUOp, OpTrait::NOperands<3>::Impl, OpTrait::OneResult, OpTrait::ZeroRegions> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GRUOp)
  using Op::Op;
  static llvm::StringRef getOperationName() { return "tiny.gru"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

class TinyDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TinyDialect)
  explicit TinyDialect(MLIRContext *context) : Dialect("tiny", context, TypeID::get<TinyDialect>()) {
    addOperations<GRUOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "tiny"; }
};

struct LowerGRU : public OpRewritePattern<GRUOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GRUOp op, PatternRewriter &rewriter) const override {
    // One range per operand of rnn.cudnn_forward: input, input_h, input_c (lstm only), params.
    Value input = op->getOperand(0), state = op->getOperand(1), params = op->getOperand(2);
    NamedAttribute mode =
        rewriter.getNamedAttr("mode", rnn::CellModeAttr::get(rewriter.getContext(), rnn::CellMode::Gru));
    auto layer =
        rnn::createLayerOp<rnn::CudnnForwardOp>(rewriter, op.getLoc(), {input, state, ValueRange(), params}, mode);
    rewriter.replaceOp(op, layer.getOutput());
    return success();
  }
};

struct LowerTinyPass : public PassWrapper<LowerTinyPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTinyPass)
  llvm::StringRef getArgument() const final { return "lower-tiny"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<rnn::RNNDialect>(); }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerGRU>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace tiny

/// T=3, B=2, I=4, H=5.
static constexpr llvm::StringLiteral program = R"mlir(
func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {
  %y = "tiny.gru"(%x, %h, %p) : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<165xf32>) -> tensor<3x2x5xf32>
  return %y : tensor<3x2x5xf32>
}
)mlir";

int main() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  rnn::registerAllDialects(registry);
  registry.insert<tiny::TinyDialect>();
  MLIRContext context(registry);

  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return 1;
  PassManager passes(&context);
  passes.addPass(std::make_unique<tiny::LowerTinyPass>());
  if (failed(passes.run(*module)))
    return 1;
  unsigned layers = 0;
  module->walk([&](rnn::CudnnForwardOp) { ++layers; });

  if (llvm::Error error = rnn::runPipeline(*module, rnn::PipelineOptions(), rnn::RunOptions())) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "embed: ");
    return 1;
  }
  // isa<> on the LLVM dialect's ops: false if the program had two copies of the dialect.
  unsigned functions = 0, others = 0;
  module->walk([&](Operation *op) {
    if (isa<LLVM::LLVMFuncOp>(op))
      ++functions;
    else if (!isa<LLVM::LLVMDialect>(op->getDialect()) && !isa<ModuleOp>(op))
      ++others;
  });
  llvm::outs() << layers << " layer, " << functions << " functions in the LLVM dialect, " << others << " other ops\n";
  return layers == 1 && functions > 0 && others == 0 ? 0 : 1;
}
