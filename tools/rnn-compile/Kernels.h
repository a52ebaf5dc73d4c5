//===- Kernels.h - the GPU kernels of a compiled module -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_COMPILE_KERNELS_H
#define RNN_TOOLS_RNN_COMPILE_KERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::rnn {

/// The PTX or machine code in the `gpu.binary` of a module after stage emit. An error if it has no kernels.
llvm::Expected<std::string> getKernels(ModuleOp module);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_COMPILE_KERNELS_H
