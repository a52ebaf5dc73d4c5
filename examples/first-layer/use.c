/* use.c - calls the compiled function of layer.mlir from C.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "layer.h"
#include <stdio.h>

static rnnrt_tensor_t filled(float *data, float value, int rank, const int64_t *shape) {
  rnnrt_tensor_t tensor = rnnrt_tensor_make(data, RNNRT_DTYPE_F32, rank, shape);
  for (int64_t k = 0; k < rnnrt_tensor_elements(&tensor); ++k)
    data[k] = value;
  return tensor;
}

int main(void) {
  rnnrt_device_t *device = NULL;
  rnnrt_call_t *call = NULL;
  rnnrt_status_t status = rnnrt_device_create("host", NULL, &device);
  if (!status)
    status = rnnrt_call_create(device, NULL, NULL, &call);
  if (status) {
    fprintf(stderr, "use: %s\n", rnnrt_status_message(status));
    return 1;
  }

  float x_data[5 * 2 * 3], w_data[7 * 16], b_data[16], dh_data[5 * 2 * 4];
  rnnrt_tensor_t x = filled(x_data, 0.5f, 3, (const int64_t[]){5, 2, 3});
  rnnrt_tensor_t w = filled(w_data, 0.1f, 2, (const int64_t[]){7, 16});
  rnnrt_tensor_t b = filled(b_data, 0.0f, 1, (const int64_t[]){16});
  rnnrt_tensor_t dh = filled(dh_data, 1.0f, 3, (const int64_t[]){5, 2, 4});
  rnnrt_tensor_t h, dw;
  status = layer_main(call, &x, &w, &b, &dh, &h, &dw); /* lent by the call */
  if (status)
    fprintf(stderr, "use: %s\n", rnnrt_status_message(status));
  else
    printf("h[0] = %.6f, dw[0] = %.6f\n", ((float *)h.data)[0], ((float *)dw.data)[0]);

  int failed = status != NULL;
  rnnrt_tensor_release(&h);
  rnnrt_tensor_release(&dw);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return failed;
}
