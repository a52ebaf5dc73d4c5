/* train.c - trains a GRU on rollouts of several episodes, with and without resets at their starts.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "episodes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 24, B = 32, PARAMS = 264, STEPS = 800, REPORTS = 8, LONGEST = 8 };

static void check(rnnrt_status_t status) {
  if (!status)
    return;
  fprintf(stderr, "train: %s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
  exit(1);
}

/* A number in [-1, 1), the same everywhere. */
static uint32_t generator;
static float draw(void) {
  generator = generator * 1664525u + 1013904223u;
  return (float)(int32_t)generator / 2147483648.0f;
}

/* Fills rollouts with episodes of 3 to LONGEST random bits. */
static void roll_out(float *bits, float *targets, uint8_t *starts) {
  for (int b = 0; b < B; ++b)
    for (int t = 0, left = 0; t < T; ++t, --left) {
      const int k = t * B + b;
      bits[k] = draw() < 0 ? -1.0f : 1.0f;
      starts[k] = left == 0;
      if (starts[k])
        left = 3 + (int)((draw() + 1) / 2 * (LONGEST - 2));
      targets[k] = starts[k] ? bits[k] : targets[k - B];
    }
}

/* Trains from the same parameters on the same rollouts; stores the mean loss of each part of the training. */
static void train(rnnrt_call_t *call, int uses_resets, float *losses) {
  generator = 1;
  static float numbers[PARAMS], bits[T * B], targets[T * B];
  static uint8_t starts[T * B];
  for (int k = 0; k < PARAMS; ++k)
    numbers[k] = 0.35f * draw();
  const int64_t params_shape[] = {PARAMS}, bits_shape[] = {T, B, 1}, steps_shape[] = {T, B};
  rnnrt_tensor_t params = rnnrt_tensor_make(numbers, RNNRT_DTYPE_F32, 1, params_shape), trained;
  rnnrt_tensor_t x = rnnrt_tensor_make(bits, RNNRT_DTYPE_F32, 3, bits_shape);
  rnnrt_tensor_t y = rnnrt_tensor_make(targets, RNNRT_DTYPE_F32, 2, steps_shape);
  rnnrt_tensor_t resets = rnnrt_tensor_make(starts, RNNRT_DTYPE_I1, 2, steps_shape);
  memset(losses, 0, REPORTS * sizeof(float));
  for (int step = 0; step < STEPS; ++step) {
    float loss = 0;
    roll_out(bits, targets, starts);
    if (!uses_resets)
      memset(starts, 0, sizeof(starts));
    check(episodes_train_step(call, &x, &y, &resets, &params, 2.0f, &trained, &loss));
    rnnrt_tensor_release(&params);
    params = trained;
    losses[step * REPORTS / STEPS] += loss * REPORTS / STEPS;
  }
  rnnrt_tensor_release(&params);
}

int main(void) {
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  check(rnnrt_device_create("host", NULL, &device));
  check(rnnrt_call_create(device, NULL, NULL, &call));
  float with[REPORTS], without[REPORTS];
  train(call, 1, with);
  train(call, 0, without);
  printf("mean loss of steps   with resets   without\n");
  for (int k = 0; k < REPORTS; ++k)
    printf("%6d to %-6d %12.4f %12.4f\n", k * STEPS / REPORTS + 1, (k + 1) * STEPS / REPORTS, with[k], without[k]);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  /* Without resets the GRU cannot see where an episode starts. */
  return with[REPORTS - 1] < 0.1f && without[REPORTS - 1] > 0.5f ? 0 : 1;
}
