//===- HostCells.h - the equations of cells on vectors of the host -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_HOSTCELLS_H
#define RNN_LIB_CONVERSION_RNNTOHOST_HOSTCELLS_H

#include "rnn/Codegen/CPU/HostBuilder.h"
#include "rnn/Codegen/Cells/CellBuilder.h"

namespace mlir::rnn::host {

/// Fuses products with sums where the processor can, and computes activations by polynomials, without calls.
class HostCells final : public CellBuilder {
public:
  explicit HostCells(cpu::HostBuilder &b) : CellBuilder(b, b.getLoc(), arith::FastMathFlags::contract), b(b) {}

  Value mulAdd(Value a, Value x, Value c) const override { return b.fma(a, x, c); }
  Value sigmoid(Value x) const override { return b.sigmoid(x); }
  Value tanh(Value x) const override { return b.tanh(x); }

private:
  cpu::HostBuilder &b;
};

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_HOSTCELLS_H
