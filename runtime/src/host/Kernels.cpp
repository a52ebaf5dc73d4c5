// Kernels.cpp - chooses the set of kernels.
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

struct Choice {
  const Kernels<float> *float32;
  const Kernels<double> *float64;
};

Choice choose() {
  Choice choice{&baseline::float32, &baseline::float64};
#ifdef RNNRT_X86_KERNELS
  const char *asked = std::getenv("RNNRT_HOST_CPU");
  bool baselineOnly = asked && !std::strcmp(asked, "baseline");
  if (asked && *asked && !baselineOnly && std::strcmp(asked, "avx2"))
    std::fprintf(stderr, "rnnrt,warning,RNNRT_HOST_CPU knows baseline avx2 and not `%s`\n", asked);
  __builtin_cpu_init();
  if (!baselineOnly && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    choice = {&avx2::float32, &avx2::float64};
#endif
  return choice;
}

const Choice &chosen() {
  static const Choice choice = choose();
  return choice;
}

} // namespace

template <> const Kernels<float> &rnnrt::kernels<float>() {
  return *chosen().float32;
}
template <> const Kernels<double> &rnnrt::kernels<double>() {
  return *chosen().float64;
}
