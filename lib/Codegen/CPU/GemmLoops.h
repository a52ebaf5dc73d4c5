//===- GemmLoops.h - loops that the packed GEMMs share -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CODEGEN_CPU_GEMMLOOPS_H
#define RNN_LIB_CODEGEN_CPU_GEMMLOOPS_H

#include "MicroKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Codegen/CPU/Gemm.h"

namespace mlir::rnn::cpu {

/// The micro-kernel for operands in these buffers.
std::unique_ptr<MicroKernel> createMicroKernel(HostBuilder &b, Value left, Value right);

/// The loops of a GEMM of `rows` rows, at most Tiles::fewRows.
void emitFewRows(HostBuilder &b, const Gemm &p, MicroKernel &kernel, int64_t rows);

} // namespace mlir::rnn::cpu

#endif // RNN_LIB_CODEGEN_CPU_GEMMLOOPS_H
