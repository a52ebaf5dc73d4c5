// Candidates.h - implementations of one pass of LSTM layers, which rnn-bundle-compare measures interleaved: fused
// kernels, the device's plans and, for the gradient, TensorFlow's method with kernels per step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_CANDIDATES_H
#define RNN_TOOLS_GPU_BUNDLE_CANDIDATES_H

#include "CublasLt.h"
#include "Module.h"

#include <array>
#include <functional>
#include <memory>

namespace bundle {

using Shape = std::array<int64_t, 4>; // T B I H

/// The device, stream and call of all candidates.
struct Place {
  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  const char *perStepCode = nullptr; ///< PTX of PerStepKernels.cpp; NULL: run them on the host
  bool tf32 = false;                 ///< f32 GEMM operands may be rounded to TF32

  void synchronize() const { check(rnnrt_stream_synchronize(stream)); }
};

/// Memory of the device.
class Memory {
public:
  Memory() = default;
  Memory(const Place &place, int64_t bytes);
  /// With the elements of `tensor`, converted to `dtype`.
  Memory(const Place &place, const Tensor &tensor, int32_t dtype);
  Memory(const Memory &) = delete;
  Memory(Memory &&other) noexcept { *this = std::move(other); }
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();

  char *data() const { return static_cast<char *>(pointer); }
  Tensor read(const Place &place, int32_t dtype, std::vector<int64_t> shape) const;

private:
  rnnrt_device_t *device = nullptr;
  void *pointer = nullptr;
};

struct Layer;

/// The operands of the cudnn ops and of plans for a stack of layers. In the device's memory, unless it is a tensor.
struct StackData {
  const Place &place;
  Shape shape;
  int32_t dtype;
  int64_t layers;
  bool isBatchMajor;
  const Tensor &params; ///< the dense buffer
  void *x, *h0, *c0, *dy;
  void *zeros;        ///< at least as large as a state
  void *marks;        ///< resets, i1 [T, B], or null
  const Layer *layer; ///< null, or the layer with these operands: results are then those of its block form

  std::vector<int64_t> sequence(int64_t width) const {
    return {shape[isBatchMajor ? 1 : 0], shape[isBatchMajor ? 0 : 1], width};
  }
  std::vector<int64_t> state() const { return {layers, shape[1], shape[3]}; }
  int64_t elementBytes() const { return rnnrt_dtype_size(dtype); }
};

/// Numbers in [-scale, scale] that depend on the name, rounded to `dtype`.
Tensor draw(const char *name, int32_t dtype, double scale, std::vector<int64_t> shape);

/// One layer: operands in the layout of TensorFlow's block form with gate order icfo, on the host and, in the element
/// type, on the device. The gradient is that of the outputs of all steps.
struct Layer {
  Layer(const Place &place, const Shape &shape, int32_t dtype);

  const Place &place;
  Shape shape;
  int32_t dtype;
  Tensor x, c0, h0, w, b, dy; ///< rounded to the type
  Tensor params;              ///< the same weights in the dense buffer of the cudnn ops
  Memory onX, onC0, onH0, onW, onB, onDy;
  Memory zeros; ///< [T, B, H]: no peephole, no gradient of cell states

  StackData asStack() const {
    return {place,        shape,      dtype,       1,           /*isBatchMajor=*/false,
            params,       onX.data(), onH0.data(), onC0.data(), onDy.data(),
            zeros.data(), nullptr,    this};
  }

  int64_t steps() const { return shape[0]; }
  int64_t batch() const { return shape[1]; }
  int64_t input() const { return shape[2]; }
  int64_t hidden() const { return shape[3]; }
  int64_t elementBytes() const { return rnnrt_dtype_size(dtype); }
};

/// The results of a pass: y of a forward pass, the others of a backward pass.
struct Results {
  Tensor dx, dc0, dh0, dw, db, y;

  /// The largest error of all results.
  double errorAgainst(const Results &expected) const;
  /// Sets dw and db from the parameter gradient of a cudnn op; without a layer, dw is that gradient.
  void fromParams(const StackData &data, std::vector<double> params);
};

class Candidate {
public:
  explicit Candidate(std::string name) : name(std::move(name)) {}
  virtual ~Candidate() = default;

  /// Restores the state that a backward pass overwrites and a forward pass writes.
  virtual void before() {}
  /// Enqueues the pass on the stream.
  virtual void run() = 0;
  /// Frees results, outside the measured time.
  virtual void after() {}
  /// Runs the pass once and returns its results.
  virtual Results results() = 0;

  bool canRun() const { return problem.empty() && refused.empty(); }

  const std::string name;
  bool isPersistent = false; ///< cannot run without clusters
  std::string problem;       ///< why no time can be reported
  std::string refused;       ///< why the device cannot run this candidate
  std::string note;          ///< which other kernels ran instead
  bool isTypical = true;     ///< false if the environment changed which kernels ran
};

/// A compiled function with its operands and, after a call, its results.
class Compiled {
public:
  /// `graphs`: launches of time steps may be CUDA graphs.
  Compiled(const Place &place, const rnnrt_function_t &function, bool graphs = true);
  ~Compiled();

  void operand(void *data, int32_t dtype, std::vector<int64_t> shape);
  /// False if the call failed; then `problem` has the reason.
  bool call();
  /// The same, and sets `problem` or `refused` of the candidate. If cluster launches were skipped, a persistent
  /// candidate was refused by the device, or disabled by RNNRT_CLUSTERS=0, which is a problem and implies nothing about
  /// the device. Per-step kernels ran without clusters instead.
  bool callFor(Candidate &candidate);
  void release();
  const rnnrt_tensor_t &result(size_t index) const { return outputs[index]; }
  Tensor read(size_t index) const;

  std::string problem;
  std::string skipReason; ///< why a launch of clusters was skipped, if one was
  rnnrt_skipped_by_t skippedBy = RNNRT_SKIPPED_BY_NOTHING;

private:
  const Place &place;
  const rnnrt_function_t &function;
  rnnrt_call_t *context = nullptr;
  std::vector<rnnrt_tensor_t> inputs, outputs;
};

/// Runs the forward pass of the block form and keeps its results for the backward pass.
std::unique_ptr<Compiled> blockForward(const Layer &layer, const rnnrt_function_t &function);
/// The same as a candidate.
std::unique_ptr<Candidate> blockForward(const Layer &layer, const rnnrt_function_t &function, std::string name,
                                        bool graphs);
/// Its backward pass by `function`; `forward` has been called.
std::unique_ptr<Candidate> blockBackward(const Layer &layer, const rnnrt_function_t &function, const Compiled &forward,
                                         std::string name, bool graphs);
/// The cudnn ops: the pass of `backward` or, if that is null, of `forward`. Plans use their own parameter layout.
std::unique_ptr<Candidate> stack(const StackData &data, const rnnrt_function_t &forward,
                                 const rnnrt_function_t *backward, bool byPlans, std::string name, bool graphs);
/// A plan of the device without compiled code, by an algorithm of cuDNN (empty: the device's choice), with packed or
/// padded data. Without resets.
std::unique_ptr<Candidate> plan(const StackData &data, const std::string &algorithm, bool packed, bool backward);
/// TensorFlow's BlockLSTMGrad: for each step a kernel of the gates, the GEMM with the weights, the GEMM that
/// accumulates the weight gradient, and the reduction of the bias gradient. PerStep.cpp documents the differences to
/// TensorFlow.
std::unique_ptr<Candidate> perStep(const Layer &layer, const Compiled &forward);

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_CANDIDATES_H
