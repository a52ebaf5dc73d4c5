// CompilerFuzzer.cpp - libFuzzer for sequences of calls of the compiler's C API: bytes select calls, modules, options
// and operands. A call that fails has an error, one that succeeds has none, and objects are destroyed in any valid
// order. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/RegisterEverything.h"
#include "rnn-c/Compiler.h"
#include "rnn-c/Dialects.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Calls that compile code take most of the time.
constexpr int mostCompilations = 2;

const char *const sources[] = {
    "",
    "module {}",
    "func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {\n"
    "  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)\n"
    "      params(%p : tensor<165xf32>)\n"
    "  return %y : tensor<3x2x5xf32>\n"
    "}\n",
    "func.func @layer(%x: tensor<?x?x?xf16>, %s: tensor<?x?xf16>, %w: tensor<?x?xf16>, %p: tensor<?xf16>,\n"
    "                 %b: tensor<?xf16>, %n: i64) -> tensor<?x?x?xf16> {\n"
    "  %y:7 = rnn.block_lstm icfo x(%x : tensor<?x?x?xf16>) state(%s, %s : tensor<?x?xf16>) weights(%w : "
    "tensor<?x?xf16>)\n"
    "      peephole(%p, %p, %p : tensor<?xf16>) bias(%b : tensor<?xf16>) seq_len_max(%n)\n"
    "      -> i(tensor<?x?x?xf16>) cs(tensor<?x?x?xf16>) f(tensor<?x?x?xf16>) o(tensor<?x?x?xf16>)\n"
    "      ci(tensor<?x?x?xf16>) co(tensor<?x?x?xf16>) h(tensor<?x?x?xf16>)\n"
    "  return %y#6 : tensor<?x?x?xf16>\n"
    "}\n",
    "func.func private @none(tensor<*xf32>) -> tensor<2xf32>\n"
    "func.func @layer(%x: tensor<*xf32>) -> tensor<2xf32> {\n"
    "  %y = call @none(%x) : (tensor<*xf32>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n",
    "func.func @layer(%x: memref<4xf32>) { return }\nfunc.func @layer2() -> f32 { %c = arith.constant 1.0 : f32 return "
    "%c : f32 }",
    "func.func @layer(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }",
};
const char *const pipelines[] = {"",
                                 "builtin.module(canonicalize)",
                                 "builtin.module(rnn-decompose)",
                                 "builtin.module(func.func(rnn-select-lowering))",
                                 "builtin.module(rnn-pipeline{target=simt stop-after=select})",
                                 "builtin.module(rnn-pipeline{target=moon})",
                                 "builtin.module(convert-rnn-to-host)",
                                 "builtin.module(convert-rnn-to-gpu)",
                                 "builtin.module(convert-rnn-to-runtime)",
                                 "builtin.module(convert-rnn-runtime-to-llvm)",
                                 "builtin.module(one-shot-bufferize{bufferize-function-boundaries})",
                                 "builtin.module(",
                                 "rnn-verify-contract{stage=run}"};
const char *const words[] = {"",      "sm_90a", "sm_80",    "sm_1", "native", "znver4", "x86_64-linux-gnu",
                             "layer", "layer2", "none",     "p-q",  "p_",     "/",      "nvptx64-nvidia-cuda",
                             "pdp11", "host",   "\xff\xfe", "a b",  "rnn.h",  "H100",   "aarch64-linux-gnu"};
const char *const names[] = {"input", "input_h", "input_c", "params",  "x", "cs_prev",          "h_prev",  "w",
                             "wci",   "b",       "resets",  "nothing", "",  "sequence_lengths", "weights", "biases"};
const char *const ops[] = {"rnn.cudnn_forward",
                           "rnn.cudnn_backprop",
                           "rnn.cudnn_canonical_to_params",
                           "rnn.block_lstm",
                           "rnn.block_lstm_grad",
                           "rnn.cudnn_params_size",
                           "func.return",
                           ""};
const char *const attributes[] = {"#rnn.mode<gru>",
                                  "#rnn.mode<lstm>",
                                  "#rnn.layout<ifco>",
                                  "#rnn.direction<bidirectional>",
                                  "0.5 : f64",
                                  "0x7FF8000000000000 : f64",
                                  "-1 : i64",
                                  "true",
                                  "unit",
                                  "\"text\"",
                                  "[]"};
const char *const attributeNames[] = {"mode",        "layout",      "direction", "dropout", "seed",
                                      "is_training", "batch_major", "num_proj",  "foo",     "operandSegmentSizes",
                                      "lowering",    "use_peephole"};

MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

class Sequence {
public:
  Sequence(const uint8_t *data, size_t size) : data(data), end(data + size) {}
  ~Sequence() {
    for (RnnJIT one : jits)
      rnnJITDestroy(one);
    for (RnnObject one : objects)
      rnnObjectDestroy(one);
    for (MlirModule one : modules)
      mlirModuleDestroy(one);
    rnnDiagnosticsDestroy(diagnostics);
    mlirContextDestroy(context);
  }

  void run() {
    mlirContextSetAllowUnregisteredDialects(context, next() & 1);
    for (int step = 0; step < 16 && data != end; ++step)
      call();
  }

private:
  uint8_t next() { return data == end ? 0 : *data++; }
  template <typename T, size_t count> T pick(T const (&list)[count]) { return list[next() % count]; }
  template <typename T> T pick(const std::vector<T> &list) {
    const uint8_t byte = next();
    return list.empty() ? T{nullptr} : list[byte % list.size()];
  }

  /// Runs a call that reports to `diagnostics`.
  template <typename Call> void check(Call call) {
    rnnDiagnosticsClear(diagnostics);
    const bool isSuccess = call();
    bool hasError = false;
    for (intptr_t index = rnnDiagnosticsGetCount(diagnostics); index-- > 0;) {
      const RnnDiagnostic one = rnnDiagnosticsGet(diagnostics, index);
      hasError |= one.severity == MlirDiagnosticError;
      if (one.severity == MlirDiagnosticError && one.message.length == 0)
        fail("an error without a message");
      for (intptr_t note = -1; note <= one.num_notes; ++note)
        rnnDiagnosticsGetNote(diagnostics, index, note);
    }
    if (isSuccess && hasError)
      fail("a call that succeeds has an error");
    if (!isSuccess && !hasError)
      fail("a call that fails has no error");
  }

  RnnCompileOptions makeOptions() {
    RnnCompileOptions options = rnnCompileOptionsGetDefault();
    for (int count = next() % 4; count > 0; --count) {
      const uint8_t value = next();
      switch (next() % 16) {
      case 0:
        options.target = RnnTarget(value % 4);
        break;
      case 1:
        options.lowering = RnnLoweringPreference(value % 4);
        break;
      case 2:
        options.fused_kernel = RnnKernelPreference(value % 4);
        break;
      case 3:
        options.large_gemms = RnnLargeGemms(value % 4);
        break;
      case 4:
        options.bf16_gemm = RnnBF16Gemm(value % 8);
        break;
      case 5:
        options.stop_after = RnnStage(value % 8);
        break;
      case 6:
        options.vector_bits = value & 1 ? value : 1u << (value % 12);
        break;
      case 7:
        options.optimization_level = value % 5;
        break;
      case 8:
        options.chip = text(words[value % std::size(words)]);
        break;
      case 9:
        options.tuning_records = text(words[value % std::size(words)]);
        break;
      case 10:
        options.device = text(words[value % std::size(words)]);
        break;
      case 11:
        options.triple = text(words[value % std::size(words)]);
        break;
      case 12:
        options.cpu = text(words[value % std::size(words)]);
        break;
      case 13:
        options.export_prefix = text(words[value % std::size(words)]);
        break;
      case 14:
        options.size = value & 1 ? value : options.size;
        break;
      default:
        options.tf32 = value & 1, options.simt_check = value & 2, options.export_all = value & 4;
      }
    }
    return options;
  }

  /// A module of the list, with up to two bytes changed.
  void parse() {
    std::string source = pick(sources);
    for (int count = next() % 3; count > 0 && !source.empty(); --count) {
      const size_t index = (size_t(next()) << 8 | next()) % source.size();
      source[index] = char(next());
    }
    const MlirStringRef name = text(pick(words)), given = mlirStringRefCreate(source.data(), source.size());
    check([&] {
      MlirModule module = next() & 1 ? rnnModuleParse(context, given, name, diagnostics)
                                     : rnnModuleParseNamed(context, given, name, diagnostics);
      if (mlirModuleIsNull(module))
        return false;
      modules.push_back(module);
      return true;
    });
  }

  void createLayer() {
    MlirModule module = pick(modules);
    if (mlirModuleIsNull(module))
      return;
    std::vector<MlirValue> values;
    MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    if (mlirOperationIsNull(function) || mlirOperationGetNumRegions(function) != 1)
      return;
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    for (intptr_t index = 0; !mlirBlockIsNull(block) && index < mlirBlockGetNumArguments(block); ++index)
      values.push_back(mlirBlockGetArgument(block, index));
    std::vector<RnnNamedValue> operands;
    for (int count = next() % 8; count > 0 && !values.empty(); --count)
      operands.push_back({text(pick(names)), values[next() % values.size()]});
    std::vector<MlirNamedAttribute> named;
    for (int count = next() % 4; count > 0; --count)
      named.push_back(mlirNamedAttributeGet(mlirIdentifierGet(context, text(pick(attributeNames))),
                                            mlirAttributeParseGet(context, text(pick(attributes)))));
    check([&] {
      MlirOperation op = rnnLayerOpCreate(mlirLocationUnknownGet(context), text(pick(ops)), intptr_t(operands.size()),
                                          operands.data(), intptr_t(named.size()), named.data(), diagnostics);
      if (mlirOperationIsNull(op))
        return false;
      mlirOperationDestroy(op);
      return true;
    });
  }

  void compile(bool toObject) {
    MlirModule module = pick(modules);
    if (mlirModuleIsNull(module) || compilations++ == mostCompilations)
      return;
    const RnnCompileOptions options = makeOptions();
    check([&] {
      if (!toObject) {
        RnnJIT jit = rnnModuleCompileJIT(module, &options, 0, nullptr, diagnostics);
        if (jit.ptr)
          jits.push_back(jit);
        return jit.ptr != nullptr;
      }
      RnnObject object = rnnModuleCompileObject(module, &options, diagnostics);
      if (object.ptr)
        objects.push_back(object);
      return object.ptr != nullptr;
    });
  }

  void call() {
    switch (next() % 10) {
    case 0:
    case 1:
      return parse();
    case 2:
      if (MlirModule module = pick(modules); !mlirModuleIsNull(module)) {
        const RnnCompileOptions options = makeOptions();
        const auto first = RnnStage(next() % 8);
        check([&] { return mlirLogicalResultIsSuccess(rnnModuleRunStages(module, &options, first, diagnostics)); });
      }
      return;
    case 3:
      if (MlirModule module = pick(modules); !mlirModuleIsNull(module)) {
        const MlirStringRef pipeline = text(pick(pipelines));
        check([&] { return mlirLogicalResultIsSuccess(rnnModuleRunPassPipeline(module, pipeline, diagnostics)); });
      }
      return;
    case 4:
    case 5:
      return createLayer();
    case 6:
      return compile(true);
    case 7:
      return compile(false);
    case 8:
      if (RnnObject object = pick(objects); object.ptr) {
        if (rnnObjectGetBytes(object).length == 0)
          fail("an empty object");
        const MlirStringRef prefix = text(pick(words)), source = text(pick(words));
        check([&] { return rnnObjectGetHeader(object, prefix, source, diagnostics).length > 0; });
      }
      if (RnnJIT jit = pick(jits); jit.ptr) {
        const MlirStringRef name = text(pick(words));
        check([&] { return rnnJITLookup(jit, name, diagnostics) != nullptr; });
      }
      return;
    default:
      if (!modules.empty()) {
        const size_t index = next() % modules.size();
        mlirModuleDestroy(modules[index]);
        modules.erase(modules.begin() + long(index));
      }
    }
  }

  const uint8_t *data, *end;
  MlirContext context = rnnContextCreate();
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  std::vector<MlirModule> modules;
  std::vector<RnnObject> objects;
  std::vector<RnnJIT> jits;
  int compilations = 0;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  rnnRegisterPasses();
  mlirRegisterAllPasses();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size <= 256)
    Sequence(data, size).run();
  return 0;
}
