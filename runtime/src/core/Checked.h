// Checked.h - 64-bit sizes with a sticky overflow flag.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_CHECKED_H
#define RNNRT_CORE_CHECKED_H

#include <cstdint>

namespace rnnrt {

/// A size with a sticky overflow flag: a result is flagged if an operand is, or if it does not fit in 64 bits.
class Checked {
public:
  Checked() = default;
  Checked(int64_t value) : value(value) {} // implicit: sizes are written as plain products

  friend Checked operator*(Checked a, Checked b) {
    Checked result(0);
    result.bad = __builtin_mul_overflow(a.value, b.value, &result.value) || a.bad || b.bad;
    return result;
  }
  friend Checked operator+(Checked a, Checked b) {
    Checked result(0);
    result.bad = __builtin_add_overflow(a.value, b.value, &result.value) || a.bad || b.bad;
    return result;
  }
  /// For the layouts, where the difference for layer 0 is computed and not used; it is no overflow.
  friend Checked operator-(Checked a, Checked b) {
    Checked result(0);
    result.bad = __builtin_sub_overflow(a.value, b.value, &result.value) || a.bad || b.bad;
    return result;
  }
  /// The next multiple of `unit`.
  Checked roundUp(int64_t unit) const {
    Checked result = *this + (unit - 1);
    result.value -= result.value % unit;
    return result;
  }

  bool overflowed() const { return bad; }
  /// Meaningless after an overflow.
  int64_t get() const { return value; }

private:
  int64_t value = 0;
  bool bad = false;
};

} // namespace rnnrt

#endif // RNNRT_CORE_CHECKED_H
