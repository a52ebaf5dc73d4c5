//===- OursMatmul.cpp - a worker that multiplies matrices --------------------===//
//
// By the function `matmul_M_N_K`, or `matmul_M_N_K_t` if b is transposed, of a shared library of rnn-compile, or with
// --run=naive by three nested loops, which the C++ compiler vectorizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exports.h"
#include "Matmul.h"

using namespace worker;

namespace {

class Compiled : public Matmul {
public:
  Compiled(const MatmulProblem &p, const std::string &path) : p(p), a(p.makeA()), b(p.makeB()) {
    check(rnnrt_device_create("host", nullptr, &device));
    check(rnnrt_call_create(device, nullptr, nullptr, &call));
    std::string name = "matmul_" + std::to_string(p.M) + "_" + std::to_string(p.N) + "_" + std::to_string(p.K);
    function = Exports(path).find(name + (p.isTransposed ? "_t" : ""));
    forward();
  }
  ~Compiled() override {
    rnnrt_tensor_release(&c);
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  void forward() override {
    rnnrt_tensor_release(&c);
    int32_t dtype = p.common.isBF16 ? RNNRT_DTYPE_BF16 : RNNRT_DTYPE_F32;
    int64_t aShape[] = {p.M, p.K}, bShape[] = {p.K, p.N};
    if (p.isTransposed)
      std::swap(bShape[0], bShape[1]);
    rnnrt_tensor_t inputs[] = {rnnrt_tensor_make(a.data(), dtype, 2, aShape),
                               rnnrt_tensor_make(b.data(), dtype, 2, bShape)};
    const rnnrt_tensor_t *list[] = {&inputs[0], &inputs[1]};
    rnnrt_tensor_t *results[] = {&c};
    function->entry(call, list, 2, results, 1);
    check(rnnrt_call_status(call));
  }

private:
  std::vector<float> result() override { return p.toFloats(c.data); }

  const MatmulProblem p;
  std::vector<char> a, b;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  const rnnrt_function_t *function = nullptr;
  rnnrt_tensor_t c = {};
};

class Naive : public Matmul {
public:
  explicit Naive(const MatmulProblem &p) : p(p), a(p.makeA()), b(p.makeB()), c(p.M * p.N) {
    if (p.common.isBF16 || p.isTransposed)
      fail("the naive loops are f32 only, with a row-major right operand");
    forward();
  }

  void forward() override {
    auto *left = reinterpret_cast<const float *>(a.data()), *right = reinterpret_cast<const float *>(b.data());
    std::fill(c.begin(), c.end(), 0.0f);
    for (int64_t m = 0; m < p.M; ++m)
      for (int64_t k = 0; k < p.K; ++k)
        for (int64_t n = 0; n < p.N; ++n)
          c[m * p.N + n] += left[m * p.K + k] * right[k * p.N + n];
  }

private:
  std::vector<float> result() override { return c; }

  const MatmulProblem p;
  std::vector<char> a, b;
  std::vector<float> c;
};

} // namespace

int main(int argc, char **argv) {
  MatmulProblem problem;
  std::string module;
  bool isNaive = false;
  for (int index = 1; index < argc; ++index) {
    std::string flag = argv[index];
    if (flag.rfind("--module=", 0) == 0)
      module = flag.substr(9);
    else if (flag == "--run=naive")
      isNaive = true;
    else if (!problem.read(flag))
      fail("unknown argument `" + flag + "`; expected --module=, --run=naive, --shape=, --threads= or --type=");
  }
  if (problem.M == 0 || module.empty() == !isNaive)
    fail("expects --shape=, and either --module= or --run=naive");
  setenv("RNNRT_THREADS", std::to_string(problem.common.threads).c_str(), 1);
  long loaded = maximalMemory();
  if (isNaive) {
    Naive layer(problem);
    serve("three loops", loaded, layer, problem.common);
  } else {
    Compiled layer(problem, module);
    serve("ours", loaded, layer, problem.common);
  }
  return 0;
}
