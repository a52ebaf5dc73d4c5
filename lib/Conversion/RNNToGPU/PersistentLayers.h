//===- PersistentLayers.h - layers as persistent kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTLAYERS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTLAYERS_H

#include "Stack.h"
#include "rnn/Codegen/GPU/PersistentBackward.h"
#include "rnn/Codegen/GPU/PersistentForward.h"

namespace mlir::rnn {

/// The forward recurrence of a block LSTM. Buffers are operands and results of the block op.
struct LSTMForwardRecurrence : PersistentRecurrence {
  /// [.., 4H], the row of the first recurrent weight, and the first column of each gate in the order of LSTMGates.
  Value weights, firstRow;
  int64_t gateColumns[4];
  Value arguments; ///< [steps*B, 4H]: of the gates, from the input
  Value cellBefore, stateBefore;
  Value wci, wcf, wco;                ///< peephole, or null
  Value i, cells, f, o, g, u, states; ///< [T,B,H], results, or null; u = tanh(cells)
  double forgetBias, clip;
  Resets resets;
};
void launchLSTMForward(const Emitter &host, const LSTMForwardRecurrence &recurrence,
                       const PersistentForwardShape &shape);

/// The backward recurrence of a block LSTM. Buffers are operands and results of the block op; results may be null.
struct LSTMBackwardRecurrence : PersistentRecurrence {
  /// As in LSTMForwardRecurrence.
  Value weights, firstRow;
  int64_t gateColumns[4];
  Value i, g, f, o, u, cells; ///< [T,B,H] of the forward; u = tanh(cells)
  Value cellBefore;           ///< [B,H]
  Value cellGradients, stateGradients;
  Value wci, wcf, wco;                      ///< peephole, or null
  Value gateGradients;                      ///< [steps*B, 4H]
  Value cellGradientBefore, gradientBefore; ///< [B,H], or null
  /// Sums over the steps per example, in the accumulator type: of the gate gradients [B,4H], and of the gradients of
  /// the peephole weights [B,3H]; or null.
  Value gateSums, peepholeSums;
  Resets resets;
};
void launchLSTMBackward(const Emitter &host, const LSTMBackwardRecurrence &layer, const PersistentBackwardShape &shape);

/// The forward recurrence of the current layer of a stack.
struct StackForwardRecurrence : PersistentRecurrence {
  /// The gates' arguments from the input, in rows at `gatePlaces`; a training pass overwrites them with the gates.
  Value gates;
  Places gatePlaces;
  /// If not null, `gates` has rows for this many steps only, which tasks use in turn; `gatePlaces` is that of step 0.
  Value stepsOfGates;
  /// The layer's states in the element type and in the accumulator type; the buffer is null if they have no reader.
  Matrix output, exact;
  Value y;      ///< the result of the stack, zero past the end of a row; or null
  Value hn, cn; ///< or null
};
void launchStackForward(const Stack &stack, const StackForwardRecurrence &recurrence,
                        const PersistentForwardShape &shape);

/// The backward recurrence of the current layer of a stack. Buffers have one dimension; results may be null.
struct StackBackwardRecurrence : PersistentRecurrence {
  Value dy, between; ///< the gradient of the output of the last layer, and of the others
  Value dhn, dcn;
  Matrix states;                               ///< of the layer, [T*B, D*H]
  Value gradients, stateGradients, allColumns; ///< [T*B, allColumns], with respect to the input and to the state
  Value dh0, dc0;
  /// Sums over the steps of `gradients` and `stateGradients` per example, [B, allColumns] in the accumulator type; or
  /// null.
  Value sums, stateSums;
};
void launchStackBackward(const Stack &stack, const StackBackwardRecurrence &layer,
                         const PersistentBackwardShape &shape);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_PERSISTENTLAYERS_H
