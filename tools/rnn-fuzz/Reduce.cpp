//===- Reduce.cpp - smaller modules with the same problem ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "Isolated.h"
#include "Mutator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace mlir;
using namespace mlir::rnn::fuzz;

std::string mlir::rnn::fuzz::reduceModule(const DialectRegistry &registry, StringRef text, StringRef tester,
                                          const std::vector<std::string> &testerArguments, unsigned seconds) {
  // In a child process, since the reducer works on IR that may be invalid.
  Isolated run = runIsolated(seconds, [&](ReportStep) -> std::string {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects();
    ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return "";
    ReductionTreePassOptions options;
    options.testerName = tester.str();
    options.testerArgs.assign(testerArguments.begin(), testerArguments.end());
    PassManager pm(&context);
    pm.addPass(createReductionTreePass(options));
    if (failed(pm.run(*module)))
      return "";
    std::string reduced;
    llvm::raw_string_ostream os(reduced);
    module->print(os);
    return reduced + "\n";
  });
  return run.returned && !run.text.empty() ? run.text : text.str();
}

std::string mlir::rnn::fuzz::reduceText(StringRef text, llvm::function_ref<bool(StringRef)> isInteresting,
                                        unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  /// Removes runs of parts, long runs first.
  auto reduce = [&](std::vector<std::string> parts) {
    for (size_t length = (parts.size() + 1) / 2; length > 0; length /= 2)
      for (size_t at = 0; at + length <= parts.size() && Clock::now() < end;) {
        std::vector<std::string> fewer(parts.begin(), parts.begin() + at);
        fewer.insert(fewer.end(), parts.begin() + at + length, parts.end());
        if (isInteresting(llvm::join(fewer, "")))
          parts = fewer;
        else
          at += length;
      }
    return llvm::join(parts, "");
  };
  std::vector<std::string> lines;
  for (StringRef rest = text; !rest.empty();) {
    size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    lines.push_back(rest.take_front(size).str());
    rest = rest.drop_front(size);
  }
  return reduce(tokenize(reduce(lines)));
}
