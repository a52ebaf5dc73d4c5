//===- Internal.h - shared by the files of this folder -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
#define RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::rnn {

/// The type of an entry of the runtime or of its emulator, computed from abi.def and simt.def. Null if neither lists it.
LLVM::LLVMFunctionType getEntryType(StringRef entry, MLIRContext *context);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RUNTIMETOLLVM_INTERNAL_H
