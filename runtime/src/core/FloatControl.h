// FloatControl.h - how a thread computes: rounding, and whether subnormal numbers are flushed to zero.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_FLOATCONTROL_H
#define RNN_RUNTIME_CORE_FLOATCONTROL_H

#include <cstdint>

namespace rnnrt {

/// The control register of this thread's floating-point unit. A caller may flush subnormal numbers, as XLA does. If the
/// other threads of its call did not, results would depend on the number of threads.
class FloatControl {
public:
  static FloatControl get() {
    FloatControl result;
#if defined(__x86_64__)
    result.bits = __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(result.bits));
#endif
    return result;
  }
  void set() const {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(bits));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(bits));
#endif
  }

private:
  uint64_t bits = 0;
};

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_FLOATCONTROL_H
