// two.cpp - two compiled modules in one program, whose functions have the same names in MLIR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "net.h"
#include "other.h"
#include <initializer_list>

int main() {
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  if (rnnrt_device_create("host", nullptr, &device) || rnnrt_call_create(device, nullptr, nullptr, &call))
    return 1;
  float numbers[] = {1, 2};
  int32_t integers[] = {3};
  const int64_t xShape[] = {2, 1}, uShape[] = {1};
  rnnrt_tensor_t x = rnnrt_tensor_make(numbers, RNNRT_DTYPE_F32, 2, xShape);
  rnnrt_tensor_t u = rnnrt_tensor_make(integers, RNNRT_DTYPE_I32, 1, uShape);
  bool good = true;
  for (auto mixed : {net_mixed, other_mixed}) {
    rnnrt_tensor_t y, y2, v;
    uint8_t flag;
    int8_t byte;
    int64_t n;
    uint16_t half;
    double d;
    good = good && !mixed(call, &x, &u, 1, 1, 21, 0, 0.5, &y, &y2, &flag, &byte, &n, &half, &d, &v) && n == 42 &&
           static_cast<float *>(y2.data)[1] == 4;
    for (rnnrt_tensor_t *result : {&y, &y2, &v})
      rnnrt_tensor_release(result);
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return good ? 0 : 1;
}
