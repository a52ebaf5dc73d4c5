//===- rnn-bench.cpp - time, GFLOP/s and memory of runtime plans -------------===//
//
// Reads problem files (Problem.h) and times each problem through the entries that compiled code calls. A gradient
// overwrites its reserve space, which is restored between runs, outside the measured time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <sys/resource.h>

namespace {

/// Memory of one problem, filled with small numbers, counted by the device.
class Buffers {
public:
  explicit Buffers(rnnrt_device_t *device) : device(device) {}
  ~Buffers() {
    for (void *pointer : pointers)
      rnnrt_status_release(rnnrt_memory_free(device, pointer));
  }

  /// A tensor whose values repeat every few elements and lie in [-0.1, 0.1].
  void *tensor(int32_t dtype, int64_t elements) {
    void *memory = bytes(elements * rnnrt_dtype_size(dtype));
    for (int64_t index = 0; index < elements; ++index)
      store(memory, dtype, index, static_cast<float>((index * 7919 % 201) - 100) / 1000.0f);
    return memory;
  }

  void *bytes(int64_t size) {
    void *memory = nullptr;
    if (rnnrt_status_t status = rnnrt_memory_alloc(device, size, &memory)) {
      std::fprintf(stderr, "rnn-bench: error: %s\n", rnnrt_status_message(status));
      std::exit(1);
    }
    pointers.push_back(memory);
    return memory;
  }

private:
  static void store(void *memory, int32_t dtype, int64_t index, float value) {
    if (dtype == RNNRT_DTYPE_F32) {
      static_cast<float *>(memory)[index] = value;
    } else if (dtype == RNNRT_DTYPE_F64) {
      static_cast<double *>(memory)[index] = value;
    } else if (dtype == RNNRT_DTYPE_F16) {
      static_cast<_Float16 *>(memory)[index] = static_cast<_Float16>(value);
    } else {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      static_cast<uint16_t *>(memory)[index] = bits >> 16;
    }
  }

  rnnrt_device_t *device;
  std::vector<void *> pointers;
};

/// `prepare` runs outside the measured time, `run` inside.
struct Work {
  std::function<void()> prepare = [] {};
  std::function<void()> run;
};

Work makeBlockWork(const Problem &p, rnnrt_call_t *call, Buffers &buffers) {
  int32_t type = p.dtype;
  rnnrt_plan_t *plan = rnnrt_abi_block_lstm_plan(call, type, /*ifco=*/1, /*use_peephole=*/0, 0, 1.0, 0.0, p.steps,
                                                 p.batch, p.input, p.hidden);
  int64_t state = p.batch * p.hidden, perStep = p.steps * state, weights = (p.input + p.hidden) * 4 * p.hidden;
  void *x = buffers.tensor(type, p.steps * p.batch * p.input), *cs = buffers.tensor(type, state),
       *h = buffers.tensor(type, state), *w = buffers.tensor(type, weights), *k = buffers.tensor(type, p.hidden),
       *b = buffers.tensor(type, 4 * p.hidden);
  std::vector<void *> saved, grads;
  for (int index = 0; index < 7; ++index)
    saved.push_back(buffers.tensor(type, perStep));
  auto forward = [=] {
    rnnrt_abi_block_lstm_forward(call, plan, p.steps, x, cs, h, w, k, k, k, b, saved[0], saved[1], saved[2], saved[3],
                                 saved[4], saved[5], saved[6]);
  };
  if (!p.isBackward)
    return {[] {}, forward};
  forward();
  void *dcs = buffers.tensor(type, perStep), *dh = buffers.tensor(type, perStep);
  for (int64_t elements : {p.steps * p.batch * p.input, state, state, weights, 4 * p.hidden})
    grads.push_back(buffers.tensor(type, elements));
  return {[] {},
          [=] {
            rnnrt_abi_block_lstm_backward(call, plan, p.steps, x, cs, h, w, k, k, k, b, saved[0], saved[1], saved[2],
                                          saved[3], saved[4], saved[5], saved[6], dcs, dh, grads[0], grads[1], grads[2],
                                          grads[3], nullptr, nullptr, nullptr, grads[4]);
          }};
}

Work makeNetworkWork(const Problem &p, rnnrt_call_t *call, Buffers &buffers) {
  int32_t type = p.dtype;
  rnnrt_plan_t *plan = rnnrt_abi_rnn_plan(call, type, p.mode, /*linear=*/0, p.directions - 1, /*training=*/1, 0, 0.0, 0,
                                          0, p.steps, p.batch, p.input, p.hidden, p.hidden, p.layers);
  int64_t count = rnnrt_abi_rnn_params_size(call, plan), reserveBytes = rnnrt_abi_rnn_reserve_size(call, plan);
  if (!plan)
    return {};
  int64_t state = p.layers * p.directions * p.batch * p.hidden, out = p.steps * p.batch * p.directions * p.hidden;
  bool isLstm = p.mode == 2;
  auto cell = [&] { return isLstm ? buffers.tensor(type, state) : nullptr; };
  void *x = buffers.tensor(type, p.steps * p.batch * p.input), *h0 = buffers.tensor(type, state), *c0 = cell(),
       *params = buffers.tensor(type, count), *y = buffers.tensor(type, out), *hn = buffers.tensor(type, state),
       *cn = cell(), *reserve = buffers.bytes(reserveBytes);
  auto forward = [=] {
    rnnrt_abi_rnn_forward(call, plan, nullptr, x, h0, c0, params, count, y, hn, cn, reserve, reserveBytes);
  };
  if (!p.isBackward)
    return {[] {}, forward};
  forward();
  void *kept = buffers.bytes(reserveBytes);
  std::memcpy(kept, reserve, reserveBytes);
  void *dy = buffers.tensor(type, out), *dhn = buffers.tensor(type, state), *dcn = cell(),
       *dx = buffers.tensor(type, p.steps * p.batch * p.input), *dh0 = buffers.tensor(type, state), *dc0 = cell(),
       *dparams = buffers.tensor(type, count);
  return {[=] { std::memcpy(reserve, kept, reserveBytes); },
          [=] {
            rnnrt_abi_rnn_backward_data(call, plan, nullptr, x, h0, c0, params, count, y, dy, dhn, dcn, dx, dh0, dc0,
                                        reserve, reserveBytes);
            rnnrt_abi_rnn_backward_weights(call, plan, nullptr, x, h0, y, dparams, count, reserve, reserveBytes);
          }};
}

void runProblem(benchmark::State &state, const Problem &problem) {
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_status_release(rnnrt_device_create("host", nullptr, &device));
  rnnrt_status_release(rnnrt_call_create(device, nullptr, nullptr, &call));
  {
    Buffers buffers(device);
    Work work = problem.isBlock ? makeBlockWork(problem, call, buffers) : makeNetworkWork(problem, call, buffers);
    if (work.run) {
      work.prepare();
      work.run(); // the first run allocates scratch memory
    }
    for (auto _ : state) {
      if (rnnrt_status_t status = rnnrt_call_status(call)) {
        state.SkipWithError(rnnrt_status_message(status));
        break;
      }
      work.prepare();
      auto start = std::chrono::steady_clock::now();
      work.run();
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    rnnrt_memory_stats_t memory = {};
    rnnrt_status_release(rnnrt_memory_stats(device, &memory));
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    state.counters["GFLOP/s"] =
        benchmark::Counter(problem.flops() * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
    // Tensors, reserve and scratch of this problem; and the whole process so far.
    state.counters["peak_MB"] = memory.peak_bytes / 1e6;
    state.counters["process_MB"] = usage.ru_maxrss / 1e3;
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<Problem> problems;
  std::string error;
  bool given = false;
  // --problems is removed before Google Benchmark reads the other flags.
  int kept = 1;
  for (int index = 1; index < argc; ++index) {
    if (std::strncmp(argv[index], "--problems=", 11) != 0) {
      argv[kept++] = argv[index];
      continue;
    }
    given = true;
    if (!readProblems(argv[index] + 11, problems, error)) {
      std::fprintf(stderr, "rnn-bench: error: %s\n", error.c_str());
      return 1;
    }
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  if (!given) {
    std::fprintf(stderr, "rnn-bench: error: name the problems with --problems=FILE, for instance "
                         "benchmarks/problems/foundation.txt\n");
    return 1;
  }
  benchmark::AddCustomContext("threads", "1 (plans of the host have one; RNNRT_THREADS is for compiled loops)");
  for (const Problem &problem : problems)
    benchmark::RegisterBenchmark(problem.line.c_str(),
                                 [&problem](benchmark::State &state) { runProblem(state, problem); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
