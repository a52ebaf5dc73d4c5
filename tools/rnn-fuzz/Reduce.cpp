//===- Reduce.cpp - smaller modules with the same problem ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "Isolated.h"
#include "Mutator.h"
#include "ReductionPatterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::fuzz;

/// The module of a text with named arguments, or an empty text if it is not a module.
static std::string nameAll(const DialectRegistry &registry, StringRef text) {
  return runIsolated(60,
                     [&](ReportStep) -> std::string {
                       MLIRContext context(registry, MLIRContext::Threading::DISABLED);
                       context.allowUnregisteredDialects();
                       ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
                       OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
                       if (!module)
                         return "";
                       nameArguments(*module);
                       std::string named;
                       llvm::raw_string_ostream os(named);
                       module->print(os);
                       return named + "\n";
                     })
      .text;
}

std::string mlir::rnn::fuzz::reduceModule(const DialectRegistry &registry, StringRef text, StringRef tester,
                                          const std::vector<std::string> &testerArguments, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::string current = nameAll(registry, text);
  llvm::SmallString<128> path;
  if (current.empty() || llvm::sys::fs::createTemporaryFile("rnn-fuzz", "mlir", path))
    return text.str();
  llvm::FileRemover remover(path);
  std::vector<std::string> arguments = testerArguments;
  arguments.push_back("--smallest=" + path.str().str());

  DialectRegistry reducing;
  registry.appendTo(reducing);
  registerReductionPatterns(reducing);
  bool isReduced = false;
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    // Each pass in a child process, since the reducer works on IR that may be invalid.
    for (StringRef pass : {"inline", "canonicalize", "cse", "symbol-dce", "reduction-tree"}) {
      const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - Clock::now()).count();
      if (left <= 0)
        break;
      runIsolated(left, [&](ReportStep) -> std::string {
        MLIRContext context(reducing, MLIRContext::Threading::DISABLED);
        context.allowUnregisteredDialects();
        context.getOrLoadDialect<RNNDialect>(); // has the patterns
        ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
        OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(current, ParserConfig(&context));
        PassManager pm(&context);
        ReductionTreePassOptions tree;
        OptReductionPassOptions opt;
        tree.testerName = opt.testerName = tester.str();
        tree.testerArgs.assign(arguments.begin(), arguments.end());
        opt.testerArgs.assign(arguments.begin(), arguments.end());
        opt.optPass = pass.str();
        pm.addPass(pass == "reduction-tree" ? createReductionTreePass(tree) : createOptReductionPass(opt));
        (void)pm.run(*module);
        return "";
      });
      auto smallest = llvm::MemoryBuffer::getFile(path);
      if (!smallest || (*smallest)->getBufferSize() == 0 ||
          (isReduced && (*smallest)->getBufferSize() >= current.size()))
        continue;
      isSmaller |= (*smallest)->getBufferSize() < current.size();
      isReduced = true;
      current = (*smallest)->getBuffer().str();
    }
  }
  return isReduced ? current : text.str();
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
