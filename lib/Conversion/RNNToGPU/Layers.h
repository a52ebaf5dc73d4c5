//===- Layers.h - the time loops, and what a layer tells them -*- C++ -*-===//
//
// The loops and the products in them are written once, in Loop.cpp; a layer says where its matrices lie, and what a
// step does with the sums. Every kernel serves all directions at once. What a layer is asked inside of a kernel
// concerns the step that `startStep` named last.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H

#include "Internal.h"

namespace mlir::rnn {

/// A matrix in a dense buffer of one dimension.
struct Matrix {
  Value buffer, first, stride;

  Value place(const Emitter &e, Value row, Value column) const {
    return e.add(first, e.add(e.mul(row, stride), column));
  }
  Value load(const Emitter &e, Value row, Value column) const { return e.load(buffer, {place(e, row, column)}); }
  /// Rounds to the type of the buffer.
  void store(const Emitter &e, Value value, Value row, Value column) const;
  Value address(const Emitter &e, Value row, Value column) const { return e.address(buffer, {place(e, row, column)}); }
  /// From that row on.
  Matrix from(const Emitter &e, Value row) const { return {buffer, e.add(first, e.mul(row, stride)), stride}; }
};

/// Of two matrices of one element type.
Matrix select(const Emitter &e, Value condition, const Matrix &yes, const Matrix &no);

/// A dense buffer as one of one dimension.
Value flatten(const Emitter &e, Value buffer);

/// A side of a product whose depth is the matrix's columns (`depthIsContiguous`), or its rows. `matrix` is asked inside
/// of the kernel.
ProductOperand operandOf(std::function<Matrix(const Emitter &e, int64_t panel)> matrix, bool depthIsContiguous);

/// result = left * right for the library of the device; rows of `result`, transposed sides as in `rnnrt.gemm`.
struct LibraryProduct {
  Value rows, columns, depth;
  Matrix left, right, result; ///< dense buffers of any rank
  bool leftTransposed = false, rightTransposed = false, accumulate = false;
  Value bias = nullptr; ///< one for each column in the type of the result, or null
};

/// One step of one direction.
struct Step {
  Value number;            ///< 0 is done first; the one before the first is not a step
  Value direction;         ///< 0 or 1, in the kernel
  Value t, earlier, later; ///< the step in time; those with numbers less and greater by one, if they exist
  Value isFirst, isLast;   ///< by number
};

/// The step with `number` in the order of `direction`; `last` is the greatest number of all.
Step makeStep(const Emitter &e, Value direction, int64_t numDirections, Value number, Value last, Value isFirst,
              Value isLast);

class Layer {
public:
  /// `name` begins those of the kernels.
  Layer(const Emitter &host, StringRef name, Type element)
      : host(host), name(name), element(element), accumulator(getAccumulatorType(element)) {}
  virtual ~Layer() = default;

protected:
  /// A kernel of this layer begins to work on a direction.
  virtual void startDirection(const Emitter &e, Value direction) {}
  /// And on a step of it.
  virtual void startStep(const Emitter &e, const Step &step) {}

  /// The name of one of its kernels; lives as long as the context.
  StringRef getName(StringRef suffix) const { return host.builder.getStringAttr(name + "_" + suffix).getValue(); }
  Product product(StringRef suffix, int64_t panels, Value rows, Value columns, Value depth) const;
  /// Launches a product for every direction.
  void launch(Product product);
  /// For a step in every direction.
  void launch(Product product, Value number);

  /// Emits code of the host that computes something by the library of the device; i1: whether that was done. Null: never.
  using LibraryFn = function_ref<Value()>;
  /// Whether a product of these sizes may go through the library.
  bool mayUseLibrary(Value rows, Value columns, Value depth) const;
  /// By the library, if it is asked for products of these sizes and has one; else by a kernel.
  void launchLarge(Value rows, Value columns, Value depth, LibraryFn library, function_ref<void()> kernel);
  Value multiply(const LibraryProduct &product) const;
  /// Both; the second one where the first was done.
  Value inTurn(LibraryFn first, LibraryFn second) const;
  /// The sum of two products, in the result of the first one and rounded once: with `scratch`, which has the type of sums
  /// and room for the result, by a kernel.
  Value multiplySum(LibraryProduct first, LibraryProduct second, Value scratch, StringRef roundName) const;

  Emitter host;
  std::string name;
  Type element, accumulator;
  int64_t numGates = 4, numDirections = 1;
  Value steps; ///< that run
  Value B;
  Value I; ///< columns of the input
  Value H;
  Value P; ///< columns of the state: H, or fewer with a projection
  bool isProjected = false;
};

class ForwardLayer : public Layer {
public:
  using Layer::Layer;

protected:
  /// The part of the gates' arguments that comes from the input, for all steps and directions.
  void launchInput(LibraryFn library = nullptr);
  /// That of one direction by the library; without a bias of the type of sums, a kernel behind does what `finishInput` does.
  Value multiplyInput(const LibraryProduct &product, int64_t direction);
  /// The steps, in order.
  void launchSteps();

  /// Rows of all steps' input, and W.
  virtual ProductOperand getInput() = 0;
  virtual ProductOperand getInputWeights() = 0;
  /// Row t * B + b, columns of all gates.
  virtual void finishInput(const Emitter &e, Value row, Value column, Value sum) = 0;

  /// The state before the step, and R: one panel for each gate.
  virtual ProductOperand getState() = 0;
  virtual ProductOperand getStateWeights() = 0;
  virtual void finishStep(const Emitter &e, Value b, Value j, ArrayRef<Value> sums) = 0;

  /// With a projection: h before it, and its weights.
  virtual ProductOperand getHidden() { llvm_unreachable("no projection"); }
  virtual ProductOperand getProjection() { llvm_unreachable("no projection"); }
  virtual void finishProjection(const Emitter &e, Value b, Value p, Value sum) {}
};

class BackwardLayer : public Layer {
public:
  using Layer::Layer;

protected:
  using FinishFn = std::function<void(const Emitter &e, Value row, Value column, Value sum)>;

  /// The steps, from the last one.
  void launchSteps();
  /// The gradient of the state before the first step.
  void launchState();
  /// The gradient of the input of all steps, summed over the directions; rows from `validRows` on are zero.
  void launchInput(Value rows, Value validRows = nullptr, LibraryFn library = nullptr);
  /// Gradients of weights: over all steps, columns of `left` (as many as `rows`) times columns of `right`.
  void launchWeights(StringRef suffix, Value rows, Value columns, ProductOperand left, ProductOperand right,
                     FinishFn finish, LibraryFn library = nullptr);

  /// The gradients of the gates' arguments at the step after this one, which is done before it, and R transposed.
  virtual ProductOperand getGradients() = 0;
  virtual ProductOperand getStateWeights() = 0;
  /// `sum`: what comes to the state by the product; with a projection `finishProjection` goes on.
  virtual void finishStep(const Emitter &e, Value b, Value p, Value sum) = 0;
  /// The same for the state before step 0; the step has number -1.
  virtual void finishState(const Emitter &e, Value b, Value p, Value sum) = 0;

  virtual ProductOperand getDelta() { llvm_unreachable("no projection"); }
  virtual ProductOperand getProjection() { llvm_unreachable("no projection"); }
  virtual void finishProjection(const Emitter &e, Value b, Value j, Value sum) {}

  /// The gradients of the gates' arguments of all steps and directions, and W transposed.
  virtual ProductOperand getAllGradients() = 0;
  virtual ProductOperand getInputWeights() = 0;
  virtual void finishInput(const Emitter &e, Value row, Value column, Value sum) = 0;

private:
  void launchWithGradients(StringRef suffix, Value number, Value depth,
                           void (BackwardLayer::*finish)(const Emitter &, Value, Value, Value));
};

/// A kernel with one thread for each place of a matrix.
void launchPlaces(const Emitter &host, StringRef name, Value rows, Value columns,
                  function_ref<void(const Emitter &e, Value row, Value column)> body);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H
