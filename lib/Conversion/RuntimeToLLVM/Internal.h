//===- Internal.h - shared by the passes of this folder -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
#define RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::rnn {

/// The function type of an entry point of the runtime or the emulator, derived from abi.def and simt.def. Null if neither
/// declares it.
LLVM::LLVMFunctionType getEntryType(StringRef entry, MLIRContext *context);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
