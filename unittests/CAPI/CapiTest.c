/* CapiTest.c - the C API of the compiler from C11: contexts, modules, passes, diagnostics, objects and code in memory.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/RegisterEverything.h"
#include "rnn-c/Compiler.h"
#include "rnn-c/Dialects.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "rnn_runtime/function.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                          \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

static const char layer[] = "func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>)\n"
                            "    -> tensor<3x2x5xf32> {\n"
                            "  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>)\n"
                            "      state(%h : tensor<1x2x5xf32>) params(%p : tensor<165xf32>)\n"
                            "  return %y : tensor<3x2x5xf32>\n"
                            "}\n";

static MlirStringRef text(const char *string) {
  return mlirStringRefCreate(string, strlen(string));
}

static bool contains(MlirStringRef string, const char *part) {
  size_t length = strlen(part);
  for (size_t start = 0; start + length <= string.length; ++start)
    if (memcmp(string.data + start, part, length) == 0)
      return true;
  return false;
}

/* Whether one of the diagnostics contains `part`. */
static bool has_error(RnnDiagnostics diagnostics, const char *part) {
  for (intptr_t k = 0; k < rnnDiagnosticsGetCount(diagnostics); ++k)
    if (contains(rnnDiagnosticsGet(diagnostics, k).message, part))
      return true;
  for (intptr_t k = 0; k < rnnDiagnosticsGetCount(diagnostics); ++k) {
    MlirStringRef message = rnnDiagnosticsGet(diagnostics, k).message;
    fprintf(stderr, "  got: %.*s\n", (int)message.length, message.data);
  }
  return false;
}

static MlirModule parse(MlirContext context) {
  MlirModule module = rnnModuleParse(context, text(layer), text("layer.mlir"), (RnnDiagnostics){NULL});
  CHECK(!mlirModuleIsNull(module));
  return module;
}

struct Buffer {
  char *data;
  size_t length;
};

static void append(MlirStringRef string, void *user) {
  struct Buffer *buffer = user;
  buffer->data = realloc(buffer->data, buffer->length + string.length);
  memcpy(buffer->data + buffer->length, string.data, string.length);
  buffer->length += string.length;
}

static struct Buffer print(MlirModule module) {
  struct Buffer buffer = {NULL, 0};
  mlirOperationPrint(mlirModuleGetOperation(module), append, &buffer);
  return buffer;
}

static void test_errors(MlirContext context) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module =
      rnnModuleParse(context, text("func.func @f() {\n  %0 = rnn.no_op\n}\n"), text("wrong.mlir"), diagnostics);
  CHECK(mlirModuleIsNull(module));
  CHECK(rnnDiagnosticsGetCount(diagnostics) == 1);
  RnnDiagnostic error = rnnDiagnosticsGet(diagnostics, 0);
  CHECK(error.severity == MlirDiagnosticError && error.line == 2 && contains(error.file, "wrong.mlir"));
  CHECK(has_error(diagnostics, "rnn.no_op"));
  CHECK(rnnDiagnosticsGet(diagnostics, 7).message.length == 0);
  rnnDiagnosticsClear(diagnostics);
  CHECK(rnnDiagnosticsGetCount(diagnostics) == 0);

  /* Notes: the second definition of a symbol refers to the first one. */
  module = rnnModuleParse(context, text("func.func private @f()\nfunc.func private @f()\n"), text("twice.mlir"),
                          diagnostics);
  CHECK(mlirModuleIsNull(module));
  CHECK(rnnDiagnosticsGet(diagnostics, 0).num_notes >= 1);
  CHECK(rnnDiagnosticsGetNote(diagnostics, 0, 1).line == 1);
  CHECK(rnnDiagnosticsGetNote(diagnostics, 0, 1).severity == MlirDiagnosticNote);
  rnnDiagnosticsClear(diagnostics);

  /* Bytecode that is cut off. */
  CHECK(mlirModuleIsNull(
      rnnModuleParse(context, mlirStringRefCreate("ML\xefR\x06", 5), text("cut.mlirbc"), diagnostics)));
  CHECK(rnnDiagnosticsGetCount(diagnostics) > 0);
  rnnDiagnosticsClear(diagnostics);

  module = parse(context);
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunPassPipeline(module, text("builtin.module(no-pass)"), diagnostics)));
  CHECK(has_error(diagnostics, "'no-pass' does not refer to a registered pass"));
  rnnDiagnosticsClear(diagnostics);
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunPassPipeline(module, text("func.func(cse)"), diagnostics)));
  CHECK(has_error(diagnostics, "write builtin.module(...)"));
  rnnDiagnosticsClear(diagnostics);

  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.target = (RnnTarget)17;
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunStages(module, &options, RnnStageImport, diagnostics)));
  CHECK(has_error(diagnostics, "options->target is 17; expected a value from 0 to 2"));
  rnnDiagnosticsClear(diagnostics);
  options = rnnCompileOptionsGetDefault();
  options.size = 8;
  CHECK(!rnnModuleCompileObject(module, &options, diagnostics).ptr);
  CHECK(has_error(diagnostics, "options->size is 8"));
  rnnDiagnosticsClear(diagnostics);
  options = rnnCompileOptionsGetDefault();
  options.triple = text("pdp11-dec-unix");
  CHECK(!rnnModuleCompileObject(module, &options, diagnostics).ptr);
  CHECK(has_error(diagnostics, "unknown triple"));
  rnnDiagnosticsClear(diagnostics);
  options = rnnCompileOptionsGetDefault();
  options.target = RnnTargetCuda;
  options.chip = text("sm90");
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunStages(module, &options, RnnStageImport, diagnostics)));
  CHECK(has_error(diagnostics, "unknown chip `sm90`"));
  rnnDiagnosticsClear(diagnostics);
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunStages((MlirModule){NULL}, NULL, RnnStageImport, diagnostics)));
  CHECK(has_error(diagnostics, "the module is null"));
  rnnDiagnosticsClear(diagnostics);
  CHECK(!rnnModuleCompileJIT(module, NULL, 0, NULL, diagnostics).ptr);
  CHECK(rnnDiagnosticsGetCount(diagnostics) > 0);
  mlirModuleDestroy(module);
  rnnDiagnosticsDestroy(diagnostics);
}

static void test_passes(MlirContext context) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module = parse(context);
  CHECK(mlirLogicalResultIsSuccess(
      rnnModuleRunPassPipeline(module, text("builtin.module(rnn-decompose,canonicalize)"), diagnostics)));
  struct Buffer printed = print(module);
  CHECK(contains(mlirStringRefCreate(printed.data, printed.length), "linalg.generic"));
  CHECK(!contains(mlirStringRefCreate(printed.data, printed.length), "rnn."));
  free(printed.data);
  mlirModuleDestroy(module);

  /* One stage after the other. */
  module = parse(context);
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.lowering = RnnLoweringPreferenceFused;
  options.stop_after = RnnStageSelect;
  CHECK(mlirLogicalResultIsSuccess(rnnModuleRunStages(module, &options, RnnStageImport, diagnostics)));
  printed = print(module);
  CHECK(contains(mlirStringRefCreate(printed.data, printed.length), "lowering = #rnn.lowering<fused>"));
  free(printed.data);

  /* Bytecode is parsed like text. */
  struct Buffer bytes = {NULL, 0};
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytes);
  MlirModule copy =
      rnnModuleParse(context, mlirStringRefCreate(bytes.data, bytes.length), text("copy.mlirbc"), diagnostics);
  CHECK(!mlirModuleIsNull(copy));
  options.stop_after = RnnStageRun;
  CHECK(mlirLogicalResultIsSuccess(rnnModuleRunStages(copy, &options, RnnStageBufferize, diagnostics)));
  printed = print(copy);
  CHECK(contains(mlirStringRefCreate(printed.data, printed.length), "llvm.func"));
  free(printed.data);
  free(bytes.data);
  mlirModuleDestroy(copy);
  mlirModuleDestroy(module);
  CHECK(rnnDiagnosticsGetCount(diagnostics) == 0);
  rnnDiagnosticsDestroy(diagnostics);
}

static void test_attributes(MlirContext context) {
  MlirAttribute mode = rnnCellModeAttrGet(context, text("lstm"));
  CHECK(!mlirAttributeIsNull(mode) && contains(rnnAttributeGetName(mode), "lstm"));
  CHECK(mlirAttributeEqual(mode, mlirAttributeParseGet(context, text("#rnn.mode<lstm>"))));
  CHECK(mlirAttributeIsNull(rnnCellModeAttrGet(context, text("lstn"))));
  CHECK(!mlirAttributeIsNull(rnnDirectionAttrGet(context, text("bidirectional"))));
  CHECK(!mlirAttributeIsNull(rnnInputModeAttrGet(context, text("skip_input"))));
  CHECK(!mlirAttributeIsNull(rnnGateLayoutAttrGet(context, text("icfo"))));
  CHECK(!mlirAttributeIsNull(rnnLoweringAttrGet(context, text("fused"))));
  CHECK(rnnAttributeGetName(mlirUnitAttrGet(context)).length == 0);

  /* A lowering that C code writes is what selection keeps. */
  MlirModule module = parse(context);
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirOperation op = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
  mlirOperationSetAttributeByName(op, text("lowering"), rnnLoweringAttrGet(context, text("fused")));
  CHECK(mlirOperationVerify(op));
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.lowering = RnnLoweringPreferenceRuntime;
  options.stop_after = RnnStageSelect;
  CHECK(mlirLogicalResultIsSuccess(rnnModuleRunStages(module, &options, RnnStageImport, (RnnDiagnostics){NULL})));
  struct Buffer printed = print(module);
  CHECK(contains(mlirStringRefCreate(printed.data, printed.length), "#rnn.lowering<fused>"));
  free(printed.data);
  mlirModuleDestroy(module);
}

static MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, text(name)), attribute);
}

/* Builds a second layer behind the first one. */
static void test_ops(MlirContext context) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module = parse(context);
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation first = mlirBlockGetFirstOperation(block);
  MlirLocation location = mlirLocationUnknownGet(context);
  RnnNamedValue operands[] = {{text("params"), mlirBlockGetArgument(block, 2)},
                              {text("input"), mlirBlockGetArgument(block, 0)},
                              {text("input_h"), mlirBlockGetArgument(block, 1)}};
  MlirNamedAttribute attributes[] = {named(context, "mode", rnnCellModeAttrGet(context, text("gru"))),
                                     named(context, "is_training", mlirBoolAttrGet(context, 0))};
  MlirOperation op = rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 2, attributes, diagnostics);
  CHECK(!mlirOperationIsNull(op));
  CHECK(mlirOperationGetNumResults(op) == 3);
  mlirBlockInsertOwnedOperationAfter(block, first, op);
  CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
  CHECK(rnnDiagnosticsGetCount(diagnostics) == 0);

  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, text("rnn.gru"), 3, operands, 2, attributes, diagnostics)));
  CHECK(has_error(diagnostics, "there is no layer op `rnn.gru`"));
  CHECK(mlirOperationIsNull(
      rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 2, operands, 2, attributes, diagnostics)));
  CHECK(has_error(diagnostics, "expects one operand `input_h`, but got 0"));
  operands[0].name = text("weights");
  CHECK(mlirOperationIsNull(
      rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 2, attributes, diagnostics)));
  CHECK(has_error(diagnostics, "has no operand `weights`; it has `input`, `input_h`"));
  operands[0].name = text("params");
  attributes[1] = named(context, "training", mlirBoolAttrGet(context, 0));
  CHECK(mlirOperationIsNull(
      rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 2, attributes, diagnostics)));
  CHECK(has_error(diagnostics, "has no attribute `training`; it has"));
  attributes[1] = named(context, "dropout", mlirBoolAttrGet(context, 0));
  CHECK(mlirOperationIsNull(
      rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 2, attributes, diagnostics)));
  rnnDiagnosticsClear(diagnostics);
  attributes[0] = named(context, "mode", rnnCellModeAttrGet(context, text("lstm")));
  CHECK(mlirOperationIsNull(
      rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 1, attributes, diagnostics)));
  CHECK(has_error(diagnostics, "requires the cell operand `input_c`"));
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, text("rnn.cudnn_forward"), 3, operands, 0, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "requires the attribute `mode`"));
  mlirModuleDestroy(module);
  rnnDiagnosticsDestroy(diagnostics);
}

/* Runs the layer with x = 1, h = 0, p = 0.1 in memory and writes y. */
static void run(MlirContext context, RnnLoweringPreference lowering, float *y) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module = parse(context);
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.lowering = lowering;
  size_t count = 0;
  const rnnrt_abi_symbol_t *symbols = rnnrt_abi_symbols(&count);
  RnnJIT jit = rnnModuleCompileJIT(module, &options, (intptr_t)count, (const RnnRuntimeSymbol *)symbols, diagnostics);
  CHECK(jit.ptr);
  mlirModuleDestroy(module);
  CHECK(!rnnJITLookup(jit, text("other"), diagnostics));
  CHECK(has_error(diagnostics, "no public function `other`"));
  void *address = rnnJITLookup(jit, text("layer"), diagnostics);
  CHECK(address);
  rnnrt_entry_t entry;
  memcpy(&entry, &address, sizeof(entry));

  float x[24], h[10] = {0}, p[165];
  for (int k = 0; k < 24; ++k)
    x[k] = 1;
  for (int k = 0; k < 165; ++k)
    p[k] = 0.1f;
  const int64_t x_shape[] = {3, 2, 4}, h_shape[] = {1, 2, 5}, p_shape[] = {165};
  rnnrt_tensor_t tensors[] = {rnnrt_tensor_make(x, RNNRT_DTYPE_F32, 3, x_shape),
                              rnnrt_tensor_make(h, RNNRT_DTYPE_F32, 3, h_shape),
                              rnnrt_tensor_make(p, RNNRT_DTYPE_F32, 1, p_shape)},
                 result;
  const rnnrt_tensor_t *inputs[] = {&tensors[0], &tensors[1], &tensors[2]};
  rnnrt_tensor_t *outputs[] = {&result};
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  CHECK(!rnnrt_device_create("host", NULL, &device));
  CHECK(!rnnrt_call_create(device, NULL, NULL, &call));
  entry(call, inputs, 3, outputs, 1);
  CHECK(!rnnrt_call_status(call));
  CHECK(rnnrt_tensor_elements(&result) == 30);
  memcpy(y, result.data, 30 * sizeof(float));
  rnnrt_tensor_release(&result);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  rnnJITDestroy(jit);
  rnnDiagnosticsDestroy(diagnostics);
}

static void test_run(MlirContext first, MlirContext second) {
  float plan[30], fused[30];
  run(first, RnnLoweringPreferenceRuntime, plan);
  run(second, RnnLoweringPreferenceFused, fused);
  for (int k = 0; k < 30; ++k)
    CHECK(fabsf(plan[k] - fused[k]) < 1e-5f && plan[k] > 0);
}

static void test_object(MlirContext context, const char *path) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module = parse(context);
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.export_prefix = text("my_");
  RnnObject object = rnnModuleCompileObject(module, &options, diagnostics);
  CHECK(object.ptr);
  MlirStringRef bytes = rnnObjectGetBytes(object);
  CHECK(bytes.length > 4 && memcmp(bytes.data, "\177ELF", 4) == 0);
  CHECK(contains(rnnObjectGetHeader(object, text("my"), text("layer.mlir"), diagnostics), "my_layer("));
  CHECK(mlirLogicalResultIsSuccess(rnnObjectLinkLibrary(object, text(path), text("liblayer.so"), diagnostics)));
  FILE *file = fopen(path, "rb");
  CHECK(file);
  if (file)
    fclose(file);
  remove(path);
  CHECK(mlirLogicalResultIsFailure(
      rnnObjectLinkLibrary(object, text("/no/such/folder/x.so"), text("x.so"), diagnostics)));
  CHECK(has_error(diagnostics, "failed"));
  CHECK(mlirLogicalResultIsFailure(rnnObjectLinkLibrary(object, text(""), text("x.so"), diagnostics)));
  CHECK(has_error(diagnostics, "the path of the library is empty"));
  MlirStringRef header = rnnObjectGetHeader(object, text(""), text("layer.mlir"), diagnostics);
  CHECK(contains(header, "#ifndef RNN_MODULE_LAYER_H") && contains(header, " layer("));
  CHECK(rnnObjectGetHeader(object, text("1 x"), text("layer.mlir"), diagnostics).length == 0);
  CHECK(has_error(diagnostics, "`1 x` is not a valid prefix of C names"));
  rnnObjectDestroy(object);
  mlirModuleDestroy(module);
  rnnDiagnosticsDestroy(diagnostics);
}

static void test_archive(MlirContext context, const char *path) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.lowering = RnnLoweringPreferenceFused;
  RnnObject archives[2];
  for (int k = 0; k < 2; ++k) {
    MlirModule module = parse(context);
    archives[k] = rnnModuleCompileArchive(module, &options, diagnostics);
    CHECK(archives[k].ptr);
    mlirModuleDestroy(module);
  }
  /* The order in which threads end does not matter. */
  MlirStringRef first = rnnObjectGetBytes(archives[0]), second = rnnObjectGetBytes(archives[1]);
  CHECK(first.length > 8 && memcmp(first.data, "!<arch>\n", 8) == 0);
  CHECK(mlirStringRefEqual(first, second));
  CHECK(contains(rnnObjectGetHeader(archives[0], text("my"), text("layer.mlir"), diagnostics), "my_layer("));
  CHECK(mlirLogicalResultIsSuccess(rnnObjectLinkLibrary(archives[0], text(path), text("liblayer.so"), diagnostics)));
  CHECK(remove(path) == 0);
  for (int k = 0; k < 2; ++k)
    rnnObjectDestroy(archives[k]);
  rnnDiagnosticsDestroy(diagnostics);
}

/* Null handles, lists and texts, negative counts, and values of another context. */
static void test_misuse(MlirContext context, MlirContext other) {
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirStringRef none = {NULL, 5};
  CHECK(mlirModuleIsNull(rnnModuleParse((MlirContext){NULL}, text(layer), text("x"), diagnostics)));
  CHECK(has_error(diagnostics, "the context is null"));
  CHECK(mlirModuleIsNull(rnnModuleParseNamed(context, none, text("x"), diagnostics)));
  CHECK(has_error(diagnostics, "the source is null and has the count 5"));
  CHECK(mlirModuleIsNull(rnnModuleParse(context, text(layer), none, diagnostics)));
  CHECK(has_error(diagnostics, "the name of the source is null and has the count 5"));
  rnnContextRegister((MlirContext){NULL});
  CHECK(mlirAttributeIsNull(rnnCellModeAttrGet((MlirContext){NULL}, text("gru"))));
  CHECK(mlirAttributeIsNull(rnnDirectionAttrGet(context, none)));

  MlirModule module = parse(context), foreign = parse(other);
  CHECK(mlirLogicalResultIsFailure(rnnModuleRunPassPipeline(module, none, diagnostics)));
  CHECK(has_error(diagnostics, "the pipeline is null and has the count 5"));
  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.cpu = none;
  CHECK(!rnnModuleCompileObject(module, &options, diagnostics).ptr);
  CHECK(has_error(diagnostics, "options->cpu is null and has the length 5"));
  RnnRuntimeSymbol symbol = {NULL, NULL};
  CHECK(!rnnModuleCompileJIT(module, NULL, 1, NULL, diagnostics).ptr);
  CHECK(has_error(diagnostics, "the list of symbols is null and has the count 1"));
  CHECK(!rnnModuleCompileJIT(module, NULL, -1, &symbol, diagnostics).ptr);
  CHECK(has_error(diagnostics, "the list of symbols has the count -1"));
  CHECK(!rnnModuleCompileJIT(module, NULL, 1, &symbol, diagnostics).ptr);
  CHECK(has_error(diagnostics, "the name of symbol 0 is null"));
  rnnJITDestroy((RnnJIT){NULL});
  rnnObjectDestroy((RnnObject){NULL});
  rnnDiagnosticsDestroy((RnnDiagnostics){NULL});
  CHECK(!rnnJITLookup((RnnJIT){NULL}, text("layer"), diagnostics));
  CHECK(rnnObjectGetBytes((RnnObject){NULL}).length == 0);

  MlirLocation location = mlirLocationUnknownGet(context);
  MlirBlock block =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(mlirBlockGetFirstOperation(mlirModuleGetBody(foreign)), 0));
  RnnNamedValue operand = {text("input"), mlirBlockGetArgument(block, 0)};
  MlirStringRef name = text("rnn.cudnn_forward");
  CHECK(mlirOperationIsNull(rnnLayerOpCreate((MlirLocation){NULL}, name, 0, NULL, 0, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "the location is null"));
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, name, 2, NULL, 0, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "a list with 2 operands or 0 attributes is null or has a negative count"));
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, name, 0, NULL, -1, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "a list with 0 operands or -1 attributes is null or has a negative count"));
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, name, 1, &operand, 0, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "the operand `input` belongs to another context than the location"));
  MlirNamedAttribute mode =
      mlirNamedAttributeGet(mlirIdentifierGet(other, text("mode")), rnnCellModeAttrGet(other, text("gru")));
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, name, 0, NULL, 1, &mode, diagnostics)));
  CHECK(has_error(diagnostics, "the attribute `mode` belongs to another context than the location"));
  operand.name = none;
  CHECK(mlirOperationIsNull(rnnLayerOpCreate(location, name, 1, &operand, 0, NULL, diagnostics)));
  CHECK(has_error(diagnostics, "the name of an operand is null"));
  mlirModuleDestroy(module);
  mlirModuleDestroy(foreign);
  rnnDiagnosticsDestroy(diagnostics);
}

int main(int argc, char **argv) {
  rnnRegisterPasses();
  rnnRegisterPasses();
  mlirRegisterAllPasses();
  /* Two contexts of one process: one of the library, one of the program. */
  MlirContext first = rnnContextCreate(), second = mlirContextCreate();
  rnnContextRegister(second);
  rnnContextRegister(second);
  MlirContext contexts[] = {first, second};
  for (int k = 0; k < 2; ++k) {
    test_errors(contexts[k]);
    test_passes(contexts[k]);
    test_attributes(contexts[k]);
    test_ops(contexts[k]);
  }
  test_misuse(first, second);
  test_run(first, second);
  test_object(second, argc > 1 ? argv[1] : "capi-test-layer.so");
  test_archive(second, argc > 1 ? argv[1] : "capi-test-layer.so");
  mlirContextDestroy(first);
  /* The other context is still complete. */
  test_passes(second);
  mlirContextDestroy(second);
  if (!failures)
    printf("all checks passed\n");
  return failures ? 1 : 0;
}
