// Convert.cpp - the conversion loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Convert.h"

using namespace rnnrt;

namespace rnnrt {

template <> void load<float>(float *target, const void *source, int32_t dtype, int64_t first, int64_t count) {
  if (dtype == RNNRT_DTYPE_F32) {
    std::memcpy(target, static_cast<const float *>(source) + first, size_t(count) * sizeof(float));
    return;
  }
  const uint16_t *halves = static_cast<const uint16_t *>(source) + first;
  if (dtype == RNNRT_DTYPE_F16)
    for (int64_t k = 0; k < count; ++k)
      target[k] = f16ToFloat(halves[k]);
  else
    for (int64_t k = 0; k < count; ++k)
      target[k] = bf16ToFloat(halves[k]);
}

template <> void load<double>(double *target, const void *source, int32_t, int64_t first, int64_t count) {
  std::memcpy(target, static_cast<const double *>(source) + first, size_t(count) * sizeof(double));
}

template <> void store<float>(void *target, const float *source, int32_t dtype, int64_t first, int64_t count) {
  if (dtype == RNNRT_DTYPE_F32) {
    std::memcpy(static_cast<float *>(target) + first, source, size_t(count) * sizeof(float));
    return;
  }
  uint16_t *halves = static_cast<uint16_t *>(target) + first;
  if (dtype == RNNRT_DTYPE_F16)
    for (int64_t k = 0; k < count; ++k)
      halves[k] = floatToF16(source[k]);
  else
    for (int64_t k = 0; k < count; ++k)
      halves[k] = floatToBf16(source[k]);
}

template <> void store<double>(void *target, const double *source, int32_t, int64_t first, int64_t count) {
  std::memcpy(static_cast<double *>(target) + first, source, size_t(count) * sizeof(double));
}

} // namespace rnnrt
