//===- compare-host.cpp - compiled layers beside oneDNN and the machine's peak ---===//
//
// Times functions of compiled modules (benchmarks/compare-host.sh makes them: the gradient of one block LSTM each) in turn
// with oneDNN's LSTM backward of the same shape, where the library was found, and with a loop of fused multiply-adds, so
// that a table's ratios come from one run. oneDNN's figure has the reorders of weights and of their gradients that a
// training step makes, and its plain primitive stands beside.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn_runtime/api.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#ifdef RNN_HAS_DNNL
#include <dnnl.hpp>
extern "C" void omp_set_num_threads(int);
#endif

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "rnn-compare-host: error: %s\n", message.c_str());
  std::exit(1);
}

void check(rnnrt_status_t status) {
  if (status)
    fail(rnnrt_status_message(status));
}

double seconds(const std::function<void()> &run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  for (size_t index = 0; index < count; ++index)
    result[index] = static_cast<float>(static_cast<int>(index * 7919 % 201) - 100) / 1000.0f;
  return result;
}

//===----------------------------------------------------------------------===//
// The peak
//===----------------------------------------------------------------------===//

#if defined(__AVX512F__)
constexpr int vectorBytes = 64, sums = 24;
#elif defined(__AVX__)
constexpr int vectorBytes = 32, sums = 12;
#else
constexpr int vectorBytes = 16, sums = 24;
#endif
typedef float Vector __attribute__((vector_size(vectorBytes)));

/// GFLOP/s of independent multiply-adds in registers, on one core.
double measurePeak() {
  Vector sum[sums] = {}, factor, term;
  volatile float one = 1.0f;
  for (size_t lane = 0; lane < vectorBytes / sizeof(float); ++lane)
    factor[lane] = one, term[lane] = one;
  constexpr int turns = 2000000;
  double time = seconds([&] {
    // A copy stays in registers.
    Vector local[sums];
    std::memcpy(local, sum, sizeof(sum));
    for (int turn = 0; turn < turns; ++turn)
#pragma clang loop unroll(full)
      for (int k = 0; k < sums; ++k)
        local[k] = local[k] * factor + term;
    std::memcpy(sum, local, sizeof(sum));
  });
  volatile float used = 0;
  for (const Vector &value : sum)
    used = used + value[0];
  return 2.0 * turns * sums * (vectorBytes / sizeof(float)) / time * 1e-9;
}

//===----------------------------------------------------------------------===//
// Compiled functions
//===----------------------------------------------------------------------===//

struct Shape {
  int64_t T, B, I, H;
  /// Multiplications and additions of the products of a backward pass.
  double flops() const { return 16.0 * T * B * H * (I + H); }
};

/// One function with its operands.
class Compiled {
public:
  Compiled(rnnrt_call_t *call, const rnnrt_function_t &function) : call(call), function(function) {
    for (int64_t index = 0; index < function.num_inputs; ++index) {
      const rnnrt_argument_t &argument = function.inputs[index];
      if (argument.dtype != RNNRT_DTYPE_F32)
        fail(std::string(function.name) + " has arguments that are not f32");
      size_t count = 1;
      for (int32_t dim = 0; dim < argument.rank; ++dim)
        count *= argument.shape[dim];
      data.push_back(numbers(count));
      inputs.push_back(rnnrt_tensor_make(data.back().data(), argument.dtype, argument.rank, argument.shape));
    }
    for (const rnnrt_tensor_t &input : inputs)
      inputList.push_back(&input);
  }

  void run() {
    std::vector<rnnrt_tensor_t> results(function.num_outputs);
    std::vector<rnnrt_tensor_t *> resultList;
    for (rnnrt_tensor_t &result : results)
      resultList.push_back(&result);
    function.entry(call, inputList.data(), inputList.size(), resultList.data(), resultList.size());
    check(rnnrt_call_status(call));
    for (rnnrt_tensor_t &result : results)
      rnnrt_tensor_release(&result);
  }

private:
  rnnrt_call_t *call;
  const rnnrt_function_t &function;
  std::vector<std::vector<float>> data;
  std::vector<rnnrt_tensor_t> inputs;
  std::vector<const rnnrt_tensor_t *> inputList;
};

const rnnrt_exports_t &load(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail(dlerror());
  auto *exports = static_cast<const rnnrt_exports_t *>(dlsym(handle, "rnn_exports"));
  if (!exports)
    fail(path + " exports no `rnn_exports`; was it made by rnn-compile?");
  return *exports;
}

//===----------------------------------------------------------------------===//
// oneDNN
//===----------------------------------------------------------------------===//

#ifdef RNN_HAS_DNNL
/// The gradient of one LSTM layer; weights come and go as plain ldigo.
class OneDNN {
public:
  using Tag = dnnl::memory::format_tag;

  explicit OneDNN(const Shape &s) : stream(engine) {
    auto desc = [](dnnl::memory::dims dims, Tag tag) {
      return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, tag);
    };
    auto any = [&](const dnnl::memory::desc &plain) { return desc(plain.dims(), Tag::any); };
    auto x = desc({s.T, s.B, s.I}, Tag::tnc), state = desc({1, 1, s.B, s.H}, Tag::ldnc),
         wx = desc({1, 1, s.I, 4, s.H}, Tag::ldigo), wh = desc({1, 1, s.H, 4, s.H}, Tag::ldigo),
         b = desc({1, 1, 4, s.H}, Tag::ldgo), y = desc({s.T, s.B, s.H}, Tag::tnc);
    auto left = dnnl::rnn_direction::unidirectional_left2right;
#if DNNL_VERSION_MAJOR >= 3
    dnnl::lstm_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, left, x, state, state, any(wx),
                                               any(wh), b, y, state, state);
    dnnl::lstm_backward::primitive_desc backward(engine, dnnl::prop_kind::backward, left, x, state, state, any(wx), any(wh),
                                                 b, y, state, state, x, state, state, any(wx), any(wh), b, y, state, state,
                                                 forward);
#else
    dnnl::lstm_forward::primitive_desc forward({dnnl::prop_kind::forward_training, left, x, state, state, any(wx), any(wh),
                                                b, y, state, state},
                                               engine);
    dnnl::lstm_backward::primitive_desc backward({dnnl::prop_kind::backward, left, x, state, state, any(wx), any(wh), b, y,
                                                  state, state, x, state, state, any(wx), any(wh), b, y, state, state},
                                                 engine, forward);
#endif
    auto forwardX = make(forward.weights_layer_desc()), forwardH = make(forward.weights_iter_desc());
    plainX = make(wx), plainH = make(wh), packedX = make(backward.weights_layer_desc()),
    packedH = make(backward.weights_iter_desc()), gradX = make(backward.diff_weights_layer_desc()),
    gradH = make(backward.diff_weights_iter_desc()), plainGradX = make(wx), plainGradH = make(wh), gradB = make(b);
    auto workspace = make(forward.workspace_desc());
    auto mx = make(x), mh = make(state), mc = make(state), mb = make(b), my = make(y), mhn = make(state), mcn = make(state);
    dnnl::reorder(plainX, forwardX).execute(stream, plainX, forwardX);
    dnnl::reorder(plainH, forwardH).execute(stream, plainH, forwardH);
    std::unordered_map<int, dnnl::memory> arguments = {
        {DNNL_ARG_SRC_LAYER, mx}, {DNNL_ARG_SRC_ITER, mh}, {DNNL_ARG_SRC_ITER_C, mc}, {DNNL_ARG_BIAS, mb},
        {DNNL_ARG_DST_LAYER, my}, {DNNL_ARG_DST_ITER, mhn}, {DNNL_ARG_DST_ITER_C, mcn}, {DNNL_ARG_WORKSPACE, workspace}};
    arguments[DNNL_ARG_WEIGHTS_LAYER] = forwardX;
    arguments[DNNL_ARG_WEIGHTS_ITER] = forwardH;
    dnnl::lstm_forward(forward).execute(stream, arguments);
    stream.wait();
    arguments[DNNL_ARG_WEIGHTS_LAYER] = packedX;
    arguments[DNNL_ARG_WEIGHTS_ITER] = packedH;
    arguments[DNNL_ARG_DIFF_WEIGHTS_LAYER] = gradX;
    arguments[DNNL_ARG_DIFF_WEIGHTS_ITER] = gradH;
    arguments[DNNL_ARG_DIFF_BIAS] = gradB;
    for (int argument : {DNNL_ARG_DIFF_SRC_LAYER, DNNL_ARG_DIFF_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER_C,
                         DNNL_ARG_DIFF_DST_LAYER, DNNL_ARG_DIFF_DST_ITER, DNNL_ARG_DIFF_DST_ITER_C})
      arguments[argument] = make(argument == DNNL_ARG_DIFF_SRC_LAYER   ? x
                                 : argument == DNNL_ARG_DIFF_DST_LAYER ? y
                                                                       : state);
    all = std::move(arguments);
    primitive = dnnl::lstm_backward(backward);
    run();
  }

  void primitiveAlone() {
    primitive.execute(stream, all);
    stream.wait();
  }

  void run() {
    dnnl::reorder(plainX, packedX).execute(stream, plainX, packedX);
    dnnl::reorder(plainH, packedH).execute(stream, plainH, packedH);
    // The primitive adds to these.
    for (dnnl::memory *grad : {&gradX, &gradH, &gradB})
      std::memset(grad->get_data_handle(), 0, grad->get_desc().get_size());
    primitive.execute(stream, all);
    dnnl::reorder(gradX, plainGradX).execute(stream, gradX, plainGradX);
    dnnl::reorder(gradH, plainGradH).execute(stream, gradH, plainGradH);
    stream.wait();
  }

private:
  dnnl::memory make(const dnnl::memory::desc &desc) {
    dnnl::memory memory(desc, engine);
    std::vector<float> values = numbers(desc.get_size() / sizeof(float));
    std::memcpy(memory.get_data_handle(), values.data(), values.size() * sizeof(float));
    return memory;
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream;
  dnnl::memory plainX, plainH, packedX, packedH, gradX, gradH, plainGradX, plainGradH, gradB;
  std::unordered_map<int, dnnl::memory> all;
  dnnl::primitive primitive;
};
#endif

struct Row {
  std::string label;
  std::function<void()> run;
  std::vector<double> times = {};

  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

} // namespace

int main(int argc, char **argv) {
  int rounds = 9, threads = 1;
  std::string filter;
  std::vector<std::pair<std::string, std::string>> modules;
  for (int index = 1; index < argc; ++index) {
    std::string flag = argv[index];
    auto value = [&](const char *name) {
      return flag.rfind(name, 0) == 0 ? flag.c_str() + std::strlen(name) : nullptr;
    };
    if (const char *text = value("--rounds="))
      rounds = std::max(std::atoi(text), 1);
    else if (const char *text = value("--threads="))
      threads = std::max(std::atoi(text), 1);
    else if (const char *text = value("--filter="))
      filter = text;
    else if (flag.find('=') != std::string::npos && flag[0] != '-')
      modules.emplace_back(flag.substr(0, flag.find('=')), flag.substr(flag.find('=') + 1));
    else
      fail("unknown argument `" + flag + "`; expected LABEL=MODULE.so, --rounds=, --threads= or --filter=");
  }
  if (modules.empty())
    fail("expects LABEL=MODULE.so at least once");
  setenv("RNNRT_THREADS", std::to_string(threads).c_str(), 1);
#ifdef RNN_HAS_DNNL
  omp_set_num_threads(threads);
#endif
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  check(rnnrt_device_create("host", nullptr, &device));
  check(rnnrt_call_create(device, nullptr, nullptr, &call));

  const rnnrt_exports_t &first = load(modules.front().second);
  std::printf("| T,B,I,H | threads | what | ms | GFLOP/s | of the peak |\n|---|---|---|---|---|---|\n");
  for (int32_t index = 0; index < first.num_functions; ++index) {
    const rnnrt_function_t &function = *first.functions[index];
    if (std::string(function.name).find(filter) == std::string::npos)
      continue;
    // x is [T, B, I], the weights are [I + H, 4 H].
    const int64_t *x = function.inputs[0].shape;
    Shape shape = {x[0], x[1], x[2], function.inputs[3].shape[1] / 4};
    std::vector<Row> rows;
    std::vector<std::unique_ptr<Compiled>> compiled;
    for (const auto &[label, path] : modules) {
      const rnnrt_exports_t &exports = load(path);
      for (int32_t other = 0; other < exports.num_functions; ++other)
        if (!std::strcmp(exports.functions[other]->name, function.name)) {
          compiled.push_back(std::make_unique<Compiled>(call, *exports.functions[other]));
          rows.push_back({label, [one = compiled.back().get()] { one->run(); }});
        }
    }
#ifdef RNN_HAS_DNNL
    OneDNN oneDNN(shape);
    std::string version = std::to_string(dnnl::version()->major) + "." + std::to_string(dnnl::version()->minor);
    rows.push_back({"oneDNN " + version, [&] { oneDNN.run(); }});
    rows.push_back({"its primitive alone", [&] { oneDNN.primitiveAlone(); }});
#endif
    for (Row &row : rows)
      row.run();
    // Short runs are repeated to 20 ms.
    std::vector<double> peaks;
    for (int round = 0; round < rounds; ++round) {
      peaks.push_back(measurePeak());
      for (Row &row : rows) {
        int repeats = 0;
        double time = 0;
        while (time < 0.02 && ++repeats)
          time += seconds(row.run);
        row.times.push_back(time / repeats);
      }
    }
    std::sort(peaks.begin(), peaks.end());
    double peak = peaks[peaks.size() / 2] * threads;
    for (Row &row : rows) {
      double time = row.median(), rate = shape.flops() / time * 1e-9;
      std::printf("| %lld,%lld,%lld,%lld | %d | %s | %.3f | %.1f | %.0f %% |\n", (long long)shape.T, (long long)shape.B,
                  (long long)shape.I, (long long)shape.H, threads, row.label.c_str(), time * 1e3, rate, 100 * rate / peak);
    }
    std::printf("| | %d | peak | | %.1f | |\n", threads, peak);
    std::fflush(stdout);
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  return 0;
}
