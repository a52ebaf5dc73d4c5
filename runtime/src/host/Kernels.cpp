// Kernels.cpp - selects the kernel set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/Kernels.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rnnrt {

#define RNNRT_DECLARE_KERNELS(set)                                                                                     \
  namespace set {                                                                                                      \
  extern const Kernels<float> float32;                                                                                 \
  extern const Kernels<double> float64;                                                                                \
  }
RNNRT_DECLARE_KERNELS(baseline)
#ifdef RNNRT_X86_KERNELS
RNNRT_DECLARE_KERNELS(avx2)
#endif

} // namespace rnnrt

using namespace rnnrt;

namespace {

struct KernelSets {
  const Kernels<float> *float32;
  const Kernels<double> *float64;
};

KernelSets selectKernels() {
  KernelSets sets{&baseline::float32, &baseline::float64};
#ifdef RNNRT_X86_KERNELS
  const char *requested = std::getenv("RNNRT_HOST_CPU");
  bool baselineOnly = requested && !std::strcmp(requested, "baseline");
  if (requested && *requested && !baselineOnly && std::strcmp(requested, "avx2"))
    std::fprintf(stderr, "rnnrt,warning,RNNRT_HOST_CPU expects baseline or avx2, but got `%s`\n", requested);
  __builtin_cpu_init();
  if (!baselineOnly && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets = {&avx2::float32, &avx2::float64};
#endif
  return sets;
}

const KernelSets &selectedKernels() {
  static const KernelSets sets = selectKernels();
  return sets;
}

} // namespace

template <> const Kernels<float> &rnnrt::kernels<float>() {
  return *selectedKernels().float32;
}
template <> const Kernels<double> &rnnrt::kernels<double>() {
  return *selectedKernels().float64;
}
