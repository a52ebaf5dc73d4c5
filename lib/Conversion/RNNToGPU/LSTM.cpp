//===- LSTM.cpp - block LSTM ops as kernels ------------------------------------===//
//
// Each time step is one kernel: the GEMM with the recurrent weights, with the cell's arithmetic as its epilogue. GEMMs
// without a dependence between steps (the input with W; those of the gate gradients) run once before or after the loop.
// Equations: the ops' descriptions and docs/Semantics.md, "Block LSTM".
//
// Results have the element type. Carried states have the accumulator type, except those that the GEMM reads (h in the
// forward pass, the gate gradients in the backward pass).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLayer.h"
#include "ClusterFallback.h"
#include "PersistentChoice.h"
#include "PersistentLayers.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class BlockForward : public BlockLayer<BlockLSTMOp, ForwardLayer> {
public:
  BlockForward(PatternRewriter &rewriter, BlockLSTMOp op, const RNNToGPUOptions &options)
      : BlockLayer(rewriter, op, options) {
    bias = dense.read(op.getB());
    for (Value out :
         {op.getIOut(), op.getCsOut(), op.getFOut(), op.getOOut(), op.getCiOut(), op.getCoOut(), op.getHOut()})
      results.push_back(writeSequence(out));
  }

  void lower() {
    gates = allocate({numRows, columns}, accumulator);
    cell = allocate({B, H}, accumulator);
    // If the states are not a result, two slots suffice.
    if (!results.back())
      slots = allocate({host.index(2), B, H}, element);
    states = slots ? slots : results.back();
    if (resets.isToInitial())
      initialSums = allocate({B, columns}, accumulator);
    if (mayUseLibrary(numRows, columns, I) && !element.isF64() && !isBatchMajor)
      biases = element == accumulator ? bias : allocate({columns}, accumulator);
    launchInput(host.mul(steps, B), unlessBatchMajor([&] { return multiplyInput(); }));
    if (auto shape = choosePersistentShape<PersistentForwardShape>(op, host, element, numGates))
      launchClustersOr(host, [&] { launchPersistent(*shape); }, [&] { launchSteps(); });
    else
      launchSteps();
    if (op.getSeqLenMax())
      for (Value result : results)
        if (result)
          fillFrom(result, steps);
    dense.finish();
  }

private:
  /// All steps in one kernel.
  void launchPersistent(const PersistentForwardShape &shape) {
    LSTMForwardRecurrence r;
    static_cast<PersistentRecurrence &>(r) = {"block_lstm_persistent",
                                              element,
                                              shape.H,
                                              1,
                                              steps,
                                              B,
                                              dense.allocate(shape.getWeights().getBufferType(element, 1), {})};
    for (auto [gate, column] : llvm::enumerate(r.gateColumns))
      column = r.H * getBlock(gate);
    std::tie(r.weights, r.firstRow, r.arguments, r.cellBefore, r.stateBefore) = std::tie(w, I, gates, csPrev, hPrev);
    std::tie(r.wci, r.wcf, r.wco) = std::tie(wci, wcf, wco);
    Value *const into[] = {&r.i, &r.cells, &r.f, &r.o, &r.g, &r.u, &r.states};
    for (auto [buffer, result] : llvm::zip(into, results))
      *buffer = result;
    r.forgetBias = op.getForgetBias().convertToDouble();
    r.clip = op.getCellClip().convertToDouble();
    r.resets = resets;
    launchLSTMForward(host, r, shape);
  }

  // gates = x * w + b, for all steps.
  GemmOperand getInput() override { return sequenceRows(x); }
  GemmOperand getInputWeights() override { return columnsOf(w); }
  void finishInput(const Emitter &e, Value row, Value column, Value sum) override {
    e.store(e.add(sum, load(e, bias, {column})), gates, {row, column});
  }
  Value multiplyInput() {
    if (biases && biases != bias)
      launchElementwise(host, getName("bias"), host.index(1), columns, [&](const Emitter &e, Value, Value column) {
        e.store(load(e, bias, {column}), biases, {column});
      });
    Value zero = host.index(0);
    LibraryGemm p{
        numRows, columns, I, rowsFrom(x, zero, I), rowsFrom(w, zero, columns), rowsFrom(gates, zero, columns)};
    p.bias = biases;
    return ForwardLayer::multiplyInput(p, 0);
  }

  /// The index of the states of step t in `states`.
  Value slot(const Emitter &e, Value t) const { return slots ? e.remainder(t, e.index(2)) : t; }

  GemmOperand getState() override {
    return GemmOperand::inMemory(true, [=](const Emitter &e, int64_t, Value b, Value k) {
      return e.select(step.isFirst, e.address(hPrev, {b, k}), e.address(states, {slot(e, step.earlier), b, k}));
    });
  }
  GemmOperand getStateWeights() override {
    return GemmOperand::inMemory(false, [=](const Emitter &e, int64_t gate, Value j, Value k) {
      return e.address(w, {e.add(I, k), e.add(column(e, gate), j)});
    });
  }

  /// A sum of the GEMM, for the state after the reset: that of zeros is zero, and that of the initial state is the sum
  /// of the first step.
  Value resetSum(const Emitter &e, Value reset, Value sum, ValueRange place) const {
    if (initialSums)
      e.ifThen(step.isFirst, [&] { e.store(sum, initialSums, place); });
    return resets.apply(e, reset, sum, [&] { return e.load(initialSums, place); });
  }

  void finishStep(const Emitter &e, Value b, Value j, ArrayRef<Value> sums) override {
    Value reset = resets.isSetAt(e, step.t, b);
    if (initialSums) // the first step starts from the initial state anyway
      reset = e.both(reset, e.isLess(e.index(0), step.number));
    auto gate = [&](Gate which) {
      Value place = e.add(column(e, which), j);
      return e.add(resetSum(e, reset, sums[which], {b, place}), e.load(gates, {rowOf(e, step.t, b), place}));
    };
    auto initial = [&] { return load(e, csPrev, {b, j}); };
    Value before = e.ifElse(step.isFirst, initial, [&] { return e.load(cell, {b, j}); });
    before = resets.apply(e, reset, before, initial);
    LSTMGates arguments{gate(InputGate), gate(CellGate), gate(ForgetGate), gate(OutputGate)};
    LSTMOptions options{getPeephole(e, j), op.getForgetBias().convertToDouble(), op.getCellClip().convertToDouble()};
    LSTMStep s = stepLSTM(getCellBuilder(e), arguments, before, options);
    e.store(s.cell, cell, {b, j});
    Value values[] = {s.gates.i, s.cell, s.gates.f, s.gates.o, s.gates.g, s.cellTanh, s.h};
    for (auto [result, value] : llvm::zip(results, values))
      if (result)
        store(e, value, result, {step.t, b, j});
    if (slots)
      store(e, s.h, slots, {slot(e, step.t), b, j});
  }

  Value bias, gates, cell, slots, states;
  Value biases;               ///< in the accumulator type, for the library
  Value initialSums;          ///< of the GEMM of h_prev, [B,4H], for resets to the initial states; or null
  SmallVector<Value> results; ///< i, cs, f, o, ci, co, h, or null
};

class BlockBackward : public BlockLayer<BlockLSTMGradOp, BackwardLayer> {
public:
  BlockBackward(PatternRewriter &rewriter, BlockLSTMGradOp op, const RNNToGPUOptions &options)
      : BlockLayer(rewriter, op, options) {
    dx = writeSequence(op.getXGradOut());
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
      dgates = allocate({numRows, columns}, element);
      dcell = allocate({B, H}, accumulator);
      if (db)
        gateSums = allocate({B, columns}, accumulator);
      if (wci && (dwci || dwcf || dwco))
        peepholeSums = allocate({B, host.mul(H, host.index(3))}, accumulator);
      if (resets.isToInitial() && dcsPrev)
        initialCell = allocate({B, H}, accumulator);
      if (resets.isToInitial() && dhPrev)
        initialState = allocate({B, H}, accumulator);
      if (auto shape = choosePersistentShape<PersistentBackwardShape>(op, host, element, 4))
        launchClustersOr(host, [&] { launchPersistent(*shape); }, [&] { launchLoop(); });
      else
        launchLoop();
      lowerResults();
    }
    dense.finish();
  }

private:
  void readSaved() {
    i = readSequence(op.getI());
    cs = readSequence(op.getCs());
    f = readSequence(op.getF());
    o = readSequence(op.getO());
    ci = readSequence(op.getCi());
    co = readSequence(op.getCo());
    csGrad = readSequence(op.getCsGrad());
    hGrad = readSequence(op.getHGrad());
  }

  /// All steps and the gradients of the initial states in one kernel.
  void launchPersistent(const PersistentBackwardShape &shape) {
    LSTMBackwardRecurrence r;
    static_cast<PersistentRecurrence &>(r) = {
        "block_lstm_grad_persistent", element, *getConstantIntValue(H), 1, steps, B, {}};
    std::tie(r.weights, r.firstRow) = std::tie(w, I);
    for (auto [gate, column] : llvm::enumerate(r.gateColumns))
      column = r.H * getBlock(gate);
    std::tie(r.i, r.g, r.f, r.o, r.u, r.cells, r.cellBefore) = std::tie(i, ci, f, o, co, cs, csPrev);
    std::tie(r.cellGradients, r.stateGradients) = std::tie(csGrad, hGrad);
    std::tie(r.wci, r.wcf, r.wco) = std::tie(wci, wcf, wco);
    std::tie(r.gateGradients, r.cellGradientBefore, r.gradientBefore) = std::tie(dgates, dcsPrev, dhPrev);
    r.orderedWeights = dense.allocate(shape.getWeights().getBufferType(element, 1), {});
    std::tie(r.gateSums, r.peepholeSums) = std::tie(gateSums, peepholeSums);
    r.resets = resets;
    launchLSTMBackward(host, r, shape);
  }

  /// The same with one kernel per step.
  void launchLoop() {
    launchSteps();
    if (dhPrev)
      launchState();
  }

  GemmOperand getGradients() override {
    return GemmOperand::inMemory(true, [=](const Emitter &e, int64_t, Value b, Value k) {
      return e.address(dgates, {rowOf(e, step.later, b), k});
    });
  }
  GemmOperand getStateWeights() override { return rowsOf(w, I); }

  void finishStep(const Emitter &e, Value b, Value j, Value dh) override {
    auto saved = [&](Value buffer) { return load(e, buffer, {step.t, b, j}); };
    // Load before the stores below, which may alias for all that LLVM can prove.
    auto soFar = [&](Value sums, ArrayRef<Value> columns) {
      SmallVector<Value> result;
      for (Value column : columns)
        result.push_back(e.ifElse(
            step.isLast, [&] { return e.number(0.0, accumulator); }, [&] { return e.load(sums, {b, column}); }));
      return result;
    };
    SmallVector<Value> gateColumns, peepholeColumns, gateTotals, peepholeTotals;
    for (Gate gate : {InputGate, CellGate, ForgetGate, OutputGate})
      gateColumns.push_back(e.add(column(e, gate), j));
    for (int64_t number = 0; number < 3; ++number)
      peepholeColumns.push_back(e.add(e.mul(H, e.index(number)), j));
    if (gateSums)
      gateTotals = soFar(gateSums, gateColumns);
    if (peepholeSums)
      peepholeTotals = soFar(peepholeSums, peepholeColumns);
    auto initial = [&] { return load(e, csPrev, {b, j}); };
    Value before = e.ifElse(step.isFirst, initial, [&] { return load(e, cs, {step.earlier, b, j}); });
    before = resets.apply(e, resets.isSetAt(e, step.t, b), before, initial);
    Value after = peepholeSums ? saved(cs) : Value();
    Value carried =
        e.ifElse(step.isLast, [&] { return e.number(0.0, accumulator); }, [&] { return e.load(dcell, {b, j}); });
    Value cut = resets.isSetAfter(e, step, steps, b);
    dh = resets.endGradient(e, step, cut, dh, initialState, {b, j});
    carried = resets.endGradient(e, step, cut, carried, initialCell, {b, j});
    LSTMGradients gradient =
        stepLSTMBackward(getCellBuilder(e), {saved(i), saved(ci), saved(f), saved(o)}, saved(co), before,
                         e.add(dh, saved(hGrad)), e.add(carried, saved(csGrad)), getPeephole(e, j));
    const LSTMGates &d = gradient.arguments;
    Value gradients[] = {d.i, d.g, d.f, d.o}; // as Gate
    for (Gate gate : {InputGate, CellGate, ForgetGate, OutputGate})
      store(e, gradients[gate], dgates, {rowOf(e, step.t, b), gateColumns[gate]});
    for (auto [total, gradient, column] : llvm::zip(gateTotals, gradients, gateColumns))
      e.store(e.add(total, gradient), gateSums, {b, column});
    if (peepholeSums) {
      // The peephole weights of i and f multiply the previous cell, that of o the new one.
      Value terms[] = {e.mul(d.i, before), e.mul(d.f, before), e.mul(d.o, after)};
      for (auto [total, term, column] : llvm::zip(peepholeTotals, terms, peepholeColumns))
        e.store(e.add(total, term), peepholeSums, {b, column});
    }
    e.store(gradient.cellBefore, dcell, {b, j});
    if (dcsPrev)
      e.ifThen(step.isFirst,
               [&] { store(e, finishGradient(e, gradient.cellBefore, initialCell, b, j), dcsPrev, {b, j}); });
  }

  Value finishGradient(const Emitter &e, Value gradient, Value sums, Value b, Value j) const {
    return resets.finishGradient(e, e.index(0), e.index(0), steps, b, gradient, sums, {b, j});
  }

  void finishState(const Emitter &e, Value b, Value j, Value sum) override {
    store(e, finishGradient(e, sum, initialState, b, j), dhPrev, {b, j});
  }

  // dx = dgates * w^T
  GemmOperand getAllGradients() override { return rowsOf(dgates); }
  GemmOperand getInputWeights() override { return rowsOf(w); }
  void finishInput(const Emitter &e, Value row, Value column, Value sum) override {
    store(e, sum, dx, isBatchMajor ? placeInSequence(e, row, column) : SmallVector<Value>{row, column});
  }
  Value multiplyInput() {
    Value zero = host.index(0);
    LibraryGemm p{
        numRows, I, columns, rowsFrom(dgates, zero, columns), rowsFrom(w, zero, columns), rowsFrom(dx, zero, I)};
    p.rightTransposed = true;
    Value done = multiply(p);
    if (op.getSeqLenMax())
      host.ifThen(done, [&] { fillFrom(dx, numRows); });
    return done;
  }

  /// The results that are computed from the gate gradients of all steps.
  void lowerResults() {
    if (dcsPrev && op.getSeqLenMax())
      host.ifThen(host.isEqual(steps, host.index(0)), [&] { fill(dcsPrev); });
    else if (dcsPrev)
      host.ifThen(host.isEqual(T, host.index(0)), [&] { fill(dcsPrev); });
    if (dx) {
      if (!isBatchMajor)
        dx = flattenSteps(dx);
      launchInput(host.mul(T, B), op.getSeqLenMax() ? numRows : Value(),
                  unlessBatchMajor([&] { return multiplyInput(); }));
    }
    if (dw)
      lowerWeights();
    // Without any step the sums are not written.
    Value examples = host.min(B, numRows);
    if (gateSums)
      launchBiasSums(examples);
    if (peepholeSums)
      launchPeepholeSums(examples);
  }

  /// The gradient of the weights: reductions over T*B of [x, h] and the gate gradients.
  void lowerWeights() {
    auto storeFrom = [this](Value firstRow) {
      return [=](const Emitter &e, Value row, Value column, Value sum) {
        store(e, sum, dw, {e.add(firstRow, row), column});
      };
    };
    Value zero = host.index(0), h = readSequence(op.getH());
    if (!isBatchMajor)
      h = flattenSteps(h);
    // left^T times the gate gradients from row `firstStepRow`, stored at row `firstRow` of dw.
    auto makeGemm = [&](Value rows, Value depth, Matrix left, Value firstStepRow, Value firstRow) {
      LibraryGemm p{
          rows, columns, depth, left, rowsFrom(dgates, firstStepRow, columns), rowsFrom(dw, firstRow, columns)};
      p.leftTransposed = true;
      return p;
    };
    launchWeights("grad_w_input", I, columns, sequenceColumns(x), columnsOf(dgates), storeFrom(zero),
                  unlessBatchMajor([&] { return multiply(makeGemm(I, numRows, rowsFrom(x, zero, I), zero, zero)); }));
    auto stateBefore = [=](const Emitter &e, int64_t, Value j, Value row) {
      Value isFirst = e.isLess(row, B), initial = e.address(hPrev, {row, j}), before = e.sub(row, B);
      return e.select(isFirst, initial,
                      e.address(h, isBatchMajor ? placeInSequence(e, before, j) : SmallVector<Value>{before, j}));
    };
    if (resets) {
      Value used = allocate({numRows, H}, element);
      resets.launchStates(
          host, "block_lstm_grad_states", numRows, B, H, rowsFrom(used, zero, H),
          [&](const Emitter &e, Value, Value j, Value row) { return stateBefore(e, 0, j, row); },
          [&](const Emitter &e, Value b, Value j) { return e.load(hPrev, {b, j}); });
      return launchWeights("grad_w_state", H, columns, columnsOf(used), columnsOf(dgates), storeFrom(I),
                           [&] { return multiply(makeGemm(H, numRows, rowsFrom(used, zero, H), zero, I)); });
    }
    Value sums;
    if (element != accumulator && mayUseLibrary(H, columns, numRows) && !isBatchMajor)
      sums = allocate({host.mul(H, columns)}, accumulator);
    launchWeights("grad_w_state", H, columns, GemmOperand::inMemory(false, stateBefore, /*isAffine=*/false),
                  columnsOf(dgates), storeFrom(I), unlessBatchMajor([&] {
                    return multiplySum(makeGemm(H, host.min(B, numRows), rowsFrom(hPrev, zero, H), zero, I),
                                       makeGemm(H, host.sub(numRows, B), rowsFrom(h, zero, H), B, I), sums,
                                       getName("grad_w_state_round"));
                  }));
  }

  /// The kernels of the steps have summed over time for each example.
  void launchBiasSums(Value examples) {
    ColumnSums sums{"block_lstm_grad_bias", accumulator, 1, examples, columns, {}, {}};
    sums.terms = [=](const Emitter &e, Value b, Value column) {
      return SmallVector<Value>{e.load(gateSums, {b, column})};
    };
    sums.finish = [=](const Emitter &e, Value column, ArrayRef<Value> total) { store(e, total[0], db, {column}); };
    launchColumnSums(host, sums);
  }

  void launchPeepholeSums(Value examples) {
    SmallVector<std::pair<Value, int64_t>> requested;
    const Value results[] = {dwci, dwcf, dwco};
    for (auto [number, result] : llvm::enumerate(results))
      if (result)
        requested.push_back({result, number});
    ColumnSums sums{"block_lstm_grad_peephole", accumulator, int64_t(requested.size()), examples, H, {}, {}};
    sums.terms = [=](const Emitter &e, Value b, Value j) {
      SmallVector<Value> terms;
      for (auto [result, number] : requested)
        terms.push_back(e.load(peepholeSums, {b, e.add(e.mul(H, e.index(number)), j)}));
      return terms;
    };
    sums.finish = [=](const Emitter &e, Value j, ArrayRef<Value> total) {
      for (auto [result, sum] : llvm::zip(requested, total))
        store(e, sum, result.first, {j});
    };
    launchColumnSums(host, sums);
  }

  Value i, cs, f, o, ci, co, csGrad, hGrad;
  Value dx, dcsPrev, dhPrev, dw, dwci, dwcf, dwco, db; ///< or null
  Value dgates, dcell;                                 ///< [n*B,4H] of all steps, [B,H] of the carried cell
  /// The parts of the gradients of the initial states that resets add, [B,H], or null.
  Value initialCell, initialState;
  Value gateSums,
      peepholeSums; ///< sums over the steps in the accumulator type: [B,4H] as dgates, [B,3H] for i, f, o; or null
};

template <typename OpTy, typename LoweringTy> struct BlockPattern : public OpRewritePattern<OpTy> {
  BlockPattern(MLIRContext *context, const RNNToGPUOptions &options, PatternBenefit benefit)
      : OpRewritePattern<OpTy>(context, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const final {
    if (op.getLowering() != Lowering::Fused)
      return rewriter.notifyMatchFailure(op, "not marked for fused kernels");
    if (op->getNumResults() != 0 || !isa<MemRefType>(op.getX().getType()))
      return rewriter.notifyMatchFailure(op, "still in value form");
    rewriter.setInsertionPoint(op);
    if (op->getNumOperands() > getNumInputs(op))
      LoweringTy(rewriter, op, options).lower();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The number of operands without `outs`; an op without outs computes nothing.
  static unsigned getNumInputs(OpTy op) {
    unsigned count = 0;
    auto layer = cast<LayerOpInterface>(op.getOperation());
    for (unsigned index = 0; index < layer.getSignature().operands.size(); ++index)
      count += layer.getOperandsOf(index).size();
    return count;
  }

  RNNToGPUOptions options;
};

} // namespace

void rnn::populateLSTMToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options,
                                    PatternBenefit benefit) {
  patterns.add<BlockPattern<BlockLSTMOp, BlockForward>, BlockPattern<BlockLSTMGradOp, BlockBackward>>(
      patterns.getContext(), options, benefit);
}
