/* offered.c - calls of the functions of offered.mlir with and without memory of the program for their results.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "Require.h"
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEVICE
#define DEVICE "host"
#endif

enum { T = 4 };

/* Memory of 64 KiB at a multiple of 64 bytes, and behind one. */
static _Alignas(64) char memory[3][(1 << 16) + 64];

/* `expected` in memory of the program; `isOffset`: at an address where compiled code does not write. */
static rnnrt_tensor_t describe(const rnnrt_tensor_t *expected, int index, int isOffset) {
  memset(memory[index], 0x77, sizeof(memory[index]));
  return rnnrt_tensor_make(memory[index] + (isOffset ? 8 : 0), expected->dtype, expected->rank, expected->shape);
}

static void compare(const rnnrt_tensor_t *expected, rnnrt_tensor_t *got, int index, int isOffset, int64_t bytes) {
  require(got->data == memory[index] + (isOffset ? 8 : 0) && !got->allocation, "the memory");
  require(!memcmp(got->data, expected->data, (size_t)bytes), "the values");
  require(((char *)got->data)[bytes] == 0x77, "what lies behind");
  rnnrt_tensor_release(got);
}

int main(void) {
  static float x[T * 2 * 4], h[10], p[150];
  int64_t matrix[2] = {T, 4}, sequence[3] = {T, 2, 3}, state[3] = {1, 2, 5}, params = 150;
  rnnrt_device_t *device;
  require(!rnnrt_device_create(DEVICE, NULL, &device) && !rnnrt_call_create(device, NULL, NULL, &call), "a call");
  for (int k = 0; k < T * 2 * 4; ++k)
    x[k] = (float)(k % 7) / 8 - 0.25f;
  for (int k = 0; k < 150; ++k)
    p[k] = (float)(k % 11) / 16 - 0.25f;
  rnnrt_tensor_t rows = rnnrt_tensor_make(x, RNNRT_DTYPE_F32, 2, matrix);
  rnnrt_tensor_t steps = rnnrt_tensor_make(x, RNNRT_DTYPE_F32, 3, sequence);
  rnnrt_tensor_t initial = rnnrt_tensor_make(h, RNNRT_DTYPE_F32, 3, state);
  rnnrt_tensor_t flat = rnnrt_tensor_make(p, RNNRT_DTYPE_F32, 1, &params);
  rnnrt_tensor_t expected[3], got[3], offered[3];
  const rnnrt_tensor_t *pointers[3] = {&offered[0], &offered[1], &offered[2]};

  require(!net_sum(call, &rows, &expected[0]), "sum");
  for (int isOffset = 0; isOffset < 2; ++isOffset) {
    offered[0] = describe(&expected[0], 0, isOffset);
    rnnrt_call_offer_results(call, pointers, 1);
    require(!net_sum(call, &rows, &got[0]), "sum");
    compare(&expected[0], &got[0], 0, isOffset, T * 4 * 4);
  }
  rnnrt_tensor_release(&expected[0]);
  puts("sum ok");

  for (int condition = 0; condition < 2; ++condition) {
    float first = 0;
    require(!net_branch(call, &rows, (uint8_t)condition, &expected[0], &first) && first == x[0], "branch");
    offered[0] = describe(&expected[0], 0, 0);
    const rnnrt_tensor_t *one[2] = {&offered[0], NULL};
    rnnrt_call_offer_results(call, one, 2);
    require(!net_branch(call, &rows, (uint8_t)condition, &got[0], &first), "branch");
    compare(&expected[0], &got[0], 0, 0, T * 4 * 4);
    rnnrt_tensor_release(&expected[0]);
  }
  puts("branch ok");

  require(!net_layer(call, &steps, &initial, &flat, &expected[0], &expected[1], &expected[2]), "layer");
  require(expected[2].shape[0] < 1 << 16, "the size of the reserve space");
  for (int k = 0; k < 3; ++k)
    offered[k] = describe(&expected[k], k, 0);
  rnnrt_call_offer_results(call, pointers, 3);
  require(!net_layer(call, &steps, &initial, &flat, &got[0], &got[1], &got[2]), "layer");
  compare(&expected[0], &got[0], 0, 0, T * 10 * 4);
  compare(&expected[1], &got[1], 1, 0, 10 * 4);
  require(got[2].data == memory[2] && !got[2].allocation, "the reserve space");
  for (int k = 0; k < 3; ++k)
    rnnrt_tensor_release(&expected[k]);
  puts("layer ok");
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
