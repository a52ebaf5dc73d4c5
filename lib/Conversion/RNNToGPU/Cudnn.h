//===- Cudnn.h - what both passes of the cudnn ops share -*- C++ -*-===//
//
// A stack of layers in one or two directions over opaque parameters. What a training pass keeps has the layout of the
// host's plans, so that either may run the other pass.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_CUDNN_H
#define RNN_LIB_CONVERSION_RNNTOGPU_CUDNN_H

#include "../Common/StackValues.h"
#include "Cells.h"
#include "Layers.h"

namespace mlir::rnn {

/// Places in a buffer, one for each direction.
struct Places {
  Value first, step; ///< `step` from one direction to the next

  Value at(const Emitter &e, Value direction) const { return e.add(first, e.mul(direction, step)); }
};

/// What the op says, and the layer that is in work.
class Stack {
public:
  template <typename OpTy>
  Stack(const Emitter &host, OpTy op, SymbolicDims &dims, bool isProjected)
      : host(host), dense(host.builder, host.loc), sizes(host.builder, op, dims, isProjected), mask(op),
        cell(Cell::create(op.getMode())), points(host.mul(sizes.T, sizes.B)), width(sizes.outputWidth()),
        hasOneLayer(getConstantIntValue(sizes.L) == 1) {
    x = read(op.getInput());
    h0 = read(op.getInputH());
    c0 = read(op.getInputC());
    params = read(op.getParams());
    lengths = read(op.getSequenceLengths());
  }

  Emitter host;
  DenseBuffers dense;
  StackValues sizes;
  DropoutMask mask;
  std::unique_ptr<Cell> cell;
  Value points; ///< T * B
  Value width;  ///< of a layer's output, D * P
  bool hasOneLayer;

  // Buffers of one dimension, or null.
  Value x, h0, c0, params, lengths;
  Value saved; ///< the reserve space behind its header
  Value draw;  ///< of the dropout masks, in the header

  // Of the layer.
  Value layer, isFirst, isLast;
  Places inputWeights, recurrentWeights, projection, inputBias, recurrentBias;
  Places gates, cells, linear, hidden;

  Value read(Value buffer) { return flat(dense.read(buffer)); }
  Value write(Value buffer) { return flat(dense.write(buffer)); }
  /// Scratch of so many elements.
  Value allocate(Value count, Type type);
  /// Takes the reserve space (an i8 buffer).
  void setReserve(Value reserve);

  /// Runs `body` for every layer, from the last one if `reversed`.
  void forEachLayer(bool reversed, function_ref<void()> body);
  bool drops() const { return mask.rate > 0 && !hasOneLayer; }
  /// The states that a layer keeps, [T*B, D*P].
  Matrix statesOf(Value layer) const;

  /// In a kernel: whether row b has step t; null where all have.
  Value isInside(const Emitter &e, Value t, Value b) const;
  /// An element of a buffer in the type of sums.
  Value load(const Emitter &e, Value buffer, Value place) const {
    return e.convert(e.load(buffer, {place}), sizes.compute);
  }
  /// The row of a state [L * D, B, .].
  Value stateRow(const Emitter &e, Value direction, Value b) const {
    Value pseudo = e.add(e.mul(layer, e.index(sizes.D)), direction);
    return e.add(e.mul(pseudo, sizes.B), b);
  }
  /// What dropout leaves of an element of the output of `ofLayer`.
  Value drop(const Emitter &e, Value value, Value ofLayer, Value row, Value column) const;

private:
  Value flat(Value buffer) const { return buffer ? flatten(host, buffer) : buffer; }
  void setLayer(Value layer);
};

void lowerCudnnForward(CudnnForwardOp op, Stack &stack);
void lowerCudnnBackward(CudnnBackpropOp op, Stack &stack);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_CUDNN_H
