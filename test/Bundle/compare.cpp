// compare.cpp - measures ways to compute the backward pass of one LSTM layer in turn: fused kernels, cuDNN by each of its
// algorithms, and TensorFlow's own method. Prints Markdown tables.
//
//   rnn-bundle-compare --device=cuda --module=timed_cuda_f16.so [--reference=timed_cuda_f64.so] [--ptx=per_step.ptx]
//                      [--reference-device=NAME] [--seconds=1] [--filter=TEXT,...] [--tf32]
//
// Every round takes each of them once. It begins with an idle device; the time is that between two events of the device, so
// it has in it what the device waits for the host. Errors are those of the worst gradient, relative to its largest element,
// against f64. The module's functions say what is measured: block_forward_T_B_I_H and block_backward_T_B_I_H, and where
// they are there, block_cluster_, stack_forward_, stack_backward_ and stack_cluster_ with the same sizes. With --tf32 the
// module was compiled so, and the others may round factors of f32 too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Candidates.h"

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
  double error = NAN;
  std::vector<double> times;

  double median() {
    if (times.empty())
      return NAN;
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }
};

/// The gradients in f64, of the numbers that `layer` has after rounding.
bool computeReference(const Place &place, const Layer &layer, const Module &module, Gradients &gradients) {
  const rnnrt_function_t *forward = module.find("reference_forward"), *backward = module.find("reference_backward");
  if (!forward || !backward)
    fail("the module of --reference= has no `reference_forward` and `reference_backward`");
  // The same layer again: its numbers come from their names, and are rounded to the narrower type first.
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
      if (!candidate.problem.empty())
        continue;
      candidate.before();
      place.synchronize();
      start.record();
      candidate.run();
      end.record();
      double time = end.microsecondsSince(start);
      candidate.after();
      if (candidate.problem.empty())
        row.times.push_back(time);
    }
  }
}

void compare(const Place &place, const Module &module, const Place &referencePlace, const Module *reference,
             const Shape &shape, int32_t dtype, double seconds) {
  const auto [T, B, I, H] = shape;
  const std::string size = std::to_string(T) + "_" + std::to_string(B) + "_" + std::to_string(I) + "_" + std::to_string(H);
  std::printf("\n%s, T,B,I,H = %lld,%lld,%lld,%lld\n\n", place.tf32 ? "tf32" : rnnrt_dtype_name(dtype), (long long)T, (long long)B, (long long)I,
              (long long)H);
  Layer layer(place, shape, dtype);
  Gradients expected;
  const bool known = reference && computeReference(referencePlace, layer, *reference, expected);

  const rnnrt_function_t *forward = module.find("block_forward_" + size);
  if (!forward)
    fail("the module has no function `block_forward_%s`", size.c_str());
  std::unique_ptr<Compiled> saved = blockForward(layer, *forward);
  if (!saved->call())
    fail("block_forward_%s: %s", size.c_str(), saved->problem.c_str());
  std::vector<Row> rows;
  auto add = [&](std::unique_ptr<Candidate> candidate) {
    rows.emplace_back();
    rows.back().candidate = std::move(candidate);
  };
  add(blockBackward(layer, *module.find("block_backward_" + size), *saved, "fused, a kernel per step"));
  if (const rnnrt_function_t *cluster = module.find("block_cluster_" + size))
    add(blockBackward(layer, *cluster, *saved, "fused, clusters"));
  const rnnrt_function_t *stackForward = module.find("stack_forward_" + size);
  const rnnrt_function_t *stack = module.find("stack_backward_" + size);
  if (stackForward && stack)
    add(stackBackward(layer, *stackForward, *stack, "fused, cudnn op"));
  if (const rnnrt_function_t *cluster = module.find("stack_cluster_" + size); cluster && stackForward)
    add(stackBackward(layer, *stackForward, *cluster, "fused, cudnn op, clusters"));
  if (!std::strncmp(rnnrt_device_name(place.device), "cuda", 4))
    for (const char *algorithm : {"standard", "persist_static", "persist_dynamic", "persist_static_small_h"})
      add(plan(layer, algorithm));
  else
    add(plan(layer, ""));
  add(perStep(layer, *saved));

  // Also the run that loads code and chooses algorithms.
  for (Row &row : rows) {
    if (!row.candidate->problem.empty())
      continue;
    Gradients gradients = row.candidate->results();
    row.candidate->after();
    if (known && row.candidate->problem.empty())
      row.error = gradients.errorAgainst(expected);
  }
  measure(place, rows, seconds);

  double best = INFINITY, step = rows.back().median();
  for (Row &row : rows)
    if (row.candidate->name.rfind("cuDNN", 0) == 0 || row.candidate->name == "plan")
      best = std::fmin(best, row.median());
  std::printf("| backward pass by | median, us | best plan / this | one step at a time / this | error to f64 |\n"
              "|---|---|---|---|---|\n");
  for (Row &row : rows) {
    if (!row.candidate->problem.empty()) {
      std::printf("| %s | not available: %s | | | |\n", row.candidate->name.c_str(), row.candidate->problem.c_str());
      continue;
    }
    auto ratio = [&](double other) {
      char text[24] = "";
      if (std::isfinite(other))
        std::snprintf(text, sizeof text, "%.2f", other / row.median());
      return std::string(text);
    };
    char error[24] = "";
    if (known)
      std::snprintf(error, sizeof error, "%.1e", row.error);
    std::printf("| %s | %.1f | %s | %s | %s |\n", row.candidate->name.c_str(), row.median(), ratio(best).c_str(),
                ratio(step).c_str(), error);
  }
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const char *name = "cuda", *path = nullptr, *referencePath = nullptr, *referenceName = nullptr, *code = nullptr;
  const char *filter = "";
  double seconds = 1;
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
    else if (!std::strcmp(flag, "--tf32"))
      place.tf32 = true;
    else
      fail("unknown argument `%s`; expected --device=, --module=, --reference=, --reference-device=, --ptx=, --seconds=, "
           "--filter= or --tf32",
           flag);
  }
  if (!path)
    fail("expects --module=FILE.so");
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

  int count = 0;
  for (const auto &[function, entry] : module.functions) {
    long long t, b, i, h;
    if (std::sscanf(function.c_str(), "block_backward_%lld_%lld_%lld_%lld", &t, &b, &i, &h) != 4 ||
        !matches(function, filter))
      continue;
    compare(place, module, referencePlace, reference.get(), {t, b, i, h}, entry->inputs[0].dtype, seconds);
    ++count;
  }
  if (count == 0)
    fail("no function `block_backward_T_B_I_H` matches --filter=%s", filter);
  for (Place *used : {&place, &referencePlace}) {
    rnnrt_stream_release(used->stream);
    rnnrt_device_release(used->device);
  }
  return 0;
}
