// CorpusTest.cpp - wrong calls of the compiler's C API from test/Corpus/compiler.txt: each fails with its message, and
// the same module compiles afterwards. With `--update`, prints all cases with current messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/RegisterEverything.h"
#include "rnn-c/Compiler.h"
#include "rnn-c/Dialects.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

const char *const layer = "func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>)\n"
                          "    -> tensor<3x2x5xf32> {\n"
                          "  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>)\n"
                          "      state(%h : tensor<1x2x5xf32>) params(%p : tensor<165xf32>)\n"
                          "  return %y : tensor<3x2x5xf32>\n"
                          "}\n";

/// Strings of the options live until the end of a case.
MlirStringRef text(const std::string &string) {
  return mlirStringRefCreate(string.data(), string.size());
}

/// `KEY=VALUE` words; `_` in a value is a space.
std::map<std::string, std::string> split(const std::string &line) {
  std::map<std::string, std::string> values;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) {
    const size_t at = word.find('=');
    values[word.substr(0, at)] = at == std::string::npos ? "" : word.substr(at + 1);
  }
  return values;
}

class Case {
public:
  Case(MlirContext context, RnnDiagnostics diagnostics) : context(context), diagnostics(diagnostics) {
    module = rnnModuleParse(context, text(source), text(name), {nullptr});
  }
  ~Case() { mlirModuleDestroy(module); }

  /// Returns true if the call fails.
  bool run(const std::string &entry, const std::string &rest) {
    if (entry == "parse") {
      MlirModule parsed = rnnModuleParse(context, text(rest), text(name), diagnostics);
      const bool failed = mlirModuleIsNull(parsed);
      if (!failed)
        mlirModuleDestroy(parsed);
      return failed;
    }
    if (entry == "pipeline")
      return mlirLogicalResultIsFailure(rnnModuleRunPassPipeline(module, text(rest), diagnostics));
    values = split(rest);
    if (entry == "layer")
      return runLayer();
    RnnCompileOptions options = rnnCompileOptionsGetDefault();
    for (const auto &[key, value] : values)
      if (!set(options, key, value)) {
        std::fprintf(stderr, "no option `%s`\n", key.c_str());
        std::exit(1);
      }
    if (entry == "stages")
      return mlirLogicalResultIsFailure(rnnModuleRunStages(module, &options, RnnStageImport, diagnostics));
    if (entry == "jit")
      return !rnnModuleCompileJIT(module, &options, 0, nullptr, diagnostics).ptr;
    RnnObject object = rnnModuleCompileObject(module, &options, diagnostics);
    const bool failed = !object.ptr;
    rnnObjectDestroy(object);
    return failed;
  }

private:
  bool set(RnnCompileOptions &options, const std::string &key, const std::string &value) {
    const int number = std::atoi(value.c_str());
    if (key == "size")
      options.size = size_t(number);
    else if (key == "target")
      options.target = RnnTarget(number);
    else if (key == "lowering")
      options.lowering = RnnLoweringPreference(number);
    else if (key == "fused_kernel")
      options.fused_kernel = RnnKernelPreference(number);
    else if (key == "large_gemms")
      options.large_gemms = RnnLargeGemms(number);
    else if (key == "bf16_gemm")
      options.bf16_gemm = RnnBF16Gemm(number);
    else if (key == "stop_after")
      options.stop_after = RnnStage(number);
    else if (key == "vector_bits")
      options.vector_bits = unsigned(number);
    else if (key == "wavefront_chunk")
      options.wavefront_chunk = number;
    else if (key == "optimization_level")
      options.optimization_level = unsigned(number);
    else if (key == "chip")
      options.chip = text(value);
    else if (key == "tuning_records")
      options.tuning_records = text(value);
    else if (key == "triple")
      options.triple = text(value);
    else if (key == "cpu")
      options.cpu = text(value);
    else
      return false;
    return true;
  }

  bool runLayer() {
    MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    std::vector<RnnNamedValue> operands;
    const char *const names[] = {"input", "input_h", "params"};
    for (int index = 0; index < 3; ++index) {
      auto other = values.find(names[index]);
      const std::string &word = other == values.end() ? (texts.push_back(names[index]), texts.back()) : other->second;
      if (word != "none")
        operands.push_back({text(keep(word)), mlirBlockGetArgument(block, index)});
    }
    if (values.count("more"))
      operands.push_back({text(keep(values["more"])), mlirBlockGetArgument(block, 1)});
    std::vector<MlirNamedAttribute> attributes;
    auto add = [&](const std::string &key, const std::string &value) {
      attributes.push_back(
          mlirNamedAttributeGet(mlirIdentifierGet(context, text(key)), mlirAttributeParseGet(context, text(value))));
    };
    if (!values.count("nomode"))
      add("mode", values.count("mode") ? values["mode"] : "#rnn.mode<gru>");
    if (values.count("attribute"))
      add(values["attribute"], values.count("value") ? values["value"] : "unit");
    MlirOperation op = rnnLayerOpCreate(
        mlirLocationUnknownGet(context), text(values.count("op") ? values["op"] : keep("rnn.cudnn_forward")),
        intptr_t(operands.size()), operands.data(), intptr_t(attributes.size()), attributes.data(), diagnostics);
    const bool failed = mlirOperationIsNull(op);
    if (!failed)
      mlirOperationDestroy(op);
    return failed;
  }

  const std::string &keep(const std::string &word) {
    kept.push_back(std::make_unique<std::string>(word));
    return *kept.back();
  }

  const std::string source = layer, name = "layer.mlir";
  MlirContext context;
  RnnDiagnostics diagnostics;
  MlirModule module;
  std::map<std::string, std::string> values;
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<std::string>> kept;
};

} // namespace

int main(int argc, char **argv) {
  const bool update = argc > 2 && std::strcmp(argv[2], "--update") == 0;
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (!file.is_open()) {
    std::fprintf(stderr, "usage: rnn_capi_corpus_test FILE [--update]\n");
    return 1;
  }
  rnnRegisterPasses();
  mlirRegisterAllPasses();
  MlirContext context = rnnContextCreate();
  mlirContextSetAllowUnregisteredDialects(context, true);
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  int failures = 0, count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      if (update)
        std::printf("%s\n", line.c_str());
      continue;
    }
    const size_t bar = line.find(" | ");
    const std::string call = line.substr(0, bar), expected = bar == std::string::npos ? "" : line.substr(bar + 3);
    const size_t space = call.find(' ');
    rnnDiagnosticsClear(diagnostics);
    const bool failed =
        Case(context, diagnostics).run(call.substr(0, space), space == std::string::npos ? "" : call.substr(space + 1));
    std::string messages;
    for (intptr_t k = 0; k < rnnDiagnosticsGetCount(diagnostics); ++k) {
      const RnnDiagnostic one = rnnDiagnosticsGet(diagnostics, k);
      messages += (k ? "; " : "") + std::string(one.message.data, one.message.length);
    }
    if (update) {
      std::printf("%s | %s\n", call.c_str(), failed ? messages.c_str() : "");
      continue;
    }
    ++count;
    if (!failed || expected.empty() || messages.find(expected) == std::string::npos) {
      std::fprintf(stderr, "%s: %s: %s\n", call.c_str(), failed ? "got" : "accepted", messages.c_str());
      ++failures;
    }
    // The context remains usable.
    rnnDiagnosticsClear(diagnostics);
    if (Case(context, diagnostics).run("stages", "stop_after=3")) {
      std::fprintf(stderr, "%s: a correct call fails afterwards\n", call.c_str());
      ++failures;
    }
  }
  rnnDiagnosticsDestroy(diagnostics);
  mlirContextDestroy(context);
  if (!update)
    std::printf("%d cases, %d failed\n", count, failures);
  return failures != 0 || (!update && count < 40);
}
