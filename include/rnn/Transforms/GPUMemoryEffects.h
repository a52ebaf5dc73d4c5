//===- GPUMemoryEffects.h - what launches do to memory -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_GPUMEMORYEFFECTS_H
#define RNN_TRANSFORMS_GPUMEMORYEFFECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::rnn {

/// Makes upstream's `gpu.launch_func` and its companions say that they read and write memory, but own none: without
/// that the insertion of deallocations refuses programs that launch kernels.
void registerGPUMemoryEffects(DialectRegistry &registry);

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_GPUMEMORYEFFECTS_H
