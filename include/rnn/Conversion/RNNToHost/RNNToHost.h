//===- RNNToHost.h - rnn ops to compiled loops of the host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
#define RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rnn {

/// Marks functions (in LLVM IR, too) whose loops are tiled and unrolled already: compilers should leave them as they are.
inline constexpr StringLiteral handTiledAttribute = "rnn-hand-tiled";

/// How products of bf16 are made. Sums are f32 in all of them.
enum class BF16Products {
  F32,    ///< factors become f32 when they are packed
  Pairs,  ///< weights stay bf16, rows in pairs, and become f32 in registers; for processors with the first byte of a
          ///< number lowest
  Dots,   ///< all factors stay bf16 (what is computed is rounded), and pairs of them are multiplied by f32 arithmetic
  Avx512, ///< the same by instructions of AVX512-BF16, which take numbers below 2^-126 for zero
  Neon,   ///< the same by BFDOT of AArch64
};

/// By its name in options: `f32`, `pairs`, `dots`, `avx512`, `neon`; nothing: no such name.
std::optional<BF16Products> symbolizeBF16Products(StringRef name);

/// What the generated code is shaped for. It is right on every processor that has what `bf16Products` names; these
/// decide how fast.
struct HostVectors {
  /// Bits of one vector register.
  unsigned bits = 256;
  /// How many of them there are.
  unsigned registers = 16;
  BF16Products bf16Products = BF16Products::Pairs;
};

/// Turns each block LSTM op in memref form with lowering `fused` into loops; other ops are left alone. Functions that
/// the loops share are added to the module.
void convertRNNToHost(ModuleOp module, const HostVectors &vectors);

} // namespace mlir::rnn

#endif // RNN_CONVERSION_RNNTOHOST_RNNTOHOST_H
