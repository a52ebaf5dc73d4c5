//===- rnn-lsp-server.cpp - language server with the rnn dialects ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FrameworkDialects.h"
#include "../common/Version.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "rnn/InitAllDialects.h"

int main(int argc, char **argv) {
  mlir::rnn::addProjectVersion();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::rnn::registerAllDialects(registry);
  mlir::rnn::registerFrameworkDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
