// ModuleFuzzer.cpp - libFuzzer for modules as text or bytecode: a module is rejected with an error, or is printed and
// read back unchanged, and the pipelines of the compiler accept it or report an error. The first byte selects target
// and lowering. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "rnn/Emit/JIT.h"
#include "rnn/Pipelines/Pipelines.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::rnn;

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

[[noreturn]] static void fail(const char *what, llvm::StringRef text) {
  std::fprintf(stderr, "%s\n%s\n", what, text.str().c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const DialectRegistry &registry = []() -> const DialectRegistry & {
    static DialectRegistry made;
    registerJITDialects(made);
    return made;
  }();
  // Upstream's parser is not the subject, and large modules only take time.
  if (size < 2 || size > 4096)
    return 0;
  llvm::StringRef source(reinterpret_cast<const char *>(data) + 1, size - 1);
  // Malformed bytecode crashes upstream's reader (docs/internals/testing.md).
  if (source.starts_with("ML\xefR") && !std::getenv("RNN_FUZZ_BYTECODE"))
    return 0;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
  if (!module) {
    // Upstream's reader rejects some malformed bytecode without an error; the tools report one of their own.
    if (errors == 0 && !source.starts_with("ML\xefR"))
      fail("rejected without an error", source);
    return 0;
  }
  const std::string printed = print(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(printed, ParserConfig(&context));
  if (!again || print(*again) != printed)
    fail("not read back", printed);
  PipelineOptions options;
  options.target = data[0] & 1 ? TargetKind::Simt : TargetKind::Host;
  options.lowering = data[0] & 2   ? LoweringPreference::Fused
                     : data[0] & 4 ? LoweringPreference::Runtime
                                   : LoweringPreference::Auto;
  options.vectorBits = 256;
  options.stopAfter = Stage::Lower;
  errors = 0;
  if (llvm::Error error = runPipeline(*module, options, RunOptions())) {
    const std::string text = llvm::toString(std::move(error));
    if (text.empty() || (errors == 0 && llvm::StringRef(text).contains("see the errors above")))
      fail("a pipeline fails without an error", printed);
  }
  return 0;
}
