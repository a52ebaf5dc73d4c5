//===- embed.cpp - a layer from text to the LLVM dialect ---------------------===//
//
// The steps by which a compiler uses the dialect: register it, parse or build the ops, and run the pipeline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "rnn/InitAllDialects.h"
#include "rnn/Pipelines/Pipelines.h"

using namespace mlir;

/// A GRU layer on tensors: T=3, B=2, I=4, H=5.
static constexpr llvm::StringLiteral layer = R"mlir(
func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<165xf32>)
  return %y : tensor<3x2x5xf32>
}
)mlir";

int main() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  rnn::registerAllDialects(registry);
  MLIRContext context(registry);

  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(layer, &context);
  if (!module)
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
