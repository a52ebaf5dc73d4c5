// Convert.h - between the element types of tensors and the types that the host computes in (f32; f64 for f64).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_CONVERT_H
#define RNNRT_HOST_CONVERT_H

#include "core/Memory.h"

#include <cstring>

namespace rnnrt {

inline float f16ToFloat(uint16_t half) {
  // Shifts exponent and mantissa into place and corrects the exponent by a multiplication, which also makes
  // subnormals right.
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
  if (bits < 0x38800000) { // below the smallest normal half: the addition rounds at the place of its last bit
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
    return uint16_t(bits >> 16 | 0x40); // stays NaN
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Element type and accumulation type agree: tensors are used where they are.
template <typename A> bool isNative(int32_t dtype) {
  return dtype == (sizeof(A) == 8 ? RNNRT_DTYPE_F64 : RNNRT_DTYPE_F32);
}

/// `count` elements of `source` from element `first` on, as A.
template <typename A> void load(A *target, const void *source, int32_t dtype, int64_t first, int64_t count);
/// The same back, rounding once.
template <typename A> void store(void *target, const A *source, int32_t dtype, int64_t first, int64_t count);

/// An operand as A: itself where the types agree, else converted into scratch. Null stays null.
template <typename A> const A *asOperand(const void *source, int32_t dtype, int64_t count, Scratch &scratch) {
  if (!source || isNative<A>(dtype))
    return static_cast<const A *>(source);
  A *target = scratch.get<A>(count);
  load(target, source, dtype, 0, count);
  return target;
}

/// A result in the making: computed as A, in its own memory where the types agree. finish() converts; without a target
/// the pointer is scratch or, on request, null.
template <typename A> class ResultBuffer {
public:
  enum class Unwanted { Null, Scratch };
  ResultBuffer(void *target, int32_t dtype, int64_t count, Scratch &scratch, Unwanted unwanted = Unwanted::Null)
      : target(target), dtype(dtype), count(count) {
    if (target && isNative<A>(dtype))
      pointer = static_cast<A *>(target);
    else if (target || unwanted == Unwanted::Scratch)
      pointer = scratch.template get<A>(count);
  }
  A *data() const { return pointer; }
  operator A *() const { return pointer; }
  bool wanted() const { return target; }
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
