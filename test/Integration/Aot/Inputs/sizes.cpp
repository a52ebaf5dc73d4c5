// sizes.cpp - calls functions with one size that is far too large.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Function.h"

/// Calls `name` with dim `dim` of argument `argument` set to 2^40 and prints the status.
static void test(rnnrt_device_t *device, const char *name, const std::vector<int64_t> &sizes, size_t argument,
                 int dim) {
  Function function(name, sizes);
  rnnrt_call_t *call = nullptr;
  require(!rnnrt_call_create(device, nullptr, nullptr, &call), "call");
  function.arguments[argument].shape[dim] = int64_t(1) << 40;
  const int64_t live = rnnrt_memory_live_bytes();
  function.call(call);
  const rnnrt_status_t status = rnnrt_call_status(call);
  std::printf("%s %zu %d: %s: %s\n", name, argument, dim, rnnrt_status_code_name(rnnrt_status_code(status)),
              rnnrt_status_message(status));
  require(function.isEmpty(), "a failed call returned results");
  require(rnnrt_memory_live_bytes() == live, "memory is lost");
  rnnrt_memory_stats_t stats;
  require(!rnnrt_memory_stats(device, &stats) && stats.live_bytes == 0, "memory of the device is lost");
  rnnrt_call_release(call);
}

int main(int argc, char **argv) {
  rnnrt_device_t *device = nullptr;
  require(!rnnrt_device_create(argc > 1 ? argv[1] : "host", nullptr, &device), "device");
  // T, B, I; then those of the other arguments.
  const std::vector<int64_t> block = {2, 3, 4, 3, 5, 9, 20, 5, 20}, stack = {2, 3, 4, 1, 3, 5, 220, 2, 3, 5};
  test(device, "block", block, 0, 0);
  test(device, "block", block, 0, 1);
  test(device, "block", block, 1, 0);
  test(device, "block", block, 2, 0);
  test(device, "block", block, 4, 0);
  test(device, "stack", stack, 0, 1);
  test(device, "stack", stack, 1, 1);
  test(device, "stack", stack, 2, 0);
  test(device, "stack", stack, 3, 0);
  rnnrt_device_release(device);
}
