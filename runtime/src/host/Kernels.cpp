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
RNNRT_DECLARE_KERNELS(avx512)
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
  enum { Baseline, Avx2, Avx512 } limit = Avx512;
  const char *asked = std::getenv("RNNRT_HOST_CPU");
  if (asked && *asked) {
    if (!std::strcmp(asked, "baseline"))
      limit = Baseline;
    else if (!std::strcmp(asked, "avx2"))
      limit = Avx2;
    else if (std::strcmp(asked, "avx512"))
      std::fprintf(stderr, "rnnrt,warning,RNNRT_HOST_CPU knows baseline avx2 avx512 and not `%s`\n", asked);
  }
  __builtin_cpu_init();
  if (limit >= Avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    choice = {&avx2::float32, &avx2::float64};
  if (limit >= Avx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    choice = {&avx512::float32, &avx512::float64};
#endif
  return choice;
}

const Choice &chosen() {
  static const Choice choice = choose();
  return choice;
}

} // namespace

template <> const Kernels<float> &rnnrt::kernels<float>() { return *chosen().float32; }
template <> const Kernels<double> &rnnrt::kernels<double>() { return *chosen().float64; }
