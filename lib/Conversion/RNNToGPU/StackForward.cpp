//===- StackForward.cpp - the forward pass of the cudnn ops as kernels --------===//
//
// Layer by layer: one GEMM of the input of all steps, then the steps. In f16 and bf16 a layer's output exists twice: in
// the element type, for GEMMs and results, and in f32, for the reserve space.
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

class StackForward final : public ForwardLayer {
public:
  StackForward(CudnnForwardOp op, Stack &stack, StringRef name)
      : ForwardLayer(stack.host, name, stack.sizes.element, stack.largeGemms), stack(stack), sizes(stack.sizes),
        cell(*stack.cell), isTraining(stack.saved) {
    numGates = sizes.G;
    numDirections = sizes.D;
    steps = sizes.T, B = sizes.B, H = sizes.H, P = sizes.P;
    isProjected = sizes.isProjected;
    y = stack.write(op.getOutputOut());
    hn = stack.write(op.getOutputHOut());
    cn = stack.write(op.getOutputCOut());
    bool inParts = stack.mayHaveWavefront();
    persistent = choosePersistentShape<PersistentForwardShape>(op, host, element, numGates, isProjected, &inParts);
    if (inParts)
      stack.chooseWavefront(persistent ? persistent->blocks : 0, persistent ? persistent->mostRows : 0);
    stack.usesSignals = stack.chunk && persistent;
    hasNarrowInput = stack.chunk && persistent && leavesRoomForNarrow(*persistent);
    allocate();
  }

  void lower() {
    // The library has one stride between the rows of a matrix.
    auto byLibrary = [&]() -> Value {
      if (!stack.isBatchMajor)
        return multiplyInput();
      return host.ifElse(stack.isFirst, [&] { return never(); }, [&] { return multiplyInput(); });
    };
    LibraryFn library;
    if (useLibrary())
      library = byLibrary;
    auto input = [&] {
      startTask();
      // Dropout applies to the input of the next layer, not to the states. Not after the steps of that layer, whose
      // kernel may go on with later tasks.
      if (dropped)
        host.ifThen(host.isLess(host.index(0), stack.layer), [&] {
          Value before = host.sub(stack.layer, host.index(1));
          stack.launchDrop(getName("dropout"), stack.statesOf(before), before, getDropped(), stack.firstRow,
                           stack.numRows);
        });
      if (sizes.skips) {
        host.ifThen(stack.isFirst, [&] { skipInput(); });
        if (!stack.hasOneLayer)
          host.ifThen(host.isLess(host.index(0), stack.layer), [&] { launchInput(stack.numRows, library); });
      } else {
        launchInput(stack.numRows, library);
      }
    };
    auto steps = [&] {
      startTask();
      if (persistent)
        launchClustersOr(host, [&] { launchPersistent(); }, [&] { launchSteps(); });
      else
        launchSteps();
    };
    // With `reuses`, the input GEMM of a chunk waits until the steps of the chunk two before have read their gates.
    // Inference must wait, since both chunks use the same memory. A training pass waits too: the input GEMMs of the
    // first layer depend on nothing else, and if all of them ran first, they would occupy the multiprocessors that the
    // steps need.
    stack.forEachTask(/*reversed=*/false, /*reuses=*/true, input, steps);
  }

private:
  //===--- Buffers -------------------------------------------------------------===//

  void allocate() {
    Value D = host.index(numDirections), states = host.mul(host.mul(B, D), P), cells = host.mul(host.mul(B, D), H);
    const bool isExact = element == accumulator;
    if (!isTraining) {
      gateRowsOfScratch = stack.rows;
      if (stack.chunk)
        gateRowsOfScratch = host.mul(host.min(host.mul(stack.chunk, host.index(Stack::chunksInScratch)), steps), B);
      stack.allocatePerLayer(gatesScratch, host.mul(host.mul(gateRowsOfScratch, D), sizes.gateRows()), accumulator);
      if (cell.isLSTM())
        stack.allocatePerLayer(cellScratch, cells, accumulator);
      if (!isExact && needsStateBefore())
        stack.allocatePerLayer(stateScratch, states, accumulator);
    }
    if (stack.resets.isToInitial())
      stack.allocatePerLayer(initialSums, host.mul(host.mul(B, D), sizes.gateRows()), accumulator);
    if (isProjected)
      stack.allocatePerLayer(hiddenScratch, cells, element);
    if (persistent)
      stack.allocatePerLayer(orderedWeights, persistent->getWeights().getBufferType(element, numDirections));
    if (persistent && stack.chunk)
      stack.allocatePerLayer(carried, host.mul(cells, host.index(PersistentRecurrence::maxCarried)), accumulator);
    // Buffers of outputs; or the reserve space itself, or the result, if they hold the same values.
    Value outputs = host.mul(stack.rows, stack.width);
    if (stack.hasOneLayer && !isTraining && y && !stack.lengths)
      outputScratch = y;
    else if (!isTraining || !isExact)
      outputScratch = stack.allocate(stack.hasOneLayer ? outputs : host.mul(outputs, stack.getNumSlots()), element);
    // One buffer also in a wavefront: a layer replaces the rows of a chunk after it has read them.
    if (isTraining && stack.drops())
      dropped = stack.allocate(outputs, element);
    Value rows = sizes.gateRows();
    if (!element.isF64() && useLibrary())
      stack.allocatePerLayer(biases, host.mul(rows, D), accumulator);
  }

  /// True if the library may multiply the input of a layer.
  bool useLibrary() const {
    return !(stack.isBatchMajor && stack.hasOneLayer) && mayUseLibraryForInput() &&
           mayUseLibrary(stack.rows, sizes.gateRows(), host.max(sizes.I, stack.width));
  }

  /// True if the previous state is used outside of the GEMM: by gru, and by rows past their end.
  bool needsStateBefore() const { return cell.isGRU() || stack.lengths; }

  Matrix outputOf(Value layer) const {
    if (!outputScratch)
      return stack.statesOf(layer);
    if (outputScratch == y)
      return stack.sequence(host, y, stack.width);
    Value slot = stack.hasOneLayer ? layer : stack.getSlot(layer);
    return {outputScratch, host.mul(slot, host.mul(stack.rows, stack.width)), stack.width};
  }

  /// The output of a layer after dropout, for the next layer.
  Matrix getDropped() const { return {dropped, host.index(0), stack.width}; }

  void startTask() {
    std::tie(firstStep, endStep) = std::tie(stack.firstStep, stack.endStep);
    output = outputOf(stack.layer);
    exact = isTraining ? stack.statesOf(stack.layer) : output;
    input = stack.sequence(host, stack.x, sizes.I);
    I = sizes.inputWidth(stack.layer);
    if (stack.hasOneLayer)
      return;
    Value before = host.max(host.sub(stack.layer, host.index(1)), host.index(0));
    Matrix other = dropped ? getDropped() : outputOf(before);
    input = stack.rowsOfTask(host, select(host, stack.isFirst, input, other));
  }

  //===--- The input -----------------------------------------------------------===//

  /// The gates of row 0. Scratch memory has the rows of two chunks, which alternate.
  Places getGatePlaces(const Emitter &e) const {
    if (isTraining)
      return stack.gates;
    Value first = e.index(0);
    if (stack.chunk) {
      Value slot = e.remainder(stack.chunkNumber, e.index(Stack::chunksInScratch));
      Value before = e.sub(e.mul(slot, e.mul(stack.chunk, B)), stack.firstRow);
      first = e.mul(before, sizes.gateRows());
    }
    return {first, e.mul(gateRowsOfScratch, sizes.gateRows())};
  }

  void startDirection(const Emitter &e, Value direction) override {
    Places places = getGatePlaces(e);
    allGates = {isTraining ? stack.saved : gatesScratch, places.at(e, direction), sizes.gateRows()};
    inputBias = stack.inputBias.at(e, direction);
    recurrentBias = stack.recurrentBias.at(e, direction);
    inputWeights = {stack.params, stack.inputWeights.at(e, direction), I};
  }

  GemmOperand getInput() override {
    return operandOf([this](const Emitter &, int64_t) { return input; }, true);
  }
  GemmOperand getInputWeights() override {
    return operandOf([this](const Emitter &, int64_t) { return inputWeights; }, true);
  }
  void finishInput(const Emitter &e, Value row, Value column, Value sum) override {
    allGates.store(e, addBias(e, column, sum), e.add(row, stack.firstRow), column);
  }
  Value addBias(const Emitter &e, Value column, Value sum) {
    sum = e.add(sum, stack.load(e, stack.params, e.add(inputBias, column)));
    auto recurrent = [&] { return stack.load(e, stack.params, e.add(recurrentBias, column)); };
    // The recurrent bias of gru's new gate is multiplied by the reset gate.
    if (cell.isGRU())
      sum = e.add(
          sum, e.ifElse(e.isLess(column, e.mul(H, e.index(2))), recurrent, [&] { return e.number(0.0, accumulator); }));
    else
      sum = e.add(sum, recurrent());
    return sum;
  }

  /// All directions by the library.
  Value multiplyInput() {
    Value rows = sizes.gateRows();
    if (biases)
      launchElementwise(host, getName("bias"), host.index(numDirections), rows,
                        [&](const Emitter &e, Value direction, Value column) {
                          startDirection(e, direction);
                          Value sum = addBias(e, column, e.number(0.0, accumulator));
                          e.store(sum, biases, {e.add(e.mul(direction, rows), column)});
                        });
    auto ofDirection = [&](int64_t direction) {
      startDirection(host, host.index(direction));
      LibraryGemm p{stack.numRows, rows, I, input, inputWeights, stack.rowsOfTask(host, allGates)};
      p.rightTransposed = true;
      if (biases)
        p.bias = memref::SubViewOp::create(host.builder, host.loc, biases,
                                           OpFoldResult(host.mul(host.index(direction), rows)), OpFoldResult(rows),
                                           OpFoldResult(host.builder.getIndexAttr(1)));
      return ForwardLayer::multiplyInput(p, direction);
    };
    return numDirections == 1 ? ofDirection(0)
                              : inSequence([&] { return ofDirection(0); }, [&] { return ofDirection(1); });
  }

  /// skip_input: the input is added to every gate without a GEMM.
  void skipInput() {
    Value all = sizes.gateRows();
    Matrix x = stack.sequence(host, stack.x, H);
    launchElementwise(host, getName("skip_input"), stack.numRows, host.mul(all, host.index(numDirections)),
                      [&](const Emitter &e, Value row, Value column) {
                        startDirection(e, e.div(column, all));
                        column = e.remainder(column, all);
                        Value value = x.load(e, e.add(row, stack.firstRow), e.remainder(column, H));
                        finishInput(e, row, column, e.convert(value, accumulator));
                      });
  }

  //===--- Steps ---------------------------------------------------------------===//

  /// All steps of all directions in one kernel.
  void launchPersistent() {
    StackForwardRecurrence r;
    static_cast<PersistentRecurrence &>(r) = {
        getName("persistent").str(), element, persistent->H, numDirections, steps, B, orderedWeights};
    std::tie(r.first, r.end, r.carried) = std::tie(firstStep, endStep, carried);
    std::tie(r.signals, r.task, r.numTasks, r.stepsOfTask) =
        std::tie(stack.signals, stack.task, stack.numTasks, stack.chunk);
    r.hasShortTask = stack.hasShortChunk;
    r.gates = isTraining ? stack.saved : gatesScratch;
    if (!isTraining && stack.chunk) {
      r.gatePlaces = {host.index(0), host.mul(gateRowsOfScratch, sizes.gateRows())};
      r.stepsOfGates = host.mul(stack.chunk, host.index(Stack::chunksInScratch));
    } else {
      r.gatePlaces = getGatePlaces(host);
    }
    // The states of a single layer are stored to results only.
    if (!stack.hasOneLayer || !outputScratch)
      r.output = output;
    if (exact.buffer != output.buffer)
      r.exact = exact;
    r.y = y;
    std::tie(r.hn, r.cn) = std::tie(hn, cn);
    launchStackForward(stack, r, *persistent);
  }

  void startStep(const Emitter &e, const Step &newStep) override {
    step = newStep;
    Value row = e.mul(step.t, B), earlier = e.mul(step.earlier, B), rowOfDirection = e.mul(step.direction, B);
    firstColumn = e.mul(step.direction, P);
    Value stateRow = stack.stateRow(e, step.direction, e.index(0));
    gates = allGates.from(e, row);
    Matrix first{stack.h0, e.mul(stateRow, P), P};
    outputAfter = statesAt(e, output, step.t);
    stateOperand = select(e, step.isFirst, first, statesAt(e, output, step.earlier));
    firstState = first;
    exactAfter = statesAt(e, exact, step.t);
    exactBefore = statesAt(e, exact, step.earlier);
    if (stateScratch)
      exactBefore = exactAfter = {stateScratch, e.mul(rowOfDirection, P), P};
    recurrentWeights = {stack.params, stack.recurrentWeights.at(e, step.direction), P};
    if (cell.isLSTM()) {
      firstCell = {stack.c0, e.mul(stateRow, H), H};
      if (isTraining) {
        Matrix all{stack.saved, stack.cells.at(e, step.direction), H};
        cellBefore = all.from(e, earlier);
        cellAfter = all.from(e, row);
      } else {
        cellBefore = cellAfter = {cellScratch, e.mul(rowOfDirection, H), H};
      }
    }
    if (isTraining && cell.isGRU())
      linear = Matrix{stack.saved, stack.linear.at(e, step.direction), H}.from(e, row);
    if (isProjected) {
      hiddenOperand = {hiddenScratch, e.mul(rowOfDirection, H), H};
      projection = {stack.params, stack.projection.at(e, step.direction), H};
      if (isTraining)
        hidden = Matrix{stack.saved, stack.hidden.at(e, step.direction), H}.from(e, row);
    }
  }

  /// The states of this direction at step `t`; `all`: of all steps and directions.
  Matrix statesAt(const Emitter &e, const Matrix &all, Value t) const {
    Matrix rows = all.atStep(e, t, B);
    return {rows.buffer, e.add(rows.first, firstColumn), rows.stride};
  }

  GemmOperand getState() override {
    return operandOf([this](const Emitter &, int64_t) { return stateOperand; }, true);
  }
  GemmOperand getStateWeights() override {
    return operandOf(
        [this](const Emitter &e, int64_t gate) { return recurrentWeights.from(e, e.mul(H, e.index(gate))); }, true);
  }
  GemmOperand getHidden() override {
    return operandOf([this](const Emitter &, int64_t) { return hiddenOperand; }, true);
  }
  GemmOperand getProjection() override {
    return operandOf([this](const Emitter &, int64_t) { return projection; }, true);
  }

  Value getStateBefore(const Emitter &e, Value b, Value p, Value reset = nullptr) {
    if (!needsStateBefore())
      return Value();
    auto initial = [&] { return e.convert(firstState.load(e, b, p), accumulator); };
    Value before = e.ifElse(step.isFirst, initial, [&] { return exactBefore.load(e, b, p); });
    return stack.resets.apply(e, reset, before, initial);
  }

  /// True if the state before this step is reset. Null: never.
  Value isReset(const Emitter &e, Value b) const {
    const Resets &resets = stack.resets;
    Value reset = resets.isSetAt(e, resets.cutBefore(e, step.direction, step.t), b);
    // The first step starts from the initial state anyway.
    return resets.isToInitial() ? e.both(reset, e.isLess(e.index(0), step.number)) : reset;
  }

  /// A sum of the GEMM, for the state after the reset: that of zeros is zero, and that of the initial state is the sum
  /// of the first step.
  Value resetSum(const Emitter &e, Value reset, Value sum, Value b, Value column) const {
    Matrix first{initialSums, e.mul(step.direction, e.mul(B, sizes.gateRows())), sizes.gateRows()};
    if (initialSums)
      e.ifThen(step.isFirst, [&] { first.store(e, sum, b, column); });
    return stack.resets.apply(e, reset, sum, [&] { return first.load(e, b, column); });
  }

  void finishStep(const Emitter &e, Value b, Value j, ArrayRef<Value> sums) override {
    Value inside = stack.isInside(e, step.t, b), reset = isReset(e, b);
    SmallVector<Value> inputs, states(sums);
    for (int64_t gate = 0; reset && gate < numGates; ++gate)
      states[gate] = resetSum(e, reset, sums[gate], b, e.add(e.mul(H, e.index(gate)), j));
    for (int64_t gate = 0; gate < numGates; ++gate)
      inputs.push_back(gates.load(e, b, e.add(e.mul(H, e.index(gate)), j)));
    if (cell.isGRU()) {
      Value place = e.add(recurrentBias, e.add(e.mul(H, e.index(2)), j));
      states[2] = e.add(states[2], stack.load(e, stack.params, place));
    }
    Value before = isProjected ? Value() : getStateBefore(e, b, j, reset), c;
    if (cell.isLSTM()) {
      auto initial = [&] { return e.convert(firstCell.load(e, b, j), accumulator); };
      c = e.ifElse(step.isFirst, initial, [&] { return cellBefore.load(e, b, j); });
      c = stack.resets.apply(e, reset, c, initial);
    }
    Cell::Step result = cell.step(e, inputs, states, before, c);
    // A row past its end keeps its state. The backward pass multiplies the others by zero, so they must be finite.
    auto keep = [&](Value value, Value other) { return inside ? e.select(inside, value, other) : value; };
    auto keepOrZero = [&](Value value) { return keep(value, e.number(0.0, accumulator)); };
    if (isTraining)
      for (int64_t gate = 0; gate < numGates; ++gate)
        gates.store(e, keepOrZero(result.gates[gate]), b, e.add(e.mul(H, e.index(gate)), j));
    if (cell.isLSTM()) {
      c = keep(result.cell, c);
      cellAfter.store(e, c, b, j);
      if (cn)
        e.ifThen(step.isLast, [&] {
          Matrix last{cn, e.mul(stack.stateRow(e, step.direction, e.index(0)), H), H};
          last.store(e, c, b, j);
        });
    }
    if (isTraining && cell.isGRU())
      linear.store(e, keepOrZero(result.linear), b, j);
    if (!isProjected)
      return publish(e, inside, b, j, keep(result.h, before));
    if (isTraining)
      hidden.store(e, keepOrZero(result.h), b, j);
    hiddenOperand.store(e, result.h, b, j);
  }

  void finishProjection(const Emitter &e, Value b, Value p, Value sum) override {
    Value inside = stack.isInside(e, step.t, b), before = getStateBefore(e, b, p);
    publish(e, inside, b, p, inside ? e.select(inside, sum, before) : sum);
  }

  /// Stores the new state.
  void publish(const Emitter &e, Value inside, Value b, Value p, Value h) {
    outputAfter.store(e, h, b, p);
    if (exactAfter.buffer != outputAfter.buffer)
      exactAfter.store(e, h, b, p);
    if (y && outputScratch != y)
      e.ifThen(stack.isLast, [&] {
        Matrix result = statesAt(e, stack.sequence(e, y, stack.width), step.t);
        result.store(e, inside ? e.select(inside, h, e.number(0.0, accumulator)) : h, b, p);
      });
    if (hn)
      e.ifThen(step.isLast, [&] {
        Matrix last{hn, e.mul(stack.stateRow(e, step.direction, e.index(0)), P), P};
        last.store(e, h, b, p);
      });
  }

  Stack &stack;
  const StackValues &sizes;
  const Cell &cell;
  const bool isTraining;
  Value y, hn, cn; ///< or null
  std::optional<PersistentForwardShape> persistent;
  Value orderedWeights;    ///< of the persistent kernel
  Value gateRowsOfScratch; ///< rows of gatesScratch
  Value gatesScratch, cellScratch, stateScratch, hiddenScratch, outputScratch, dropped;
  Value carried;     ///< between launches of persistent kernels; or null
  Value biases;      ///< of the input's GEMM, in the accumulator type, for the library
  Value initialSums; ///< of the GEMM of the initial states, [D*B, G*H], for resets to them; or null

  // Of a layer: rows t * B + b, all directions.
  Matrix input;
  Matrix output, exact; ///< its output; `exact` in the accumulator type if that is stored

  // Of a direction.
  Matrix allGates, inputWeights;
  Value inputBias, recurrentBias;

  // Of a step: rows of the batch.
  Step step;
  Value firstColumn; ///< of the direction's states
  Matrix gates, stateOperand, recurrentWeights, outputAfter, firstState, exactBefore, exactAfter;
  Matrix firstCell, cellBefore, cellAfter, linear, hidden, hiddenOperand, projection;
};

} // namespace

void rnn::lowerStackForward(CudnnForwardOp op, Stack &stack) {
  std::string name = ("cudnn_" + stringifyCellMode(op.getMode())).str();
  StackForward(op, stack, name).lower();
}
