// Gemm.h - a reference GEMM on the host, for device `simt`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_GEMM_H
#define RNNRT_HOST_GEMM_H

#include "core/Gemm.h"

namespace rnnrt {

/// Computes `gemm`, which must have passed Gemm::check(). Accumulates in f32 (f64 for f64), in ascending order of
/// depth.
void hostGemm(const Gemm &gemm);

} // namespace rnnrt

#endif // RNNRT_HOST_GEMM_H
