/* gpu.c - calls a function for a GPU on the host.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "gpu.h"
#include <stdio.h>

int main(void) {
  static float zeros[108];
  const int64_t x_shape[] = {5, 2, 3}, h_shape[] = {1, 2, 4}, p_shape[] = {108};
  rnnrt_tensor_t x = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 3, x_shape);
  rnnrt_tensor_t h = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 3, h_shape);
  rnnrt_tensor_t p = rnnrt_tensor_make(zeros, RNNRT_DTYPE_F32, 1, p_shape), z;
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  if (rnnrt_device_create("host", NULL, &device) || rnnrt_call_create(device, NULL, NULL, &call))
    return 1;
  rnnrt_status_t status = gpu_main(call, &x, &h, &p, 2, &z);
  printf("%s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
