//===- Options.cpp - vector and bf16 options of generated CPU code -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/CPU/Options.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::rnn;

FailureOr<HostVectors> rnn::getHostVectors(MLIRContext *context, unsigned bits, unsigned registers, unsigned blockDepth,
                                           unsigned fmaUnits, BF16Gemm bf16Gemm, BF16Gemm bf16GemmOneRow) {
  if (bits < 64 || bits > 2048 || !llvm::isPowerOf2_32(bits)) {
    emitError(UnknownLoc::get(context), "expects `vector-bits` to be a power of 2 in [64, 2048], but got ") << bits;
    return failure();
  }
  for (auto [name, value] : {std::pair("block-depth", blockDepth), std::pair("fma-units", fmaUnits)})
    if (value == 0) {
      emitError(UnknownLoc::get(context)) << "expects `" << name << "` to be at least 1, but got 0";
      return failure();
    }
  HostVectors vectors;
  vectors.bits = bits;
  vectors.registers = registers;
  vectors.blockDepth = blockDepth;
  vectors.fmaUnits = fmaUnits;
  vectors.bf16Gemm = bf16Gemm == BF16Gemm::Auto ? BF16Gemm::VNNI : bf16Gemm;
  vectors.bf16GemmOneRow = bf16GemmOneRow == BF16Gemm::Auto ? vectors.bf16Gemm : bf16GemmOneRow;
  return vectors;
}
