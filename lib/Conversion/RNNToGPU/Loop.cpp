//===- Loop.cpp - the loops over time of per-step kernels ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterFallback.h"

using namespace mlir;
using namespace mlir::rnn;

Gemm Layer::makeGemm(StringRef suffix, int64_t panels, Value rows, Value columns, Value depth) const {
  return {getName(suffix), element, panels, rows, columns, depth, {}, {}, {}};
}

void Layer::launch(Gemm gemm) {
  gemm.copies = numDirections;
  gemm.start = [this](const Emitter &e, Value direction) { startDirection(e, direction); };
  launchGemm(host, gemm);
}

void Layer::launch(Gemm gemm, Value number) {
  // `chained` requires that the previous kernel does not write the weights. Before the first step runs a GEMM of the
  // input (or that step has depth 0 and reads no weights), before the others a step. Kernels of a library do not
  // trigger dependent launches early.
  gemm.chained = true;
  gemm.copies = numDirections;
  Value one = host.index(1), last = host.sub(steps, one), isFirst = host.isEqual(number, host.index(0)),
        isLast = host.isEqual(number, last);
  gemm.start = [=](const Emitter &e, Value direction) {
    Step step = makeStep(e, direction, numDirections, number, last, isFirst, isLast);
    startDirection(e, direction);
    startStep(e, step);
  };
  auto launchWithout = [&] {
    gemm.mayUseClusters = false;
    gemm.name = host.builder.getStringAttr(gemm.name + "_unsplit").getValue();
    launchGemm(host, gemm);
  };
  if (usesClusters(host, gemm))
    launchClustersOr(host, [&] { launchGemm(host, gemm); }, launchWithout);
  else
    launchGemm(host, gemm);
}

/// Calls `step` in a loop over the step numbers [first, end), in ascending or descending order. Null: all `steps`.
/// Steps only launch kernels: the runtime may enqueue all of them together.
static void forEachStep(const Emitter &host, Value first, Value end, Value steps, bool backwards,
                        function_ref<void(Value number)> step) {
  Value call = rnnrt::CurrentCallOp::create(host.builder, host.loc, rnnrt::CallType::get(host.builder.getContext()));
  rnnrt::BeginChainOp::create(host.builder, host.loc, call);
  if (!first)
    std::tie(first, end) = std::pair(host.index(0), steps);
  // first + end - 1 - number, since a loop ascends.
  Value last = host.sub(end, host.index(1)), sum = getConstantIntValue(first) == 0 ? last : host.add(first, last);
  host.loop(first, end, 1, {}, [&](Value number, ValueRange) {
    step(backwards ? host.sub(sum, number) : number);
    return SmallVector<Value>();
  });
  rnnrt::EndChainOp::create(host.builder, host.loc, call);
}

void ForwardLayer::launchInput(Value rows, LibraryFn library) {
  Gemm p = makeGemm("input", 1, rows, host.mul(H, host.index(numGates)), I);
  p.left = getInput();
  p.right = getInputWeights();
  p.finish = [this](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
    finishInput(e, row, column, sums[0]);
  };
  p.isNarrow = hasNarrowInput;
  if (!mayUseLibraryForInput())
    library = nullptr;
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launch(p); });
}

Value ForwardLayer::multiplyInput(const LibraryGemm &gemm, int64_t direction) {
  Value done = multiply(gemm);
  if (!gemm.bias)
    host.ifThen(done, [&] {
      launchElementwise(host, getName("input_bias"), gemm.rows, gemm.columns,
                        [&](const Emitter &e, Value row, Value column) {
                          startDirection(e, e.index(direction));
                          finishInput(e, row, column, gemm.result.load(e, row, column));
                        });
    });
  return done;
}

void ForwardLayer::launchSteps() {
  forEachStep(host, firstStep, endStep, steps, /*backwards=*/false, [&](Value number) {
    Gemm p = makeGemm("step", numGates, B, H, P);
    p.left = getState();
    p.right = getStateWeights();
    p.finish = [this](const Emitter &e, Value b, Value j, ArrayRef<Value> sums) { finishStep(e, b, j, sums); };
    launch(p, number);
    if (!isProjected)
      return;
    p = makeGemm("step_projection", 1, B, P, H);
    p.left = getHidden();
    p.right = getProjection();
    p.finish = [this](const Emitter &e, Value b, Value k, ArrayRef<Value> sums) { finishProjection(e, b, k, sums[0]); };
    launch(p, number);
  });
}

/// The GEMM with the gate gradients of step number + 1.
void BackwardLayer::launchWithGradients(StringRef suffix, Value number, Value depth,
                                        void (BackwardLayer::*finish)(const Emitter &, Value, Value, Value)) {
  Gemm p = makeGemm(suffix, 1, B, P, depth);
  p.left = getGradients();
  p.right = getStateWeights();
  p.finish = [=](const Emitter &e, Value b, Value k, ArrayRef<Value> sums) { (this->*finish)(e, b, k, sums[0]); };
  launch(p, number);
}

void BackwardLayer::launchSteps() {
  Value rows = host.mul(H, host.index(numGates)), zero = host.index(0);
  forEachStep(host, firstStep, endStep, steps, /*backwards=*/true, [&](Value number) {
    // The last step has no successor.
    Value isLast = host.isEqual(host.add(number, host.index(1)), steps);
    launchWithGradients("grad_step", number, host.select(isLast, zero, rows), &BackwardLayer::finishStep);
    if (!isProjected)
      return;
    Gemm p = makeGemm("grad_step_projection", 1, B, H, P);
    p.left = getDelta();
    p.right = getProjection();
    p.finish = [this](const Emitter &e, Value b, Value j, ArrayRef<Value> sums) { finishProjection(e, b, j, sums[0]); };
    launch(p, number);
  });
}

void BackwardLayer::launchState() {
  Value zero = host.index(0), none = host.isEqual(steps, zero);
  Value depth = host.select(none, zero, host.mul(H, host.index(numGates)));
  launchWithGradients("grad_state", host.index(-1), depth, &BackwardLayer::finishState);
}

void BackwardLayer::launchInput(Value rows, Value validRows, LibraryFn library) {
  // One reduction over all directions.
  Gemm p = makeGemm("grad_input", 1, rows, I, host.mul(H, host.index(numGates * numDirections)));
  p.left = getAllGradients();
  p.right = getInputWeights();
  p.validRows = validRows;
  p.finish = [this](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
    finishInput(e, row, column, sums[0]);
  };
  p.isNarrow = hasNarrowInput;
  if (!mayUseLibraryForInput())
    library = nullptr;
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launchGemm(host, p); });
}

void BackwardLayer::launchWeights(StringRef suffix, Value rows, Value columns, GemmOperand left, GemmOperand right,
                                  FinishFn finish, LibraryFn library) {
  Gemm p = makeGemm(suffix, 1, rows, columns, host.mul(steps, B));
  p.left = std::move(left);
  p.right = std::move(right);
  p.finish = [=](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) { finish(e, row, column, sums[0]); };
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launch(p); });
}
