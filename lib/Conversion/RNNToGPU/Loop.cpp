//===- Loop.cpp - the loops over time ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

void Matrix::store(const Emitter &e, Value value, Value row, Value column) const {
  e.store(e.convert(value, cast<MemRefType>(buffer.getType()).getElementType()), buffer, {place(e, row, column)});
}

Matrix rnn::select(const Emitter &e, Value condition, const Matrix &yes, const Matrix &no) {
  if (std::optional<int64_t> constant = getConstantIntValue(condition))
    return *constant ? yes : no;
  auto type = cast<MemRefType>(yes.buffer.getType());
  Value a = yes.buffer, b = no.buffer;
  if (a.getType() != b.getType()) {
    // Their sizes differ, or one is a part of something else.
    constexpr int64_t any = ShapedType::kDynamic;
    auto common = MemRefType::get({any}, type.getElementType(), StridedLayoutAttr::get(type.getContext(), any, {1}));
    a = memref::CastOp::create(e.builder, e.loc, common, a);
    b = memref::CastOp::create(e.builder, e.loc, common, b);
  }
  return {e.select(condition, a, b), e.select(condition, yes.first, no.first),
          e.select(condition, yes.stride, no.stride)};
}

Value rnn::flatten(const Emitter &e, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return memref::CollapseShapeOp::create(e.builder, e.loc, buffer, ArrayRef<ReassociationIndices>(all));
}

ProductOperand rnn::operandOf(std::function<Matrix(const Emitter &, int64_t)> matrix, bool depthIsContiguous) {
  return ProductOperand::inMemory(depthIsContiguous, [=](const Emitter &e, int64_t panel, Value outer, Value depth) {
    return depthIsContiguous ? matrix(e, panel).address(e, outer, depth) : matrix(e, panel).address(e, depth, outer);
  });
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Step rnn::makeStep(const Emitter &e, Value direction, int64_t numDirections, Value number, Value last, Value isFirst,
                   Value isLast) {
  Value one = e.index(1);
  Step step{number, direction, number, e.sub(number, one), e.add(number, one), isFirst, isLast};
  if (numDirections == 2) {
    Value isForward = e.isEqual(direction, e.index(0)), mirrored = e.sub(last, number);
    step.t = e.select(isForward, number, mirrored);
    step.earlier = e.select(isForward, step.earlier, e.add(mirrored, one));
    step.later = e.select(isForward, step.later, e.sub(mirrored, one));
  }
  return step;
}

Product Layer::product(StringRef suffix, int64_t panels, Value rows, Value columns, Value depth) const {
  return {getName(suffix), element, panels, rows, columns, depth, {}, {}, {}};
}

void Layer::launch(Product product) {
  product.copies = numDirections;
  product.start = [this](const Emitter &e, Value direction) { startDirection(e, direction); };
  launchProduct(host, product);
}

void Layer::launch(Product product, Value number) {
  // In front of the first step stands a product, which writes no weights, or it has no depth and reads none; in front of
  // the others stand steps, which write none. (A kernel of a library lets no other begin before it ends.)
  product.chained = true;
  product.copies = numDirections;
  Value one = host.index(1), last = host.sub(steps, one), isFirst = host.isEqual(number, host.index(0)),
        isLast = host.isEqual(number, last);
  product.start = [=](const Emitter &e, Value direction) {
    Step step = makeStep(e, direction, numDirections, number, last, isFirst, isLast);
    startDirection(e, direction);
    startStep(e, step);
  };
  launchProduct(host, product);
}

/// Calls `step` in a loop over the numbers of steps, in this order or the other.
static void forEachStep(const Emitter &host, Value steps, bool backwards, function_ref<void(Value number)> step) {
  Value last = host.sub(steps, host.index(1));
  host.loop(host.index(0), steps, 1, {}, [&](Value number, ValueRange) {
    step(backwards ? host.sub(last, number) : number);
    return SmallVector<Value>();
  });
}

void ForwardLayer::launchInput(LibraryFn library) {
  Product p = product("input", 1, host.mul(steps, B), host.mul(H, host.index(numGates)), I);
  p.left = getInput();
  p.right = getInputWeights();
  p.finish = [this](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
    finishInput(e, row, column, sums[0]);
  };
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launch(p); });
}

Value ForwardLayer::multiplyInput(const LibraryProduct &product, int64_t direction) {
  Value done = multiply(product);
  if (!product.bias)
    host.when(done, [&] {
      launchPlaces(host, getName("input_bias"), product.rows, product.columns,
                   [&](const Emitter &e, Value row, Value column) {
                     startDirection(e, e.index(direction));
                     finishInput(e, row, column, product.result.load(e, row, column));
                   });
    });
  return done;
}

void ForwardLayer::launchSteps() {
  forEachStep(host, steps, /*backwards=*/false, [&](Value number) {
    Product p = product("step", numGates, B, H, P);
    p.left = getState();
    p.right = getStateWeights();
    p.finish = [this](const Emitter &e, Value b, Value j, ArrayRef<Value> sums) { finishStep(e, b, j, sums); };
    launch(p, number);
    if (!isProjected)
      return;
    p = product("step_projection", 1, B, P, H);
    p.left = getHidden();
    p.right = getProjection();
    p.finish = [this](const Emitter &e, Value b, Value k, ArrayRef<Value> sums) { finishProjection(e, b, k, sums[0]); };
    launch(p, number);
  });
}

/// The product with the gates' gradients of the step after `number` in order.
void BackwardLayer::launchWithGradients(StringRef suffix, Value number, Value depth,
                                        void (BackwardLayer::*finish)(const Emitter &, Value, Value, Value)) {
  Product p = product(suffix, 1, B, P, depth);
  p.left = getGradients();
  p.right = getStateWeights();
  p.finish = [=](const Emitter &e, Value b, Value k, ArrayRef<Value> sums) { (this->*finish)(e, b, k, sums[0]); };
  launch(p, number);
}

void BackwardLayer::launchSteps() {
  Value rows = host.mul(H, host.index(numGates)), zero = host.index(0);
  forEachStep(host, steps, /*backwards=*/true, [&](Value number) {
    // Nothing comes back to the last step.
    Value isLast = host.isEqual(host.add(number, host.index(1)), steps);
    launchWithGradients("grad_step", number, host.select(isLast, zero, rows), &BackwardLayer::finishStep);
    if (!isProjected)
      return;
    Product p = product("grad_step_projection", 1, B, H, P);
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
  // All directions in one sum: the kernel knows none of them.
  Product p = product("grad_input", 1, rows, I, host.mul(H, host.index(numGates * numDirections)));
  p.left = getAllGradients();
  p.right = getInputWeights();
  p.validRows = validRows;
  p.finish = [this](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
    finishInput(e, row, column, sums[0]);
  };
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launchProduct(host, p); });
}

void BackwardLayer::launchWeights(StringRef suffix, Value rows, Value columns, ProductOperand left,
                                  ProductOperand right, FinishFn finish, LibraryFn library) {
  Product p = product(suffix, 1, rows, columns, host.mul(steps, B));
  p.left = std::move(left);
  p.right = std::move(right);
  p.finish = [=](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) { finish(e, row, column, sums[0]); };
  launchLarge(p.rows, p.columns, p.depth, library, [&] { launch(p); });
}

void rnn::launchPlaces(const Emitter &host, StringRef name, Value rows, Value columns,
                       function_ref<void(const Emitter &, Value, Value)> body) {
  constexpr int64_t threads = 256;
  Value count = host.mul(rows, columns);
  Kernel kernel(host, name, host.parts(count, threads), threads);
  Emitter e = host.named(name);
  Value place = e.add(e.mul(kernel.getBlock(), e.index(threads)), kernel.getThread());
  e.when(e.isLess(place, count), [&] { body(e, e.div(place, columns), e.remainder(place, columns)); });
  kernel.finish();
}
