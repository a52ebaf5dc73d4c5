//===- Options.h - vector and bf16 options of generated CPU code -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_OPTIONS_H
#define RNN_CODEGEN_CPU_OPTIONS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "rnn/Target/Options.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir::rnn {

/// The vector unit that code is generated for. Generated code runs on every processor that has the instructions of
/// `bf16Gemm`; the other members affect speed only.
struct HostVectors {
  unsigned bits = 256;       ///< of one vector register
  unsigned registers = 16;   ///< number of vector registers
  unsigned blockDepth = 256; ///< rows of a panel of a GEMM's right operand that all tiles of a column read in turn
  unsigned fmaUnits = 2;     ///< FMAs on whole vectors that the processor starts per cycle
  BF16Gemm bf16Gemm = BF16Gemm::VNNI;
  BF16Gemm bf16GemmOneRow = BF16Gemm::VNNI; ///< of layers with batch size 1
};

/// The vector unit for the options of a conversion pass. Emits an error and fails if `bits` is no power of 2 in
/// [64, 2048], or `blockDepth` or `fmaUnits` is 0. `Auto` is VNNI; for batch size 1 it is `bf16Gemm`.
FailureOr<HostVectors> getHostVectors(MLIRContext *context, unsigned bits, unsigned registers, unsigned blockDepth,
                                      unsigned fmaUnits, BF16Gemm bf16Gemm, BF16Gemm bf16GemmOneRow = BF16Gemm::Auto);

/// Whether processors with the instructions of a bf16 GEMM also have one that rounds f32 to bf16.
inline bool hasBF16Rounding(BF16Gemm gemm) {
  return gemm == BF16Gemm::AVX512 || gemm == BF16Gemm::NEON || gemm == BF16Gemm::AMX;
}

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CPU_OPTIONS_H
