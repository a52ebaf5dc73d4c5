// PerStepKernels.cpp - the kernels of PerStepKernels.h as PTX: clang++ --target=nvptx64-nvidia-cuda -S. The CUDA
// toolkit is not needed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PerStepKernels.h"

using namespace per_step;

#define KERNEL extern "C" __attribute__((nvptx_kernel))

/// Partial sums of a block of 32 columns.
static __attribute__((address_space(3))) float partial[8][32];

template <typename T> static inline void runGates(const Step &step) {
  const Index element =
      Index(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (element < step.batch * (step.input + step.hidden))
    gates<T>(step, element);
}

/// bias[c] += sum of column c, by 32 x 8 threads for 32 columns.
template <typename T>
static inline void runBias(const void *dgates, void *sums, Index batch, Index columns, Index begin) {
  const Index lane = __nvvm_read_ptx_sreg_tid_x() % 32, part = __nvvm_read_ptx_sreg_tid_x() / 32;
  const Index column = Index(__nvvm_read_ptx_sreg_ctaid_x()) * 32 + lane;
  partial[part][lane] = column < columns ? bias<T>(dgates, batch, columns, column, part) : 0;
  __nvvm_bar_sync(0);
  if (part != 0 || column >= columns)
    return;
  float sum = begin ? 0 : get<T>(sums, column);
  for (int k = 0; k < 8; ++k)
    sum += partial[k][lane];
  set<T>(sums, column, sum);
}

#define KERNELS(name, type)                                                                                            \
  KERNEL void gates_##name(Step step) {                                                                                \
    runGates<type>(step);                                                                                              \
  }                                                                                                                    \
  KERNEL void bias_##name(const void *dgates, void *sums, Index batch, Index columns, Index begin) {                   \
    runBias<type>(dgates, sums, batch, columns, begin);                                                                \
  }
KERNELS(f16, Half)
KERNELS(bf16, BFloat)
KERNELS(f32, Single)
