// Convert.h - conversion between element types of tensors and the accumulation type A of the host (f32; f64 for f64).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_CONVERT_H
#define RNNRT_HOST_CONVERT_H

#include "core/Memory.h"

#include <cstring>

namespace rnnrt {

inline float f16ToFloat(uint16_t half) {
  // The multiplication corrects the exponent bias, and normalizes subnormals.
  uint32_t bits = uint32_t(half & 0x7fff) << 13;
  float value;
  if ((half & 0x7c00) == 0x7c00) {
    bits |= 0x7f800000; // infinity or NaN
    std::memcpy(&value, &bits, 4);
  } else {
    std::memcpy(&value, &bits, 4);
    value *= 0x1p112f;
  }
  return half & 0x8000 ? -value : value;
}

/// Rounds to nearest, ties to even.
inline uint16_t floatToF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits >= 0x47800000) // 65536 and above, infinity, NaN
    return uint16_t(sign | (bits > 0x7f800000 ? 0x7e00 : 0x7c00));
  if (bits < 0x38800000) { // subnormal: adding 0.5 rounds to the last bit of the result
    float magnitude;
    std::memcpy(&magnitude, &bits, 4);
    magnitude += 0.5f;
    std::memcpy(&bits, &magnitude, 4);
    return uint16_t(sign | (bits - 0x3f000000));
  }
  bits += 0xfff + (bits >> 13 & 1); // may carry into the exponent, up to infinity
  return uint16_t(sign | ((bits - 0x38000000) >> 13));
}

inline float bf16ToFloat(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Rounds to nearest, ties to even.
inline uint16_t floatToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40); // a quiet NaN stays a NaN
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Returns true if the element type is the accumulation type, so that no conversion is needed.
template <typename A> bool isNative(int32_t dtype) {
  return dtype == (sizeof(A) == 8 ? RNNRT_DTYPE_F64 : RNNRT_DTYPE_F32);
}

/// Converts `count` elements of `source`, starting at element `first`, to A.
template <typename A> void load(A *target, const void *source, int32_t dtype, int64_t first, int64_t count);
/// Converts `count` elements from A and stores them starting at element `first` of `target`; rounds to nearest even.
template <typename A> void store(void *target, const A *source, int32_t dtype, int64_t first, int64_t count);

/// Returns an operand as A: `source` itself if the types agree, else a converted copy in scratch memory. Null for null.
template <typename A> const A *asOperand(const void *source, int32_t dtype, int64_t count, Scratch &scratch) {
  if (!source || isNative<A>(dtype))
    return static_cast<const A *>(source);
  A *target = scratch.get<A>(count);
  load(target, source, dtype, 0, count);
  return target;
}

/// The buffer of a result in type A: the target itself if the types agree, else scratch memory, which finish()
/// converts. Null if there is no target.
template <typename A> class ResultBuffer {
public:
  ResultBuffer(void *target, int32_t dtype, int64_t count, Scratch &scratch)
      : target(target), dtype(dtype), count(count) {
    if (target && isNative<A>(dtype))
      pointer = static_cast<A *>(target);
    else if (target)
      pointer = scratch.template get<A>(count);
  }
  A *data() const { return pointer; }
  operator A *() const { return pointer; }
  void finish() const {
    if (target && !isNative<A>(dtype))
      store(target, pointer, dtype, 0, count);
  }

private:
  void *target;
  int32_t dtype;
  int64_t count;
  A *pointer = nullptr;
};

} // namespace rnnrt

#endif // RNNRT_HOST_CONVERT_H
