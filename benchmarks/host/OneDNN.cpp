//===- OneDNN.cpp - a worker that runs oneDNN's recurrent layers -------------===//
//
// oneDNN 2 or 3, depending on the headers and the library that host.sh passes. Weights and their gradients have a
// framework's layout, so each pass includes the reorders of a training step, and zeroes the buffers that the primitive
// adds to. With --bare=1, backward is the primitive alone.
//
// With --type=bf16, x, h, y and the weights are bf16. Biases, c and all gradients stay f32, as oneDNN's backward
// primitives require.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <dnnl.hpp>
#include <unordered_map>
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
extern "C" void omp_set_num_threads(int);
#endif

using namespace worker;
using dnnl::memory;
using Tag = memory::format_tag;

namespace {

memory::desc describe(memory::dims dims, Tag tag, bool isBF16 = false) {
  return memory::desc(dims, isBF16 ? memory::data_type::bf16 : memory::data_type::f32, tag);
}

class OneDNN : public Layer {
public:
  OneDNN(const Problem &p, bool bare) : p(p), bare(bare), stream(engine) {
    memory::dims xDims = {p.T, p.B, p.I}, stateDims = {1, 1, p.B, p.H}, yDims = {p.T, p.B, p.H},
                 layerDims = {1, 1, p.I, p.gates(), p.H}, iterDims = {1, 1, p.H, p.gates(), p.H};
    auto x = describe(xDims, Tag::tnc, p.isBF16), h = describe(stateDims, Tag::ldnc, p.isBF16),
         y = describe(yDims, Tag::tnc, p.isBF16), wx = describe(layerDims, Tag::any, p.isBF16),
         wh = describe(iterDims, Tag::any, p.isBF16), b = describe({1, 1, 4, p.H}, Tag::ldgo);
    // The cell state and the gradients are f32.
    auto state = describe(stateDims, Tag::ldnc), dx = describe(xDims, Tag::tnc), dy = describe(yDims, Tag::tnc),
         dwx = describe(layerDims, Tag::any), dwh = describe(iterDims, Tag::any);
    plainX = memory(describe(layerDims, Tag::ldigo, p.isBF16), engine);
    plainH = memory(describe(iterDims, Tag::ldigo, p.isBF16), engine);
    plainGradX = memory(describe(layerDims, Tag::ldigo), engine);
    plainGradH = memory(describe(iterDims, Tag::ldigo), engine);
    auto kind = dnnl::prop_kind::forward_training, infer = dnnl::prop_kind::forward_inference;
    auto back = dnnl::prop_kind::backward;
    auto right = dnnl::rnn_direction::unidirectional_left2right;
    if (p.isLstm) {
#if DNNL_VERSION_MAJOR >= 3
      dnnl::lstm_forward::primitive_desc fwd(engine, kind, right, x, h, state, wx, wh, b, y, h, state);
      dnnl::lstm_forward::primitive_desc inf(engine, infer, right, x, h, state, wx, wh, b, y, h, state);
      dnnl::lstm_backward::primitive_desc bwd(engine, back, right, x, h, state, wx, wh, b, y, h, state, dx, state,
                                              state, dwx, dwh, b, dy, state, state, fwd);
#else
      dnnl::lstm_forward::primitive_desc fwd({kind, right, x, h, state, wx, wh, b, y, h, state}, engine);
      dnnl::lstm_forward::primitive_desc inf({infer, right, x, h, state, wx, wh, b, y, h, state}, engine);
      dnnl::lstm_backward::primitive_desc bwd(
          {back, right, x, h, state, wx, wh, b, y, h, state, dx, state, state, dwx, dwh, b, dy, state, state}, engine,
          fwd);
#endif
      prepare(fwd, bwd, dnnl::lstm_forward(fwd), dnnl::lstm_backward(bwd), {x, h, state, b, y, dx, dy});
      prepareInference(inf, dnnl::lstm_forward(inf));
    } else {
#if DNNL_VERSION_MAJOR >= 3
      dnnl::lbr_gru_forward::primitive_desc fwd(engine, kind, right, x, h, wx, wh, b, y, h);
      dnnl::lbr_gru_forward::primitive_desc inf(engine, infer, right, x, h, wx, wh, b, y, h);
      dnnl::lbr_gru_backward::primitive_desc bwd(engine, back, right, x, h, wx, wh, b, y, h, dx, state, dwx, dwh, b, dy,
                                                 state, fwd);
#else
      dnnl::lbr_gru_forward::primitive_desc fwd({kind, right, x, h, wx, wh, b, y, h}, engine);
      dnnl::lbr_gru_forward::primitive_desc inf({infer, right, x, h, wx, wh, b, y, h}, engine);
      dnnl::lbr_gru_backward::primitive_desc bwd(
          {back, right, x, h, wx, wh, b, y, h, dx, state, dwx, dwh, b, dy, state}, engine, fwd);
#endif
      prepare(fwd, bwd, dnnl::lbr_gru_forward(fwd), dnnl::lbr_gru_backward(bwd), {x, h, state, b, y, dx, dy});
      prepareInference(inf, dnnl::lbr_gru_forward(inf));
    }
    forward();
    backward();
    inference();
  }

  void inference() override {
    inferencePrimitive.execute(stream, inferenceArguments);
    stream.wait();
  }

  void forward() override {
    dnnl::reorder(plainX, forwardX).execute(stream, plainX, forwardX);
    dnnl::reorder(plainH, forwardH).execute(stream, plainH, forwardH);
    forwardPrimitive.execute(stream, forwardArguments);
    stream.wait();
  }

  void backward() override {
    if (bare && all) {
      backwardPrimitive.execute(stream, backwardArguments);
      stream.wait();
      return;
    }
    all = true;
    dnnl::reorder(plainX, packedX).execute(stream, plainX, packedX);
    dnnl::reorder(plainH, packedH).execute(stream, plainH, packedH);
    // The primitive adds to these buffers.
    for (memory *grad : {&gradX, &gradH, &gradB})
      std::memset(grad->get_data_handle(), 0, grad->get_desc().get_size());
    backwardPrimitive.execute(stream, backwardArguments);
    dnnl::reorder(gradX, plainGradX).execute(stream, gradX, plainGradX);
    dnnl::reorder(gradH, plainGradH).execute(stream, gradH, plainGradH);
    stream.wait();
  }

  Gradients gradients() override {
    all = false;
    backward();
    Gradients result;
    result.dx = values(backwardArguments.at(DNNL_ARG_DIFF_SRC_LAYER));
    result.dh0 = values(backwardArguments.at(DNNL_ARG_DIFF_SRC_ITER));
    if (p.isLstm)
      result.dc0 = values(backwardArguments.at(DNNL_ARG_DIFF_SRC_ITER_C));
    result.dwx = reordered(values(plainGradX), p.I, p.gates());
    result.dwh = reordered(values(plainGradH), p.H, p.gates());
    result.db = reordered(values(gradB), 1, 4);
    return result;
  }

private:
  struct Descriptions {
    memory::desc x, h, state, b, y, dx, dy;
  };

  template <typename Forward, typename Backward>
  void prepare(const Forward &fwd, const Backward &bwd, dnnl::primitive forwardOne, dnnl::primitive backwardOne,
               const Descriptions &d) {
    forwardPrimitive = std::move(forwardOne), backwardPrimitive = std::move(backwardOne);
    forwardX = memory(fwd.weights_layer_desc(), engine), forwardH = memory(fwd.weights_iter_desc(), engine);
    // A training step needs one of the two packed forms at a time.
    packedX = sameOr(forwardX, bwd.weights_layer_desc()), packedH = sameOr(forwardH, bwd.weights_iter_desc());
    gradX = memory(bwd.diff_weights_layer_desc(), engine), gradH = memory(bwd.diff_weights_iter_desc(), engine);
    gradB = memory(d.b, engine);
    fillWeights(plainX, Numbers(Numbers::WX, p), p.I, p.gates());
    fillWeights(plainH, Numbers(Numbers::WH, p), p.H, p.gates());
    memory bias(d.b, engine);
    fillWeights(bias, Numbers(Numbers::Bias, p), 1, 4);
    forwardArguments = {{DNNL_ARG_SRC_LAYER, make(d.x, Numbers::X)},
                        {DNNL_ARG_SRC_ITER, make(d.h, Numbers::H0)},
                        {DNNL_ARG_BIAS, bias},
                        {DNNL_ARG_DST_LAYER, memory(d.y, engine)},
                        {DNNL_ARG_DST_ITER, memory(d.h, engine)},
                        {DNNL_ARG_WORKSPACE, memory(fwd.workspace_desc(), engine)}};
    std::unordered_map<int, memory> grads = {{DNNL_ARG_DIFF_SRC_LAYER, memory(d.dx, engine)},
                                             {DNNL_ARG_DIFF_SRC_ITER, memory(d.state, engine)},
                                             {DNNL_ARG_DIFF_DST_LAYER, make(d.dy, Numbers::DY)},
                                             {DNNL_ARG_DIFF_DST_ITER, make(d.state, Numbers::DHN)},
                                             {DNNL_ARG_WEIGHTS_LAYER, packedX},
                                             {DNNL_ARG_WEIGHTS_ITER, packedH},
                                             {DNNL_ARG_DIFF_WEIGHTS_LAYER, gradX},
                                             {DNNL_ARG_DIFF_WEIGHTS_ITER, gradH},
                                             {DNNL_ARG_DIFF_BIAS, gradB}};
    if (p.isLstm) {
      forwardArguments.insert({DNNL_ARG_SRC_ITER_C, make(d.state, Numbers::C0)});
      forwardArguments.insert({DNNL_ARG_DST_ITER_C, memory(d.state, engine)});
      grads.insert({DNNL_ARG_DIFF_SRC_ITER_C, memory(d.state, engine)});
      grads.insert({DNNL_ARG_DIFF_DST_ITER_C, make(d.state, Numbers::DCN)});
    }
    backwardArguments = forwardArguments;
    for (auto &[index, grad] : grads)
      backwardArguments[index] = grad;
    forwardArguments[DNNL_ARG_WEIGHTS_LAYER] = forwardX;
    forwardArguments[DNNL_ARG_WEIGHTS_ITER] = forwardH;
  }

  /// The weights are reordered here, once.
  template <typename Inference> void prepareInference(const Inference &desc, dnnl::primitive primitive) {
    inferencePrimitive = std::move(primitive), inferenceArguments = forwardArguments;
    inferenceArguments.erase(DNNL_ARG_WORKSPACE);
    memory x(desc.weights_layer_desc(), engine), h(desc.weights_iter_desc(), engine);
    dnnl::reorder(plainX, x).execute(stream, plainX, x);
    dnnl::reorder(plainH, h).execute(stream, plainH, h);
    stream.wait();
    inferenceArguments[DNNL_ARG_WEIGHTS_LAYER] = x, inferenceArguments[DNNL_ARG_WEIGHTS_ITER] = h;
  }

  memory sameOr(const memory &other, const memory::desc &desc) {
    return other.get_desc() == desc ? other : memory(desc, engine);
  }

  memory make(const memory::desc &desc, Numbers::Tensor tensor) {
    memory result(desc, engine);
    Numbers numbers(tensor, p);
    for (int64_t index = 0, count = desc.get_size() / elementSize(result); index < count; ++index)
      store(result, index, numbers[index]);
    return result;
  }

  static bool isBF16(const memory &memory) {
#if DNNL_VERSION_MAJOR >= 3
    return memory.get_desc().get_data_type() == memory::data_type::bf16;
#else
    return memory.get_desc().data_type() == memory::data_type::bf16;
#endif
  }
  static size_t elementSize(const memory &memory) { return isBF16(memory) ? sizeof(uint16_t) : sizeof(float); }
  static void store(const memory &target, int64_t index, float value) {
    if (isBF16(target))
      static_cast<uint16_t *>(target.get_data_handle())[index] = toBF16(value);
    else
      static_cast<float *>(target.get_data_handle())[index] = value;
  }

  /// The index, in oneDNN's order, of gate `index` of the common order. oneDNN orders the gates of a GRU u r o; u is z.
  int64_t gate(int64_t index) const { return p.isLstm || index > 1 ? index : 1 - index; }

  void fillWeights(memory &target, const Numbers &numbers, int64_t rows, int64_t gates) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t g = 0; g < gates; ++g)
        for (int64_t h = 0; h < p.H; ++h)
          store(target, (row * gates + gate(g)) * p.H + h, numbers[(row * gates + g) * p.H + h]);
  }

  std::vector<float> reordered(const std::vector<float> &theirs, int64_t rows, int64_t gates) const {
    std::vector<float> result(theirs.size());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t g = 0; g < gates; ++g)
        std::memcpy(&result[(row * gates + g) * p.H], &theirs[(row * gates + gate(g)) * p.H], p.H * sizeof(float));
    return result;
  }

  static std::vector<float> values(const memory &source) {
    auto *data = static_cast<const float *>(source.get_data_handle());
    return std::vector<float>(data, data + source.get_desc().get_size() / sizeof(float));
  }

  const Problem p;
  const bool bare;
  bool all = false; ///< whether everything around the primitive has run
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream;
  memory plainX, plainH, forwardX, forwardH, packedX, packedH, gradX, gradH, plainGradX, plainGradH, gradB;
  std::unordered_map<int, memory> forwardArguments, backwardArguments, inferenceArguments;
  dnnl::primitive forwardPrimitive, backwardPrimitive, inferencePrimitive;
};

} // namespace

int main(int argc, char **argv) {
  Problem problem;
  bool bare = false;
  for (int index = 1; index < argc; ++index)
    if (!std::strcmp(argv[index], "--bare=1"))
      bare = true;
    else if (!problem.read(argv[index]))
      fail(std::string("unknown argument `") + argv[index] +
           "`; expected --cell=, --shape=, --threads=, --type= or --bare=1");
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  omp_set_num_threads(problem.threads);
#endif
  try {
    // The first run loads libraries that oneDNN loads at first use.
    {
      dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    }
    long loaded = maximalMemory();
    OneDNN layer(problem, bare);
    const dnnl_version_t &version = *dnnl::version();
    serve("oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor), loaded, layer, problem);
  } catch (const dnnl::error &error) {
    fail(std::string("oneDNN: ") + error.what());
  }
  return 0;
}
