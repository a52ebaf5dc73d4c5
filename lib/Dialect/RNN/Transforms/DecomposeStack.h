//===- DecomposeStack.h - the cudnn layer ops as linalg ops -*- C++ -*-===//
//
// The equations of docs/Semantics.md ("cuDNN layers") written once more, independently of the fused loops: the
// decomposition is also a reference for their results.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_TRANSFORMS_DECOMPOSESTACK_H
#define RNN_LIB_DIALECT_RNN_TRANSFORMS_DECOMPOSESTACK_H

#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/DropoutMask.h"
#include "rnn/Dialect/RNN/Transforms/TensorBuilder.h"

namespace mlir::rnn {

/// In a body with the loops (step, ...): i1, step + `ahead` is less than `length`, an i32 scalar.
Value isBeforeEnd(const ElementBuilder &e, Value length, int64_t ahead = 0);

/// The resets of one direction.
struct ResetRows {
  using Size = TensorBuilder::Size;

  /// `marks`: i1 [steps, batch], or null without resets. `lengths`: i32 [batch], or null.
  ResetRows(const TensorBuilder &t, Value marks, bool toInitial, Value lengths, Size steps, Size batch,
            bool isReverse = false);

  /// The states [B,width] that `step` uses; `initial` [B,width].
  Value apply(const TensorBuilder &t, Size step, Value state, Value initial) const;
  /// The same for all steps: `states` [T,B,width] are those before each step.
  Value applyToAll(const TensorBuilder &t, Value states, Value initial) const;
  /// Whether a gradient adds to that of the initial states.
  bool addsToInitial() const { return rows && toInitial; }
  /// Ends the gradient of the states before `step` at the resets. `initial` sums the parts that add to the gradient of
  /// the initial states; it is not used unless `addsToInitial`.
  void end(const TensorBuilder &t, Size step, Value &gradient, Value &initial) const;
  /// The gradient of the initial states: `gradient` plus the sum of `end`.
  Value add(const TensorBuilder &t, Value gradient, Value initial) const;

private:
  Value rowOf(const TensorBuilder &t, Size step) const;

  Value rows; ///< i1 [steps, batch]: the states are reset before the step; null: never
  bool toInitial;
  Size steps, batch;
};

/// One stack of layers: its sizes, operands and parameters. Layer 0, whose input has another width, is emitted alone;
/// one scf.for runs the layers above, so the code does not grow with their number.
class StackDecomposition {
public:
  using Size = TensorBuilder::Size;
  using Operand = TensorBuilder::Operand;

  /// `isProjected`: the op has projection matrices. `draw`: the draw of the dropout masks (i64), or null without
  /// dropout.
  StackDecomposition(OpBuilder &b, CudnnForwardOp op, bool isProjected, Value draw);
  StackDecomposition(OpBuilder &b, CudnnBackpropOp op, bool isProjected, Value draw);

  /// The values of the forward pass, in the compute type except the states. The saved ones are absent where a mode
  /// lacks them, or if only the output is required.
  struct Forward {
    Value outputH, outputC;
    Value states; ///< of a layer [1,T,B,D*P], or of all [L,T,B,D*P]; padded steps: the state before
    Value gates;  ///< [L*D,T,B,G*H] after the activation; not for rnn_*
    Value cell;   ///< lstm: [L*D,T,B,H]
    Value linear; ///< gru: [L*D,T,B,H], q = Rn h + bRn
    Value hidden; ///< projection: [L*D,T,B,H]; padded steps: 0
  };
  /// `saves`: keeps what the gradient reads.
  Forward emitForward(bool saves);
  /// The result `output`.
  Value emitOutput(const Forward &forward);

  struct Gradients {
    Value input, inputH, inputC, params;
  };
  /// Runs the forward pass again and then the gradient. CSE merges the former with an existing one.
  Gradients emitBackward(Value dOutput, Value dOutputH, Value dOutputC, bool needsInput, bool needsParams);

private:
  template <typename OpTy> void init(OpTy op);

  rnn_layout::StackLayout<TensorBuilder> layout() const;
  Size at(int64_t value) const { return t.constant(value); }
  bool isLSTM() const { return mode == CellMode::Lstm; }
  bool isGRU() const { return mode == CellMode::Gru; }
  bool hasGates() const { return isLSTM() || isGRU(); }
  Value params1D(Size offset, Size size) const { return t.slice(params, {offset}, {size}); }
  Value matrix(Size offset, Size rows, Size columns) const;
  /// One gate of one step [B,H] of `rows`, which is [T,B,G*H] or, if `all` (of all pseudo layers), [L*D,T,B,G*H].
  Value gateOf(Value rows, Size step, int64_t gate) const;
  Value stepOf(Value all, Size index, Size step, Size offset, Size width) const;
  Value setStep(Value step, Value all, Size index, Size at, Size offset, Size width) const;

  Value layerInput(Size layer, const Forward &forward, bool saves) const;
  Value drop(Size layer, Value rows) const;
  void runLayer(Size layer, Forward &forward, bool saves);
  void runSteps(Size layer, int64_t direction, Value fromInput, Size stateIndex, Forward &forward);

  struct DirectionGradients {
    Value input;     ///< of the arguments, as they depend on the layer's input [T,B,G*H]
    Value recurrent; ///< as they depend on the state before; the same but for gru
    Value projected; ///< projection: of the projected state [T,B,P]
    Value statesBefore;
  };
  Value runLayerBackward(Size layer, const Forward &forward, Value dOutput, bool needsInput, Gradients &gradients);
  DirectionGradients runStepsBackward(Size layer, int64_t direction, const Forward &forward, Value dOutput,
                                      Gradients &gradients);
  void storeParams(Size layer, int64_t direction, const DirectionGradients &d, Value x, const Forward &forward,
                   Gradients &gradients);

  /// Adds the operands by which a body finds whether the step of a row is padded, and returns the condition in the
  /// body.
  void addLengths(SmallVectorImpl<Operand> &inputs, Size step) const;
  /// `rows` [T,B,width] in `element`, zero at padded steps. Requires `lengths`.
  Value maskPadding(Value rows, Size width) const;
  Value isValid(const ElementBuilder &e, ValueRange scalars, size_t first) const;

  TensorBuilder t;
  CellMode mode;
  int64_t D, G;
  bool skips, isProjected;
  Type element, compute;
  Size T, B, I, H, P, L, GH, DP;
  Value input, inputH, inputC, params, lengths;
  SmallVector<ResetRows, 2> resets; ///< of each direction
  std::optional<DropoutMask> dropout;
  Value draw;
};

/// The results of the block ops; empty on failure never happens for valid ops. Results without uses are uninitialized.
SmallVector<Value> decomposeBlockLSTM(OpBuilder &b, BlockLSTMOp op);
SmallVector<Value> decomposeBlockLSTMGrad(OpBuilder &b, BlockLSTMGradOp op);

/// The accumulation type: f64 for f64, else f32.
Type getComputeType(Type element);

} // namespace mlir::rnn

#endif // RNN_LIB_DIALECT_RNN_TRANSFORMS_DECOMPOSESTACK_H
