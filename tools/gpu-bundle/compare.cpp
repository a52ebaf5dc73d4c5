// compare.cpp - measures all implementations of both passes of an LSTM layer, interleaved: fused kernels, cuDNN with
// each of its algorithms and, for the gradient, TensorFlow's method; and those of stacks of layers, of layers with
// resets and of batch-major layers. Prints Markdown tables.
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
// Per-step kernels also run without CUDA graphs (RNNRT_GRAPHS=0). If a device cannot hold their clusters, their row
// names the kernels that ran instead.
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
  std::string function; ///< of the module, if it is a candidate of the compiler
  std::string judged;   ///< of the module, if it is one
  bool isPlan = false;
  bool isComparable = true; ///< computes what the others compute
  double error = NAN;
  std::vector<double> times;

  double median() { return bundle::median(times); }
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
  std::unique_ptr<Candidate> candidate = blockBackward(wide, *backward, *saved, "f64", /*graphs=*/true);
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
  int32_t dtype;
  const Results *expected; ///< null: not known
  double seconds;
  Measured *measured;
  bool isVariant = false; ///< not one layer by all implementations

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
  if (row.judged.empty() || !candidate.canRun())
    return true;
  if (measured && candidate.isPersistent && measured->candidateOf(row.function) != "fused/persistent") {
    candidate.problem = "the compiler has no persistent kernel for it";
    return true;
  }
  // TF32 has the 11 significant bits of f16.
  const double limit = limitOf(place.tf32 ? int32_t(RNNRT_DTYPE_F16) : dtype);
  if (!expected || row.error <= limit)
    return true;
  char text[96];
  std::snprintf(text, sizeof text, "WRONG, the error to f64 is %.1e and the limit %.0e", row.error, limit);
  candidate.problem = text;
  return false;
}

void Comparison::print(std::vector<Row> &rows, bool backward) const {
  // The last row is TensorFlow's method.
  const bool withStep = backward && !isVariant;
  double best = INFINITY, step = withStep ? rows.back().median() : NAN;
  for (Row &row : rows)
    if (row.isPlan)
      best = std::fmin(best, row.median());
  std::printf("| %s pass by | median, us | best plan / this |%s error to f64 |\n|---|---|---|---|%s\n",
              backward ? "backward" : "forward", withStep ? " TensorFlow's method / this |" : "",
              withStep ? "---|" : "");
  for (Row &row : rows) {
    const Candidate &candidate = *row.candidate;
    const std::string name = candidate.name + (candidate.note.empty() ? "" : " (" + candidate.note + ")");
    if (!candidate.canRun()) {
      std::printf("| %s | %s: %s | |%s |\n", name.c_str(),
                  candidate.refused.empty() ? "not available" : "refused by the device",
                  (candidate.problem + candidate.refused).c_str(), withStep ? " |" : "");
      continue;
    }
    auto ratio = [&](double other) {
      char text[24] = "";
      if (std::isfinite(other))
        std::snprintf(text, sizeof text, "%.2f", other / row.median());
      return std::string(text);
    };
    char error[24] = "";
    if (expected && row.isComparable)
      std::snprintf(error, sizeof error, "%.1e", row.error);
    std::printf("| %s | %.1f | %s |%s %s |\n", name.c_str(), row.median(), ratio(best).c_str(),
                withStep ? (" " + ratio(step) + " |").c_str() : "", error);
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
    if (expected && row.isComparable && row.candidate->canRun())
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
    else if (!row.candidate->isTypical)
      measured->addProblem(row.function, row.candidate->note);
    else if (!row.candidate->refused.empty())
      measured->addRefused(row.function, row.candidate->refused);
    else
      measured->addTime(row.function, row.median());
  }
  measured->flush();
  return right;
}

/// A way to compute a pass by compiled functions, which the ending of their names identifies.
struct Way {
  const char *ending, *onGpu, *elsewhere;
  bool graphs;

  bool isPlan() const { return !std::strcmp(ending, "_plan_"); }
  bool isPersistent() const { return !std::strcmp(ending, "_persistent_"); }
};
const Way ways[] = {{"_", "per-step kernels", "fused", true},
                    {"_", "per-step kernels, no CUDA graph", nullptr, false},
                    {"_persistent_", "persistent kernel", "persistent kernel", true},
                    {"_plan_", "plan", "plan", true}};
const char *const algorithms[] = {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"};

/// The rows of one pass.
struct Rows {
  std::vector<Row> rows;

  void add(std::unique_ptr<Candidate> candidate, bool isPlan) {
    rows.emplace_back();
    rows.back().candidate = std::move(candidate);
    rows.back().isPlan = isPlan;
  }
  /// A plan of the same layers without resets, which cuDNN does not have.
  void addPlan(const StackData &data, const char *algorithm, bool packed, bool backward) {
    add(plan(data, algorithm, packed, backward), true);
    rows.back().isComparable = !data.marks;
  }
  void add(std::unique_ptr<Candidate> candidate, const std::string &function, const Way &way) {
    add(std::move(candidate), way.isPlan());
    rows.back().candidate->isPersistent = way.isPersistent();
    // Without graphs, a function is no other candidate of the compiler.
    rows.back().function = way.graphs ? function : "";
    rows.back().judged = function;
  }
  /// The functions `before`_WAY_`after` of the cudnn ops.
  void addStacks(const Module &module, const StackData &data, bool backward, bool onGpu, const std::string &after) {
    const std::string before = backward ? "stack_backward" : "stack_forward";
    const rnnrt_function_t *perStep = module.find("stack_forward_" + after);
    for (const Way &way : ways) {
      const char *text = onGpu ? way.onGpu : way.elsewhere;
      const std::string name = before + way.ending + after;
      const rnnrt_function_t *function = module.find(name);
      // Plans have a reserve space of their own; per-step and persistent kernels use the same format.
      const rnnrt_function_t *first = way.isPlan() ? module.find("stack_forward_plan_" + after) : perStep;
      if (!text || !function || !first)
        continue;
      add(stack(data, backward ? *first : *function, backward ? function : nullptr, way.isPlan(),
                std::string("cudnn op, ") + text, way.graphs),
          name, way);
    }
  }
  void addPlans(const StackData &data, bool backward, bool onGpu) {
    if (!onGpu)
      return addPlan(data, "", /*packed=*/false, backward);
    for (const char *algorithm : algorithms)
      for (bool packed : {false, true})
        if (!packed || !data.isBatchMajor)
          addPlan(data, algorithm, packed, backward);
  }
};

bool isGpu(const Place &place) {
  return !std::strncmp(rnnrt_device_name(place.device), "cuda", 4);
}

/// Both passes at one size. One row per function of the module for that size.
bool compare(const Place &place, const Module &module, const Place &referencePlace, const Module *reference,
             const std::string &size, const Shape &shape, int32_t dtype, double seconds, Measured *measured) {
  Layer layer(place, shape, dtype);
  Results backwardExpected, forwardExpected;
  const bool known =
      reference && computeReference(referencePlace, layer, *reference, backwardExpected, forwardExpected);

  const std::string blockForwardName = "block_forward_" + size;
  const rnnrt_function_t *forward = module.find(blockForwardName);
  if (!forward)
    fail("the module has no function `%s`", blockForwardName.c_str());
  std::unique_ptr<Compiled> saved = blockForward(layer, *forward);
  if (!saved->call())
    fail("%s: %s", blockForwardName.c_str(), saved->problem.c_str());
  const bool onGpu = isGpu(place);
  bool right = true;
  for (bool backward : {true, false}) {
    Rows rows;
    for (const Way &way : ways) {
      const char *text = onGpu ? way.onGpu : way.elsewhere;
      const std::string name = (backward ? "block_backward" : "block_forward") + (way.ending + size);
      const rnnrt_function_t *function = module.find(name);
      if (!text || !function)
        continue;
      const std::string title = std::string("block op, ") + text;
      rows.add(backward ? blockBackward(layer, *function, *saved, title, way.graphs)
                        : blockForward(layer, *function, title, way.graphs),
               name, way);
    }
    rows.addStacks(module, layer.asStack(), backward, onGpu, size);
    rows.addPlans(layer.asStack(), backward, onGpu);
    if (backward)
      rows.add(perStep(layer, *saved), false);
    const Results *expected = known ? backward ? &backwardExpected : &forwardExpected : nullptr;
    right &= Comparison{place, dtype, expected, seconds, measured}.run(rows.rows, backward);
  }
  return right;
}

/// A stack of layers, a layer with resets, or a batch-major layer (timed.py, WHATS).
struct Variant {
  const char *name;
  int64_t layers;
  bool hasResets, isBatchMajor;
};
const Variant variants[] = {{"l2", 2, false, false},
                            {"l4", 4, false, false},
                            {"resets_zero", 1, true, false},
                            {"resets_initial", 1, true, false},
                            {"batch_major", 1, false, true}};

/// Operands of a variant, in the device's memory and rounded to the type.
struct VariantOperands {
  VariantOperands(const Place &place, const Variant &variant, const Shape &shape, int32_t dtype, int32_t rounded)
      : place(place), variant(variant), shape(shape), dtype(dtype) {
    const auto [T, B, I, H] = shape;
    const double scale = 1 / std::sqrt(double(H));
    params = draw("params", rounded, scale, {4 * H * (I + H + 2) + (variant.layers - 1) * 4 * H * (2 * H + 2)});
    const std::vector<int64_t> states = {variant.layers, B, H};
    int64_t first = T, second = B;
    if (variant.isBatchMajor)
      std::swap(first, second);
    x = Memory(place, draw("x", rounded, 1, {first, second, I}), dtype);
    dy = Memory(place, draw("dy", rounded, 1, {first, second, H}), dtype);
    h0 = Memory(place, draw("h0", rounded, 1, states), dtype);
    c0 = Memory(place, draw("c0", rounded, 1, states), dtype);
    zeros = Memory(place, draw("zeros", rounded, 0, states), dtype);
    // One mark for each example, and about a fiftieth of the others.
    if (!variant.hasResets)
      return;
    Random random("marks");
    std::vector<char> bytes(size_t(T * B));
    for (int64_t index = 0; index < T * B; ++index)
      bytes[size_t(index)] = index / B == T / 2 || random.below(50) == 0;
    marks = Memory(place, T * B);
    check(rnnrt_memory_copy(place.device, place.stream, marks.data(), bytes.data(), T * B));
    place.synchronize();
  }
  StackData data() const {
    return {place,     shape,     dtype,     variant.layers, variant.isBatchMajor, params, x.data(),
            h0.data(), c0.data(), dy.data(), zeros.data(),   marks.data(),         nullptr};
  }

  const Place &place;
  const Variant &variant;
  const Shape shape;
  const int32_t dtype;
  Tensor params;
  Memory x, dy, h0, c0, zeros, marks;
};

/// Both passes of a variant; `name` includes the size.
bool compare(const Place &place, const Module &module, const Place &referencePlace, const Module *reference,
             const Variant &variant, const std::string &name, const Shape &shape, int32_t dtype, double seconds,
             Measured *measured) {
  const VariantOperands operands(place, variant, shape, dtype, dtype);
  const StackData data = operands.data();
  const bool onGpu = isGpu(place);
  bool right = true;
  for (bool backward : {true, false}) {
    Results expected;
    bool known = false;
    if (reference) {
      const rnnrt_function_t *forward = reference->find("stack_forward_reference_variant_" + name);
      const rnnrt_function_t *function = reference->find("stack_backward_reference_variant_" + name);
      if (!forward || !function)
        fail("the module of --reference= has no functions `stack_*_reference_variant_%s`", name.c_str());
      const VariantOperands wide(referencePlace, variant, shape, RNNRT_DTYPE_F64, dtype);
      const auto candidate =
          stack(wide.data(), *forward, backward ? function : nullptr, /*byPlans=*/false, "f64", /*graphs=*/true);
      expected = candidate->results();
      known = candidate->problem.empty();
      if (!known)
        std::printf("\nno reference: %s\n", candidate->problem.c_str());
    }
    Rows rows;
    rows.addStacks(module, data, backward, onGpu, "variant_" + name);
    rows.addPlans(data, backward, onGpu);
    Comparison comparison{place, dtype, known ? &expected : nullptr, seconds, measured, /*isVariant=*/true};
    right &= comparison.run(rows.rows, backward);
  }
  return right;
}

/// A size of the module: that of all implementations of one layer, or of a variant.
struct Case {
  std::string name; ///< with the size
  const Variant *variant = nullptr;
  Shape shape;
  int32_t dtype;
};

bool readSize(const std::string &text, Shape &shape) {
  long long t, b, i, h;
  int end = 0;
  if (std::sscanf(text.c_str(), "%lld_%lld_%lld_%lld%n", &t, &b, &i, &h, &end) != 4 || text[size_t(end)])
    return false;
  shape = {t, b, i, h};
  return true;
}

/// The cases that match `filter`, in the order of the module.
std::vector<Case> findCases(const Module &module, const char *filter) {
  std::vector<Case> cases;
  auto after = [](const std::string &text, const std::string &prefix) {
    return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : std::string();
  };
  for (const rnnrt_function_t *function : module.inOrder) {
    const std::string name = function->name;
    Case found;
    found.dtype = function->inputs[0].dtype;
    if (readSize(after(name, "block_backward_"), found.shape)) {
      found.name = after(name, "block_backward_");
    } else {
      found.name = after(name, "stack_backward_variant_");
      for (const Variant &variant : variants)
        if (readSize(after(found.name, variant.name + std::string("_")), found.shape))
          found.variant = &variant;
      if (!found.variant)
        continue;
    }
    if (matches("backward_" + found.name, filter))
      cases.push_back(std::move(found));
  }
  return cases;
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
    for (const Case &found : findCases(Module(path), filter))
      std::printf("%s\n", found.name.c_str());
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

  const std::vector<Case> cases = findCases(module, filter);
  if (cases.empty())
    fail("no function `block_backward_T_B_I_H` matches --filter=%s", filter);
  bool right = true;
  for (const Case &found : cases) {
    const auto [T, B, I, H] = found.shape;
    const std::string what = found.variant ? std::string(", ") + found.variant->name : "";
    std::printf("\n%s%s, T,B,I,H = %lld,%lld,%lld,%lld\n\n", place.tf32 ? "tf32" : rnnrt_dtype_name(found.dtype),
                what.c_str(), (long long)T, (long long)B, (long long)I, (long long)H);
    Watch::begin("the forward pass, and the reference in f64, of " + found.name);
    right &= found.variant ? compare(place, module, referencePlace, reference.get(), *found.variant, found.name,
                                     found.shape, found.dtype, seconds, measured.get())
                           : compare(place, module, referencePlace, reference.get(), found.name, found.shape,
                                     found.dtype, seconds, measured.get());
  }
  for (Place *used : {&place, &referencePlace}) {
    rnnrt_stream_release(used->stream);
    rnnrt_device_release(used->device);
  }
  return right ? 0 : 1;
}
