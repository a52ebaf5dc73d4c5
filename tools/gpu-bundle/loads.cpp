// loads.cpp - measures which part of a step's global loads is exposed in the persistent kernel of a block LSTM's
// gradient: the time of a step with few steps, whose saved values are in the L2 cache, beside that with many, whose
// values are not.
//
//   rnn-bundle-loads --device=cuda --module=loads_cuda.so [--seconds=0.2] [--patience=SECONDS]
//
// Every `loads_backward_T_B_I_H` of the module (timed.py) returns the gradients of the initial states only, so it has
// the steps and no GEMM. One function runs repeatedly before the next one does. The time of a step is the difference
// of T and T / 2 steps, so that launches and loads of weights cancel. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception

#include "Candidates.h"
#include "Watch.h"

#include <chrono>

using namespace bundle;

namespace {

/// The gradients of the initial states by a function of the module.
class StatesBackward final : public Candidate {
public:
  StatesBackward(const Layer &layer, const rnnrt_function_t &function, const Compiled &forward)
      : Candidate(function.name), call(blockForward(layer, function)) {
    isPersistent = true;
    const std::vector<int64_t> shape = {layer.steps(), layer.batch(), layer.hidden()};
    for (size_t saved = 0; saved < 7; ++saved)
      call->operand(forward.result(saved).data, layer.dtype, shape);
    call->operand(layer.zeros.data(), layer.dtype, shape);
    call->operand(layer.onDy.data(), layer.dtype, shape);
  }
  void run() override { call->callFor(*this); }
  void after() override { call->release(); }
  Results results() override { return {}; }

private:
  const std::unique_ptr<Compiled> call;
};

/// The median time of a call in microseconds; the first three load code and fill caches.
double measure(const Place &place, Candidate &candidate, double seconds) {
  using Clock = std::chrono::steady_clock;
  rnnrt_event_t *start = nullptr, *end = nullptr;
  check(rnnrt_event_create(place.device, &start));
  check(rnnrt_event_create(place.device, &end));
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  for (int round = 0; round < 200 && candidate.canRun(); ++round) {
    if (round >= 8 && std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
      break;
    Watch::begin(candidate.name);
    place.synchronize();
    check(rnnrt_event_record(start, place.stream));
    candidate.run();
    check(rnnrt_event_record(end, place.stream));
    double milliseconds = 0;
    check(rnnrt_event_elapsed(start, end, &milliseconds));
    candidate.after();
    if (round >= 3)
      times.push_back(milliseconds * 1e3);
  }
  Watch::finish();
  rnnrt_event_release(start);
  rnnrt_event_release(end);
  return candidate.canRun() ? median(times) : NAN;
}

} // namespace

int main(int argc, char **argv) {
  const char *name = "cuda", *path = nullptr;
  double seconds = 0.2;
  for (int index = 1; index < argc; ++index) {
    const char *flag = argv[index];
    if (!std::strncmp(flag, "--device=", 9))
      name = flag + 9;
    else if (!std::strncmp(flag, "--module=", 9))
      path = flag + 9;
    else if (!std::strncmp(flag, "--seconds=", 10))
      seconds = std::atof(flag + 10);
    else if (!std::strncmp(flag, "--patience=", 11))
      Watch::setPatience(unsigned(std::atoi(flag + 11)));
    else
      fail("unknown argument `%s`; expected --device=, --module=, --seconds= or --patience=", flag);
  }
  if (!path)
    fail("expects --module=FILE.so");
  Place place;
  if (rnnrt_status_t status = rnnrt_device_create(name, nullptr, &place.device)) {
    std::printf("SKIP everything: %s\n", rnnrt_status_message(status));
    rnnrt_status_release(status);
    return 77;
  }
  check(rnnrt_stream_create(place.device, &place.stream));
  const Module module(path);
  std::map<Shape, double> times;
  std::printf(
      "How much of a step's global loads is exposed? The persistent gradient of a block LSTM, whose steps load nine "
      "values per unit (constant `memory_latency`; decides whether loads are issued one step ahead)\n");
  for (const rnnrt_function_t *function : module.inOrder) {
    Shape shape;
    int end = 0;
    long long sizes[4];
    if (std::sscanf(function->name, "loads_backward_%lld_%lld_%lld_%lld%n", &sizes[0], &sizes[1], &sizes[2], &sizes[3],
                    &end) != 4 ||
        function->name[end])
      continue;
    std::copy(sizes, sizes + 4, shape.begin());
    const std::string saved = "loads_forward" + std::string(function->name).substr(std::strlen("loads_backward"));
    const rnnrt_function_t *forward = module.find(saved);
    if (!forward)
      fail("%s has no function `%s`", path, saved.c_str());
    const Layer layer(place, shape, function->inputs[0].dtype);
    const std::unique_ptr<Compiled> values = blockForward(layer, *forward);
    Watch::begin(saved);
    if (!values->call())
      fail("%s failed: %s", saved.c_str(), values->problem.c_str());
    place.synchronize();
    StatesBackward candidate(layer, *function, *values);
    times[shape] = measure(place, candidate, seconds);
    if (!candidate.canRun())
      std::printf("  %s: %s\n", function->name, (candidate.problem + candidate.refused).c_str());
  }
  if (times.empty())
    fail("%s has no function `loads_backward_T_B_I_H`", path);
  for (const auto &[shape, time] : times) {
    const auto [T, B, I, H] = shape;
    const auto half = times.find({T / 2, B, I, H});
    if (half == times.end() || T % 2)
      continue;
    std::printf("  %lld steps, B = %lld, H = %lld, %.1f million saved values: %.3f us a step\n", (long long)T,
                (long long)B, (long long)H, 9e-6 * double(T * B * H), (time - half->second) / double(T - T / 2));
  }
  rnnrt_stream_release(place.stream);
  rnnrt_device_release(place.device);
  return 0;
}
