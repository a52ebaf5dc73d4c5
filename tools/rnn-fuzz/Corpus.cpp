//===- Corpus.cpp - malformed calls and modules as data -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corpus.h"
#include "../rnn-run/Runtime.h"
#include "Isolated.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "rnn/Emit/JIT.h"
#include "rnn/Support/TensorText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <optional>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::fuzz;

namespace {

struct CorpusCase {
  std::string text; ///< the arguments that differ
  std::vector<std::pair<unsigned, std::string>> changes;
  std::string message;
  std::string label; ///< of the rule that a module with static types breaks; may be empty
};

struct CorpusFunction {
  std::string name, module;
  std::vector<std::string> arguments;
  std::vector<CorpusCase> cases;
};

struct Setting {
  const char *name;
  TargetKind target;
  LoweringPreference lowering;
  bool isStatic;
};

constexpr Setting settings[] = {{"host plans", TargetKind::Host, LoweringPreference::Runtime, false},
                                {"host loops", TargetKind::Host, LoweringPreference::Fused, false},
                                {"simt plans", TargetKind::Simt, LoweringPreference::Runtime, false},
                                {"simt kernels", TargetKind::Simt, LoweringPreference::Fused, false},
                                {"host plans, static", TargetKind::Host, LoweringPreference::Runtime, true},
                                {"host loops, static", TargetKind::Host, LoweringPreference::Fused, true},
                                {"simt kernels, static", TargetKind::Simt, LoweringPreference::Fused, true}};

} // namespace

/// The type of an argument such as `5x2xf32` or `i64=3`.
static std::string getType(StringRef argument, bool dynamic) {
  StringRef shape = argument.split('=').first;
  if (!llvm::isDigit(shape.front()))
    return shape.str();
  auto [sizes, element] = shape.rsplit('x');
  std::string text = "tensor<";
  for (StringRef rest = sizes; !rest.empty();) {
    auto [size, others] = rest.split('x');
    text += (dynamic ? "?" : size.str()) + "x";
    rest = others;
  }
  return text + element.str() + ">";
}

/// The module with the types of `arguments` for $0, $1 and so on.
static std::string instantiate(const CorpusFunction &function, ArrayRef<std::string> arguments, bool dynamic) {
  std::string text;
  for (StringRef rest = function.module; !rest.empty();) {
    auto [before, after] = rest.split('$');
    text += before.str();
    unsigned index = 0;
    if (!after.empty() && !after.consumeInteger(10, index))
      text += index < arguments.size() ? getType(arguments[index], dynamic) : "!unknown";
    rest = after;
  }
  return text;
}

static std::vector<std::string> applyChanges(const CorpusFunction &function, const CorpusCase &one) {
  std::vector<std::string> arguments = function.arguments;
  for (const auto &[index, text] : one.changes)
    arguments[index] = text;
  return arguments;
}

static llvm::Expected<SmallVector<HostTensor>> makeTensors(ArrayRef<std::string> arguments) {
  SmallVector<HostTensor> tensors;
  for (StringRef text : arguments) {
    // Elements are 0.5, unless the text has other ones.
    bool hasValue = text.contains('=');
    auto tensor = parseTensorText(hasValue ? text.str() : (text + "=0.5").str());
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

/// The label of the rule at the end of a message, such as `[B4]`, or nothing.
static StringRef findLabel(StringRef message) {
  size_t end = message.rfind(']'), begin = message.take_front(end).rfind('[');
  StringRef label = end == StringRef::npos || begin == StringRef::npos ? "" : message.slice(begin, end + 1);
  return label.size() <= 5 && label.size() > 2 && llvm::isUpper(label[1]) ? label : "";
}

static llvm::Expected<std::vector<CorpusFunction>> readCorpus(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(path + ": " + buffer.getError().message());
  std::vector<CorpusFunction> functions;
  bool inModule = false;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    auto fail = [&, number = number](const Twine &what) {
      return llvm::createStringError(path + ":" + Twine(number + 1) + ": " + what);
    };
    if (inModule) {
      inModule = line != "end";
      if (inModule)
        functions.back().module += (line + "\n").str();
      continue;
    }
    if (line.trim().empty() || line.starts_with("#"))
      continue;
    if (line.consume_front("function ")) {
      SmallVector<StringRef> words;
      line.split(words, ' ', -1, /*KeepEmpty=*/false);
      CorpusFunction function;
      function.name = words.front().str();
      for (StringRef word : llvm::drop_begin(words))
        function.arguments.push_back(word.str());
      functions.push_back(std::move(function));
      inModule = true;
      continue;
    }
    if (functions.empty())
      return fail("expected `function NAME ARGUMENT...`");
    auto [changes, rest] = line.split('|');
    auto [message, label] = rest.split(" | ");
    CorpusCase one{changes.trim().str(), {}, message.trim().str(), label.trim().str()};
    if (one.label.empty())
      one.label = findLabel(message).str();
    if (one.label == "-")
      one.label.clear();
    SmallVector<StringRef> words;
    changes.trim().split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      unsigned index = 0;
      if (word.consumeInteger(10, index) || !word.consume_front(":") || index >= functions.back().arguments.size())
        return fail("expected INDEX:ARGUMENT with the index of an argument, but got `" + word + "`");
      one.changes.push_back({index, word.str()});
    }
    functions.back().cases.push_back(std::move(one));
  }
  return functions;
}

/// Errors of a module with static types: empty if it is accepted.
static std::string getModuleErrors(const DialectRegistry &registry, StringRef text) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  return module ? "" : errors;
}

/// In a child: runs all cases of a function. Returns one line per failing case; with `update`, per case its message.
static std::string runFunction(const DialectRegistry &registry, const CorpusFunction &function, const Setting &setting,
                               bool update, bool sanitize, ReportStep report) {
  std::string lines;
  auto add = [&](StringRef what, const Twine &text) {
    lines += (function.name + ": " + what + ": " + text + "\n").str();
  };
  report("compile");
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + " ";
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(instantiate(function, function.arguments, !setting.isStatic), ParserConfig(&context));
  if (!module)
    return function.name + ": the valid module is rejected: " + diagnostics;
  auto symbols = RuntimeSession::getSymbols(stringifyTargetKind(setting.target));
  if (!symbols)
    return llvm::toString(symbols.takeError());
  JITOptions options;
  options.pipeline.target = setting.target;
  options.pipeline.lowering = setting.lowering;
  options.optimizationLevel = 0;
  options.sanitizeAddress = sanitize;
  options.symbols = *symbols;
  auto compiled = CompiledModule::compile(*module, options);
  if (!compiled)
    return function.name + ": " + llvm::toString(compiled.takeError()) + diagnostics;
  auto session = RuntimeSession::create(stringifyTargetKind(setting.target), /*dropoutDraw=*/0);
  if (!session)
    return llvm::toString(session.takeError());
  auto call = [&](ArrayRef<std::string> arguments) -> std::string {
    auto tensors = makeTensors(arguments);
    if (!tensors)
      return "no tensor: " + llvm::toString(tensors.takeError());
    auto results = (*session)->run(**compiled, "main", *tensors);
    return results ? "" : llvm::toString(results.takeError());
  };
  if (std::string error = call(function.arguments); !error.empty())
    add("valid arguments", "rejected: " + error);
  for (const CorpusCase &one : function.cases) {
    report(one.text);
    std::vector<std::string> arguments = applyChanges(function, one);
    std::string error = call(arguments);
    if (update) {
      lines += one.text + " | " + StringRef(error).split(": ").second.str() + "\n";
      continue;
    }
    if (error.empty())
      add(one.text, "accepted; expected: " + one.message);
    else if (!setting.isStatic && !StringRef(error).contains(one.message))
      add(one.text, "got: " + error + "; expected: " + one.message);
    else if (setting.isStatic && !StringRef(error).contains(one.message) && !StringRef(error).contains("argument "))
      add(one.text, "got: " + error + "; expected an error of the argument or: " + one.message);
    if (rnnrt_memory_live_bytes() != 0)
      add(one.text, llvm::Twine(rnnrt_memory_live_bytes()) + " bytes are not released");
  }
  // A failed call does not affect later ones.
  if (std::string error = call(function.arguments); !error.empty())
    add("valid arguments after all cases", "rejected: " + error);
  return lines;
}

/// In a child: the modules with the types of the cases are rejected.
static std::string checkModules(const DialectRegistry &registry, const CorpusFunction &function, ReportStep report) {
  std::string lines;
  for (const CorpusCase &one : function.cases) {
    if (one.label.empty())
      continue;
    report(one.text);
    std::string errors = getModuleErrors(registry, instantiate(function, applyChanges(function, one), false));
    if (!StringRef(errors).contains(one.label))
      lines += function.name + ": " + one.text + ": as static types: " +
               (errors.empty() ? "accepted" : "got: " + StringRef(errors).split('\n').first.str()) + "; expected " +
               one.label + "\n";
  }
  return lines;
}

bool mlir::rnn::fuzz::runCorpus(const DialectRegistry &registry, StringRef path, bool update, bool sanitize) {
  auto functions = readCorpus(path);
  if (!functions) {
    llvm::WithColor::error(llvm::errs(), "rnn-fuzz") << llvm::toString(functions.takeError()) << "\n";
    return false;
  }
  unsigned modules = 0, calls = 0, failed = 0;
  auto addReport = [&](const Isolated &run, StringRef name, const CorpusFunction &function) {
    if (!run.returned || run.timedOut) {
      ++failed;
      llvm::outs() << "FAIL " << name << ": " << function.name << ": " << run.step << ": "
                   << (run.timedOut ? "timeout" : "signal " + std::to_string(run.signal)) << ": "
                   << StringRef(run.errors).trim().take_back(400) << "\n";
      return;
    }
    SmallVector<StringRef> lines;
    StringRef(run.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    failed += lines.size();
    for (StringRef line : lines)
      llvm::outs() << "FAIL " << name << ": " << line << "\n";
  };
  for (const CorpusFunction &function : *functions) {
    for (const Setting &setting : settings) {
      Isolated run = runIsolated(
          120, [&](ReportStep report) { return runFunction(registry, function, setting, update, sanitize, report); });
      if (update) {
        llvm::outs() << run.text << "\n";
        break;
      }
      addReport(run, setting.name, function);
      calls += function.cases.size();
    }
    if (update)
      continue;
    Isolated run = runIsolated(120, [&](ReportStep report) { return checkModules(registry, function, report); });
    addReport(run, "modules", function);
    for (const CorpusCase &one : function.cases)
      modules += !one.label.empty();
    llvm::outs().flush();
  }
  if (!update)
    llvm::outs() << modules << " modules and " << calls << " calls, " << failed << " failed\n";
  return failed == 0;
}
