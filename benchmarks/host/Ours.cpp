//===- Ours.cpp - a worker that runs functions of a compiled module ----------===//
//
// Runs a module of layers.py that rnn-compile made a shared library: forward pass and gradient of a block LSTM or of a
// cudnn layer, in f32, bf16 or f64. --compare=FOLDER,FOLDER instead prints the differences of the gradients that two
// workers saved.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exports.h"

#include <memory>

using namespace worker;

namespace {

float load(const void *data, int32_t dtype, int64_t index) {
  if (dtype == RNNRT_DTYPE_F32)
    return static_cast<const float *>(data)[index];
  if (dtype == RNNRT_DTYPE_F64)
    return static_cast<float>(static_cast<const double *>(data)[index]);
  return fromBF16(static_cast<const uint16_t *>(data)[index]);
}

void store(void *data, int32_t dtype, int64_t index, float value) {
  if (dtype == RNNRT_DTYPE_F32)
    static_cast<float *>(data)[index] = value;
  else if (dtype == RNNRT_DTYPE_F64)
    static_cast<double *>(data)[index] = value;
  else
    static_cast<uint16_t *>(data)[index] = toBF16(value);
}

/// An argument or a result, owned by this program or by the runtime.
class Tensor {
public:
  Tensor() = default;
  /// Has the size that the function requires, filled with zeros.
  explicit Tensor(const rnnrt_argument_t &argument) {
    if (argument.dtype != RNNRT_DTYPE_F32 && argument.dtype != RNNRT_DTYPE_BF16 && argument.dtype != RNNRT_DTYPE_F64)
      fail("expects functions in f32, bf16 or f64");
    int64_t count = 1;
    for (int32_t dim = 0; dim < argument.rank; ++dim)
      count *= argument.shape[dim];
    // Cache lines, as arrays of PyTorch, JAX and oneDNN; malloc's large blocks begin 16 bytes behind the start of one.
    constexpr size_t alignment = 64;
    size_t bytes = (count * rnnrt_dtype_size(argument.dtype) + alignment - 1) / alignment * alignment;
    memory.reset(static_cast<char *>(std::aligned_alloc(alignment, bytes)));
    if (!memory && bytes)
      fail("out of memory");
    std::memset(memory.get(), 0, bytes);
    tensor = rnnrt_tensor_make(memory.get(), argument.dtype, argument.rank, argument.shape);
  }
  Tensor(Tensor &&) = default;
  Tensor &operator=(Tensor &&) = default;
  void release() { rnnrt_tensor_release(&tensor); }

  int64_t size() const {
    int64_t count = 1;
    for (int32_t dim = 0; dim < tensor.rank; ++dim)
      count *= tensor.shape[dim];
    return count;
  }
  float get(int64_t index) const { return load(tensor.data, tensor.dtype, index); }
  void set(int64_t index, float value) { store(memory.get(), tensor.dtype, index, value); }
  void fill(const Numbers &numbers, int64_t offset = 0) {
    for (int64_t index = 0, count = size() - offset; index < count; ++index)
      set(offset + index, numbers[index]);
  }
  std::vector<float> values() const {
    std::vector<float> result(size());
    for (size_t index = 0; index < result.size(); ++index)
      result[index] = get(index);
    return result;
  }

  rnnrt_tensor_t tensor = {};

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<char, Free> memory;
};

class Compiled : public Layer {
public:
  Compiled(const Problem &p, const std::string &path, bool block) : p(p), block(block) {
    check(rnnrt_device_create("host", nullptr, &device));
    check(rnnrt_call_create(device, nullptr, nullptr, &call));
    const Exports exports(path);
    char suffix[100];
    std::snprintf(suffix, sizeof(suffix), "_%lld_%lld_%lld_%lld", (long long)p.T, (long long)p.B, (long long)p.I,
                  (long long)p.H);
    std::string name = block ? "block" : p.isLstm ? "lstm" : "gru";
    forwardFunction = exports.find(name + "_forward" + suffix);
    inferenceFunction = block ? nullptr : exports.find(name + "_inference" + suffix);
    backwardFunction = exports.find(name + "_backward" + suffix);
    makeOperands();
    saved = run(*forwardFunction, pointers({&operands}));
    release(run(*backwardFunction, backwardInputs()));
  }
  ~Compiled() override {
    release(saved);
    rnnrt_call_release(call);
    rnnrt_weights_release(weights);
    rnnrt_device_release(device);
  }

  void forward() override { release(run(*forwardFunction, pointers({&operands}))); }
  void backward() override { release(run(*backwardFunction, backwardInputs())); }
  void inference() override {
    if (!inferenceFunction)
      fail("the module has no inference function; block layers have none");
    release(run(*inferenceFunction, pointers({&operands})));
  }

  /// Promises that the weights, which are the last operand, do not change: they are packed once.
  void keepWeights() {
    const rnnrt_tensor_t &params = operands.back().tensor;
    check(rnnrt_weights_create(device, params.data, operands.back().size() * rnnrt_dtype_size(params.dtype), &weights));
    check(rnnrt_call_use_weights(call, weights));
  }

  Gradients gradients() override {
    std::vector<Tensor> results = run(*backwardFunction, backwardInputs());
    Gradients g;
    g.dx = results[0].values();
    if (block) {
      // x, cs_prev, h_prev, w, b; with layout ifco w is wx above wh in the common order.
      g.dc0 = results[1].values(), g.dh0 = results[2].values();
      std::vector<float> w = results[3].values();
      g.dwx.assign(w.begin(), w.begin() + p.I * 4 * p.H);
      g.dwh.assign(w.begin() + p.I * 4 * p.H, w.end());
      g.db = results[4].values();
    } else {
      g.dh0 = results[1].values();
      if (p.isLstm)
        g.dc0 = results[2].values();
      const Tensor &params = results.back();
      g.dwx.resize(p.I * p.gates() * p.H), g.dwh.resize(p.H * p.gates() * p.H), g.db.resize(4 * p.H);
      eachWeight([&](int64_t ours, Numbers::Tensor tensor, int64_t index) {
        (tensor == Numbers::WX ? g.dwx : g.dwh)[index] = params.get(ours);
      });
      eachBias([&](int64_t ours, int64_t index) { g.db[index] = params.get(ours); });
    }
    release(results);
    return g;
  }

private:
  /// Canonical parameters are matrices of the input by gate, each [H, I], recurrent ones by gate, then two biases by
  /// gate.
  template <typename Visit> void eachWeight(Visit visit) const {
    int64_t at = 0;
    for (Numbers::Tensor tensor : {Numbers::WX, Numbers::WH})
      for (int64_t gate = 0, rows = tensor == Numbers::WX ? p.I : p.H; gate < p.gates(); ++gate)
        for (int64_t h = 0; h < p.H; ++h)
          for (int64_t row = 0; row < rows; ++row)
            visit(at++, tensor, (row * p.gates() + gate) * p.H + h);
  }
  template <typename Visit> void eachBias(Visit visit) const {
    int64_t at = p.gates() * p.H * (p.I + p.H);
    for (int64_t index = 0; index < p.gates() * p.H; ++index)
      visit(at + index, index);
    // The second bias of a gate adds to the same sum, but that of gate n does not.
    for (int64_t h = 0; !p.isLstm && h < p.H; ++h)
      visit(at + (p.gates() + 2) * p.H + h, 3 * p.H + h);
  }

  void makeOperands() {
    for (int64_t index = 0; index < forwardFunction->num_inputs; ++index)
      operands.emplace_back(forwardFunction->inputs[index]);
    operands[0].fill(Numbers(Numbers::X, p));
    Numbers h0(Numbers::H0, p), c0(Numbers::C0, p), wx(Numbers::WX, p), wh(Numbers::WH, p), bias(Numbers::Bias, p);
    if (block) {
      // x, cs_prev, h_prev, w, peephole weights that stay zero, b
      operands[1].fill(c0), operands[2].fill(h0);
      for (int64_t index = 0; index < p.I * 4 * p.H; ++index)
        operands[3].set(index, wx[index]);
      operands[3].fill(wh, p.I * 4 * p.H);
      operands[5].fill(bias);
    } else {
      operands[1].fill(h0);
      if (p.isLstm)
        operands[2].fill(c0);
      Tensor &params = operands.back();
      eachWeight([&](int64_t ours, Numbers::Tensor tensor, int64_t index) {
        params.set(ours, (tensor == Numbers::WX ? wx : wh)[index]);
      });
      eachBias([&](int64_t ours, int64_t index) { params.set(ours, bias[index]); });
    }
    // The gradients of the results are the last inputs of the gradient.
    int64_t count = block || !p.isLstm ? 2 : 3;
    for (int64_t index = backwardFunction->num_inputs - count; index < backwardFunction->num_inputs; ++index)
      outputGrads.emplace_back(backwardFunction->inputs[index]);
    Numbers dy(Numbers::DY, p), dhn(Numbers::DHN, p), dcn(Numbers::DCN, p);
    if (block) {
      // cs_grad and h_grad of every step: the final state's gradients are those of the last one.
      int64_t last = (p.T - 1) * p.B * p.H;
      outputGrads[0].fill(dcn, last);
      for (int64_t index = 0; index < p.T * p.B * p.H; ++index)
        outputGrads[1].set(index, dy[index] + (index >= last ? dhn[index - last] : 0.0f));
    } else {
      outputGrads[0].fill(dy), outputGrads[1].fill(dhn);
      if (p.isLstm)
        outputGrads[2].fill(dcn);
    }
  }

  static std::vector<const rnnrt_tensor_t *> pointers(std::initializer_list<const std::vector<Tensor> *> lists) {
    std::vector<const rnnrt_tensor_t *> result;
    for (const std::vector<Tensor> *list : lists)
      for (const Tensor &tensor : *list)
        result.push_back(&tensor.tensor);
    return result;
  }
  std::vector<const rnnrt_tensor_t *> backwardInputs() const { return pointers({&operands, &saved, &outputGrads}); }

  std::vector<Tensor> run(const rnnrt_function_t &function, const std::vector<const rnnrt_tensor_t *> &inputs) {
    std::vector<Tensor> results(function.num_outputs);
    std::vector<rnnrt_tensor_t *> list;
    for (Tensor &result : results)
      list.push_back(&result.tensor);
    function.entry(call, inputs.data(), inputs.size(), list.data(), list.size());
    check(rnnrt_call_status(call));
    return results;
  }

  static void release(std::vector<Tensor> &&results) {
    for (Tensor &result : results)
      result.release();
  }
  static void release(std::vector<Tensor> &results) { release(std::move(results)); }

  const Problem p;
  const bool block;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_weights_t *weights = nullptr;
  const rnnrt_function_t *forwardFunction = nullptr, *inferenceFunction = nullptr, *backwardFunction = nullptr;
  std::vector<Tensor> operands, saved, outputGrads;
};

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

std::vector<float> read(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return {};
  std::fseek(file, 0, SEEK_END);
  std::vector<float> values(std::ftell(file) / sizeof(float));
  std::rewind(file);
  if (std::fread(values.data(), sizeof(float), values.size(), file) != values.size())
    fail("cannot read " + path);
  std::fclose(file);
  return values;
}

/// Prints the largest difference of all gradients, relative to the gradient's largest element, and the name of that
/// gradient; then the largest Euclidean norm of a gradient's differences, relative to that gradient's norm.
int compare(const std::string &folders) {
  size_t comma = folders.find(',');
  if (comma == std::string::npos)
    fail("expects --compare=FOLDER,FOLDER");
  double worst = 0, worstNorm = 0;
  std::string where = "-";
  for (const char *name : {"dx", "dh0", "dc0", "dwx", "dwh", "db"}) {
    std::vector<float> one = read(folders.substr(0, comma) + "/" + name),
                       other = read(folders.substr(comma + 1) + "/" + name);
    if (one.size() != other.size() || (one.empty() && std::strcmp(name, "dc0")))
      fail("the gradients " + std::string(name) + " have " + std::to_string(one.size()) + " and " +
           std::to_string(other.size()) + " elements");
    double scale = 0, difference = 0, squares = 0, squaredDifferences = 0;
    for (size_t index = 0; index < one.size(); ++index) {
      scale = std::max<double>(scale, std::fabs(one[index]));
      // A difference that is not a number is the largest.
      double here = std::fabs(double(one[index]) - other[index]);
      difference = here <= difference ? difference : std::isnan(here) ? INFINITY : here;
      squares += double(one[index]) * one[index];
      squaredDifferences += std::isnan(here) ? INFINITY : here * here;
    }
    if (!one.empty() && scale == 0)
      fail("the gradients " + std::string(name) + " are all zero");
    if (!one.empty() && difference / scale > worst)
      worst = difference / scale, where = name;
    if (!one.empty())
      worstNorm = std::max(worstNorm, std::sqrt(squaredDifferences / squares));
  }
  std::printf("%.2e %s %.2e\n", worst, where.c_str(), worstNorm);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Problem problem;
  std::string module;
  bool block = false, keepsWeights = false;
  for (int index = 1; index < argc; ++index) {
    std::string flag = argv[index];
    if (flag.rfind("--compare=", 0) == 0)
      return compare(flag.substr(10));
    if (flag.rfind("--module=", 0) == 0)
      module = flag.substr(9);
    else if (flag == "--weights=kept")
      keepsWeights = true;
    else if (flag == "--layer=block" || flag == "--layer=cudnn")
      block = flag == "--layer=block";
    else if (!problem.read(flag))
      fail("unknown argument `" + flag +
           "`; expected --module=, --layer=block|cudnn, --weights=kept, --cell=, --shape=, --threads=, --type= or "
           "--compare=");
  }
  if (module.empty() || problem.T == 0)
    fail("expects --module= and --shape=");
  setenv("RNNRT_THREADS", std::to_string(problem.threads).c_str(), 1);
  long loaded = maximalMemory();
  if (block && keepsWeights)
    fail("expects --layer=cudnn with --weights=kept");
  Compiled layer(problem, module, block);
  if (keepsWeights)
    layer.keepWeights();
  serve("ours", loaded, layer, problem);
  return 0;
}
