//===- MemoryEffects.h - memory effects of gpu and mpi ops -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_MEMORYEFFECTS_H
#define RNN_TRANSFORMS_MEMORYEFFECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::rnn {

/// Attaches memory effects (read and write, but no ownership) to upstream's ops without them: launches, waits and host
/// registrations of the gpu dialect, and communication of the mpi dialect. The buffer deallocation pass rejects
/// programs with ops of unknown effects.
void registerMemoryEffectExternalModels(DialectRegistry &registry);

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_MEMORYEFFECTS_H
