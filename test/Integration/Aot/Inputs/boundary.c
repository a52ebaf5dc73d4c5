/* boundary.c - valid and invalid calls of the functions of boundary.mlir.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#define _GNU_SOURCE
#include "Require.h"
#include "net.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(rnnrt_status_t status) {
  printf("%s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
  rnnrt_call_reset(call);
}

static float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int32_t integers[3] = {3, -4, 5};
static rnnrt_tensor_t u, y, y2, v;
static uint8_t flag;
static int8_t byte;
static int64_t n;
static uint16_t half;
static double d;

static rnnrt_status_t mixed(const rnnrt_tensor_t *x) {
  rnnrt_status_t status =
      net_mixed(call, x, &u, 1, -7, 1000000000000, 0x3fc0 /* 1.5 */, 0.125, &y, &y2, &flag, &byte, &n, &half, &d, &v);
  require(!status || (!y.data && !y.rank && !y.allocation && !v.data), "results are empty after a failure");
  return status;
}

static void testValues(rnnrt_tensor_t x) {
  require(!mixed(&x), "a call that fits");
  require(y.rank == 2 && y.shape[0] == 2 && y.shape[1] == 3 && y.dtype == RNNRT_DTYPE_F32, "the type of y");
  for (int k = 0; k < 6; ++k)
    require(((float *)y.data)[k] == 2 * numbers[k] && ((float *)y2.data)[k] == 2 * numbers[k], "y");
  require(y.data != y2.data, "each result has its own memory");
  require(flag == 0 && byte == -14 && n == 2000000000000 && half == 0x4040 /* 3 */ && d == -0.125, "scalars");
  require(v.rank == 1 && v.shape[0] == 3 && ((int32_t *)v.data)[1] == 16, "the unranked result");
  rnnrt_tensor_release(&y);
  require(((float *)y2.data)[5] == 12, "y2 lives on without y");
  require(!y.data && !y.rank, "release empties");
  rnnrt_tensor_release(&y);
  rnnrt_tensor_release(&y2);
  rnnrt_tensor_release(&v);

  /* No elements, and so no memory. */
  x.shape[1] = 0;
  x.data = NULL;
  require(!mixed(&x), "an empty tensor");
  require(y.rank == 2 && y.shape[1] == 0, "the type of an empty result");
  rnnrt_tensor_release(&y);
  rnnrt_tensor_release(&y2);
  rnnrt_tensor_release(&v);
  puts("values ok");
}

static const rnnrt_function_t *testTable(void) {
  const rnnrt_exports_t *table = (const rnnrt_exports_t *)dlsym(RTLD_DEFAULT, "rnn_exports");
  require(table && table->abi_version == rnnrt_abi_version() && table->num_functions == 2, "the table");
  const rnnrt_function_t *function = table->functions[0];
  require(!strcmp(function->name, "mixed") && function->entry == rnn_entry_net_mixed, "its first function");
  require(function->num_inputs == 7 && function->num_outputs == 8 && function->flags == 0, "its counts");
  require(!strcmp(function->inputs[0].name, "x") && function->inputs[0].rank == 2, "its first argument");
  require(function->inputs[0].shape[0] == 2 && function->inputs[0].shape[1] == -1, "its sizes");
  require(function->inputs[1].kind == RNNRT_ARGUMENT_UNRANKED && function->inputs[1].rank == 1,
          "the cast defines a rank");
  require(function->inputs[4].kind == RNNRT_ARGUMENT_SCALAR && function->inputs[4].dtype == RNNRT_DTYPE_I64, "index");
  require(function->outputs[7].rank == -1, "a result of any rank");
  require(!strcmp(table->functions[1]->name, "layer"), "its second function");
  puts("table ok");
  return function;
}

static void testWrongArguments(rnnrt_tensor_t x) {
  rnnrt_tensor_t wrong;
  report(mixed(NULL));
  wrong = x, wrong.rank = 1, report(mixed(&wrong));
  wrong = x, wrong.rank = 9, report(mixed(&wrong));
  wrong = x, wrong.rank = -1, report(mixed(&wrong));
  wrong = x, wrong.dtype = RNNRT_DTYPE_F64, report(mixed(&wrong));
  wrong = x, wrong.dtype = 77, report(mixed(&wrong));
  wrong = x, wrong.shape[0] = 3, report(mixed(&wrong));
  wrong = x, wrong.shape[1] = -3, report(mixed(&wrong));
  wrong = x, wrong.shape[1] = (int64_t)1 << 62, report(mixed(&wrong));
  wrong = x, wrong.data = NULL, report(mixed(&wrong));
  wrong = x, wrong.data = (char *)x.data + 2, report(mixed(&wrong));
  rnnrt_tensor_t good = u;
  u.rank = 2, u.shape[1] = 1, report(mixed(&x)), u = good;
  report(net_mixed(call, &x, &u, 1, 1, 1, 1, 1, NULL, &y2, &flag, &byte, &n, &half, &d, &v));
  report(net_mixed(call, &x, &u, 1, 1, 1, 1, 1, &y, &y2, &flag, &byte, &n, NULL, &d, &v));
}

static void testWrongCalls(rnnrt_tensor_t x, const rnnrt_function_t *function) {
  const rnnrt_tensor_t *inputs[7] = {&x, &u};
  rnnrt_tensor_t *outputs[9] = {&y, &y2, &v};
  function->entry(call, inputs, 6, outputs, 8), report(rnnrt_call_status(call));
  function->entry(call, inputs, 7, outputs, 9), report(rnnrt_call_status(call));
  function->entry(call, NULL, 7, outputs, 8), report(rnnrt_call_status(call));
  report(net_mixed(NULL, &x, &u, 1, 1, 1, 1, 1, &y, &y2, &flag, &byte, &n, &half, &d, &v));

  /* A module of another version, and one for another kind of device. */
  rnnrt_function_t other = *function;
  other.abi_version += 1;
  require(!rnnrt_abi_enter(call, &other, inputs, 7, outputs, 8, NULL), "a module of another version must not run");
  report(rnnrt_call_status(call));
  other = *function;
  other.flags = RNNRT_FUNCTION_DEVICE_MEMORY;
  require(!rnnrt_abi_enter(call, &other, inputs, 7, outputs, 8, NULL), "a module for a GPU must not run");
  report(rnnrt_call_status(call));

  rnnrt_call_fail(call, rnnrt_status_create(RNNRT_STATUS_INVALID_ARGUMENT, "the first failure stays"));
  report(mixed(&x));
}

/* A failure inside the function, after it has allocated results. */
static void testWrongSizes(void) {
  static float zeros[128];
  const int64_t sx[] = {5, 2, 3}, ss[] = {2, 4}, sw[] = {6, 16}, sp[] = {4}, sb[] = {16};
  rnnrt_tensor_t x = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 3, sx),
                 s = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 2, ss),
                 w = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 2, sw),
                 p = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 1, sp),
                 b = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 1, sb);
  report(net_layer(call, &x, &s, &w, &p, &b, 5, &y));
  w.shape[0] = 7;
  require(!net_layer(call, &x, &s, &w, &p, &b, 5, &y), "a layer that fits");
  require(y.rank == 3 && y.shape[2] == 4, "its result");
  rnnrt_tensor_release(&y);
}

int main(void) {
  rnnrt_device_t *device;
  const int64_t x_shape[] = {2, 3}, u_shape[] = {3};
  if (rnnrt_device_create("host", NULL, &device) || rnnrt_call_create(device, NULL, NULL, &call))
    return 1;
  rnnrt_tensor_t x = rnnrt_tensor_make(numbers, RNNRT_DTYPE_F32, 2, x_shape);
  u = rnnrt_tensor_make(integers, RNNRT_DTYPE_I32, 1, u_shape);
  testValues(x);
  const rnnrt_function_t *function = testTable();
  testWrongArguments(x);
  testWrongCalls(x, function);
  testWrongSizes();
  printf(rnnrt_memory_live_bytes() ? "%lld bytes left\n" : "no bytes left\n", (long long)rnnrt_memory_live_bytes());
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
