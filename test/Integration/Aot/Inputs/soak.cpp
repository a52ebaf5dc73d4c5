// soak.cpp - calls with changing shapes. The memory of the process and the plan cache must stay bounded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Function.h"

/// Resident bytes of the process.
static int64_t getResidentBytes() {
  long long pages = 0, resident = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  require(file && std::fscanf(file, "%lld %lld", &pages, &resident) == 2, "/proc/self/statm");
  std::fclose(file);
  return resident * 4096;
}

int main(int argc, char **argv) {
  require(argc == 3, "soak CALLS LIMIT");
  const int64_t calls = std::atoll(argv[1]), limit = std::atoll(argv[2]);
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  require(!rnnrt_device_create("host", nullptr, &device), "device");
  require(!rnnrt_call_create(device, nullptr, nullptr, &call), "call");
  constexpr int64_t mostT = 60, mostB = 12;
  Function function("train", {mostT, mostB, mostB});
  int64_t warm = 0;
  uint64_t random = 1;
  for (int64_t k = 0; k < calls; ++k) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const int64_t T = 1 + int64_t(random >> 33) % mostT, B = 1 + int64_t(random >> 45) % mostB;
    function.arguments[0].shape[0] = T;
    function.arguments[0].shape[1] = function.arguments[1].shape[1] = B;
    // Some calls fail: their memory must not stay either.
    const bool isWrong = k % 50 == 49;
    if (isWrong)
      function.arguments[1].shape[1] = B + 1;
    rnnrt_call_reset(call);
    const rnnrt_status_code_t code = function.call(call);
    require(code == (isWrong ? RNNRT_STATUS_INVALID_ARGUMENT : RNNRT_STATUS_OK),
            rnnrt_status_message(rnnrt_call_status(call)));
    function.release();
    if (k == calls / 4)
      warm = getResidentBytes();
  }
  rnnrt_plan_stats_t plans;
  require(!rnnrt_device_plan_stats(device, &plans), "statistics");
  require(plans.cached <= limit, "the plan cache has " + std::to_string(plans.cached) + " plans");
  require(plans.evicted > 0, "no plan was evicted");
  const int64_t growth = getResidentBytes() - warm;
  require(growth < (int64_t(4) << 20), "the process has grown by " + std::to_string(growth) + " bytes");
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  std::printf("%lld calls, %lld bytes left\n", (long long)calls, (long long)rnnrt_memory_live_bytes());
}
