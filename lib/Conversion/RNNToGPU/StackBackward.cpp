//===- StackBackward.cpp - the gradient of the cudnn ops as kernels -----------===//
//
// Layer by layer from the last one: the steps back through time, which store the gate gradients, then one GEMM each for
// the gradients of the layer's input and of its weights. The reserve space is only read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterFallback.h"
#include "PersistentChoice.h"
#include "PersistentLayers.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {

class StackBackward final : public BackwardLayer {
public:
  StackBackward(CudnnBackpropOp op, Stack &stack, StringRef name)
      : BackwardLayer(stack.host, name, stack.sizes.element, stack.largeGemms), stack(stack), sizes(stack.sizes),
        cell(*stack.cell) {
    numGates = sizes.G;
    numDirections = sizes.D;
    steps = sizes.T, B = sizes.B, H = sizes.H, P = sizes.P;
    isProjected = sizes.isProjected;
    dy = stack.read(op.getOutputBackprop());
    dhn = stack.read(op.getOutputHBackprop());
    dcn = stack.read(op.getOutputCBackprop());
    dx = stack.write(op.getInputBackpropOut());
    dh0 = stack.write(op.getInputHBackpropOut());
    dc0 = stack.write(op.getInputCBackpropOut());
    dparams = stack.write(op.getParamsBackpropOut());
    bool inParts = stack.mayHaveWavefront();
    persistent = choosePersistentShape<PersistentBackwardShape>(op, host, element, numGates, isProjected, &inParts);
    if (inParts)
      stack.chooseWavefront(persistent ? persistent->blocks : 0, persistent ? persistent->mostRows : 0);
    stack.usesSignals = stack.chunk && persistent;
    hasNarrowInput = stack.chunk && persistent && leavesRoomForNarrow(*persistent);
    allocate();
  }

  void lower() {
    if (dparams)
      prepareWeights();
    auto steps = [&] {
      startTask();
      if (persistent)
        launchClustersOr(host, [&] { launchPersistent(); }, [&] { launchLoop(); });
      else
        launchLoop();
      if (dparams && !stack.chunk)
        lowerWeights();
    };
    auto input = [&] {
      startTask();
      lowerInput();
    };
    stack.forEachTask(/*reversed=*/true, /*reuses=*/false, steps, input);
    // Reductions over all steps. After the wavefront, whose steps they would delay.
    if (dparams && stack.chunk)
      stack.forEachLayer(/*reversed=*/true, [&] {
        startTask();
        lowerWeights();
      });
  }

private:
  //===--- Buffers -------------------------------------------------------------===//

  void allocate() {
    Value D = host.index(numDirections), rows = host.mul(B, D);
    allColumns = host.mul(sizes.gateRows(), D);
    stack.allocatePerLayer(gradients, host.mul(stack.rows, allColumns), element);
    if (cell.isGRU())
      stack.allocatePerLayer(stateGradients, host.mul(stack.rows, allColumns), element);
    if (persistent)
      stack.allocatePerLayer(orderedWeights, persistent->getWeights().getBufferType(element, numDirections));
    if (persistent && stack.chunk)
      stack.allocatePerLayer(carried, host.mul(host.mul(rows, H), host.index(PersistentRecurrence::maxCarried)),
                             accumulator);
    if (dparams)
      stack.allocatePerLayer(rowSums, host.mul(B, allColumns), accumulator);
    if (dparams && cell.isGRU())
      stack.allocatePerLayer(stateRowSums, host.mul(B, allColumns), accumulator);
    if (cell.isLSTM())
      stack.allocatePerLayer(dcell, host.mul(rows, H), accumulator);
    // The gradient of the state outside of the GEMM: through gru's update gate, and through steps past the end.
    if (cell.isGRU() || stack.lengths)
      stack.allocatePerLayer(carry, host.mul(rows, P), accumulator);
    if (stack.resets.isToInitial() && dh0)
      stack.allocatePerLayer(initialState, host.mul(rows, P), accumulator);
    if (stack.resets.isToInitial() && dc0)
      stack.allocatePerLayer(initialCell, host.mul(rows, H), accumulator);
    Value outputs = host.mul(stack.rows, stack.width);
    if (isProjected)
      stack.allocatePerLayer(deltas, outputs, element);
    // One buffer also in a wavefront: a layer replaces the rows of a chunk after it has read them, and the layer above,
    // which wrote them, is past them.
    if (!stack.hasOneLayer)
      between = stack.allocate(outputs, accumulator);
    // The library has one stride between the rows of a matrix.
    mayMultiplyInput = !(stack.isBatchMajor && stack.hasOneLayer) &&
                       mayUseLibrary(stack.rows, allColumns, host.max(sizes.I, stack.width));
    if (mayMultiplyInput && numDirections == 2 && (dx || !stack.hasOneLayer))
      stacked = stack.allocate(host.mul(allColumns, host.max(sizes.I, stack.width)), element);
    if (!dparams)
      return;
    if (element != accumulator && mayUseLibrary(sizes.gateRows(), P, stack.rows))
      sums = stack.allocate(host.mul(sizes.gateRows(), P), accumulator);
    if (element != accumulator)
      rounded = stack.allocate(stack.hasOneLayer ? outputs : host.mul(outputs, host.index(2)), element);
    if (stack.drops())
      dropped = stack.allocate(outputs, element);
    if (stack.lengths)
      masked = stack.allocate(host.mul(stack.rows, sizes.I), element);
    if (stack.resets)
      used = stack.allocate(outputs, element);
  }

  void startTask() {
    std::tie(firstStep, endStep) = std::tie(stack.firstStep, stack.endStep);
    states = stack.statesOf(stack.layer);
    I = sizes.inputWidth(stack.layer);
    if (!cell.isGRU())
      std::tie(stateGradients, stateRowSums) = std::tie(gradients, rowSums);
  }

  //===--- Steps ---------------------------------------------------------------===//

  /// The steps of both directions and the gradients of the initial states in one kernel.
  void launchPersistent() {
    StackBackwardRecurrence r;
    static_cast<PersistentRecurrence &>(r) = {
        getName("grad_persistent").str(), element, *getConstantIntValue(H), numDirections, steps, B, orderedWeights};
    std::tie(r.first, r.end, r.carried) = std::tie(firstStep, endStep, carried);
    std::tie(r.signals, r.task, r.numTasks, r.stepsOfTask) =
        std::tie(stack.signals, stack.task, stack.numTasks, stack.chunk);
    r.hasShortTask = stack.hasShortChunk;
    std::tie(r.dy, r.between, r.dhn, r.dcn, r.states) = std::tie(dy, between, dhn, dcn, states);
    std::tie(r.gradients, r.stateGradients, r.allColumns) = std::tie(gradients, stateGradients, allColumns);
    std::tie(r.dh0, r.dc0, r.sums, r.stateSums) = std::tie(dh0, dc0, rowSums, stateRowSums);
    launchStackBackward(stack, r, *persistent);
  }

  /// The same with one kernel per step.
  void launchLoop() {
    BackwardLayer::launchSteps();
    if (dh0 && stack.chunk)
      host.ifThen(host.isEqual(firstStep, host.index(0)), [&] { launchState(); });
    else if (dh0)
      launchState();
  }

  void startDirection(const Emitter &e, Value newDirection) override {
    direction = newDirection;
    Value column = e.mul(direction, sizes.gateRows());
    myGradients = {gradients, column, allColumns};
    myStateGradients = {stateGradients, column, allColumns};
    mySums = {rowSums, column, allColumns};
    myStateSums = {stateRowSums, column, allColumns};
    recurrentWeights = {stack.params, stack.recurrentWeights.at(e, direction), P};
    firstState = {stack.h0, e.mul(stack.stateRow(e, direction, e.index(0)), P), P};
    if (isProjected) {
      myDeltas = {deltas, e.mul(direction, P), stack.width};
      projection = {stack.params, stack.projection.at(e, direction), H};
    }
  }

  void startStep(const Emitter &e, const Step &newStep) override {
    step = newStep;
    Value row = e.mul(step.t, B), earlier = e.mul(step.earlier, B), directionRow = e.mul(direction, B);
    Value column = e.mul(direction, P), stateRow = stack.stateRow(e, direction, e.index(0));
    auto columnsFrom = [&](Matrix matrix) { return Matrix{matrix.buffer, e.add(matrix.first, column), matrix.stride}; };
    laterGradients = myStateGradients.from(e, e.mul(step.later, B));
    gates = Matrix{stack.saved, stack.gates.at(e, direction), sizes.gateRows()}.from(e, row);
    stateAfter = columnsFrom(states.from(e, row));
    stateBefore = columnsFrom(states.from(e, earlier));
    if (carry)
      myCarry = {carry, e.mul(directionRow, P), P};
    if (cell.isLSTM()) {
      Matrix cells{stack.saved, stack.cells.at(e, direction), H};
      cellAfter = cells.from(e, row);
      cellBefore = cells.from(e, earlier);
      firstCell = {stack.c0, e.mul(stateRow, H), H};
      myCell = {dcell, e.mul(directionRow, H), H};
    }
    if (cell.isGRU())
      linear = Matrix{stack.saved, stack.linear.at(e, direction), H}.from(e, row);
  }

  GemmOperand getGradients() override {
    return operandOf([this](const Emitter &, int64_t) { return laterGradients; }, true);
  }
  GemmOperand getStateWeights() override {
    return operandOf([this](const Emitter &, int64_t) { return recurrentWeights; }, false);
  }
  GemmOperand getDelta() override {
    return operandOf([this](const Emitter &e, int64_t) { return myDeltas.from(e, e.mul(step.t, B)); }, true);
  }
  GemmOperand getProjection() override {
    return operandOf([this](const Emitter &, int64_t) { return projection; }, false);
  }

  /// The index in a dense buffer [D, B, width].
  Value placeOf(const Emitter &e, Value width, Value b, Value column) const {
    return e.add(e.mul(e.add(e.mul(direction, B), b), width), column);
  }

  Value zero(const Emitter &e) const { return e.number(0.0, accumulator); }
  Value insideOr(const Emitter &e, Value inside, Value value, Value other) const {
    return inside ? e.select(inside, value, other) : value;
  }

  void finishStep(const Emitter &e, Value b, Value p, Value sum) override {
    Value inside = stack.isInside(e, step.t, b);
    Value total = e.add(sum, e.ifElse(
                                 step.isLast,
                                 [&] {
                                   Value row = stack.stateRow(e, direction, b);
                                   return stack.load(e, dhn, e.add(e.mul(row, P), p));
                                 },
                                 [&] { return carry ? myCarry.load(e, b, p) : zero(e); }));
    Value cut = stack.resets.isSetAfter(e, step, steps, b);
    total = stack.resets.endGradient(e, step, cut, total, initialState, {placeOf(e, P, b, p)});
    Value row = e.mul(e.add(e.mul(step.t, B), b), stack.width), column = e.add(e.mul(direction, P), p);
    Value place = e.add(row, column);
    Value placeInResult = stack.sequence(e, dy, stack.width).placeAt(e, step.t, b, B, column);
    Value outside = e.ifElse(
        stack.isLast, [&] { return stack.load(e, dy, placeInResult); },
        [&] { return between ? e.load(between, {place}) : zero(e); });
    Value delta = insideOr(e, inside, e.add(total, outside), zero(e));
    if (!isProjected)
      return stepBack(e, inside, b, p, delta, total);
    myDeltas.from(e, e.mul(step.t, B)).store(e, delta, b, p);
    if (carry)
      myCarry.store(e, e.select(inside, zero(e), total), b, p);
  }

  void finishProjection(const Emitter &e, Value b, Value j, Value sum) override {
    stepBack(e, stack.isInside(e, step.t, b), b, j, sum, Value());
  }

  /// `total`: the gradient of the state from later steps only; null with a projection.
  void stepBack(const Emitter &e, Value inside, Value b, Value j, Value dh, Value total) {
    auto gateColumn = [&](int64_t gate) { return e.add(e.mul(H, e.index(gate)), j); };
    // Load the sums over the steps before the stores below, which may alias for all that LLVM can prove.
    auto soFar = [&](const Matrix &sums, int64_t gate) {
      return e.ifElse(step.isLast, [&] { return zero(e); }, [&] { return sums.load(e, b, gateColumn(gate)); });
    };
    SmallVector<Value> totals;
    for (int64_t gate = 0; rowSums && gate < numGates; ++gate)
      totals.push_back(soFar(mySums, gate));
    if (rowSums && cell.isGRU())
      totals.push_back(soFar(myStateSums, newGate));
    Cell::Step saved;
    Value before, c, dc, reset = stack.resets.isSetAt(e, stack.resets.cutBefore(e, direction, step.t), b);
    auto stateOf = [&](const Matrix &first, const Matrix &earlier) {
      auto initial = [&] { return e.convert(first.load(e, b, j), accumulator); };
      Value state = e.ifElse(step.isFirst, initial, [&] { return earlier.load(e, b, j); });
      return stack.resets.apply(e, reset, state, initial);
    };
    if (cell.isLSTM() || cell.isGRU())
      for (int64_t gate = 0; gate < numGates; ++gate)
        saved.gates.push_back(gates.load(e, b, gateColumn(gate)));
    else
      saved.h = stateAfter.load(e, b, j);
    if (cell.isGRU()) {
      saved.linear = linear.load(e, b, j);
      before = stateOf(firstState, stateBefore);
    }
    if (cell.isLSTM()) {
      saved.cell = cellAfter.load(e, b, j);
      c = stateOf(firstCell, cellBefore);
      dc = e.ifElse(
          step.isLast,
          [&] {
            Value row = stack.stateRow(e, direction, b);
            return stack.load(e, dcn, e.add(e.mul(row, H), j));
          },
          [&] { return myCell.load(e, b, j); });
      Value cut = stack.resets.isSetAfter(e, step, steps, b);
      dc = stack.resets.endGradient(e, step, cut, dc, initialCell, {placeOf(e, H, b, j)});
    }
    Cell::Gradients d = cell.stepBack(e, saved, before, c, dh, dc);
    // Past the end, zeros contribute nothing to any GEMM; the carried gradients pass through.
    auto store = [&](const Matrix &all, ArrayRef<Value> values) {
      Matrix here = all.from(e, e.mul(step.t, B));
      for (int64_t gate = 0; gate < numGates; ++gate)
        here.store(e, insideOr(e, inside, values[gate], zero(e)), b, gateColumn(gate));
    };
    store(myGradients, d.inputs);
    if (!d.states.empty())
      store(myStateGradients, d.states);
    auto addTo = [&](const Matrix &sums, int64_t gate, Value total, Value value) {
      sums.store(e, e.add(total, insideOr(e, inside, value, zero(e))), b, gateColumn(gate));
    };
    for (int64_t gate = 0; rowSums && gate < numGates; ++gate)
      addTo(mySums, gate, totals[gate], d.inputs[gate]);
    if (rowSums && cell.isGRU())
      addTo(myStateSums, newGate, totals.back(), d.states[newGate]);
    if (cell.isLSTM()) {
      dc = insideOr(e, inside, d.cell, dc);
      myCell.store(e, dc, b, j);
      if (dc0)
        e.ifThen(step.isFirst, [&] {
          Value first = finishGradient(e, step.t, dc, initialCell, H, b, j);
          Matrix{dc0, e.mul(stack.stateRow(e, direction, e.index(0)), H), H}.store(e, first, b, j);
        });
    }
    if (carry && !isProjected)
      myCarry.store(e, insideOr(e, inside, d.h ? d.h : zero(e), total), b, j);
  }

  void finishState(const Emitter &e, Value b, Value p, Value sum) override {
    if (carry)
      sum = e.add(sum, myCarry.load(e, b, p));
    sum = finishGradient(e, step.later, sum, initialState, P, b, p);
    Matrix{dh0, e.mul(stack.stateRow(e, direction, e.index(0)), P), P}.store(e, sum, b, p);
  }

  /// `t`: the time of the first step.
  Value finishGradient(const Emitter &e, Value t, Value gradient, Value sums, Value width, Value b, Value j) const {
    return stack.resets.finishGradient(e, direction, t, steps, b, gradient, sums, {placeOf(e, width, b, j)});
  }

  //===--- The input -----------------------------------------------------------===//

  GemmOperand getAllGradients() override {
    return operandOf(
        [this](const Emitter &e, int64_t) { return stack.rowsOfTask(e, {gradients, e.index(0), allColumns}); }, true);
  }
  GemmOperand getInputWeights() override { return stack.inputWeightRows(I); }
  void finishInput(const Emitter &e, Value row, Value column, Value sum) override {
    row = e.add(row, stack.firstRow);
    Value place = e.add(e.mul(row, I), column), placeInResult = place;
    if (stack.isBatchMajor)
      placeInResult = stack.sequence(e, dx, I).place(e, row, column);
    auto toResult = [&] {
      if (dx)
        e.store(e.convert(sum, element), dx, {placeInResult});
    };
    if (stack.hasOneLayer)
      return toResult();
    e.ifThen(stack.isFirst, toResult);
    e.ifThen(isAbove(e), [&] {
      Value value = sum;
      if (stack.drops())
        value = stack.drop(e, sum, e.sub(stack.layer, e.index(1)), row, column);
      e.store(value, between, {place});
    });
  }
  Value multiplyInput() {
    Matrix weights{stack.params, stack.inputWeights.first, I};
    if (numDirections == 2) {
      // One after the other, for one gemm.
      weights = {stacked, host.index(0), I};
      launchElementwise(host, getName("grad_stack"), allColumns, I, [&](const Emitter &e, Value row, Value column) {
        Value ofDirection = e.div(row, sizes.gateRows()), rowOfIt = e.remainder(row, sizes.gateRows());
        Matrix from{stack.params, stack.inputWeights.at(e, ofDirection), I};
        weights.store(e, from.load(e, rowOfIt, column), row, column);
      });
    }
    auto into = [&](Value buffer) {
      return multiply({stack.numRows, I, allColumns, stack.rowsOfTask(host, {gradients, host.index(0), allColumns}),
                       weights, stack.rowsOfTask(host, {buffer, host.index(0), I})});
    };
    auto below = [&] {
      Value done = into(between);
      if (stack.drops())
        host.ifThen(done, [&] {
          launchElementwise(
              host, getName("grad_input_dropout"), stack.numRows, I, [&](const Emitter &e, Value row, Value column) {
                row = e.add(row, stack.firstRow);
                Value place = e.add(e.mul(row, I), column);
                Value kept = stack.drop(e, e.load(between, {place}), e.sub(stack.layer, e.index(1)), row, column);
                e.store(kept, between, {place});
              });
        });
      return done;
    };
    auto intoResult = [&] { return stack.isBatchMajor ? never() : into(dx); };
    if (stack.hasOneLayer)
      return intoResult();
    return dx && !sizes.skips ? host.ifElse(stack.isFirst, intoResult, below) : below();
  }
  Value isAbove(const Emitter &e) const { return e.isLess(e.index(0), stack.layer); }

  void lowerInput() {
    auto byLibrary = [&] { return multiplyInput(); };
    LibraryFn library;
    if (mayMultiplyInput)
      library = byLibrary;
    auto multiply = [&] { BackwardLayer::launchInput(stack.numRows, nullptr, library); };
    if (dx && !sizes.skips)
      return multiply();
    if (dx)
      host.ifThen(stack.isFirst, [&] {
        launchSkippedInputGradient(stack, getName("grad_skip_input"), {gradients, host.index(0), allColumns}, dx);
      });
    if (!stack.hasOneLayer)
      host.ifThen(isAbove(host), multiply);
  }

  //===--- The weights ---------------------------------------------------------===//

  /// The states of a layer in the element type.
  Matrix roundedStates(Value layer) const {
    if (!rounded)
      return stack.statesOf(layer);
    Value slot = stack.hasOneLayer ? layer : host.remainder(layer, host.index(2));
    return {rounded, host.mul(slot, host.mul(stack.rows, stack.width)), stack.width};
  }
  void roundStates(Value layer) {
    launchCopy(host, getName("grad_round"), stack.rows, stack.width, stack.statesOf(layer), roundedStates(layer));
  }

  void prepareWeights() {
    if (masked)
      stack.launchMask(getName("grad_mask"), masked);
    if (rounded)
      roundStates(host.sub(sizes.L, host.index(1)));
  }

  void lowerWeights() {
    Matrix input = masked ? Matrix{masked, host.index(0), sizes.I} : stack.sequence(host, stack.x, sizes.I);
    if (!stack.hasOneLayer) {
      Value below = host.max(host.sub(stack.layer, host.index(1)), host.index(0));
      host.ifThen(isAbove(host), [&] {
        if (rounded)
          roundStates(below);
        if (dropped)
          stack.launchDrop(getName("grad_dropout"), stack.statesOf(below), below, {dropped, host.index(0), stack.width},
                           host.index(0), stack.rows);
      });
      Matrix output = dropped ? Matrix{dropped, host.index(0), stack.width} : roundedStates(below);
      input = select(host, stack.isFirst, input, output);
    }
    auto byLibrary = [&] {
      return forDirections([&] {
        Matrix result{dparams, stack.inputWeights.at(host, direction), I};
        LibraryGemm p{sizes.gateRows(), I, stack.rows, myGradients, input, result, /*leftTransposed=*/true};
        return multiply(p);
      });
    };
    auto byLibraryAbove = [&] { return host.ifElse(stack.isFirst, [&] { return never(); }, byLibrary); };
    LibraryFn library = byLibrary;
    if (input.batch)
      library = stack.hasOneLayer ? LibraryFn() : LibraryFn(byLibraryAbove);
    auto inputWeights = [&] {
      launchWeights("grad_w_input", sizes.gateRows(), I,
                    operandOf([this](const Emitter &, int64_t) { return myGradients; }, false),
                    operandOf([=](const Emitter &, int64_t) { return input; }, false, /*isAffine=*/!input.batch),
                    storeInto(stack.inputWeights, I), library);
    };
    if (!sizes.skips)
      inputWeights();
    else if (!stack.hasOneLayer)
      host.ifThen(isAbove(host), inputWeights);
    if (used)
      collectStates();
    launchWeights("grad_w_state", sizes.gateRows(), P,
                  operandOf([this](const Emitter &, int64_t) { return myStateGradients; }, false),
                  used ? operandOf([this](const Emitter &e, int64_t) { return usedStates(e); }, false)
                       : getStatesBefore(roundedStates(stack.layer)),
                  storeInto(stack.recurrentWeights, P),
                  [&] { return forDirections([&] { return multiplyStates(roundedStates(stack.layer)); }); });
    if (isProjected)
      launchWeights("grad_w_projection", P, H, operandOf([this](const Emitter &, int64_t) { return myDeltas; }, false),
                    getHidden(), storeInto(stack.projection, H));
    launchBiasGradients(stack, getName("grad_bias"), rowSums, stateRowSums, allColumns, dparams);
  }

  /// Emits `emit` for each direction, by the library.
  Value forDirections(LibraryFn emit) {
    auto of = [&](int64_t number) {
      startDirection(host, host.index(number));
      return emit();
    };
    return numDirections == 1 ? of(0) : inSequence([&] { return of(0); }, [&] { return of(1); });
  }

  /// The first step of the direction with the initial state, the others with the states of the previous step.
  Value multiplyStates(Matrix all) {
    if (used) {
      LibraryGemm gemm{sizes.gateRows(), P,
                       stack.rows,       myStateGradients,
                       usedStates(host), {dparams, stack.recurrentWeights.at(host, direction), P}};
      gemm.leftTransposed = true;
      return multiply(gemm);
    }
    const bool isForward = getConstantIntValue(direction) == 0;
    Value zero = host.index(0), rest = host.sub(stack.rows, B);
    Matrix result{dparams, stack.recurrentWeights.at(host, direction), P};
    all.first = host.add(all.first, host.mul(direction, P));
    LibraryGemm first{sizes.gateRows(),
                      P,
                      host.min(B, stack.rows),
                      isForward ? myStateGradients : myStateGradients.from(host, rest),
                      firstState,
                      result};
    LibraryGemm others{sizes.gateRows(),
                       P,
                       rest,
                       myStateGradients.from(host, isForward ? B : zero),
                       all.from(host, isForward ? zero : B),
                       result};
    first.leftTransposed = others.leftTransposed = true;
    return multiplySum(first, others, sums, getName("grad_w_state_round"));
  }

  FinishFn storeInto(Places places, Value stride) {
    return [=](const Emitter &e, Value row, Value column, Value sum) {
      Matrix{dparams, places.at(e, direction), stride}.store(e, sum, row, column);
    };
  }

  /// Row t * B + b is the state before step t: that of the previous step, or the initial one.
  GemmOperand getStatesBefore(Matrix all) {
    return GemmOperand::inMemory(
        false,
        [=](const Emitter &e, int64_t, Value column, Value row) {
          Value isFirst = e.isLess(row, B), rowBefore = e.sub(row, B), rowOfFirst = row;
          if (numDirections == 2) {
            Value isForward = e.isEqual(direction, e.index(0)), last = e.sub(stack.rows, B);
            isFirst = e.select(isForward, isFirst, e.isLess(e.sub(last, e.index(1)), row));
            rowBefore = e.select(isForward, rowBefore, e.add(row, B));
            rowOfFirst = e.select(isForward, row, e.sub(row, last));
          }
          Value columnOfAll = e.add(e.mul(direction, P), column);
          return e.select(isFirst, firstState.address(e, rowOfFirst, column), all.address(e, rowBefore, columnOfAll));
        },
        /*isAffine=*/false);
  }

  /// The states before each step of this direction, after resets.
  Matrix usedStates(const Emitter &e) const { return {used, e.mul(direction, P), stack.width}; }
  void collectStates() {
    GemmOperand before = getStatesBefore(roundedStates(stack.layer));
    auto getAddress = [&](const Emitter &e, Value direction, Value p, Value row) {
      startDirection(e, direction);
      return before.address(e, 0, p, row);
    };
    stack.resets.launchStates(host, getName("grad_states"), stack.rows, B, P, {used, host.index(0), stack.width},
                              getAddress, [&](const Emitter &e, Value b, Value p) { return firstState.load(e, b, p); });
  }

  /// h before the projection, which the reserve space has in the accumulator type.
  GemmOperand getHidden() {
    auto place = [this](const Emitter &e) { return Matrix{stack.saved, stack.hidden.at(e, direction), H}; };
    if (element == accumulator)
      return operandOf([=](const Emitter &e, int64_t) { return place(e); }, false);
    return GemmOperand{[=](const Emitter &e, int64_t, Value column, Value row) {
                         return e.convert(place(e).load(e, row, column), element);
                       },
                       false};
  }

  /// The gate of gru with different gradients with respect to the input and to the state.
  static constexpr int64_t newGate = 2;

  Stack &stack;
  const StackValues &sizes;
  const Cell &cell;
  Value dy, dhn, dcn;
  Value dx, dh0, dc0, dparams; ///< or null
  std::optional<PersistentBackwardShape> persistent;

  // Scratch.
  Value allColumns;                ///< gates of all directions
  Value gradients, stateGradients; ///< [T*B, D*G*H] of the gates' arguments, with respect to input and state
  Value dcell, carry;              ///< carried from step to step, [D*B, .]
  Value initialState, initialCell; ///< what resets add to the gradients of the initial states, [D*B, .], or null
  Value used;                      ///< GEMM operand: the states before each step, after resets; or null
  Value orderedWeights;            ///< of the persistent kernel
  Value rowSums, stateRowSums;     ///< sums over the steps of both, in the accumulator type, [B, D*G*H], or null
  Value deltas;                    ///< projection: gradients of all states
  Value carried;                   ///< between launches of persistent kernels; or null
  Value between;                   ///< the gradients of the outputs of this layer, then of the layer below
  Value rounded, dropped, masked;  ///< GEMM operands: states of two layers, the input of this one, x
  bool mayMultiplyInput = false;   ///< by the library
  Value stacked, sums;             ///< for the library: input weights of both directions, sums before rounding

  // Of a layer, a direction, a step.
  Matrix states;
  Value direction;
  Matrix myGradients, myStateGradients, mySums, myStateSums, myDeltas, recurrentWeights, projection, firstState;
  Step step;
  Matrix laterGradients, gates, stateAfter, stateBefore, cellAfter, cellBefore, firstCell, linear, myCarry, myCell;
};

} // namespace

void rnn::lowerStackBackward(CudnnBackpropOp op, Stack &stack) {
  std::string name = ("cudnn_" + stringifyCellMode(op.getMode())).str();
  StackBackward(op, stack, name).lower();
}
