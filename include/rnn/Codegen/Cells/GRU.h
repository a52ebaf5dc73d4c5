//===- GRU.h - the GRU cell -*- C++ -*-===//
//
// One step of one unit of one example (or a vector of units), between the GEMMs, with the reset gate applied after the
// recurrent GEMM, as cuDNN does. Equations: docs/Semantics.md, "cuDNN layers".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CELLS_GRU_H
#define RNN_CODEGEN_CELLS_GRU_H

#include "rnn/Codegen/Cells/CellBuilder.h"

namespace mlir::rnn {

/// One value for each gate: reset, update, new.
struct GRUGates {
  Value r, z, n;
};

/// Values of a forward step, in the order of computation.
enum class GRUValue { R, Z, N, H };

struct GRUStep {
  GRUGates gates;
  Value h;
};

/// Called with each value when it is computed, so that the caller can store it while it is in a register.
using GRUProducedFn = function_ref<void(GRUValue which, Value value)>;

/// `arguments`: of r and z, and the part of n's argument that comes from the input. `linear`: q = R_n h' + bR_n.
///
///     r = sigmoid(a_r)      z = sigmoid(a_z)      n = tanh(a_n + r * q)      h = (1 - z) * n + z * h'
GRUStep stepGRU(const CellBuilder &b, const GRUGates &arguments, Value linear, Value hBefore,
                GRUProducedFn produced = nullptr);

struct GRUGradients {
  GRUGates arguments; ///< of the gates; that of n is also the one of its part from the input
  Value linear;       ///< of q
  Value hBefore;      ///< of h', without the part from the GEMM
};

/// `gates`, `linear`, `hBefore`: of the forward step. `dh`: the gradient of the step's h.
///
///     dn = dh * (1 - z) * (1 - n^2)      dz = dh * (h' - n) * z * (1 - z)
///     dr = dn * q * r * (1 - r)          dq = dn * r                         dh' = dh * z
GRUGradients stepGRUBackward(const CellBuilder &b, const GRUGates &gates, Value linear, Value hBefore, Value dh);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CELLS_GRU_H
