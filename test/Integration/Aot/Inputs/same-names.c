/* same-names.c - calls the function `f` of two libraries with equal names, the first of which is visible to the second.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rnn_runtime/api.h"
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  rnnrt_device_t *device;
  rnnrt_call_t *call;
  rnnrt_device_create("host", NULL, &device);
  rnnrt_call_create(device, NULL, NULL, &call);
  for (int k = 1; k < argc; ++k) {
    void *library = dlopen(argv[k], RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      return puts(dlerror()), 1;
    const rnnrt_exports_t *table = (const rnnrt_exports_t *)dlsym(library, "rnn_exports");
    float element = 1;
    rnnrt_tensor_t x = rnnrt_tensor_make(&element, RNNRT_DTYPE_F32, 0, NULL), y, *result = &y;
    const rnnrt_tensor_t *argument = &x;
    table->functions[0]->entry(call, &argument, 1, &result, 1);
    printf("status:%s\n", rnnrt_status_message(rnnrt_call_status(call)));
    printf("%g\n", *(float *)y.data);
    rnnrt_tensor_release(&y);
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
