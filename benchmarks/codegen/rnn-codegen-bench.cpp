//===- rnn-codegen-bench.cpp - speed of generated CPU kernels ----------------===//
//
// One thread: GFLOP/s of packed GEMMs and their fraction of the processor's FMA peak, bytes per second of packing,
// elements per second of sigmoid and tanh. The peak is that of the processor's widest FMA, whatever the vectors of the
// kernels are.
//
//   rnn-codegen-bench [--vector-bits=N] [--vector-registers=N] [Google Benchmark's options]
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../unittests/Codegen/CPU/CompiledKernel.h"
#include "rnn_runtime/abi.h"
#include "llvm/TargetParser/Host.h"
#include <benchmark/benchmark.h>
#include <chrono>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

//===----------------------------------------------------------------------===//
// The FMA peak
//===----------------------------------------------------------------------===//

// Independent accumulators: more than the latency (4 cycles) times the throughput (2 per cycle).
static constexpr int chains = 12;

/// Multiply-adds in registers; returns floating-point operations.
#define RNN_DEFINE_PEAK(name, attributes, bytes, element)                                                              \
  attributes static double name(int64_t iterations) {                                                                  \
    typedef element Vector __attribute__((vector_size(bytes)));                                                        \
    Vector sums[chains] = {}, a = {}, b = {};                                                                          \
    a += element(0.5), b += element(0.25);                                                                             \
    benchmark::DoNotOptimize(a);                                                                                       \
    benchmark::DoNotOptimize(b);                                                                                       \
    for (int64_t k = 0; k < iterations; ++k)                                                                           \
      for (int chain = 0; chain < chains; ++chain)                                                                     \
        sums[chain] = a * sums[chain] + b;                                                                             \
    benchmark::DoNotOptimize(sums);                                                                                    \
    return 2.0 * iterations * chains * (bytes / sizeof(element));                                                      \
  }

#if defined(__x86_64__)
RNN_DEFINE_PEAK(peak512F32, __attribute__((target("avx512f"))), 64, float)
RNN_DEFINE_PEAK(peak512F64, __attribute__((target("avx512f"))), 64, double)
RNN_DEFINE_PEAK(peak256F32, __attribute__((target("avx2,fma"))), 32, float)
RNN_DEFINE_PEAK(peak256F64, __attribute__((target("avx2,fma"))), 32, double)
#endif
RNN_DEFINE_PEAK(peak128F32, , 16, float)
RNN_DEFINE_PEAK(peak128F64, , 16, double)

using Peak = double (*)(int64_t);

static Peak getPeak(bool isDouble) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return isDouble ? peak512F64 : peak512F32;
  if (__builtin_cpu_supports("fma"))
    return isDouble ? peak256F64 : peak256F32;
#endif
  return isDouble ? peak128F64 : peak128F32;
}

/// Operations per second: the best of five measurements of some milliseconds.
static double measurePeak(bool isDouble) {
  static double measured[2] = {};
  double &best = measured[isDouble];
  if (best != 0)
    return best;
  for (int repetition = 0; repetition < 5; ++repetition) {
    auto start = std::chrono::steady_clock::now();
    double operations = getPeak(isDouble)(1 << 18);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, operations / seconds.count());
  }
  return best;
}

static void benchmarkPeak(benchmark::State &state, bool isDouble) {
  for (auto _ : state)
    getPeak(isDouble)(1 << 12);
  state.counters["GFLOP/s"] = measurePeak(isDouble) / 1e9;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// Element types and the arithmetic of bf16.
struct Arithmetic {
  std::string name;
  ElementKind element;
  BF16Gemm bf16Gemm;
  ElementKind left, right, sum;
};

/// A kernel and its arguments. The last argument of the function is the number of calls of the kernel.
struct Prepared {
  std::unique_ptr<KernelContext> context;
  std::unique_ptr<CompiledKernel> kernel;
  SmallVector<HostTensor> arguments;

  void run(int64_t repetitions) {
    arguments.back().setFromInteger(0, repetitions);
    (*kernel)(arguments);
  }
};

} // namespace

static HostVectors vectors;

static Tiles getTiles(KernelContext &context, ElementKind element, BF16Gemm bf16Gemm) {
  HostVectors chosen = vectors;
  chosen.bf16Gemm = bf16Gemm;
  return Tiles(context.getType(element), chosen);
}

static HostTensor makeOperand(ElementKind kind, ArrayRef<int64_t> shape) {
  HostTensor tensor = makeTensor(kind, shape);
  for (int64_t k = 0; k < tensor.getNumElements(); ++k)
    tensor.setFromDouble(k, (k * 7919 % 201 - 100) / 1000.0);
  return tensor;
}

/// Compiles `emit` in a loop of as many iterations as the function's last argument.
static Prepared prepare(std::unique_ptr<KernelContext> context, const Tiles &tiles, SmallVector<HostTensor> arguments,
                        CompiledKernel::Emit emit) {
  SmallVector<Type> types;
  for (const HostTensor &argument : arguments)
    types.push_back(argument.getRank() == 2 ? context->getMatrix(argument.getKind())
                                            : context->getBuffer(argument.getKind()));
  types.push_back(IndexType::get(&context->context));
  arguments.push_back(makeIndex(1));
  auto kernel = std::make_unique<CompiledKernel>(
      *context, types, tiles, [&](HostBuilder &b, KernelLibrary &library, ValueRange values) {
        b.loop(values.back(), [&](Value) { emit(b, library, values.drop_back()); });
      });
  return {std::move(context), std::move(kernel), std::move(arguments)};
}

/// Returns the seconds of all iterations.
static double time(benchmark::State &state, Prepared prepared, int64_t repetitions) {
  prepared.run(1);
  auto start = std::chrono::steady_clock::now();
  for (auto _ : state)
    prepared.run(repetitions);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A GEMM of rows x panels with a depth in panels. `tiles` of Tiles::rows rows are a block of the transposed GEMM.
static void benchmarkGemm(benchmark::State &state, const Arithmetic &arithmetic, int64_t rows, int64_t columns,
                          int64_t depth, bool transposed) {
  auto context = std::make_unique<KernelContext>();
  Tiles tiles = getTiles(*context, arithmetic.element, arithmetic.bf16Gemm);
  int64_t panel = tiles.panel, depthPanels = std::max<int64_t>(depth / panel, 1);
  depth = depthPanels * panel;
  int64_t leftSize = transposed ? (rows + Tiles::rows - 1) / Tiles::rows * Tiles::rows * Tiles::depth : rows * depth;
  HostTensor a = makeOperand(arithmetic.left, {leftSize}),
             right = makeOperand(arithmetic.right, {columns * depth * panel}),
             c = makeOperand(arithmetic.sum, {rows * columns * panel});
  auto emit = [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
    if (transposed) {
      TransposedGemm gemm;
      gemm.a = v[0], gemm.tiles = b.index(rows / Tiles::rows), gemm.columns = b.index(columns);
      gemm.b = v[1], gemm.bOffset = b.index(0), gemm.bPanel = b.index(depth * panel), gemm.depth = b.index(depth);
      gemm.c = v[2], gemm.cOffset = b.index(0), gemm.cRow = b.index(panel), gemm.cPanel = b.index(rows * panel);
      gemm.isFirst = arith::ConstantIntOp::create(b, 1, 1);
      return library.transposedGemm(b, gemm);
    }
    Gemm gemm;
    gemm.a = v[0], gemm.aOffset = b.index(0), gemm.aPanel = b.index(rows * panel);
    gemm.b = v[1], gemm.bOffset = b.index(0), gemm.bPanel = b.index(depth * panel);
    gemm.c = v[2], gemm.cOffset = b.index(0), gemm.cRow = b.index(panel), gemm.cPanel = b.index(rows * panel);
    gemm.rows = b.index(rows), gemm.columns = b.index(columns), gemm.depth = b.index(depthPanels);
    library.gemm(b, gemm);
  };
  double operations = 2.0 * rows * columns * panel * depth;
  int64_t repetitions = std::max<int64_t>(1e7 / operations, 1);
  double seconds = time(state, prepare(std::move(context), tiles, {a, right, c}, emit), repetitions);
  double rate = operations * repetitions * state.iterations() / seconds;
  state.counters["GFLOP/s"] = rate / 1e9;
  state.counters["of_peak"] = rate / measurePeak(arithmetic.sum == ElementKind::F64);
}

/// Packs a matrix of 512 x 512 elements.
static void benchmarkPacking(benchmark::State &state, const Arithmetic &arithmetic, bool transposed) {
  constexpr int64_t size = 512;
  auto context = std::make_unique<KernelContext>();
  Tiles tiles = getTiles(*context, arithmetic.element, arithmetic.bf16Gemm);
  HostTensor matrix = makeOperand(arithmetic.element, {size, size}),
             packed = makeTensor(arithmetic.right, {size * size});
  auto emit = [&](HostBuilder &b, KernelLibrary &library, ValueRange v) {
    PackRight pack;
    pack.matrix = v[0], pack.row = pack.column = b.index(0), pack.rows = pack.columns = b.index(size);
    pack.target = v[1], pack.offset = b.index(0), pack.stride = b.index(size * b.tiles.panel);
    transposed ? library.packTransposed(b, pack) : library.packColumns(b, pack);
  };
  time(state, prepare(std::move(context), tiles, {matrix, packed}, emit), 10);
  state.SetBytesProcessed(state.iterations() * 10 * (matrix.getNumBytes() + packed.getNumBytes()));
}

static void benchmarkMath(benchmark::State &state, ElementKind kind, Value (HostBuilder::*function)(Value)) {
  constexpr int64_t size = 4096;
  auto context = std::make_unique<KernelContext>();
  Tiles tiles = getTiles(*context, kind, BF16Gemm::F32);
  HostTensor from = makeOperand(kind, {size}), to = makeTensor(kind, {size});
  auto emit = [&](HostBuilder &b, KernelLibrary &, ValueRange v) {
    b.loop(b.index(0), b.index(size), b.tiles.lanes,
           [&](Value k) { b.store((b.*function)(b.load(v[0], k)), v[1], k); });
  };
  time(state, prepare(std::move(context), tiles, {from, to}, emit), 100);
  state.SetItemsProcessed(state.iterations() * 100 * size);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

/// `--name=N`, which is removed from the command line.
static void takeOption(int &argc, char **argv, StringRef name, unsigned &value) {
  int kept = 1;
  for (int k = 1; k < argc; ++k) {
    StringRef argument = argv[k];
    if (argument.consume_front("--") && argument.consume_front(name) && argument.consume_front("=") &&
        !argument.getAsInteger(10, value))
      continue;
    argv[kept++] = argv[k];
  }
  argc = kept;
}

int main(int argc, char **argv) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  vectors.bits = features.lookup("avx512f") ? 512 : features.lookup("avx2") ? 256 : 128;
  vectors.registers = features.lookup("avx2") && !features.lookup("avx512vl") ? 16 : 32;
  takeOption(argc, argv, "vector-bits", vectors.bits);
  takeOption(argc, argv, "vector-registers", vectors.registers);

  const ElementKind F32 = ElementKind::F32, F64 = ElementKind::F64, BF16 = ElementKind::BF16;
  std::vector<Arithmetic> arithmetics = {{"f32", F32, BF16Gemm::F32, F32, F32, F32},
                                         {"f64", F64, BF16Gemm::F32, F64, F64, F64},
                                         {"bf16_vnni", BF16, BF16Gemm::VNNI, F32, BF16, F32},
                                         {"bf16_dot", BF16, BF16Gemm::Dot, BF16, BF16, F32}};
  if (features.lookup("avx512bf16"))
    arithmetics.push_back({"bf16_avx512", BF16, BF16Gemm::AVX512, BF16, BF16, F32});
  KernelContext context;
  if (features.lookup("amx-bf16") && rnnrt_abi_enable_amx(context.call))
    arithmetics.push_back({"bf16_amx", BF16, BF16Gemm::AMX, BF16, BF16, F32});
  auto add = [](const std::string &name, auto function) { benchmark::RegisterBenchmark(name.c_str(), function); };
  for (bool isDouble : {false, true})
    add(isDouble ? "peak/f64" : "peak/f32", [=](benchmark::State &state) { benchmarkPeak(state, isDouble); });
  struct Shape {
    const char *name;
    int64_t rows, columns, depth;
  };
  // A tile: one panel of the right operand in L1. A block: the operands of one depth block in L2.
  const Shape shapes[] = {{"tile", 6, 1, 256}, {"block", 96, 8, 256}, {"one_row", 1, 16, 256}};
  // A step of 64 rows with weights in L3, and a block of a reduction: the left operand stays in L2, chunks of both do.
  const Shape tileShapes[] = {{"step", 64, 32, 4096}, {"block", 256, 16, 4096}, {"sixteen_rows", 16, 16, 2048}};
  for (const Arithmetic &arithmetic : arithmetics) {
    if (arithmetic.bf16Gemm == BF16Gemm::AMX)
      for (Shape shape : tileShapes)
        add("gemm/" + arithmetic.name + "/" + shape.name + "_amx", [=](benchmark::State &state) {
          benchmarkGemm(state, arithmetic, shape.rows, shape.columns, shape.depth, /*transposed=*/false);
        });
    for (Shape shape : shapes)
      add("gemm/" + arithmetic.name + "/" + shape.name, [=](benchmark::State &state) {
        benchmarkGemm(state, arithmetic, shape.rows, shape.columns, shape.depth, /*transposed=*/false);
      });
    // A left operand of f32 is never multiplied by a right one in VNNI packing here.
    if (arithmetic.left == arithmetic.right && arithmetic.bf16Gemm != BF16Gemm::AMX)
      add("transposed_gemm/" + arithmetic.name + "/block",
          [=](benchmark::State &state) { benchmarkGemm(state, arithmetic, 96, 8, 256, /*transposed=*/true); });
    for (bool transposed : {false, true})
      add((transposed ? "pack_transposed/" : "pack_columns/") + arithmetic.name,
          [=](benchmark::State &state) { benchmarkPacking(state, arithmetic, transposed); });
  }
  for (ElementKind kind : {F32, F64})
    for (bool isTanh : {false, true})
      add((isTanh ? "tanh/" : "sigmoid/") + stringifyElementKind(kind).str(), [=](benchmark::State &state) {
        benchmarkMath(state, kind, isTanh ? &HostBuilder::tanh : &HostBuilder::sigmoid);
      });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
