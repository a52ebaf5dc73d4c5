// faults.cpp - every allocation of a call of compiled code fails once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FaultInjection.h"
#include "Function.h"

using namespace rnntest;

int main(int argc, char **argv) {
  const char *deviceName = argc > 1 ? argv[1] : "host";
  rnnrt_device_t *device = nullptr;
  require(!rnnrt_device_create(deviceName, nullptr, &device), "device");
  for (const char *name : {"block", "block_grad", "stack_grad", "shared"}) {
    Function function(name, {});
    rnnrt_call_t *call = nullptr;
    require(!rnnrt_call_create(device, nullptr, nullptr, &call), "call");
    require(function.call(call) == RNNRT_STATUS_OK, rnnrt_status_message(rnnrt_call_status(call)));
    const std::string expected = function.bytes();
    function.release();
    int64_t n = 0, failures = 0;
    for (bool isReached = true; isReached; ++n) {
      rnnrt_call_reset(call);
      const int64_t live = rnnrt_memory_live_bytes();
      rnnrt_status_code_t code;
      {
        Fault fault(Fault::Allocation, n);
        code = function.call(call);
        isReached = fault.hasHappened();
      }
      if (code == RNNRT_STATUS_OK) {
        require(function.hasBytes(expected), "results of a call that tolerates a failure");
      } else {
        require(code == RNNRT_STATUS_RESOURCE_EXHAUSTED, rnnrt_status_message(rnnrt_call_status(call)));
        require(function.isEmpty(), "a failed call returned results");
        ++failures;
      }
      function.release();
      require(rnnrt_memory_live_bytes() == live, "memory is lost in " + std::string(name));
      rnnrt_memory_stats_t stats;
      require(!rnnrt_memory_stats(device, &stats) && stats.live_bytes == 0, "memory of the device is lost");
      rnnrt_call_reset(call);
      require(function.call(call) == RNNRT_STATUS_OK, rnnrt_status_message(rnnrt_call_status(call)));
      require(function.hasBytes(expected), "results of the next call");
      function.release();
    }
    rnnrt_call_release(call);
    require(failures >= 3, "too few allocations failed");
    std::printf("%s ok\n", name);
  }
  rnnrt_device_release(device);
  std::printf("%lld bytes left\n", (long long)rnnrt_memory_live_bytes());
}
