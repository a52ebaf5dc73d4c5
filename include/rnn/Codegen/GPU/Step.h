//===- Step.h - one time step of a recurrence -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_STEP_H
#define RNN_CODEGEN_GPU_STEP_H

#include "rnn/Codegen/GPU/Emitter.h"

namespace mlir::rnn {

/// One time step of one direction.
struct Step {
  Value number;            ///< position in the order of the direction, from 0; -1 is the initial state
  Value direction;         ///< 0 or 1
  Value t, earlier, later; ///< time index of this step, of step number - 1 and of step number + 1
  Value isFirst, isLast;   ///< whether `number` is the least or the greatest one
};

/// The step `number` of `direction`; `last` is the greatest number.
Step makeStep(const Emitter &e, Value direction, int64_t numDirections, Value number, Value last, Value isFirst,
              Value isLast);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_STEP_H
