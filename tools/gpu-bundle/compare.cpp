// compare.cpp - measures all implementations of both passes of an LSTM layer, interleaved: fused kernels, cuDNN with
// each of its algorithms and, for the gradient, TensorFlow's method. Prints Markdown tables.
//
//   rnn-bundle-compare --device=cuda --module=timed_cuda_f16.so [--reference=timed_cuda_f64.so] [--ptx=per_step.ptx]
//                      [--reference-device=NAME] [--seconds=1] [--filter=TEXT,...] [--tf32]
//                      [--candidates=timed_cuda_f16.jsonl --measurements=FILE] [--patience=SECONDS]
//   rnn-bundle-compare --module=timed_cuda_f16.so --list
//
// Each round runs every candidate once, starting with an idle device. A time is measured between two events of the
// device, so it includes the time in which the device waits for the host. Errors are against f64: those of the worst
// result, relative to its largest element. The names of the module's functions (timed.py) determine the candidates.
// --tf32: the module was compiled with --tf32, and the other candidates may use TF32 too.
// --measurements=FILE: writes the measurements of functions in the list of candidates, for tuning records (rnn-run
// --autotune). A function has no time there if its results are wrong, if it failed, or if the device refuses its
// clusters.
// --patience=N: work that takes more than N seconds ends the program with HANG and status 3.
// --list: prints the sizes and exits.
// The exit status is otherwise 1 if results are wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Candidates.h"
#include "Measured.h"
#include "Watch.h"

#include <chrono>
#include <fstream>
#include <sstream>

using namespace bundle;

namespace {

/// An event of the device's clock.
class Event {
public:
  explicit Event(const Place &place) : place(place) { check(rnnrt_event_create(place.device, &event)); }
  Event(const Event &) = delete;
  ~Event() { rnnrt_event_release(event); }
  void record() { check(rnnrt_event_record(event, place.stream)); }
  double microsecondsSince(const Event &start) const {
    double milliseconds = 0;
    check(rnnrt_event_elapsed(start.event, event, &milliseconds));
    return milliseconds * 1e3;
  }

private:
  const Place &place;
  rnnrt_event_t *event = nullptr;
};

struct Row {
  std::unique_ptr<Candidate> candidate;
  std::string function; ///< of the module, if it is one
  bool isPlan = false;
  double error = NAN;
  std::vector<double> times;

  double median() {
    if (times.empty())
      return NAN;
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }
};

/// The results in f64 for the values of `layer` after rounding.
bool computeReference(const Place &place, const Layer &layer, const Module &module, Results &gradients,
                      Results &outputs) {
  const rnnrt_function_t *forward = module.find("reference_forward"), *backward = module.find("reference_backward");
  if (!forward || !backward)
    fail("the module of --reference= has no `reference_forward` and `reference_backward`");
  // The same layer: its values depend on their names alone, and are rounded to the narrower type first.
  Layer wide(place, layer.shape, RNNRT_DTYPE_F64);
  auto replace = [&](Memory &memory, const Tensor &tensor) { memory = Memory(place, tensor, RNNRT_DTYPE_F64); };
  replace(wide.onX, layer.x);
  replace(wide.onC0, layer.c0);
  replace(wide.onH0, layer.h0);
  replace(wide.onW, layer.w);
  replace(wide.onB, layer.b);
  replace(wide.onDy, layer.dy);
  std::unique_ptr<Compiled> saved = blockForward(wide, *forward);
  if (!saved->call()) {
    std::printf("\nno reference: %s\n", saved->problem.c_str());
    return false;
  }
  outputs.y = saved->read(6);
  std::unique_ptr<Candidate> candidate = blockBackward(wide, *backward, *saved, "f64");
  gradients = candidate->results();
  if (!candidate->problem.empty())
    std::printf("\nno reference: %s\n", candidate->problem.c_str());
  return candidate->problem.empty();
}

void measure(const Place &place, std::vector<Row> &rows, double seconds) {
  using Clock = std::chrono::steady_clock;
  Event start(place), end(place);
  const Clock::time_point begin = Clock::now();
  for (int round = 0; round < 200; ++round) {
    if (round >= 5 && std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
      break;
    for (Row &row : rows) {
      Candidate &candidate = *row.candidate;
      if (!candidate.canRun())
        continue;
      Watch::begin(candidate.name);
      candidate.before();
      place.synchronize();
      start.record();
      candidate.run();
      end.record();
      double time = end.microsecondsSince(start);
      candidate.after();
      if (candidate.canRun())
        row.times.push_back(time);
    }
  }
}

/// The measurements of one size and type, and their destination.
struct Comparison {
  const Place &place;
  const Layer &layer;
  const Results *expected; ///< null: not known
  double seconds;
  Measured *measured;

  /// False if a compiled function's results differ from `expected`.
  bool run(std::vector<Row> &rows, bool backward) const;

private:
  bool judge(Row &row) const;
  void print(std::vector<Row> &rows, bool backward) const;
};

/// Sets the problem of a compiled function whose results are wrong or that does not run the candidate of its name.
/// Returns false if the results are wrong.
bool Comparison::judge(Row &row) const {
  Candidate &candidate = *row.candidate;
  if (row.function.empty() || !candidate.canRun())
    return true;
  const bool isPersistent = row.function.find("_persistent_") != std::string::npos;
  if (measured && isPersistent && measured->candidateOf(row.function) != "fused/persistent") {
    candidate.problem = "the compiler has no persistent kernel for it";
    return true;
  }
  // TF32 has the 11 significant bits of f16.
  const double limit = limitOf(place.tf32 ? int32_t(RNNRT_DTYPE_F16) : layer.dtype);
  if (!expected || row.error <= limit)
    return true;
  char text[96];
  std::snprintf(text, sizeof text, "WRONG, the error to f64 is %.1e and the limit %.0e", row.error, limit);
  candidate.problem = text;
  return false;
}

void Comparison::print(std::vector<Row> &rows, bool backward) const {
  double best = INFINITY, step = backward ? rows.back().median() : NAN;
  for (Row &row : rows)
    if (row.isPlan)
      best = std::fmin(best, row.median());
  std::printf("| %s pass by | median, us | best plan / this |%s error to f64 |\n|---|---|---|---|%s\n",
              backward ? "backward" : "forward", backward ? " TensorFlow's method / this |" : "",
              backward ? "---|" : "");
  for (Row &row : rows) {
    const Candidate &candidate = *row.candidate;
    if (!candidate.canRun()) {
      std::printf("| %s | %s: %s | |%s |\n", candidate.name.c_str(),
                  candidate.refused.empty() ? "not available" : "refused by the device",
                  (candidate.problem + candidate.refused).c_str(), backward ? " |" : "");
      continue;
    }
    auto ratio = [&](double other) {
      char text[24] = "";
      if (std::isfinite(other))
        std::snprintf(text, sizeof text, "%.2f", other / row.median());
      return std::string(text);
    };
    char error[24] = "";
    if (expected)
      std::snprintf(error, sizeof error, "%.1e", row.error);
    std::printf("| %s | %.1f | %s |%s %s |\n", candidate.name.c_str(), row.median(), ratio(best).c_str(),
                backward ? (" " + ratio(step) + " |").c_str() : "", error);
  }
  std::printf("\n");
  std::fflush(stdout);
}

bool Comparison::run(std::vector<Row> &rows, bool backward) const {
  bool right = true;
  for (Row &row : rows) {
    // Also the warm-up run, which loads code and selects algorithms.
    if (!row.candidate->canRun())
      continue;
    Watch::begin(row.candidate->name);
    Results results = row.candidate->results();
    row.candidate->after();
    if (expected && row.candidate->canRun())
      row.error = results.errorAgainst(*expected);
    right &= judge(row);
  }
  measure(place, rows, seconds);
  Watch::finish();
  print(rows, backward);
  if (!measured)
    return right;
  for (Row &row : rows) {
    if (!row.candidate->problem.empty() || !expected)
      measured->addProblem(row.function,
                           expected ? row.candidate->problem : "there is no result in f64 to compare with");
    else if (!row.candidate->refused.empty())
      measured->addRefused(row.function, row.candidate->refused);
    else
      measured->addTime(row.function, row.median());
  }
  measured->flush();
  return right;
}

/// Both passes at one size. One row per function of the module for that size.
bool compare(const Place &place, const Module &module, const Place &referencePlace, const Module *reference,
             const Shape &shape, int32_t dtype, double seconds, Measured *measured) {
  const auto [T, B, I, H] = shape;
  const std::string size =
      std::to_string(T) + "_" + std::to_string(B) + "_" + std::to_string(I) + "_" + std::to_string(H);
  std::printf("\n%s, T,B,I,H = %lld,%lld,%lld,%lld\n\n", place.tf32 ? "tf32" : rnnrt_dtype_name(dtype), (long long)T,
              (long long)B, (long long)I, (long long)H);
  Watch::begin("the forward pass, and the reference in f64, of " + size);
  Layer layer(place, shape, dtype);
  Results backwardExpected, forwardExpected;
  const bool known =
      reference && computeReference(referencePlace, layer, *reference, backwardExpected, forwardExpected);

  const std::string blockForwardName = "block_forward_" + size, stackForwardName = "stack_forward_" + size;
  const rnnrt_function_t *forward = module.find(blockForwardName), *stackForward = module.find(stackForwardName);
  if (!forward)
    fail("the module has no function `%s`", blockForwardName.c_str());
  std::unique_ptr<Compiled> saved = blockForward(layer, *forward);
  if (!saved->call())
    fail("%s: %s", blockForwardName.c_str(), saved->problem.c_str());
  const bool onGpu = !std::strncmp(rnnrt_device_name(place.device), "cuda", 4);
  bool right = true;
  for (bool backward : {true, false}) {
    std::vector<Row> rows;
    auto add = [&](std::unique_ptr<Candidate> candidate, std::string function, bool isPlan) {
      rows.emplace_back();
      rows.back().candidate = std::move(candidate);
      rows.back().function = std::move(function);
      rows.back().isPlan = isPlan;
    };
    const struct {
      const char *ending, *block, *stack;
    } ways[] = {{"_", onGpu ? "block op, per-step kernels" : "block op, fused",
                 onGpu ? "cudnn op, per-step kernels" : "cudnn op, fused"},
                {"_persistent_", "block op, persistent kernel", "cudnn op, persistent kernel"},
                {"_plan_", "block op, plan", "cudnn op, plan"}};
    const std::string pass = backward ? "_backward" : "_forward";
    for (const auto &way : ways) {
      const std::string name = "block" + pass + way.ending + size;
      if (const rnnrt_function_t *function = module.find(name))
        add(backward ? blockBackward(layer, *function, *saved, way.block) : blockForward(layer, *function, way.block),
            name, !std::strcmp(way.ending, "_plan_"));
    }
    for (const auto &way : ways) {
      const bool byPlan = !std::strcmp(way.ending, "_plan_");
      const std::string name = "stack" + pass + way.ending + size;
      const rnnrt_function_t *function = module.find(name);
      // Plans have a reserve space of their own; per-step and persistent kernels use the same format.
      const rnnrt_function_t *first = byPlan ? module.find("stack_forward_plan_" + size) : stackForward;
      if (function && first)
        add(backward ? stack(layer, *first, function, byPlan, way.stack)
                     : stack(layer, *function, nullptr, byPlan, way.stack),
            name, byPlan);
    }
    if (onGpu)
      for (const char *algorithm : {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"})
        for (bool packed : {false, true})
          add(plan(layer, algorithm, packed, backward), "", true);
    else
      add(plan(layer, "", /*packed=*/false, backward), "", true);
    if (backward)
      add(perStep(layer, *saved), "", false);
    const Results *expected = known ? backward ? &backwardExpected : &forwardExpected : nullptr;
    right &= Comparison{place, layer, expected, seconds, measured}.run(rows, backward);
  }
  return right;
}

/// The sizes that match `filter`, in the order of the module.
void forEachSize(const Module &module, const char *filter, const std::function<void(const Shape &, int32_t)> &visit) {
  for (const rnnrt_function_t *function : module.inOrder) {
    long long t, b, i, h;
    if (std::sscanf(function->name, "block_backward_%lld_%lld_%lld_%lld", &t, &b, &i, &h) == 4 &&
        matches(function->name, filter))
      visit({t, b, i, h}, function->inputs[0].dtype);
  }
}

} // namespace

int main(int argc, char **argv) {
  const char *name = "cuda", *path = nullptr, *referencePath = nullptr, *referenceName = nullptr, *code = nullptr;
  const char *filter = "", *candidatesPath = nullptr, *measurementsPath = nullptr;
  double seconds = 1;
  bool list = false;
  Place place, referencePlace;
  for (int index = 1; index < argc; ++index) {
    const char *flag = argv[index], *value = std::strchr(flag, '=');
    auto is = [&](const char *option) {
      return value && !std::strncmp(flag, option, value - flag) && !option[value - flag];
    };
    if (is("--device"))
      name = value + 1;
    else if (is("--module"))
      path = value + 1;
    else if (is("--reference"))
      referencePath = value + 1;
    else if (is("--reference-device"))
      referenceName = value + 1;
    else if (is("--ptx"))
      code = value + 1;
    else if (is("--seconds"))
      seconds = std::atof(value + 1);
    else if (is("--filter"))
      filter = value + 1;
    else if (is("--patience"))
      Watch::setPatience(unsigned(std::atoi(value + 1)));
    else if (!std::strcmp(flag, "--list"))
      list = true;
    else if (is("--candidates"))
      candidatesPath = value + 1;
    else if (is("--measurements"))
      measurementsPath = value + 1;
    else if (!std::strcmp(flag, "--tf32"))
      place.tf32 = true;
    else
      fail("unknown argument `%s`; expected --device=, --module=, --reference=, --reference-device=, --ptx=, "
           "--seconds=, --filter=, --candidates=, --measurements=, --patience=, --list or --tf32",
           flag);
  }
  if (!path)
    fail("expects --module=FILE.so");
  if (measurementsPath && (!candidatesPath || !referencePath))
    fail(
        "--measurements= requires --candidates=, which lists the candidate of each function, and --reference=, so that "
        "wrong results get no time");
  if (list) {
    forEachSize(Module(path), filter, [](const Shape &shape, int32_t) {
      std::printf("%lld_%lld_%lld_%lld\n", (long long)shape[0], (long long)shape[1], (long long)shape[2],
                  (long long)shape[3]);
    });
    return 0;
  }
  setenv("RNNRT_TF32", place.tf32 ? "1" : "0", /*overwrite=*/1);

  if (rnnrt_status_t status = rnnrt_device_create(name, nullptr, &place.device)) {
    std::printf("SKIP everything: %s\n", rnnrt_status_message(status));
    rnnrt_status_release(status);
    return 77;
  }
  check(rnnrt_stream_create(place.device, &place.stream));
  check(rnnrt_device_create(referenceName ? referenceName : name, nullptr, &referencePlace.device));
  check(rnnrt_stream_create(referencePlace.device, &referencePlace.stream));
  std::string text;
  if (!std::strncmp(name, "cuda", 4)) {
    std::ifstream file(code ? code : "");
    std::stringstream all;
    all << file.rdbuf();
    text = all.str();
    if (text.empty())
      fail("expects --ptx= to name the code of PerStepKernels.cpp, but cannot read `%s`", code ? code : "");
    place.perStepCode = text.c_str();
  }
  Module module(path);
  std::unique_ptr<Module> reference;
  if (referencePath)
    reference = std::make_unique<Module>(referencePath);
  std::unique_ptr<Measured> measured;
  if (measurementsPath)
    measured = std::make_unique<Measured>(candidatesPath, measurementsPath, place.device);

  int count = 0;
  bool right = true;
  forEachSize(module, filter, [&](const Shape &shape, int32_t dtype) {
    right &= compare(place, module, referencePlace, reference.get(), shape, dtype, seconds, measured.get());
    ++count;
  });
  if (count == 0)
    fail("no function `block_backward_T_B_I_H` matches --filter=%s", filter);
  for (Place *used : {&place, &referencePlace}) {
    rnnrt_stream_release(used->stream);
    rnnrt_device_release(used->device);
  }
  return right ? 0 : 1;
}
