// repeat.cpp - runs every function many times and prints a hash of its results, which must not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Function.h"

static uint64_t hash(const std::string &bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (unsigned char byte : bytes)
    value = (value ^ byte) * 0x100000001b3;
  return value;
}

int main(int argc, char **argv) {
  require(argc == 3, "repeat DEVICE RUNS");
  rnnrt_device_t *device = nullptr;
  require(!rnnrt_device_create(argv[1], nullptr, &device), "device");
  for (const char *name : {"block", "block_grad", "stack_grad", "shared"}) {
    Function function(name, {});
    std::string expected;
    for (int run = 0; run < std::atoi(argv[2]); ++run) {
      rnnrt_call_t *call = nullptr;
      require(!rnnrt_call_create(device, nullptr, nullptr, &call), "call");
      require(function.call(call) == RNNRT_STATUS_OK, rnnrt_status_message(rnnrt_call_status(call)));
      if (run == 0)
        expected = function.bytes();
      require(function.hasBytes(expected), std::string(name) + " differs in run " + std::to_string(run));
      function.release();
      rnnrt_call_release(call);
    }
    std::printf("%s %016llx\n", name, (unsigned long long)hash(expected));
  }
  rnnrt_device_release(device);
}
