//===- GPUMemoryEffects.h - memory effects of gpu launch ops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_GPUMEMORYEFFECTS_H
#define RNN_TRANSFORMS_GPUMEMORYEFFECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::rnn {

/// Attaches memory effects (read and write, but no ownership) to upstream's `gpu.launch_func`, `gpu.wait` and host
/// registration ops. The buffer deallocation pass rejects programs with ops of unknown effects.
void registerGPUMemoryEffects(DialectRegistry &registry);

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_GPUMEMORYEFFECTS_H
