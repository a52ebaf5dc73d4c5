//===- Resets.h - resets of states in kernels -*- C++ -*-===//
//
// The operand `resets` of the layer ops (docs/Semantics.md, "Resets"). A cut has the time of its mark, in [0, T].
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_RESETS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_RESETS_H

#include "rnn/Codegen/GPU/Matrix.h"
#include "rnn/Codegen/GPU/Step.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn {

/// The marks of an op; false if it has none. An i1 `reset` that is null means: never.
class Resets {
public:
  Resets() = default;
  /// `marks`: a dense buffer [T, B] of i1, or [B, T] if `isBatchMajor`; or null. `lengths`: i32 [B], or null.
  Resets(Value marks, ResetTo target, Value T, Value lengths, int64_t numDirections, bool isBatchMajor)
      : marks(marks), toInitial(marks && target == ResetTo::Initial), T(T), lengths(lengths),
        numDirections(numDirections), isBatchMajor(isBatchMajor) {}

  explicit operator bool() const { return bool(marks); }
  /// True if states are reset to the initial ones, false if to zero.
  bool isToInitial() const { return toInitial; }

  /// The cut between step `t` and the previous step of `direction`, and the one between it and the next step.
  Value cutBefore(const Emitter &e, Value direction, Value t) const;
  Value cutAfter(const Emitter &e, Value direction, Value t) const;
  /// Loads the mark of a cut, an i8. It requires T > 0.
  Value load(const Emitter &e, Value cut, Value b) const;
  /// True if the loaded mark of a cut is set and has an effect. `length`: that of the example, or null.
  Value isSet(const Emitter &e, Value mark, Value cut, Value length) const;
  /// The same with the loads; null without marks.
  Value isSetAt(const Emitter &e, Value cut, Value b) const;
  /// True if a reset separates `step` from the next one. Null without marks.
  Value isSetAfter(const Emitter &e, const Step &step, Value steps, Value b) const;
  /// True if the state before the first of `steps` steps is reset to zero; `steps` may be zero. `t`: the time of that
  /// step. Null: never.
  Value isSetAtStart(const Emitter &e, Value direction, Value t, Value steps, Value b) const;

  /// The state that a step starts from: `before`, or if `reset` zero or the initial state.
  Value apply(const Emitter &e, Value reset, Value before, function_ref<Value()> initial) const;
  /// The gradient of a state that reaches the step before a cut. The other part is added to `initial` unless that is
  /// null.
  Value endGradient(const Emitter &e, Value reset, Value gradient, Value *initial = nullptr) const;

  // Per-step kernels of a backward pass keep the sum of the other parts in memory. `sums` is null unless it is needed,
  // `place` the index of an element.
  /// The same as endGradient. The last step initializes the sum.
  Value endGradient(const Emitter &e, const Step &step, Value reset, Value gradient, Value sums,
                    ValueRange place) const;
  /// The gradient of the initial state, from that of the state before the first step. Arguments as in isSetAtStart.
  Value finishGradient(const Emitter &e, Value direction, Value t, Value steps, Value b, Value gradient, Value sums,
                       ValueRange place) const;
  /// Launches a kernel that stores the states before each step, after resets, to `used`, [T*B, D*P]. `getAddress`
  /// returns the address of a state before the reset.
  void launchStates(const Emitter &host, StringRef name, Value rows, Value B, Value P, const Matrix &used,
                    function_ref<Value(const Emitter &e, Value direction, Value p, Value row)> getAddress,
                    function_ref<Value(const Emitter &e, Value b, Value p)> loadInitial) const;

private:
  Value marks;
  bool toInitial = false;
  Value T, lengths;
  int64_t numDirections = 1;
  bool isBatchMajor = false;
};

/// Resets in a persistent backward kernel: the last loop-carried values of a place, none without resets.
class CarriedReset {
public:
  /// Which gradients of initial states are requested.
  CarriedReset(const Resets &resets, bool hasState, bool hasCell)
      : resets(resets), hasState(resets.isToInitial() && hasState), hasCell(resets.isToInitial() && hasCell) {}

  /// Appends the initial values.
  void start(const Emitter &e, Type accumulator, SmallVectorImpl<Value> &carried);
  /// Reads the values.
  void take(ValueRange carried);
  void append(SmallVectorImpl<Value> &carried) const;

  /// Ends the gradients of the state and of the cell (or null) after a step. `reset` becomes that of this step.
  void endGradients(const Emitter &e, Value &state, Value *cell, Value newReset);
  /// Makes the gradients of the states before the first step those of the initial states; null: not requested.
  void finish(const Emitter &e, Value *state, Value *cell) const;

private:
  const Resets &resets;
  const bool hasState, hasCell;
  Value reset;       ///< i1: a reset separates this step from the next one
  Value state, cell; ///< what resets have added to the gradients of the initial states
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_RESETS_H
