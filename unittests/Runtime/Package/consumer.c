/* consumer.c - makes a device of each kind that needs no GPU. The emulator is found beside the runtime.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <rnn_runtime/api.h>
#include <stdio.h>

int main(void) {
  const char *names[] = {"host", "simt"};
  for (int index = 0; index < 2; ++index) {
    rnnrt_device_t *device = NULL;
    rnnrt_status_t status = rnnrt_device_create(names[index], NULL, &device);
    printf("%s: %s %s\n", names[index], rnnrt_status_code_name(rnnrt_status_code(status)),
           rnnrt_status_message(status));
    if (status)
      return 1;
    rnnrt_device_release(device);
  }
  return rnnrt_abi_version() != RNNRT_ABI_VERSION;
}
