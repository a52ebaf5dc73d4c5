//===- Options.h - vector and bf16 options of generated CPU code -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_OPTIONS_H
#define RNN_CODEGEN_CPU_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::rnn {

/// Arithmetic of bf16 GEMMs. All of them accumulate in f32.
enum class BF16Gemm {
  F32,  ///< Packing converts both operands to f32.
  VNNI, ///< Weights stay bf16 in VNNI packing and are widened to f32 in registers. Requires a little-endian processor.
  Dot,  ///< Both operands stay bf16 (computed ones are rounded); f32 arithmetic multiplies them.
  AVX512, ///< As Dot, by VDPBF16PS of AVX512-BF16, which flushes denormals to zero.
  NEON,   ///< As Dot, by BFDOT of AArch64.
};

/// The enumerator for an option value: `f32`, `pairs`, `dots`, `avx512` or `neon`.
std::optional<BF16Gemm> symbolizeBF16Gemm(llvm::StringRef name);

/// The vector unit that code is generated for. Generated code runs on every processor that has the instructions of
/// `bf16Gemm`; the other members affect speed only.
struct HostVectors {
  unsigned bits = 256;     ///< of one vector register
  unsigned registers = 16; ///< number of vector registers
  BF16Gemm bf16Gemm = BF16Gemm::VNNI;
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CPU_OPTIONS_H
