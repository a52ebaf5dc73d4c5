//===- Layers.h - the loops over time of per-step kernels -*- C++ -*-===//
//
// Loop.cpp has the loops and their GEMMs; a layer supplies the operands and the epilogues. Every kernel computes all
// directions. Callbacks inside of a kernel refer to the step of the last call of `startStep`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H
#define RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H

#include "../Common/LayerLowering.h"
#include "rnn/Codegen/GPU/ColumnSums.h"
#include "rnn/Codegen/GPU/Kernel.h"
#include "rnn/Codegen/GPU/Matrix.h"
#include "rnn/Codegen/GPU/Step.h"
#include "rnn/Conversion/RNNToGPU/RNNToGPU.h"

namespace mlir::rnn {

/// result = left * right by the device's library; see `rnnrt.gemm`. No matrix is a batch-major sequence.
struct LibraryGemm {
  Value rows, columns, depth;
  Matrix left, right, result; ///< dense buffers of any rank
  bool leftTransposed = false, rightTransposed = false, accumulate = false;
  Value bias = nullptr; ///< [columns] in the element type of the result, or null
};

class Layer {
public:
  /// `name`: prefix of the names of kernels.
  Layer(const Emitter &host, StringRef name, Type element, LargeGemms largeGemms)
      : host(host), name(name), element(element), accumulator(getAccumulatorType(element)), largeGemms(largeGemms) {}
  virtual ~Layer() = default;

protected:
  /// Called at the start of a kernel, before its other callbacks, with the direction.
  virtual void startDirection(const Emitter &e, Value direction) {}
  /// Called after it in kernels of a step.
  virtual void startStep(const Emitter &e, const Step &step) {}

  /// The name of a kernel of this layer; owned by the context.
  StringRef getName(StringRef suffix) const { return host.builder.getStringAttr(name + "_" + suffix).getValue(); }
  Gemm makeGemm(StringRef suffix, int64_t panels, Value rows, Value columns, Value depth) const;
  /// Launches `gemm` for every direction.
  void launch(Gemm gemm);
  /// Launches `gemm` for step `number` of every direction.
  void launch(Gemm gemm, Value number);

  /// Emits host code that calls the device's library and returns an i1, true if the library computed the result.
  /// Null: there is no such code.
  using LibraryFn = function_ref<Value()>;
  /// Returns true if a GEMM of these sizes may use the library.
  bool mayUseLibrary(Value rows, Value columns, Value depth) const;
  /// The kernels of the library do not fit beside persistent kernels; `auto` then uses our own.
  bool mayUseLibraryForInput() const { return !hasNarrowInput || largeGemms != LargeGemms::Auto; }
  /// Emits `library` if GEMMs of these sizes may use it, with `kernel` as the fallback at run time; else `kernel`.
  void launchLarge(Value rows, Value columns, Value depth, LibraryFn library, function_ref<void()> kernel);
  Value multiply(const LibraryGemm &gemm) const;
  /// The i1 of a LibraryFn that computes nothing.
  Value never() const { return host.isLess(host.index(0), host.index(0)); }
  /// `first`, then `second` if the first one succeeded.
  Value inSequence(LibraryFn first, LibraryFn second) const;
  /// The sum of two GEMMs in the result of the first one, rounded once. `scratch`: a buffer of the accumulator type for
  /// the sum, which a kernel then rounds; null if the result has that type.
  Value multiplySum(LibraryGemm first, LibraryGemm second, Value scratch, StringRef roundName) const;

  Emitter host;
  std::string name;
  Type element, accumulator;
  LargeGemms largeGemms;
  int64_t numGates = 4, numDirections = 1;
  Value steps; ///< number of steps of the layer
  /// The steps that the next launches run; null: all.
  Value firstStep, endStep;
  Value B;
  Value I; ///< columns of the input
  Value H;
  Value P; ///< columns of the state: H, or fewer with a projection
  bool isProjected = false;
  /// True if input GEMMs run beside persistent kernels (Gemm::isNarrow), and not by the library, whose kernels need
  /// more registers than those leave.
  bool hasNarrowInput = false;
};

class ForwardLayer : public Layer {
public:
  using Layer::Layer;

protected:
  /// The GEMM of the input of all directions with W, for `rows` rows of steps.
  void launchInput(Value rows, LibraryFn library = nullptr);
  /// The same for one direction by the library. Without a bias in `gemm`, a kernel applies `finishInput` afterwards.
  Value multiplyInput(const LibraryGemm &gemm, int64_t direction);
  /// One kernel per step (two with a projection), in a loop over the steps.
  void launchSteps();

  /// The input of the steps [rows, I], and W.
  virtual GemmOperand getInput() = 0;
  virtual GemmOperand getInputWeights() = 0;
  /// Row t * B + b (from the first row of the operand), and the column among those of all gates.
  virtual void finishInput(const Emitter &e, Value row, Value column, Value sum) = 0;

  /// The previous state, and R with one panel per gate.
  virtual GemmOperand getState() = 0;
  virtual GemmOperand getStateWeights() = 0;
  virtual void finishStep(const Emitter &e, Value b, Value j, ArrayRef<Value> sums) = 0;

  /// With a projection: h before the projection, and the projection's weights.
  virtual GemmOperand getHidden() { llvm_unreachable("no projection"); }
  virtual GemmOperand getProjection() { llvm_unreachable("no projection"); }
  virtual void finishProjection(const Emitter &e, Value b, Value p, Value sum) {}
};

class BackwardLayer : public Layer {
public:
  using Layer::Layer;

protected:
  using FinishFn = std::function<void(const Emitter &e, Value row, Value column, Value sum)>;

  /// One kernel per step (two with a projection), in a loop from the last step.
  void launchSteps();
  /// The gradient of the initial state.
  void launchState();
  /// The gradient of the input of `rows` rows of steps, summed over the directions; rows at and after `validRows` are
  /// zero.
  void launchInput(Value rows, Value validRows = nullptr, LibraryFn library = nullptr);
  /// A gradient of weights: a reduction over T*B of the columns of `left` (`rows` of them) and of `right`.
  void launchWeights(StringRef suffix, Value rows, Value columns, GemmOperand left, GemmOperand right, FinishFn finish,
                     LibraryFn library = nullptr);

  /// The gate gradients of the following step (t + 1 of a forward direction), and R transposed.
  virtual GemmOperand getGradients() = 0;
  virtual GemmOperand getStateWeights() = 0;
  /// `sum`: the gradient of the state from the GEMM. With a projection, `finishProjection` follows.
  virtual void finishStep(const Emitter &e, Value b, Value p, Value sum) = 0;
  /// The same for the initial state; the step has number -1.
  virtual void finishState(const Emitter &e, Value b, Value p, Value sum) = 0;

  virtual GemmOperand getDelta() { llvm_unreachable("no projection"); }
  virtual GemmOperand getProjection() { llvm_unreachable("no projection"); }
  virtual void finishProjection(const Emitter &e, Value b, Value j, Value sum) {}

  /// The gate gradients of all steps and directions, and W transposed.
  virtual GemmOperand getAllGradients() = 0;
  virtual GemmOperand getInputWeights() = 0;
  virtual void finishInput(const Emitter &e, Value row, Value column, Value sum) = 0;

private:
  void launchWithGradients(StringRef suffix, Value number, Value depth,
                           void (BackwardLayer::*finish)(const Emitter &, Value, Value, Value));
};

/// The patterns of the block LSTM ops and of the cudnn ops.
void populateLSTMToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options, PatternBenefit benefit);
void populateStackToGPUPatterns(RewritePatternSet &patterns, const RNNToGPUOptions &options, PatternBenefit benefit);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_RNNTOGPU_LAYERS_H
