//===- OneDNNMatmul.cpp - a worker that runs oneDNN's matrix product ---------===//
//
// oneDNN 2 or 3, with the matrices of OursMatmul.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <dnnl.hpp>
#include <unordered_map>
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
extern "C" void omp_set_num_threads(int);
#endif

using namespace worker;
using dnnl::memory;

namespace {

class OneDNN : public Matmul {
public:
  explicit OneDNN(const MatmulProblem &p) : p(p), a(p.makeA()), b(p.makeB()), stream(engine) {
    auto type = p.common.isBF16 ? memory::data_type::bf16 : memory::data_type::f32;
    using Tag = memory::format_tag;
    memory::desc left({p.M, p.K}, type, Tag::ab), out({p.M, p.N}, type, Tag::ab);
    memory::desc right({p.K, p.N}, type, p.isTransposed ? Tag::ba : Tag::ab);
#if DNNL_VERSION_MAJOR >= 3
    dnnl::matmul::primitive_desc description(engine, left, right, out);
#else
    dnnl::matmul::primitive_desc description({left, right, out}, engine);
#endif
    primitive = dnnl::matmul(description);
    c = memory(out, engine);
    arguments = {{DNNL_ARG_SRC, memory(left, engine, a.data())},
                 {DNNL_ARG_WEIGHTS, memory(right, engine, b.data())},
                 {DNNL_ARG_DST, c}};
    forward();
  }

  void forward() override {
    primitive.execute(stream, arguments);
    stream.wait();
  }

private:
  std::vector<float> result() override { return p.toFloats(c.get_data_handle()); }

  const MatmulProblem p;
  std::vector<char> a, b;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream;
  dnnl::matmul primitive;
  memory c;
  std::unordered_map<int, memory> arguments;
};

} // namespace

int main(int argc, char **argv) {
  MatmulProblem problem;
  for (int index = 1; index < argc; ++index)
    if (!problem.read(argv[index]))
      fail(std::string("unknown argument `") + argv[index] + "`; expected --shape=, --threads= or --type=");
  if (problem.M == 0)
    fail("expects --shape=");
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  omp_set_num_threads(problem.common.threads);
#endif
  try {
    // Loads the libraries that oneDNN loads at first use.
    dnnl::engine(dnnl::engine::kind::cpu, 0);
    long loaded = maximalMemory();
    OneDNN layer(problem);
    const dnnl_version_t &version = *dnnl::version();
    serve("oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor), loaded, layer,
          problem.common);
  } catch (const dnnl::error &error) {
    fail(std::string("oneDNN: ") + error.what());
  }
  return 0;
}
