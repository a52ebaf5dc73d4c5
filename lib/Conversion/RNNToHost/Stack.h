//===- Stack.h - a stack of layers, for both passes of the cudnn ops -*- C++ -*-===//
//
// A stack of layers in one or two directions over opaque parameters. The reserve space has the layout of the host's
// plans, so a plan can run the forward pass and generated code the backward pass, or the reverse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOHOST_STACK_H
#define RNN_LIB_CONVERSION_RNNTOHOST_STACK_H

#include "../Common/StackValues.h"
#include "Layers.h"
#include "rnn/Codegen/Cells/RNN.h"

namespace mlir::rnn::host {

/// The tensors of parameters, or of their gradients, in one buffer.
struct ParamsBuffer {
  Value buffer;           ///< null: not requested
  Value offsets;          ///< a table of their offsets, which may have no rows; null: they have the opaque layout
  StackValues::Params at; ///< offsets of the tensors of the current layer and direction
};

/// i1: the table has rows, so the parameters are separate.
Value hasRows(HostBuilder &b, Value offsets);

/// The sizes that those of the tensors of parameters depend on.
struct StackShape {
  Value I, H, P, L;
  int64_t G, D; ///< gates, directions
  bool skips;   ///< layer 0 has no input weights
};

/// Emits the run-time checks of `params.offsets` [C17]. `name` is the operand of the buffer, `params` or
/// `params_backprop`, for messages; the operand of the table is `<name>_offsets`.
void checkOffsets(HostBuilder &b, LayerOpInterface op, Value call, const StackShape &shape, const ParamsBuffer &params,
                  StringRef name);

/// A stack of layers, and the layer and direction that code is generated for.
class Stack {
public:
  /// `gradients` has a buffer in the gradient only. `reserve` is the i8 buffer of a training pass, or null.
  Stack(HostBuilder &b, const StackValues &sizes, const DropoutMask &mask, ParamsBuffer params, ParamsBuffer gradients,
        Value reserve);

  HostBuilder &b;
  const StackValues &sizes;
  const DropoutMask &mask;
  ParamsBuffer params, gradients;
  Value saved; ///< the reserve space after its header; null in inference
  Value draw;  ///< of the dropout masks
  Value rows;  ///< T * B
  Value width; ///< of a layer's output, D * P
  bool hasOneLayer;

  Value layer, direction, pseudo; ///< pseudo is layer * D + direction
  StackValues::Reserve kept;      ///< offsets in the reserve space

  bool isLSTM() const { return sizes.mode == CellMode::Lstm; }
  bool isGRU() const { return sizes.mode == CellMode::Gru; }
  bool drops() const { return saved && mask.rate > 0 && !hasOneLayer; }

  /// Sets the sizes and blocks of `layer`. The new gate of a GRU has two blocks, since the reset gate multiplies only
  /// the state's part: n of the input, r, z, n of the state. So the input and the state each write three consecutive
  /// blocks.
  void describe(Layer &layer);
  enum GRUBlock { NewOfInput, Reset, Update, NewOfState };
  /// The block of the parameters that a block of the layer belongs to.
  int64_t gateOf(int64_t block) const;
  Layer::GateWeights getGateWeights(const Layer &layer, Layer::Weights weights, int64_t block);

  /// Of a plain cell.
  Activation getActivation() const { return sizes.mode == CellMode::RnnTanh ? Activation::Tanh : Activation::Relu; }

  /// Runs `body` for every layer, from the last one if `reversed`.
  void forLayers(bool reversed, function_ref<void()> body);
  /// Runs `body` for every direction of the layer.
  void forDirections(Layer &layer, function_ref<void()> body);
  Value isFirstLayer() { return b.compare(arith::CmpIPredicate::eq, layer, b.index(0)); }
  Value isLastLayer() { return b.compare(arith::CmpIPredicate::eq, layer, b.sub(sizes.L, b.index(1))); }
  /// The first row of this layer and direction in a state [L * D, B, .].
  Value stateRow() { return b.mul(pseudo, sizes.B); }

  /// What the weights of this layer and direction are packed from.
  template <typename OpTy> WeightsSource getWeights(OpTy op, const Problem &p) {
    std::string form = "stack mode=" + stringifyCellMode(op.getMode()).str() +
                       " input=" + stringifyInputMode(op.getInputMode()).str() +
                       " direction=" + stringifyDirection(op.getDirection()).str() +
                       " projection=" + std::to_string(p.projected ? int64_t(op.getNumProj()) : 0);
    return {params.buffer,
            form,
            sizes.I,
            p.H,
            pseudo,
            b.mul(sizes.L, sizes.D),
            params.offsets ? hasRows(b, params.offsets) : Value()};
  }

  /// A matrix in a dense buffer of one dimension.
  Value matrix(Value buffer, Value offset, Value rows, Value columns, Value rowStride = Value()) {
    return asMatrix(b, buffer, offset, rows, columns, rowStride);
  }
  Value inputWeights(const ParamsBuffer &p, Value columns) { return gateRows(p.buffer, p.at.inputWeights, columns); }
  Value recurrentWeights(const ParamsBuffer &p) { return gateRows(p.buffer, p.at.recurrentWeights, sizes.P); }
  Value projection(const ParamsBuffer &p) { return matrix(p.buffer, p.at.projection, sizes.P, sizes.H); }
  /// The states of a layer, with the columns of both directions.
  Value statesOf(Value layer) { return matrix(saved, sizes.reserveOf(layer, b.index(0)).states, rows, width); }
  /// Regions of the reserve space of this layer and direction, with T*B rows.
  Value gates() { return matrix(saved, kept.gates, rows, sizes.gateRows()); }
  Value cells() { return matrix(saved, kept.cell, rows, sizes.H); }
  Value linear() { return matrix(saved, kept.linear, rows, sizes.H); }
  Value hidden() { return matrix(saved, kept.hidden, rows, sizes.H); }

  /// Applies the dropout mask over the output of `layer`: dropped elements are 0, the others are scaled.
  void drop(Value source, Value target, Value layer);

private:
  /// Sets `tensors.at` for the current layer and direction, from the table if that has rows.
  void find(ParamsBuffer &tensors);
  Value gateRows(Value params, Value offset, Value columns) {
    return matrix(params, offset, sizes.gateRows(), columns);
  }
};

void emitStackForward(HostBuilder &b, CudnnForwardOp op, Stack &stack, KernelLibrary &library);
void emitStackBackward(HostBuilder &b, CudnnBackpropOp op, Stack &stack, KernelLibrary &library);

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_RNNTOHOST_STACK_H
