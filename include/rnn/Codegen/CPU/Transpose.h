//===- Transpose.h - transposes of vectors in registers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CPU_TRANSPOSE_H
#define RNN_CODEGEN_CPU_TRANSPOSE_H

#include "rnn/Codegen/CPU/HostBuilder.h"

namespace mlir::rnn::cpu {

/// Transposes a square matrix of elements as wide as the accumulation type, by shuffles that are one instruction each:
/// they move elements within 128-bit lanes, or whole 128-bit lanes.
void transpose(HostBuilder &b, SmallVectorImpl<Value> &rows);

} // namespace mlir::rnn::cpu

#endif // RNN_CODEGEN_CPU_TRANSPOSE_H
