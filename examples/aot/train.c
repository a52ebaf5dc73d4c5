/* train.c - trains a GRU in C: the training step was compiled ahead of time from remember.mlir.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "remember.h"
#include <stdio.h>
#include <stdlib.h>

enum { T = 8, B = 16, PARAMS = 264, STEPS = 200 };

static void check(rnnrt_status_t status) {
  if (!status)
    return;
  fprintf(stderr, "train: %s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
  exit(1);
}

/* A number in [-1, 1), the same everywhere. */
static float draw(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(int32_t)state / 2147483648.0f;
}

int main(void) {
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  check(rnnrt_device_create("host", NULL, &device));
  check(rnnrt_call_create(device, NULL, NULL, &call));

  float numbers[PARAMS], bits[T * B], loss = 0;
  for (int k = 0; k < PARAMS; ++k)
    numbers[k] = 0.35f * draw();
  const int64_t params_shape[] = {PARAMS}, bits_shape[] = {T, B, 1};
  rnnrt_tensor_t params = rnnrt_tensor_make(numbers, RNNRT_DTYPE_F32, 1, params_shape), trained;
  rnnrt_tensor_t x = rnnrt_tensor_make(bits, RNNRT_DTYPE_F32, 3, bits_shape);

  for (int step = 1; step <= STEPS; ++step) {
    for (int k = 0; k < T * B; ++k)
      bits[k] = draw() < 0 ? -1.0f : 1.0f;
    check(remember_train_step(call, &x, &params, 0.8f, &trained, &loss));
    rnnrt_tensor_release(&params);
    params = trained;
    if (step == 1 || step % 40 == 0)
      printf("step %4d: loss %.4f\n", step, loss);
  }

  rnnrt_tensor_release(&params);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return loss < 0.05f ? 0 : 1;
}
