/* HeadersTest.c - tests that the public headers are C11: compiled with -std=c11 -pedantic -Werror.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "rnn_runtime/call.h"
#include "rnn_runtime/device.h"
#include "rnn_runtime/dlpack.h"
#include "rnn_runtime/emulator.h"
#include "rnn_runtime/event.h"
#include "rnn_runtime/function.h"
#include "rnn_runtime/memory.h"
#include "rnn_runtime/module.h"
#include "rnn_runtime/plan.h"
#include "rnn_runtime/status.h"
#include "rnn_runtime/stream.h"
#include "rnn_runtime/tensor.h"
#include "rnn_runtime/types.h"

int rnnCompiledAsC11(void);

/* Returns 0 if a device can be created, allocate memory and be released from C. */
int rnnCompiledAsC11(void) {
  rnnrt_device_t *device = NULL;
  rnnrt_device_options_t options;
  rnnrt_status_t status;
  void *memory = NULL;
  rnnrt_device_options_init(&options);
  status = rnnrt_device_create("host", &options, &device);
  if (rnnrt_status_code(status) == RNNRT_STATUS_OK)
    status = rnnrt_memory_alloc(device, 100, &memory);
  if (rnnrt_status_code(status) == RNNRT_STATUS_OK)
    status = rnnrt_memory_free(device, memory);
  rnnrt_device_release(device);
  {
    int failed = status != NULL;
    rnnrt_status_release(status);
    return failed;
  }
}
