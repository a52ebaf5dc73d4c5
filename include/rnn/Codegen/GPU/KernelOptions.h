//===- KernelOptions.h - options of the GPU code generators -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_KERNELOPTIONS_H
#define RNN_CODEGEN_GPU_KERNELOPTIONS_H

#include "mlir/IR/Types.h"

namespace mlir::rnn {

/// Numerics of a kernel, and features of the GPU that it may use.
struct KernelOptions {
  bool tf32 = false;            ///< multiply f32 on tensor cores, which round operands to tf32
  bool programmatic = false;    ///< compute capability 9.0 or later: programmatic dependent launch and clusters
  bool approximateTanh = false; ///< tanh by one instruction, for results that are rounded to 16 bits

  /// The options of the kernels of an op with this element type.
  KernelOptions forElement(Type element) const {
    KernelOptions options = *this;
    options.approximateTanh = element.getIntOrFloatBitWidth() == 16;
    return options;
  }
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_KERNELOPTIONS_H
