//===- InputModule.h - command line and input of rnn-compile and rnn-run -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_INPUTMODULE_H
#define RNN_TOOLS_COMMON_INPUTMODULE_H

#include "Version.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "rnn/Emit/JIT.h"
#include "rnn/Emit/Parse.h"
#include "rnn/InitAllPasses.h"
#include "rnn/Pipelines/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace mlir::rnn {

/// Registers passes and MLIR's options, hides LLVM's hundreds of options from --help, and parses the command line.
inline void parseToolCommandLine(int argc, char **argv, llvm::cl::OptionCategory &category, StringRef overview) {
  addProjectVersion();
  rnn::registerAllPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  llvm::cl::HideUnrelatedOptions(category); // --help-hidden lists them
  llvm::cl::ParseCommandLineOptions(argc, argv, overview);
}

/// The module of an input file, and what its locations and diagnostics need.
class InputModule {
public:
  /// Reads and verifies `file` (- is standard input). The parser prints its own errors; then there is no module.
  llvm::Error read(StringRef file, const PipelineCommandLine &commandLine, bool namesArguments = true) {
    DialectRegistry registry;
    registerJITDialects(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects(); // TensorFlow's ops
    if (failed(commandLine.enableRemarks(context)))
      return llvm::Error::success();
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(file, &message);
    if (!buffer)
      return llvm::createStringError(message);
    sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    diagnostics = std::make_unique<SourceMgrDiagnosticHandler>(*sources, &context);
    module = parseModule(sources, context, file, namesArguments);
    return llvm::Error::success();
  }

  explicit operator bool() const { return bool(module); }
  ModuleOp operator*() const { return *module; }

private:
  MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_INPUTMODULE_H
