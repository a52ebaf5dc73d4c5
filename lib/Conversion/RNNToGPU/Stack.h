//===- Stack.h - stacks of layers in kernels, common to both passes -*- C++ -*-===//
//
// A stack of layers in one or two directions, with the parameter and reserve layouts of the runtime's plans
// (docs/Semantics.md, "Parameter layout" and "Reserve space"), so that kernels and plans can run different passes of a
// layer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_STACK_H
#define RNN_LIB_CONVERSION_RNNTOGPU_STACK_H

#include "../Common/StackValues.h"
#include "Cells.h"
#include "Layers.h"
#include "Resets.h"

namespace mlir::rnn {

/// Offsets in a buffer, one per direction.
struct Places {
  Value first, step; ///< `step` from one direction to the next

  Value at(const Emitter &e, Value direction) const { return e.add(first, e.mul(direction, step)); }
};

/// The sizes and buffers of the op, and the current layer.
class Stack {
public:
  template <typename OpTy>
  Stack(const Emitter &host, OpTy op, SymbolicDims &dims, bool isProjected, const RNNToGPUOptions &options)
      : host(host), largeGemms(options.largeGemms), dense(host.builder, host.loc),
        sizes(host.builder, op, dims, isProjected), mask(op), cell(Cell::create(op.getMode())),
        rows(host.mul(sizes.T, sizes.B)), width(sizes.outputWidth()), hasOneLayer(getConstantIntValue(sizes.L) == 1),
        isBatchMajor(op.getBatchMajor() && getConstantIntValue(sizes.T) != 1 && getConstantIntValue(sizes.B) != 1),
        firstRow(host.index(0)), numRows(rows), wavefrontChunk(options.wavefrontChunk) {
    x = read(op.getInput());
    h0 = read(op.getInputH());
    c0 = read(op.getInputC());
    params = read(op.getParams());
    lengths = read(op.getSequenceLengths());
    resets = Resets(dense.read(op.getResets()), op.getResetTo(), sizes.T, lengths, sizes.D, op.getBatchMajor());
  }

  Emitter host;
  LargeGemms largeGemms;
  DenseBuffers dense;
  StackValues sizes;
  DropoutMask mask;
  std::unique_ptr<Cell> cell;
  Value rows;  ///< T * B
  Value width; ///< of a layer's output, D * P
  bool hasOneLayer;
  bool isBatchMajor; ///< false if both orders of the sequences are the same

  // Buffers of one dimension, or null.
  Value x, h0, c0, params, lengths;
  Value saved; ///< the reserve space after its header
  Value draw;  ///< seed of the dropout masks, in the header
  Resets resets;

  // Of a wavefront (docs/internals/wavefront.md); null if the layers run one after the other.
  Value chunk;              ///< steps of a chunk
  Value hasShortChunk;      ///< an i1: a chunk may have a single step
  bool usesSignals = false; ///< the kernels of the steps are persistent
  /// Scratch memory of a chunk has parts for this many, since a GEMM runs one chunk before the steps.
  static constexpr int64_t chunksInScratch = 2;

  // Of the current task: a layer, or a chunk of its steps.
  Value chunkNumber;        ///< null: all steps
  Value firstStep, endStep; ///< null: all steps
  Value firstRow, numRows;  ///< rows t * B + b
  Value task, numTasks;     ///< its number in the stage, and the tasks of a stage; null: no wavefront
  Value signals;            ///< of the stage (rnnrt.wavefront_task)

  // Of the current layer.
  Value layer, isFirst, isLast;
  Places inputWeights, recurrentWeights, projection, inputBias, recurrentBias;
  Places gates, cells, linear, hidden;

  Value read(Value buffer) { return flat(dense.read(buffer)); }
  Value write(Value buffer) { return flat(dense.write(buffer)); }
  /// A scratch buffer of `count` elements.
  Value allocate(Value count, Type type);
  /// Sets `buffer` to a scratch buffer of the current layer: in a wavefront each layer has its own. The variable is set
  /// again whenever the layer changes.
  void allocatePerLayer(Value &buffer, Value count, Type type);
  void allocatePerLayer(Value &buffer, MemRefType type);
  /// With a wavefront, the part of `layer`, `size` elements, of a buffer of `allocatePerLayer`. Without one, layers
  /// share the whole buffer.
  Value getPart(Value all, Value size, Value layer) const;
  /// The number of buffers for the outputs of layers: two that alternate, or one for each.
  Value getNumSlots() const { return chunk ? sizes.L : host.index(2); }
  Value getSlot(Value layer) const { return chunk ? layer : host.remainder(layer, host.index(2)); }
  /// Sets the reserve space, an i8 buffer.
  void setReserve(Value reserve);

  /// Returns true if `chooseWavefront` may choose one.
  bool mayHaveWavefront() const;
  /// If there may be one, decides whether the layers run as a wavefront, before any buffer is allocated. `blocks`: of
  /// the clusters of persistent kernels, which have at most `mostRows` examples each; 0: per-step kernels.
  void chooseWavefront(int64_t blocks, int64_t mostRows);
  /// Emits a loop over the tasks of all layers and calls `first` and `second` in it, for chunks of layers as a
  /// wavefront of two stages per layer, or for entire layers. `reversed`: from the last layer and the last step.
  /// `reuses`: `first` writes to scratch memory that `second` reads and that holds `chunksInScratch` chunks, so it must
  /// not get further ahead than that.
  void forEachTask(bool reversed, bool reuses, function_ref<void()> first, function_ref<void()> second);
  /// Emits a loop over the layers, from the last one if `reversed`, and calls `body` in it.
  void forEachLayer(bool reversed, function_ref<void()> body);
  /// A matrix of all rows without those before the task.
  Matrix rowsOfTask(const Emitter &e, const Matrix &all) const;
  bool drops() const { return mask.rate > 0 && !hasOneLayer; }
  /// The rows t * B + b of an operand or result of the op: a sequence with `columns` columns.
  Matrix sequence(const Emitter &e, Value buffer, Value columns) const;
  /// The saved states of a layer, [T*B, D*P].
  Matrix statesOf(Value layer) const;

  /// The input weights of the current layer, of both directions one after the other; `columns` is the input's width.
  GemmOperand inputWeightRows(Value columns) const;

  /// An i1, true if example b has step t; null if all examples have all steps.
  Value isInside(const Emitter &e, Value t, Value b) const;
  /// An element of a buffer in the accumulator type.
  Value load(const Emitter &e, Value buffer, Value place) const {
    return e.convert(e.load(buffer, {place}), sizes.compute);
  }
  /// The row of example b in a state of shape [L * D, B, .].
  Value stateRow(const Emitter &e, Value direction, Value b) const {
    Value pseudo = e.add(e.mul(layer, e.index(sizes.D)), direction);
    return e.add(e.mul(pseudo, sizes.B), b);
  }
  /// Applies dropout to an element of the output of `ofLayer`.
  Value drop(const Emitter &e, Value value, Value ofLayer, Value row, Value column) const;
  /// Launches a kernel that applies dropout to `numRows` rows of the states of `ofLayer`.
  void launchDrop(StringRef name, const Matrix &states, Value ofLayer, const Matrix &dropped, Value firstRow,
                  Value numRows) const;
  /// Launches a kernel that copies the input to `masked` with zeros past the ends of the examples.
  void launchMask(StringRef name, Value masked) const;

private:
  /// A buffer with a part for each layer.
  struct PerLayer {
    Value *buffer;
    Value all, size; ///< `size`: of a part, in its first dimension
  };

  int64_t wavefrontChunk; ///< of the options
  SmallVector<PerLayer> perLayer;

  Value flat(Value buffer) const { return buffer ? flatten(host, buffer) : buffer; }
  void setLayer(Value layer);
};

/// Launches the sums over the batch of the gradients of the biases of the current layer. `sums` and `stateSums`: those
/// over the steps, with respect to input and state, [B, columns] in the accumulator type.
void launchBiasGradients(const Stack &stack, StringRef name, Value sums, Value stateSums, Value columns, Value dparams);

/// skip_input: launches the sum of the gradients of all gates, the gradient of the input, for the rows of the task.
void launchSkippedInputGradient(const Stack &stack, StringRef name, const Matrix &gradients, Value dx);

void lowerStackForward(CudnnForwardOp op, Stack &stack);
void lowerStackBackward(CudnnBackpropOp op, Stack &stack);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_STACK_H
