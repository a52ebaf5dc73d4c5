// Sanitizer.h - whether AddressSanitizer checks this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CORE_SANITIZER_H
#define RNN_RUNTIME_CORE_SANITIZER_H

extern "C" void __asan_init(void) __attribute__((weak));

namespace rnnrt {

/// True in programs that are built with AddressSanitizer or preload its runtime: compiled code may be instrumented
/// although the runtime is not.
inline bool hasAddressSanitizer() {
  return __asan_init != nullptr;
}

} // namespace rnnrt

#endif // RNN_RUNTIME_CORE_SANITIZER_H
