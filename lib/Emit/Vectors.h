//===- Vectors.h - vector registers of the processor that code is made for -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_EMIT_VECTORS_H
#define RNN_LIB_EMIT_VECTORS_H

#include "rnn/Pipelines/Pipelines.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {
class TargetMachine;
}

namespace mlir::rnn {

/// The options with the vector registers of `machine`, and `bf16Gemm` resolved. An error if that names instructions
/// which the machine does not have.
llvm::Expected<PipelineOptions> withVectorsOf(const llvm::TargetMachine &machine, PipelineOptions options);

/// The code generator's level for the optimization level `level`. Level 0 of LLVM 22 fails for AMX tiles that are live
/// across blocks.
llvm::CodeGenOptLevel getCodeGenLevel(const PipelineOptions &options, unsigned level);

} // namespace mlir::rnn

#endif // RNN_LIB_EMIT_VECTORS_H
