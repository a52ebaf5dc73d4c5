// PerStep.cpp - TensorFlow's method for BlockLSTMGrad, optimized for a fair comparison. TensorFlow (lstm_ops.h,
// BlockLSTMBprop) launches about ten kernels per step, two of them GEMMs. Here one kernel fuses all elementwise kernels
// except the bias reduction, and the descriptors and algorithms of the GEMMs are cached. As in TensorFlow, reductions
// over time are rounded to the element type in every step, and element types and the order of operations are the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Candidates.h"
#include "PerStepKernels.h"

using namespace bundle;

namespace {

/// left * right in f32 on the host, for devices without cuBLASLt.
template <typename T>
void multiply(const void *left, bool transposeLeft, const void *right, bool transposeRight, void *result, bool add,
              int64_t rows, int64_t columns, int64_t depth) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      float sum = add ? per_step::get<T>(result, row * columns + column) : 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += per_step::get<T>(left, transposeLeft ? k * rows + row : row * depth + k) *
               per_step::get<T>(right, transposeRight ? column * depth + k : k * columns + column);
      per_step::set<T>(result, row * columns + column, sum);
    }
}

template <typename T> class PerStep : public Candidate {
public:
  PerStep(const Layer &layer, const Compiled &forward)
      : Candidate("TensorFlow's method"), layer(layer), place(layer.place), forward(forward) {
    const auto [T_, B, I, H] = layer.shape;
    const int64_t bytes = layer.elementBytes(), width = I + H;
    xh = Memory(place, B * width * bytes);
    dgates = Memory(place, B * 4 * H * bytes);
    xhGrad = Memory(place, B * width * bytes);
    dx = Memory(place, T_ * B * I * bytes);
    dcs = Memory(place, B * H * bytes);
    dh = Memory(place, B * H * bytes);
    dw = Memory(place, width * 4 * H * bytes);
    db = Memory(place, 4 * H * bytes);
    workspace = Memory(place, CublasGemm::workspaceBytes);
    const char *path = std::getenv("RNNRT_CUBLASLT_PATH");
    if (place.perStepCode || (path && *path)) {
      library = std::make_unique<CublasLt>();
      forData.make(*library, layer.dtype, false, true, B, width, 4 * H, place.tf32);
      forWeights.make(*library, layer.dtype, true, false, width, 4 * H, B, place.tf32);
      problem = forData.problem.empty() ? forWeights.problem : forData.problem;
    }
    if (place.perStepCode) {
      const std::string type = rnnrt_dtype_name(layer.dtype);
      rnnrt_image_t image = {place.perStepCode, 0, nullptr};
      check(rnnrt_module_load(place.device, &image, 1, &module));
      check(rnnrt_module_kernel(module, ("gates_" + type).c_str(), &gates));
      check(rnnrt_module_kernel(module, ("bias_" + type).c_str(), &bias));
    }
  }
  ~PerStep() override {
    place.synchronize();
    rnnrt_module_release(module);
  }

  void run() override {
    const auto [steps, B, I, H] = layer.shape;
    for (int64_t t = steps - 1; t >= 0 && problem.empty(); --t) {
      runGates(t);
      const bool add = t + 1 < steps;
      gemm(forData, dgates.data(), false, layer.onW.data(), true, xhGrad.data(), false, B, I + H, 4 * H);
      gemm(forWeights, xh.data(), true, dgates.data(), false, dw.data(), add, I + H, 4 * H, B);
      runBias(add);
    }
    runGates(-1);
  }

  Results results() override {
    run();
    const auto [T_, B, I, H] = layer.shape;
    if (!problem.empty())
      return Results();
    return {dx.read(place, layer.dtype, {T_, B, I}), dcs.read(place, layer.dtype, {B, H}),
            dh.read(place, layer.dtype, {B, H}),     dw.read(place, layer.dtype, {I + H, 4 * H}),
            db.read(place, layer.dtype, {4 * H}),    {}};
  }

private:
  /// The kernel of step t; t = -1 is the work that follows step 0.
  void runGates(int64_t t) {
    const auto [steps, B, I, H] = layer.shape;
    const int64_t bytes = layer.elementBytes(), state = B * H * bytes;
    auto saved = [&](size_t index) { return static_cast<const char *>(forward.result(index).data); };
    per_step::Step step = {};
    step.batch = int(B);
    step.input = int(I);
    step.hidden = int(H);
    step.first = t == steps - 1;
    step.last = t < 0;
    if (t >= 0) {
      step.x = layer.onX.data() + t * B * I * bytes;
      step.h_prev = t ? saved(6) + (t - 1) * state : layer.onH0.data();
      step.cs_prev = t ? saved(1) + (t - 1) * state : layer.onC0.data();
      step.i = saved(0) + t * state;
      step.f = saved(2) + t * state;
      step.o = saved(3) + t * state;
      step.ci = saved(4) + t * state;
      step.co = saved(5) + t * state;
      step.h_grad = layer.onDy.data() + t * state;
      step.cs_grad = layer.zeros.data() + t * state;
    }
    step.xh = xh.data();
    step.dgates = dgates.data();
    step.xh_grad = xhGrad.data();
    step.dx_next = dx.data() + (t + 1) * B * I * bytes;
    step.dcs = dcs.data();
    step.dh = dh.data();
    const int64_t elements = B * (I + H);
    if (!gates) {
      for (int64_t element = 0; element < elements; ++element)
        per_step::gates<T>(step, per_step::Index(element));
      return;
    }
    void *arguments[] = {&step};
    launch(gates, (elements + 255) / 256, arguments);
  }

  void runBias(bool add) {
    per_step::Index batch = int(layer.batch()), columns = int(4 * layer.hidden()), begin = !add;
    void *from = dgates.data(), *to = db.data();
    if (bias) {
      void *arguments[] = {&from, &to, &batch, &columns, &begin};
      return launch(bias, (columns + 31) / 32, arguments);
    }
    for (per_step::Index column = 0; column < columns; ++column) {
      float sum = add ? per_step::get<T>(to, column) : 0;
      for (per_step::Index part = 0; part < 8; ++part)
        sum += per_step::bias<T>(from, batch, columns, column, part);
      per_step::set<T>(to, column, sum);
    }
  }

  void launch(rnnrt_kernel_t *kernel, int64_t blocks, void **arguments) {
    rnnrt_launch_t launch;
    rnnrt_launch_init(&launch);
    launch.grid[0] = blocks;
    launch.block[0] = 256;
    check(rnnrt_kernel_launch(kernel, place.stream, &launch, arguments));
  }

  void gemm(CublasGemm &by, const void *left, bool transposeLeft, const void *right, bool transposeRight, void *result,
            bool add, int64_t rows, int64_t columns, int64_t depth) {
    if (!library)
      return multiply<T>(left, transposeLeft, right, transposeRight, result, add, rows, columns, depth);
    by.run(left, right, result, add, workspace.data(), rnnrt_stream_native(place.stream));
    problem = by.problem;
  }

  const Layer &layer;
  const Place &place;
  const Compiled &forward;
  std::unique_ptr<CublasLt> library;
  CublasGemm forData, forWeights;
  rnnrt_module_t *module = nullptr;
  rnnrt_kernel_t *gates = nullptr, *bias = nullptr;
  Memory xh, dgates, xhGrad, dx, dcs, dh, dw, db, workspace;
};

} // namespace

std::unique_ptr<Candidate> bundle::perStep(const Layer &layer, const Compiled &forward) {
  if (layer.dtype == RNNRT_DTYPE_F16)
    return std::make_unique<PerStep<per_step::Half>>(layer, forward);
  if (layer.dtype == RNNRT_DTYPE_BF16)
    return std::make_unique<PerStep<per_step::BFloat>>(layer, forward);
  return std::make_unique<PerStep<per_step::Single>>(layer, forward);
}
