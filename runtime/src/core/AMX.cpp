// AMX.cpp - permission to use AMX tile registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/AMX.h"

#include <cerrno>
#include <cstring>
#if defined(__linux__) && defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace rnnrt;

#if defined(__linux__) && defined(__x86_64__)
/// Whether the processor has tiles and their products of bf16 (Intel SDM, CPUID leaf 7: EDX bits 24 and 22).
static bool hasAMX() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1) && (d >> 22 & 1);
}

/// 0, or the error of the kernel.
static int requestTiles() {
  // asm/prctl.h and asm/fpu/xstate.h of Linux 5.16; older headers lack them.
  constexpr int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0 ? 0 : errno;
}
#endif

Status rnnrt::enableAMX() {
#if defined(__linux__) && defined(__x86_64__)
  static const bool isPresent = hasAMX();
  if (!isPresent)
    return unavailable("AMX (bf16) is needed, but the processor has none; compile with another --cpu or --bf16-gemm");
  static const int error = requestTiles();
  if (error)
    return unavailable("AMX is needed, but the kernel refuses the permission to use it (%s); it requires Linux 5.16 or "
                       "later, and no alternate signal stack that is too small for its registers",
                       std::strerror(error));
  return Status();
#else
  return unavailable("AMX is needed, which exists on Linux on x86-64 processors only");
#endif
}
