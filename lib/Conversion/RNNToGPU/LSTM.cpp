//===- LSTM.cpp - the block LSTM as kernels ----------------------------------===//
//
// Each time step is one kernel: the product with the recurrent weights, and the cell's arithmetic on its sums before they
// leave the registers. What needs no order in time (the product with the input, and all that the gradients of the
// gates are multiplied with) is one large product before or after the loop. Equations: the ops' descriptions.
//
// Results are stored in the element type, the states that are carried are kept in the type of the sums, but for the one
// that the product reads (h forwards, the gates' gradients backwards).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LayerLowering.h"
#include "Internal.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// The sizes of a block op, its number of steps, and its buffers in dense form.
template <typename OpTy>
class BlockLowering {
public:
  BlockLowering(PatternRewriter &rewriter, OpTy op)
      : op(op), host(rewriter, op.getLoc()), dense(rewriter, op.getLoc()),
        layout(op.getLayout()), element(cast<MemRefType>(op.getX().getType()).getElementType()),
        accumulator(getAccumulatorType(element)) {
    Value call = rnnrt::CurrentCallOp::create(rewriter, op.getLoc(), rnnrt::CallType::get(op.getContext()));
    Letters letters(rewriter, op);
    (void)letters.check(op, call);
    T = letters["T"];
    B = letters["B"];
    I = letters["I"];
    H = letters["H"];
    n = T;
    if (op.getSeqLenMax()) {
      Value length = rewriter.createOrFold<arith::IndexCastOp>(op.getLoc(), rewriter.getIndexType(), op.getSeqLenMax());
      std::string message = ("'" + op->getName().getStringRef() + "' op expects `seq_len_max` to be in [0, T] [B7]").str();
      rnnrt::ExpectRangeOp::create(rewriter, op.getLoc(), call, length, host.index(0), T,
                                   rewriter.getStringAttr(message));
      // A failed check makes the launches do nothing, but the loop around them still runs.
      n = host.min(host.max(length, host.index(0)), T);
    }
    numRows = host.mul(n, B);
    numGates = host.mul(H, host.index(4));
    x = dense.read(op.getX());
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
  /// First column of a gate: `order` is that of the layout icfo.
  Value column(const Emitter &e, int64_t order) const {
    static constexpr int64_t ifco[] = {0, 2, 1, 3};
    return e.mul(H, e.index(layout == GateLayout::Icfo ? order : ifco[order]));
  }
  enum Gate { InputGate, CellGate, ForgetGate, OutputGate };

  /// Steps and batch as one dimension.
  Value flatten(Value buffer) const {
    SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
    return memref::CollapseShapeOp::create(host.builder, host.loc, buffer, groups);
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

  /// An element of an operand in the type of the sums.
  Value load(const Emitter &e, Value buffer, ValueRange indices) const {
    return e.convert(e.load(buffer, indices), accumulator);
  }
  void store(const Emitter &e, Value value, Value buffer, ValueRange indices) const {
    e.store(e.convert(value, element), buffer, indices);
  }

  /// At step t: what `steps` ([T,B,H]) has for the step before, which is `initial` ([B,H]) for the first.
  Value readBefore(const Emitter &e, Value t, Value initial, Value steps, Value b, Value j) const {
    return e.choose(
        e.isEqual(t, e.index(0)), [&] { return e.load(initial, {b, j}); },
        [&] { return e.load(steps, {e.sub(t, e.index(1)), b, j}); });
  }
  /// The same by row t * B + b; `flatSteps` is [T*B,H].
  Value readRowBefore(const Emitter &e, Value row, Value initial, Value flatSteps, Value j) const {
    return e.choose(
        e.isLess(row, B), [&] { return e.load(initial, {row, j}); },
        [&] { return e.load(flatSteps, {e.sub(row, B), j}); });
  }

  /// One side of a product: outer indices are rows of a matrix, from `first` on, or columns.
  static ProductOperand rowsOf(Value matrix, Value first = nullptr) {
    return ProductOperand::inMemory(true, [=](const Emitter &e, int64_t, Value row, Value k) {
      return e.address(matrix, {first ? e.add(first, row) : row, k});
    });
  }
  static ProductOperand columnsOf(Value matrix) {
    return ProductOperand::inMemory(
        false, [=](const Emitter &e, int64_t, Value column, Value k) { return e.address(matrix, {k, column}); });
  }

  /// The row of b at step t.
  Value rowOf(const Emitter &e, Value t, Value b) const { return e.add(e.mul(t, B), b); }

  OpTy op;
  Emitter host;
  DenseBuffers dense;
  GateLayout layout;
  Type element, accumulator;
  Value T, B, I, H;
  Value n, numRows, numGates; ///< steps that run, n * B, 4 * H
  Value x, csPrev, hPrev, w, wci, wcf, wco;
};

class BlockForward : public BlockLowering<BlockLSTMOp> {
public:
  BlockForward(PatternRewriter &rewriter, BlockLSTMOp op) : BlockLowering(rewriter, op) {
    bias = dense.read(op.getB());
    for (Value out : {op.getIOut(), op.getCsOut(), op.getFOut(), op.getOOut(), op.getCiOut(), op.getCoOut(),
                      op.getHOut()})
      results.push_back(dense.write(out));
  }

  void lower() {
    gates = allocate({numRows, numGates}, accumulator);
    cell = allocate({B, H}, accumulator);
    // Without a result for them, the states alternate between two places.
    if (!results.back())
      states = allocate({host.index(2), B, H}, element);
    launchProduct(host, inputProduct());
    forEachStep(host, n, /*backwards=*/false, [&](Value t) { launchProduct(host, stepProduct(t)); });
    if (op.getSeqLenMax())
      for (Value result : results)
        if (result)
          fillFrom(result);
    dense.finish();
  }

private:
  /// gates = x * w + b, for all steps.
  Product inputProduct() {
    Product p{"block_lstm_input", element, 1, numRows, numGates, I, {}, {}, {}};
    Value flatX = flatten(x);
    p.left = rowsOf(flatX);
    p.right = columnsOf(w);
    p.finish = [=](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
      e.store(e.add(sums[0], load(e, bias, {column})), gates, {row, column});
    };
    return p;
  }

  /// The row of the states that step t writes, or that it reads.
  Value slot(const Emitter &e, Value t) const { return states ? e.remainder(t, e.index(2)) : t; }

  Product stepProduct(Value t) {
    Product p{"block_lstm_step", element, 4, B, H, H, {}, {}, {}};
    Value stateSteps = states ? states : results.back();
    p.left = ProductOperand::inMemory(true, [=](const Emitter &e, int64_t, Value b, Value k) {
      return e.select(e.isEqual(t, e.index(0)), e.address(hPrev, {b, k}),
                      e.address(stateSteps, {slot(e, e.sub(t, e.index(1))), b, k}));
    });
    p.right = ProductOperand::inMemory(false, [=](const Emitter &e, int64_t gate, Value j, Value k) {
      return e.address(w, {e.add(I, k), e.add(column(e, gate), j)});
    });
    p.finish = [=](const Emitter &e, Value b, Value j, ArrayRef<Value> sums) {
      finishStep(e, t, b, j, sums, stateSteps);
    };
    return p;
  }

  void finishStep(const Emitter &e, Value t, Value b, Value j, ArrayRef<Value> sums, Value stateSteps) {
    auto gate = [&](Gate which) {
      return e.add(sums[which], e.load(gates, {rowOf(e, t, b), e.add(column(e, which), j)}));
    };
    Value before = e.choose(
        e.isEqual(t, e.index(0)), [&] { return load(e, csPrev, {b, j}); }, [&] { return e.load(cell, {b, j}); });
    auto withPeephole = [&](Value sum, Value weights, Value state) {
      return weights ? e.add(sum, e.mul(state, load(e, weights, {j}))) : sum;
    };
    Value i = e.sigmoid(withPeephole(gate(InputGate), wci, before));
    Value ci = e.tanh(gate(CellGate));
    Value forgetBias = e.number(op.getForgetBias().convertToDouble(), accumulator);
    Value f = e.sigmoid(withPeephole(e.add(gate(ForgetGate), forgetBias), wcf, before));
    Value cs = e.add(e.mul(i, ci), e.mul(f, before));
    if (double limit = op.getCellClip().convertToDouble(); limit > 0) {
      Value low = e.number(-limit, accumulator), high = e.number(limit, accumulator);
      cs = e.select(e.isLess(cs, low), low, cs);
      cs = e.select(e.isLess(high, cs), high, cs);
    }
    Value co = e.tanh(cs);
    Value o = e.sigmoid(withPeephole(gate(OutputGate), wco, cs)); // the new cell
    Value h = e.mul(o, co);
    e.store(cs, cell, {b, j});
    Value values[] = {i, cs, f, o, ci, co, h};
    for (auto [result, value] : llvm::zip(results, values))
      if (result)
        store(e, value, result, {t, b, j});
    if (states)
      store(e, h, stateSteps, {slot(e, t), b, j});
  }

  /// Zeros from step n on.
  void fillFrom(Value result) {
    OpBuilder &builder = host.builder;
    host.when(host.isLess(n, T), [&] {
      SmallVector<OpFoldResult> offsets{n, builder.getIndexAttr(0), builder.getIndexAttr(0)};
      SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, host.loc, result);
      sizes[0] = host.sub(T, n);
      SmallVector<OpFoldResult> strides(3, builder.getIndexAttr(1));
      fill(memref::SubViewOp::create(builder, host.loc, result, offsets, sizes, strides));
    });
  }

  Value bias, gates, cell, states;
  SmallVector<Value> results; ///< i, cs, f, o, ci, co, h, or null
};

class BlockBackward : public BlockLowering<BlockLSTMGradOp> {
public:
  BlockBackward(PatternRewriter &rewriter, BlockLSTMGradOp op) : BlockLowering(rewriter, op) {
    dx = dense.write(op.getXGradOut());
    dcsPrev = dense.write(op.getCsPrevGradOut());
    dhPrev = dense.write(op.getHPrevGradOut());
    dw = dense.write(op.getWGradOut());
    dwci = dense.write(op.getWciGradOut());
    dwcf = dense.write(op.getWcfGradOut());
    dwco = dense.write(op.getWcoGradOut());
    db = dense.write(op.getBGradOut());
  }

  void lower() {
    const bool peephole = op.getUsePeephole();
    if (!peephole)
      for (Value result : {dwci, dwcf, dwco})
        if (result)
          fill(result);
    if (dx || dcsPrev || dhPrev || dw || db || (peephole && (dwci || dwcf || dwco))) {
      readSaved();
      dgates = allocate({numRows, numGates}, element);
      dcell = allocate({B, H}, accumulator);
      forEachStep(host, n, /*backwards=*/true, [&](Value t) { launchProduct(host, stepProduct(t)); });
      lowerResults();
    }
    dense.finish();
  }

private:
  void readSaved() {
    i = dense.read(op.getI());
    cs = dense.read(op.getCs());
    f = dense.read(op.getF());
    o = dense.read(op.getO());
    ci = dense.read(op.getCi());
    co = dense.read(op.getCo());
    csGrad = dense.read(op.getCsGrad());
    hGrad = dense.read(op.getHGrad());
  }

  /// dgates of a step times the recurrent weights, transposed: the gradient of the state before that step.
  Product recurrentProduct(StringRef name, Value firstRow, Value depth) {
    Product p{name, element, 1, B, H, depth, {}, {}, {}};
    p.left = rowsOf(dgates, firstRow);
    p.right = rowsOf(w, I);
    return p;
  }

  Product stepProduct(Value t) {
    // Nothing comes back to the last step.
    Value next = host.add(t, host.index(1));
    Value isLast = host.isEqual(next, n);
    Value depth = host.select(isLast, host.index(0), numGates);
    Product p = recurrentProduct("block_lstm_grad_step", host.mul(next, B), depth);
    p.finish = [=](const Emitter &e, Value b, Value j, ArrayRef<Value> sums) {
      finishStep(e, t, isLast, b, j, sums[0]);
    };
    return p;
  }

  void finishStep(const Emitter &e, Value t, Value isLast, Value b, Value j, Value dh) {
    SmallVector<Value> here{t, b, j};
    Value one = e.number(1.0, accumulator);
    auto saved = [&](Value buffer) { return load(e, buffer, here); };
    auto weight = [&](Value buffer) { return load(e, buffer, {j}); };
    auto ofSigmoid = [&](Value y) { return e.mul(y, e.sub(one, y)); };
    auto ofTanh = [&](Value y) { return e.sub(one, e.mul(y, y)); };
    Value before = e.convert(readBefore(e, t, csPrev, cs, b, j), accumulator);
    Value carried = e.choose(
        isLast, [&] { return e.number(0.0, accumulator); }, [&] { return e.load(dcell, {b, j}); });
    Value vi = saved(i), vf = saved(f), vo = saved(o), vci = saved(ci), vco = saved(co);
    Value gc = e.add(carried, saved(csGrad)), gh = e.add(dh, saved(hGrad));
    Value dout = e.mul(e.mul(ofSigmoid(vo), gh), vco);
    Value dcs = e.add(e.mul(e.mul(ofTanh(vco), gh), vo), gc);
    if (wco)
      dcs = e.add(dcs, e.mul(dout, weight(wco)));
    Value dci = e.mul(e.mul(ofTanh(vci), dcs), vi);
    Value df = e.mul(e.mul(ofSigmoid(vf), dcs), before);
    Value di = e.mul(e.mul(ofSigmoid(vi), dcs), vci);
    Value carry = e.mul(dcs, vf);
    if (wci)
      carry = e.add(carry, e.add(e.mul(di, weight(wci)), e.mul(df, weight(wcf))));
    Value gradients[] = {di, dci, df, dout}; // as Gate
    for (Gate gate : {InputGate, CellGate, ForgetGate, OutputGate})
      store(e, gradients[gate], dgates, {rowOf(e, t, b), e.add(column(e, gate), j)});
    e.store(carry, dcell, {b, j});
    if (dcsPrev)
      e.when(e.isEqual(t, e.index(0)), [&] { store(e, carry, dcsPrev, {b, j}); });
  }

  /// All that comes from the gates' gradients of all steps.
  void lowerResults() {
    Value none = host.isEqual(n, host.index(0));
    if (dcsPrev && op.getSeqLenMax())
      host.when(none, [&] { fill(dcsPrev); });
    else if (dcsPrev)
      host.when(host.isEqual(T, host.index(0)), [&] { fill(dcsPrev); });
    if (dhPrev) {
      Value depth = host.select(none, host.index(0), numGates);
      Product p = recurrentProduct("block_lstm_grad_state", host.index(0), depth);
      p.finish = storeInto(dhPrev, host.index(0));
      launchProduct(host, p);
    }
    if (dx)
      launchProduct(host, inputProduct());
    if (dw) {
      launchProduct(host, weightProduct("block_lstm_grad_w_input", I, host.index(0), [flat = flatten(x)](
                                            const Emitter &e, Value row, Value k) { return e.address(flat, {row, k}); }));
      Value h = flatten(dense.read(op.getH()));
      launchProduct(host, weightProduct("block_lstm_grad_w_state", H, I,
                                        [=](const Emitter &e, Value row, Value j) {
                                          return e.select(e.isLess(row, B), e.address(hPrev, {row, j}),
                                                          e.address(h, {e.sub(row, B), j}));
                                        }));
    }
    if (db)
      launchBiasSums();
    if (wci && (dwci || dwcf || dwco))
      launchPeepholeSums();
  }

  std::function<void(const Emitter &, Value, Value, ArrayRef<Value>)> storeInto(Value buffer, Value firstRow) {
    return [=](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
      store(e, sums[0], buffer, {e.add(firstRow, row), column});
    };
  }

  /// dx = dgates * w^T, zero from step n on.
  Product inputProduct() {
    Product p{"block_lstm_grad_input", element, 1, host.mul(T, B), I, numGates, {}, {}, {}};
    if (op.getSeqLenMax())
      p.validRows = numRows;
    p.left = rowsOf(dgates);
    p.right = rowsOf(w);
    p.finish = storeInto(flatten(dx), host.index(0));
    return p;
  }

  /// Rows of dw from `firstRow` on: the sum over steps and batch of one side of [x, h] with the gates' gradients.
  Product weightProduct(StringRef name, Value rows, Value firstRow,
                        std::function<Value(const Emitter &, Value row, Value k)> address) {
    Product p{name, element, 1, rows, numGates, numRows, {}, {}, {}};
    p.left = ProductOperand::inMemory(
        false, [=](const Emitter &e, int64_t, Value k, Value row) { return address(e, row, k); });
    p.right = columnsOf(dgates);
    p.finish = storeInto(dw, firstRow);
    return p;
  }

  void launchBiasSums() {
    ColumnSums sums{"block_lstm_grad_bias", accumulator, 1, numRows, numGates, {}, {}};
    sums.terms = [=](const Emitter &e, Value row, Value column) {
      return SmallVector<Value>{load(e, dgates, {row, column})};
    };
    sums.finish = [=](const Emitter &e, Value column, ArrayRef<Value> total) {
      store(e, total[0], db, {column});
    };
    launchColumnSums(host, sums);
  }

  /// Of the gates' gradients times the cell: before the step for i and f, after it for o.
  void launchPeepholeSums() {
    SmallVector<std::pair<Value, Gate>> wanted;
    for (std::pair<Value, Gate> one : {std::pair(dwci, InputGate), std::pair(dwcf, ForgetGate), std::pair(dwco, OutputGate)})
      if (one.first)
        wanted.push_back(one);
    ColumnSums sums{"block_lstm_grad_peephole", accumulator, int64_t(wanted.size()), numRows, H, {}, {}};
    Value cells = flatten(cs);
    sums.terms = [=](const Emitter &e, Value row, Value j) {
      SmallVector<Value> terms;
      for (auto [result, gate] : wanted) {
        Value cell = gate == OutputGate ? e.load(cells, {row, j}) : readRowBefore(e, row, csPrev, cells, j);
        terms.push_back(e.mul(load(e, dgates, {row, e.add(column(e, gate), j)}), e.convert(cell, accumulator)));
      }
      return terms;
    };
    sums.finish = [=](const Emitter &e, Value j, ArrayRef<Value> total) {
      for (auto [result, sum] : llvm::zip(wanted, total))
        store(e, sum, result.first, {j});
    };
    launchColumnSums(host, sums);
  }

  Value i, cs, f, o, ci, co, csGrad, hGrad;
  Value dx, dcsPrev, dhPrev, dw, dwci, dwcf, dwco, db; ///< or null
  Value dgates, dcell;                                 ///< [n*B,4H] of all steps, [B,H] of the cell that is carried
};

template <typename OpTy, typename LoweringTy>
struct BlockPattern : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    if (op.getLowering() != Lowering::Fused)
      return rewriter.notifyMatchFailure(op, "not marked for fused kernels");
    if (op->getNumResults() != 0 || !isa<MemRefType>(op.getX().getType()))
      return rewriter.notifyMatchFailure(op, "still in value form");
    rewriter.setInsertionPoint(op);
    if (op->getNumOperands() > getNumInputs(op))
      LoweringTy(rewriter, op).lower();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Operands without the outs: an op that writes nothing computes nothing.
  static unsigned getNumInputs(OpTy op) {
    unsigned count = 0;
    auto layer = cast<LayerOpInterface>(op.getOperation());
    for (unsigned index = 0; index < layer.getSignature().operands.size(); ++index)
      count += layer.getOperandsOf(index).size();
    return count;
  }
};

} // namespace

void rnn::populateLSTMToGPUPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<BlockPattern<BlockLSTMOp, BlockForward>, BlockPattern<BlockLSTMGradOp, BlockBackward>>(
      patterns.getContext(), benefit);
}
