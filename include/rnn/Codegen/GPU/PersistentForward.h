//===- PersistentForward.h - forward recurrences as persistent kernels -*- C++ -*-===//
//
// In each step, a block multiplies the states of all units with the weights of its own units' gates, computes the
// states of its units, and sends them to every block of the cluster.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_PERSISTENTFORWARD_H
#define RNN_CODEGEN_GPU_PERSISTENTFORWARD_H

#include "rnn/Codegen/GPU/PersistentKernel.h"

namespace mlir::rnn {

/// The arithmetic of a layer in a forward kernel. Functions are called while the kernel is built; values have the
/// accumulator type or are indices.
class PersistentForwardLayer {
public:
  using Place = PersistentPlace;
  /// The results of a step in one place.
  struct Result {
    Value h;                    ///< the state; the next GEMM reads it rounded
    SmallVector<Value> carried; ///< loop-carried values for the next step
    SmallVector<Value> others;  ///< values for `store`
    Value next = nullptr;       ///< the state that the next step starts from; null: h
  };

  virtual ~PersistentForwardLayer() = default;

  /// The weight from the state of unit `from` to `gate` of `unit`; an element.
  virtual Value getWeight(const Emitter &e, Value direction, Value gate, Value unit, Value from) const = 0;
  /// The initial state; an element.
  virtual Value getState(const Emitter &e, const Place &place) const = 0;
  /// Values of a place that all steps use.
  virtual SmallVector<Value> readOnce(const Emitter &e, const Place &place) const { return {}; }
  /// The initial loop-carried values.
  virtual SmallVector<Value> start(const Emitter &e, const Place &place) const = 0;
  /// Called before `read` of the steps of a task that begins at `first`.
  virtual void startTask(const Emitter &e, Value first) const {}
  /// Loads the inputs of a step that do not depend on the previous one.
  virtual SmallVector<Value> read(const Emitter &e, const Place &place, const Step &step) const = 0;
  /// The arithmetic of a step. `sums`: the gates' arguments from the GEMM.
  virtual Result step(const Emitter &e, const Step &step, ArrayRef<Value> once, ArrayRef<Value> values,
                      ArrayRef<Value> sums, ValueRange carried) const = 0;
  virtual void store(const Emitter &e, const Place &place, const Step &step, const Result &result) const = 0;
  /// Called after the last step with its `carried` values, or with the initial ones if there is no step.
  virtual void finish(const Emitter &e, const Place &place, ValueRange carried) const {}
};

/// Launches the kernel, and before it one that orders the weights.
void launchPersistentForward(const Emitter &host, const PersistentRecurrence &recurrence,
                             const PersistentForwardShape &shape, const PersistentForwardLayer &layer);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_PERSISTENTFORWARD_H
