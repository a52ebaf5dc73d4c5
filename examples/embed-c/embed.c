/* embed.c - a tiny compiler in C: ops of its own become rnn ops, which are compiled in memory and run.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <rnn-c/Compiler.h>
#include <rnn-c/Dialects.h>
#include <rnn_runtime/abi.h>
#include <rnn_runtime/api.h>
#include <rnn_runtime/function.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `tiny.gru` takes the input [T,B,I], the state [1,B,H] and the parameters, and returns the hidden states [T,B,H]. */
static const char program[] =
    "func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {\n"
    "  %y = \"tiny.gru\"(%x, %h, %p) : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<165xf32>) -> tensor<3x2x5xf32>\n"
    "  return %y : tensor<3x2x5xf32>\n"
    "}\n";

static MlirStringRef text(const char *string) {
  return mlirStringRefCreate(string, strlen(string));
}

/* Prints the diagnostics and ends the program. */
static void fail(RnnDiagnostics diagnostics) {
  for (intptr_t k = 0; k < rnnDiagnosticsGetCount(diagnostics); ++k) {
    RnnDiagnostic one = rnnDiagnosticsGet(diagnostics, k);
    fprintf(stderr, "%.*s:%u:%u: %.*s\n", (int)one.file.length, one.file.data, one.line, one.column,
            (int)one.message.length, one.message.data);
  }
  exit(1);
}

/* Replaces the ops `tiny.gru` of a block by `rnn.cudnn_forward`. */
static int lower_block(MlirContext context, MlirBlock block, RnnDiagnostics diagnostics) {
  int count = 0;
  MlirOperation next = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(next)) {
    MlirOperation op = next;
    next = mlirOperationGetNextInBlock(op);
    if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), text("tiny.gru")))
      continue;
    RnnNamedValue operands[] = {{text("input"), mlirOperationGetOperand(op, 0)},
                                {text("input_h"), mlirOperationGetOperand(op, 1)},
                                {text("params"), mlirOperationGetOperand(op, 2)}};
    MlirNamedAttribute mode =
        mlirNamedAttributeGet(mlirIdentifierGet(context, text("mode")), rnnCellModeAttrGet(context, text("gru")));
    MlirOperation layer =
        rnnLayerOpCreate(mlirOperationGetLocation(op), text("rnn.cudnn_forward"), 3, operands, 1, &mode, diagnostics);
    if (mlirOperationIsNull(layer))
      fail(diagnostics);
    mlirBlockInsertOwnedOperationBefore(block, op, layer);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(layer, 0));
    mlirOperationDestroy(op);
    ++count;
  }
  return count;
}

int main(void) {
  MlirContext context = rnnContextCreate();
  mlirContextSetAllowUnregisteredDialects(context, true);
  RnnDiagnostics diagnostics = rnnDiagnosticsCreate();
  MlirModule module = rnnModuleParse(context, text(program), text("program"), diagnostics);
  if (mlirModuleIsNull(module))
    fail(diagnostics);

  int count = 0;
  for (MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(function);
       function = mlirOperationGetNextInBlock(function))
    count += lower_block(context, mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)), diagnostics);

  RnnCompileOptions options = rnnCompileOptionsGetDefault();
  options.lowering = RnnLoweringPreferenceFused;
  size_t num_symbols;
  const rnnrt_abi_symbol_t *symbols = rnnrt_abi_symbols(&num_symbols);
  RnnJIT jit =
      rnnModuleCompileJIT(module, &options, (intptr_t)num_symbols, (const RnnRuntimeSymbol *)symbols, diagnostics);
  void *address = jit.ptr ? rnnJITLookup(jit, text("layer"), diagnostics) : NULL;
  if (!address)
    fail(diagnostics);
  rnnrt_entry_t entry;
  memcpy(&entry, &address, sizeof(entry));

  float x[24], h[10] = {0}, p[165];
  for (int k = 0; k < 24; ++k)
    x[k] = 1.0f;
  for (int k = 0; k < 165; ++k)
    p[k] = 0.1f;
  const int64_t x_shape[] = {3, 2, 4}, h_shape[] = {1, 2, 5}, p_shape[] = {165};
  rnnrt_tensor_t tensors[] = {rnnrt_tensor_make(x, RNNRT_DTYPE_F32, 3, x_shape),
                              rnnrt_tensor_make(h, RNNRT_DTYPE_F32, 3, h_shape),
                              rnnrt_tensor_make(p, RNNRT_DTYPE_F32, 1, p_shape)};
  const rnnrt_tensor_t *inputs[] = {&tensors[0], &tensors[1], &tensors[2]};
  rnnrt_tensor_t y, *outputs[] = {&y};
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  if (rnnrt_device_create("host", NULL, &device) || rnnrt_call_create(device, NULL, NULL, &call))
    return 1;
  entry(call, inputs, 3, outputs, 1);
  if (rnnrt_call_status(call)) {
    fprintf(stderr, "embed-c: %s\n", rnnrt_status_message(rnnrt_call_status(call)));
    return 1;
  }
  printf("%d layer, y[0] = %.4f, y[29] = %.4f\n", count, ((float *)y.data)[0], ((float *)y.data)[29]);
  rnnrt_tensor_release(&y);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  rnnJITDestroy(jit);
  mlirModuleDestroy(module);
  rnnDiagnosticsDestroy(diagnostics);
  mlirContextDestroy(context);
  return 0;
}
