//===- Activations.h - activations of cells in GPU kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_ACTIVATIONS_H
#define RNN_CODEGEN_GPU_ACTIVATIONS_H

#include "rnn/Codegen/Cells/CellBuilder.h"
#include "rnn/Codegen/GPU/Emitter.h"

namespace mlir::rnn {

/// The equations of cells on scalars. In f32 the activations have no branches and use approximate instructions of the
/// GPU; docs/Semantics.md states their errors. f64 uses libdevice.
class KernelCellBuilder : public CellBuilder {
public:
  explicit KernelCellBuilder(const Emitter &e) : CellBuilder(e.builder, e.loc), options(e.options) {}

  Value sigmoid(Value x) const override;
  Value tanh(Value x) const override;

private:
  /// 2^x and 1 / x, by one instruction each.
  Value exp2(Value x) const;
  Value reciprocal(Value x) const;

  KernelOptions options;
};

/// The equations of cells on scalars, at the insertion point of `e`.
inline KernelCellBuilder getCellBuilder(const Emitter &e) {
  return KernelCellBuilder(e);
}

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_ACTIVATIONS_H
