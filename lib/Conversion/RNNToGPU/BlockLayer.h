//===- BlockLayer.h - block LSTM ops in per-step kernels, common to both passes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_BLOCKLAYER_H
#define RNN_LIB_CONVERSION_RNNTOGPU_BLOCKLAYER_H

#include "Cells.h"
#include "Layers.h"
#include "Resets.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "rnn/Codegen/CollapseShape.h"

namespace mlir::rnn {

/// The sizes of a block op, its number of steps, and its buffers in dense form.
template <typename OpTy, typename LayerTy> class BlockLayer : public LayerTy {
public:
  BlockLayer(PatternRewriter &rewriter, OpTy op, const RNNToGPUOptions &options)
      : LayerTy(Emitter(rewriter, op.getLoc(), options.kernels.forElement(getElementTypeOrSelf(op.getX()))),
                "block_lstm", getElementTypeOrSelf(op.getX()), options.largeGemms),
        op(op), dense(rewriter, op.getLoc()), layout(op.getLayout()), isBatchMajor(op.getBatchMajor()) {
    Value call = rnnrt::CurrentCallOp::create(rewriter, op.getLoc(), rnnrt::CallType::get(op.getContext()));
    SymbolicDims dims(rewriter, op);
    (void)dims.check(op, call);
    T = dims["T"];
    B = dims["B"];
    I = dims["I"];
    P = H = dims["H"];
    steps = T;
    if (op.getSeqLenMax()) {
      Value length = checkSeqLenMax(rewriter, op, call, T);
      // After a failed check launches do nothing, but the loop around them still runs.
      steps = host.min(host.max(length, host.index(0)), T);
    }
    resets =
        Resets(dense.read(op.getResets()), op.getResetTo(), T, /*lengths=*/nullptr, /*numDirections=*/1, isBatchMajor);
    numRows = host.mul(steps, B);
    columns = host.mul(H, host.index(4));
    x = readSequence(op.getX());
    csPrev = dense.read(op.getCsPrev());
    hPrev = dense.read(op.getHPrev());
    w = dense.read(op.getW());
    if (op.getUsePeephole()) {
      wci = dense.read(op.getWci());
      wcf = dense.read(op.getWcf());
      wco = dense.read(op.getWco());
    }
  }

protected:
  using LayerTy::host, LayerTy::element, LayerTy::accumulator;
  using LayerTy::steps, LayerTy::B, LayerTy::I, LayerTy::H, LayerTy::P;

  void startStep(const Emitter &, const Step &newStep) override { step = newStep; }

  /// Gates as the kernels number them, which is the order icfo.
  enum Gate { InputGate, CellGate, ForgetGate, OutputGate };
  int64_t getBlock(int64_t gate) const {
    return rnn_layout::gateBlock(getGateOrder(layout), rnn_layout::LstmGate(gate));
  }
  /// The first column of a gate.
  Value column(const Emitter &e, int64_t gate) const { return e.mul(H, e.index(getBlock(gate))); }

  Peephole getPeephole(const Emitter &e, Value j) const {
    auto weight = [&](Value buffer) { return buffer ? load(e, buffer, {j}) : Value(); };
    return {weight(wci), weight(wcf), weight(wco)};
  }

  /// Sequences of the op as [T, B, .]: those of a batch-major op are views.
  Value readSequence(Value buffer) { return toTimeMajor(dense.read(buffer)); }
  Value writeSequence(Value buffer) { return toTimeMajor(dense.write(buffer)); }

  /// Steps and batch as one dimension.
  Value flattenSteps(Value buffer) const {
    SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
    return collapseShape(host.builder, host.loc, buffer, groups);
  }

  Value allocate(ArrayRef<Value> sizes, Type type) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (Value size : sizes) {
      std::optional<int64_t> constant = getConstantIntValue(size);
      shape.push_back(constant ? *constant : ShapedType::kDynamic);
      if (!constant)
        dynamic.push_back(size);
    }
    return dense.allocate(MemRefType::get(shape, type), dynamic);
  }

  void fill(Value buffer) const {
    linalg::FillOp::create(host.builder, host.loc, ValueRange{host.number(0.0, element)}, ValueRange{buffer});
  }

  /// An element of an operand in the accumulator type.
  Value load(const Emitter &e, Value buffer, ValueRange indices) const {
    return e.convert(e.load(buffer, indices), accumulator);
  }
  void store(const Emitter &e, Value value, Value buffer, ValueRange indices) const {
    e.store(e.convert(value, element), buffer, indices);
  }

  /// GEMM operands whose outer index is a row of a matrix, from `first`, or a column.
  static GemmOperand rowsOf(Value matrix, Value first = nullptr) {
    return GemmOperand::inMemory(true, [=](const Emitter &e, int64_t, Value row, Value k) {
      return e.address(matrix, {first ? e.add(first, row) : row, k});
    });
  }
  static GemmOperand columnsOf(Value matrix) {
    return GemmOperand::inMemory(
        false, [=](const Emitter &e, int64_t, Value column, Value k) { return e.address(matrix, {k, column}); });
  }

  /// Row t * B + b of a sequence, as indices.
  SmallVector<Value> placeInSequence(const Emitter &e, Value row, Value column) const {
    Value examples = e.max(B, e.index(1)); // kernels without rows compute addresses too
    return {e.div(row, examples), e.remainder(row, examples), column};
  }
  /// GEMM operands whose outer index is a row t * B + b of a sequence, or a column.
  GemmOperand sequenceRows(Value sequence) const {
    if (!isBatchMajor)
      return rowsOf(flattenSteps(sequence));
    return GemmOperand::inMemory(true, [=](const Emitter &e, int64_t, Value row, Value k) {
      return e.address(sequence, placeInSequence(e, row, k));
    });
  }
  GemmOperand sequenceColumns(Value sequence) const {
    if (!isBatchMajor)
      return columnsOf(flattenSteps(sequence));
    return GemmOperand::inMemory(
        false,
        [=](const Emitter &e, int64_t, Value column, Value row) {
          return e.address(sequence, placeInSequence(e, row, column));
        },
        /*isAffine=*/false);
  }
  /// The library has one stride between the rows of a matrix.
  using LibraryFn = typename LayerTy::LibraryFn;
  LibraryFn unlessBatchMajor(LibraryFn library) const { return isBatchMajor ? LibraryFn() : library; }

  /// The matrix with `width` columns that starts at row `firstRow` of the buffer.
  Matrix rowsFrom(Value buffer, Value firstRow, Value width) const {
    return {flatten(host, buffer), host.mul(firstRow, width), width};
  }

  /// Zeroes the result from index `first` of its first dimension.
  void fillFrom(Value result, Value first) {
    OpBuilder &builder = host.builder;
    // A subview must not begin at the end of an empty dimension.
    if (llvm::is_contained(cast<MemRefType>(result.getType()).getShape(), 0))
      return;
    Value end = host.size(result, 0);
    host.ifThen(host.isLess(first, end), [&] {
      const int64_t rank = cast<MemRefType>(result.getType()).getRank();
      SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), strides(rank, builder.getIndexAttr(1));
      SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, host.loc, result);
      offsets[0] = first;
      sizes[0] = host.sub(end, first);
      fill(memref::SubViewOp::create(builder, host.loc, result, offsets, sizes, strides));
    });
  }

  /// The row of example b at step t.
  Value rowOf(const Emitter &e, Value t, Value b) const { return e.add(e.mul(t, B), b); }

  OpTy op;
  DenseBuffers dense;
  GateLayout layout;
  bool isBatchMajor;
  Value T;
  Value numRows, columns; ///< steps that run * B, 4 * H
  Value x, csPrev, hPrev, w, wci, wcf, wco;
  Resets resets;
  Step step;

private:
  Value toTimeMajor(Value buffer) const {
    return buffer && isBatchMajor ? transposeSequence(host.builder, host.loc, buffer) : buffer;
  }
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_BLOCKLAYER_H
