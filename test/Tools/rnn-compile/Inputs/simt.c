/* simt.c - calls a function for target simt, from a library that is linked or, with OPEN, opened.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "rnn_runtime/api.h"
#include <stdio.h>
#ifdef OPEN
#include <dlfcn.h>
#else
#include "simt.h"
#endif

int main(void) {
  float data[64];
  const int64_t shape[] = {64};
  for (int k = 0; k < 64; ++k)
    data[k] = 3;
  rnnrt_tensor_t x = rnnrt_tensor_make(data, RNNRT_DTYPE_F32, 1, shape), y = {0};
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  rnnrt_status_t status = rnnrt_device_create("simt", NULL, &device);
  if (status) {
    printf("%s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
    rnnrt_status_release(status);
    return 0;
  }
  if (rnnrt_call_create(device, NULL, NULL, &call))
    return 1;
#ifdef OPEN
  void *library = dlopen("./libsimt.so", RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  const rnnrt_exports_t *exports = dlsym(library, "rnn_exports");
  const rnnrt_tensor_t *inputs[] = {&x};
  rnnrt_tensor_t *outputs[] = {&y};
  exports->functions[0]->entry(call, inputs, 1, outputs, 1);
  status = rnnrt_call_status(call);
#else
  status = simt_main(call, &x, &y);
#endif
  const float *result = y.data;
  printf("%s, %g and %g\n", rnnrt_status_code_name(rnnrt_status_code(status)), result ? result[0] : 0,
         result ? result[63] : 0);
  rnnrt_tensor_release(&y);
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
