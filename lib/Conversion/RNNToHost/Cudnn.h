//===- Cudnn.h - what both passes of the cudnn ops share -*- C++ -*-===//
//
// A stack of layers in one or two directions over opaque parameters. What a training pass keeps has the layout of the
// host's plans, so that either may run the other pass.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_CUDNN_H
#define RNN_LIB_CONVERSION_RNNTOHOST_CUDNN_H

#include "../Common/StackValues.h"
#include "Layers.h"

namespace mlir::rnn::host {

/// A stack of layers, and which layer and direction is in work.
class Stack {
public:
  /// `reserve` is the i8 buffer of a training pass, or null.
  Stack(HostBuilder &b, const StackValues &sizes, const DropoutMask &mask, Value params, Value reserve);

  HostBuilder &b;
  const StackValues &sizes;
  const DropoutMask &mask;
  Value params;
  Value saved;  ///< the reserve space behind its header; null in inference
  Value draw;   ///< of the dropout masks
  Value points; ///< T * B
  Value width;  ///< of a layer's output, D * P
  bool hasOneLayer;

  Value layer, direction, pseudo; ///< pseudo is layer * D + direction
  StackValues::Params at;          ///< where its parameters are
  StackValues::Reserve kept;       ///< and what it keeps

  bool isLSTM() const { return sizes.mode == CellMode::Lstm; }
  bool isGRU() const { return sizes.mode == CellMode::Gru; }
  bool drops() const { return saved && mask.rate > 0 && !hasOneLayer; }

  /// Sets up the sizes and blocks of `layer`. A GRU's new gate has two blocks, for what stands inside and outside of
  /// the product with the reset gate: n of the input, r, z, n of the state. So the input and the state each have three
  /// blocks that follow each other.
  void describe(Layer &layer);
  /// Which of the gates in the parameters a block of these belongs to.
  int64_t gateOf(int64_t block) const { return isGRU() ? (block + 2) % 3 : block; }

  /// Runs `body` for every layer, from the last one if `reversed`.
  void forLayers(bool reversed, function_ref<void()> body);
  /// Runs `body` for every direction of the layer.
  void forDirections(Layer &layer, function_ref<void()> body);
  Value isFirstLayer() { return b.compare(arith::CmpIPredicate::eq, layer, b.index(0)); }
  Value isLastLayer() { return b.compare(arith::CmpIPredicate::eq, layer, b.sub(sizes.L, b.index(1))); }
  /// The first row of this layer and direction in a state [L * D, B, .].
  Value stateRow() { return b.mul(pseudo, sizes.B); }

  /// A matrix in a dense buffer of one dimension.
  Value matrix(Value buffer, Value offset, Value rows, Value columns, Value rowStride = Value());
  Value inputWeights(Value params, Value columns) { return gateRows(params, at.inputWeights, columns); }
  Value recurrentWeights(Value params) { return gateRows(params, at.recurrentWeights, sizes.P); }
  Value projection(Value params) { return matrix(params, at.projection, sizes.P, sizes.H); }
  /// Rows of the states of a layer; they are the same for both directions.
  Value statesOf(Value layer) { return matrix(saved, sizes.reserveOf(layer, b.index(0)).states, points, width); }
  /// What the reserve space keeps of this layer and direction, with a row for each point.
  Value gates() { return matrix(saved, kept.gates, points, sizes.gateRows()); }
  Value cells() { return matrix(saved, kept.cell, points, sizes.H); }
  Value linear() { return matrix(saved, kept.linear, points, sizes.H); }
  Value hidden() { return matrix(saved, kept.hidden, points, sizes.H); }

  /// target = source, or where the mask over the output of `layer` drops an element, 0; the rest is scaled.
  void drop(Value source, Value target, Value layer);

private:
  Value gateRows(Value params, Value offset, Value columns) {
    return matrix(params, offset, sizes.gateRows(), columns);
  }
};

/// Rows of a matrix to rows of another one of any type.
void copyRows(HostBuilder &b, Value source, Value sourceRow, Value rows, Value columns, Value target, Value targetRow);

void emitCudnnForward(HostBuilder &b, CudnnForwardOp op, Stack &stack, Library &library);
void emitCudnnBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, Library &library);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_CUDNN_H
