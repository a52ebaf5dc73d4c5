//===- rnn-opt.cpp - mlir-opt with the rnn dialects and passes ---------------===//
//
// Registration and the upstream main; no pass is defined here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FrameworkDialects.h"
#include "../common/Version.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "rnn/InitAllDialects.h"
#include "rnn/InitAllPasses.h"

int main(int argc, char **argv) {
  mlir::rnn::addProjectVersion();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // gpu-module-to-binary goes as far as LLVM IR and PTX.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  mlir::rnn::registerAllDialects(registry);
  mlir::rnn::registerFrameworkDialects(registry);
  mlir::rnn::registerAllPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "rnn-mlir modular optimizer\n", registry));
}
