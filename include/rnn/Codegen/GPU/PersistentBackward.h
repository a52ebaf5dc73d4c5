//===- PersistentBackward.h - backward recurrences as persistent kernels -*- C++ -*-===//
//
// In each step, a block multiplies the gate gradients of its units with its part of the weights and sends the partial
// sums to the blocks that own the other units.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_PERSISTENTBACKWARD_H
#define RNN_CODEGEN_GPU_PERSISTENTBACKWARD_H

#include "rnn/Codegen/GPU/PersistentKernel.h"

namespace mlir::rnn {

/// The arithmetic of a layer in a backward kernel. Functions are called while the kernel is built, except
/// `computesStateGradient`; values have the accumulator type or are indices.
class PersistentBackwardLayer {
public:
  using Place = PersistentPlace;
  /// The results of a step in one place.
  struct Gradients {
    SmallVector<Value> states;  ///< of the gates' arguments with respect to the state; input of the next GEMM
    SmallVector<Value> inputs;  ///< with respect to the input, if they differ
    SmallVector<Value> carried; ///< loop-carried values for the next step
  };

  virtual ~PersistentBackwardLayer() = default;

  /// The weight from the state of unit `from` to `gate` of `unit`.
  virtual Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const = 0;
  /// Values of a place that all steps use.
  virtual SmallVector<Value> readOnce(const Emitter &e, const Place &place) const { return {}; }
  /// The initial loop-carried values. If the recurrence runs in several launches, the first one is the gradient of the
  /// state without the part from the GEMM.
  virtual SmallVector<Value> start(const Emitter &e, const Place &place) const = 0;
  /// Loads the inputs of a step that do not depend on the previous one. Called a step ahead, to hide the latency of
  /// memory; so it must not compute with what it loads, which would wait for it.
  virtual SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const = 0;
  /// The arithmetic on values of `read` that does not depend on the previous step; executed while its messages travel.
  virtual SmallVector<Value> prepare(const Emitter &e, const Step &step, ArrayRef<Value> values) const = 0;
  /// Emits the arithmetic of a step. `values` are the results of `prepare`. `sum` is the gradient of the state, from
  /// the GEMM of the previous iteration.
  virtual Gradients stepBack(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values,
                             Value sum, ValueRange carried) const = 0;
  /// Stores results. `states` and `inputs`: as in Gradients, or already rounded to the element type.
  virtual void store(const Emitter &e, const Place &place, const Step &step, ArrayRef<Value> states,
                     ArrayRef<Value> inputs) const = 0;
  /// Returns true if the gradient of the initial state is requested.
  virtual bool computesStateGradient() const = 0;
  /// Called after the last step with its `carried` values and the gradient `sum` of the initial state (null unless
  /// `computesStateGradient`).
  virtual void finish(const Emitter &e, const Place &place, Value sum, ValueRange carried) const = 0;
};

/// Launches the kernel, and before it one that orders the weights.
void launchPersistentBackward(const Emitter &host, const PersistentRecurrence &recurrence,
                              const PersistentBackwardShape &shape, const PersistentBackwardLayer &layer);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_PERSISTENTBACKWARD_H
