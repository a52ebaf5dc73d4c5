// runner.cpp - runs every function of compiled modules on a device and compares the results with the same functions
// compiled for the host in f64. Links librnn_runtime and the C library alone, so that it runs on GPU machines without a
// compiler.
//
//   rnn-bundle-runner --device=cuda --reference=host_f64.so --module=cuda_f16.so [--module=...] [--filter=TEXT]
//   rnn-bundle-runner --device=simt --module=simt_f16.so --save=emulated_f16.bin
//   rnn-bundle-runner --device=cuda --module=cuda_f16.so --saved=emulated_f16.bin
//   rnn-bundle-runner --device=cuda --module=cuda_f16.so --time=0.1
//   rnn-bundle-runner --device=cuda --version
//
// Prints one line per function: PASS, FAIL or SKIP, the worst result, its error, the limit, and a hash of all bits. If
// the reference fails, the device must fail with the same status code. Every function runs twice and must return the
// same bits.
// --limit= replaces the element type's error limit. --filter= is a list of texts, separated by commas. --saved=
// compares with the results that another device saved: f32 functions whose name contains `exact` must have the same
// bits. With --patience=N, a function that takes more than N seconds ends the program with HANG and status 3;
// --after=NAME continues with the functions behind NAME, in the order of names. --time=N measures instead: microseconds
// per call and to enqueue a call, medians over N seconds. Exit status: 0 if all passed, 1 if one failed, 77 if the
// device is not available.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Module.h"
#include "Watch.h"

#include <cerrno>
#include <chrono>
#include <memory>

using namespace bundle;

namespace {

/// Microseconds, medians.
struct Times {
  double whole = 0, host = 0;
};

/// A device with a stream and a call.
class Session {
public:
  explicit Session(const char *name) {
    status = rnnrt_device_create(name, nullptr, &device);
    if (status)
      return;
    check(rnnrt_stream_create(device, &stream));
    // Both runs of a function and the reference use the same dropout masks.
    rnnrt_call_options_t options;
    rnnrt_call_options_init(&options);
    options.dropout_draw = 0;
    check(rnnrt_call_create(device, stream, &options, &call));
  }
  ~Session() {
    rnnrt_call_release(call);
    rnnrt_stream_release(stream);
    rnnrt_device_release(device);
    rnnrt_status_release(status);
  }

  /// Runs a function and returns its results in f64. A failure is stored in `message`.
  bool run(const rnnrt_function_t &function, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs,
           std::string &message, double seconds = 0, Times *times = nullptr) {
    rnnrt_call_reset(call);
    bool onDevice = function.flags & RNNRT_FUNCTION_DEVICE_MEMORY;
    std::vector<rnnrt_tensor_t> arguments, results(function.num_outputs);
    std::vector<const rnnrt_tensor_t *> argumentList;
    std::vector<rnnrt_tensor_t *> resultList;
    std::vector<void *> copies;
    std::vector<std::vector<char>> buffers;
    for (int64_t index = 0; index < function.num_inputs; ++index) {
      const rnnrt_argument_t &argument = function.inputs[index];
      buffers.push_back(inputs[index].convert(argument.dtype));
      void *data = buffers.back().data();
      if (onDevice && argument.kind != RNNRT_ARGUMENT_SCALAR) {
        void *copy = nullptr;
        check(rnnrt_memory_alloc(device, buffers.back().size(), &copy));
        check(rnnrt_memory_copy(device, stream, copy, data, buffers.back().size()));
        copies.push_back(data = copy);
      }
      arguments.push_back(
          rnnrt_tensor_make(data, argument.dtype, int32_t(inputs[index].shape.size()), inputs[index].shape.data()));
    }
    for (const rnnrt_tensor_t &argument : arguments)
      argumentList.push_back(&argument);
    for (rnnrt_tensor_t &result : results)
      resultList.push_back(&result);
    if (times)
      measure(function, argumentList, results, resultList, seconds, *times);
    function.entry(call, argumentList.data(), function.num_inputs, resultList.data(), function.num_outputs);
    rnnrt_status_t waited = rnnrt_stream_synchronize(stream);
    rnnrt_status_t failure = rnnrt_call_status(call);
    if (!failure)
      failure = waited;
    if (failure)
      message = std::string(rnnrt_status_code_name(rnnrt_status_code(failure))) + ": " + rnnrt_status_message(failure);
    bool done = !failure;
    outputs.clear();
    for (int64_t index = 0; index < function.num_outputs && done; ++index) {
      rnnrt_tensor_t &result = results[index];
      std::vector<char> bytes(rnnrt_tensor_elements(&result) * rnnrt_dtype_size(result.dtype));
      if (onDevice && function.outputs[index].kind != RNNRT_ARGUMENT_SCALAR && !bytes.empty())
        check(rnnrt_memory_copy(device, stream, bytes.data(), result.data, bytes.size()));
      else if (!bytes.empty())
        std::memcpy(bytes.data(), result.data, bytes.size());
      check(rnnrt_stream_synchronize(stream));
      outputs.push_back(Tensor::read(result, bytes));
    }
    for (rnnrt_tensor_t &result : results)
      rnnrt_tensor_release(&result);
    for (void *copy : copies)
      check(rnnrt_memory_free(device, copy));
    rnnrt_status_release(waited);
    return done;
  }

private:
  /// Measures after one warm-up call. Results are freed outside the measured time.
  void measure(const rnnrt_function_t &function, const std::vector<const rnnrt_tensor_t *> &arguments,
               std::vector<rnnrt_tensor_t> &results, std::vector<rnnrt_tensor_t *> &resultList, double seconds,
               Times &times) {
    using Clock = std::chrono::steady_clock;
    auto since = [](Clock::time_point start) {
      return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    };
    std::vector<double> whole, host;
    Clock::time_point begin = Clock::now();
    for (int number = 0; number < 6 || since(begin) < seconds * 1e6; ++number) {
      rnnrt_status_release(rnnrt_stream_synchronize(stream));
      Clock::time_point start = Clock::now();
      function.entry(call, arguments.data(), function.num_inputs, resultList.data(), function.num_outputs);
      host.push_back(since(start));
      rnnrt_status_release(rnnrt_stream_synchronize(stream));
      whole.push_back(since(start));
      for (rnnrt_tensor_t &result : results)
        rnnrt_tensor_release(&result);
      if (rnnrt_call_status(call))
        return;
    }
    // Without the first call.
    whole.erase(whole.begin());
    host.erase(host.begin());
    times = {median(whole), median(host)};
  }

public:
  rnnrt_device_t *device = nullptr;
  rnnrt_stream_t *stream = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_status_t status = nullptr;
};

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

} // namespace

/// A hash of all bits of the results.
static uint64_t hashOf(const std::vector<Tensor> &results) {
  uint64_t hash = 14695981039346656037u;
  for (const Tensor &result : results)
    for (double value : result.values) {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      hash = (hash ^ bits) * 1099511628211u;
      hash ^= hash >> 29;
    }
  return hash;
}

static void compare(const char *dtype, const std::string &name, double limit, const std::vector<Tensor> &results,
                    const std::vector<Tensor> &expected, Counts &counts) {
  double worst = 0;
  size_t worstIndex = 0;
  for (size_t index = 0; index < results.size(); ++index) {
    double error = results[index].errorAgainst(expected[index]);
    if (!(error <= worst)) { // also when it is NaN
      worst = error;
      worstIndex = index;
    }
  }
  bool good = worst <= limit;
  ++(good ? counts.passed : counts.failed);
  std::printf("%s %-4s %-40s result %zu of %zu: error %.2e, limit %.0e, bits %016llx\n", good ? "PASS" : "FAIL", dtype,
              name.c_str(), worstIndex, results.size(), worst, limit, static_cast<unsigned long long>(hashOf(results)));
}

static bool haveSameBits(const std::vector<Tensor> &some, const std::vector<Tensor> &others) {
  for (size_t index = 0; index < some.size(); ++index) {
    const std::vector<double> &a = some[index].values, &b = others[index].values;
    if (a.size() != b.size() || (!a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double))))
      return false;
  }
  return some.size() == others.size();
}

static void runFunction(Session &device, Session &host, const rnnrt_function_t &function,
                        const rnnrt_function_t &reference, double limit, Counts &counts) {
  // The element type of the module is that of the first argument.
  int32_t dtype = function.inputs[0].dtype;
  bool hasLengths = false;
  for (int64_t index = 0; index < function.num_inputs; ++index)
    hasLengths |= function.inputs[index].dtype == RNNRT_DTYPE_I32;
  for (bool withZero : {false, true}) {
    if (withZero && !hasLengths)
      continue;
    std::string name = function.name + std::string(withZero ? " (one empty)" : ""), message;
    std::vector<Tensor> inputs = makeInputs(function, withZero), results, expected;
    std::string refusal;
    bool works = host.run(reference, inputs, expected, refusal);
    if (device.run(function, inputs, results, message)) {
      std::vector<Tensor> again;
      if (!device.run(function, inputs, again, message)) {
        message = "the second run failed: " + message;
      } else if (!haveSameBits(results, again)) {
        message = "two runs differ";
      } else if (works) {
        compare(rnnrt_dtype_name(dtype), name, limit > 0 ? limit : limitOf(dtype), results, expected, counts);
        continue;
      } else {
        message = "no error where the reference has: " + refusal;
      }
    } else if (!works && message.substr(0, message.find(':')) == refusal.substr(0, refusal.find(':'))) {
      ++counts.passed;
      std::printf("PASS %-4s %-40s refused: %s\n", rnnrt_dtype_name(dtype), name.c_str(), message.c_str());
      continue;
    } else if (!works) {
      message += "; the reference reports: " + refusal;
    }
    // A feature that the device lacks is reported and not a failure: for example bf16 on an old GPU.
    bool skip = message.rfind("UNIMPLEMENTED", 0) == 0;
    ++(skip ? counts.skipped : counts.failed);
    std::printf("%s %-4s %-40s %s\n", skip ? "SKIP" : "FAIL", rnnrt_dtype_name(dtype), name.c_str(), message.c_str());
  }
}

/// Results by the name of their function, in a file.
using Saved = std::map<std::string, std::vector<Tensor>>;

static void save(const char *path, const Saved &saved) {
  std::FILE *file = std::fopen(path, "wb");
  if (!file)
    fail("cannot write %s: %s", path, std::strerror(errno));
  for (const auto &[name, results] : saved) {
    std::fprintf(file, "%s %zu\n", name.c_str(), results.size());
    for (const Tensor &result : results) {
      std::fprintf(file, "%zu", result.shape.size());
      for (int64_t size : result.shape)
        std::fprintf(file, " %lld", static_cast<long long>(size));
      std::fprintf(file, "\n");
      std::fwrite(result.values.data(), sizeof(double), result.values.size(), file);
    }
  }
  const bool written = !std::ferror(file);
  if (std::fclose(file) || !written)
    fail("cannot write %s: %s", path, std::strerror(errno));
}

static Saved load(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    fail("cannot read %s: %s", path, std::strerror(errno));
  Saved saved;
  char name[256];
  size_t count;
  bool good = true;
  while (good && std::fscanf(file, "%255s %zu%*1[\n]", name, &count) == 2) {
    for (size_t index = 0; index < count && good; ++index) {
      Tensor tensor;
      size_t rank = 0;
      good = std::fscanf(file, "%zu", &rank) == 1 && rank <= 8;
      for (size_t dim = 0; dim < rank && good; ++dim) {
        long long size = 0;
        good = std::fscanf(file, "%lld", &size) == 1 && size >= 0 && size < (1 << 20);
        tensor.shape.push_back(size);
      }
      good = good && std::fgetc(file) == '\n' && tensor.elements() < (1 << 24);
      if (good) {
        tensor.values.resize(tensor.elements());
        good = std::fread(tensor.values.data(), sizeof(double), tensor.values.size(), file) == tensor.values.size();
      }
      saved[name].push_back(std::move(tensor));
    }
  }
  std::fclose(file);
  if (!good || saved.empty())
    fail("%s holds no results that --save= wrote", path);
  return saved;
}

/// Runs `function` and keeps its results, or compares them with those that another device saved.
static void runSaved(Session &device, const rnnrt_function_t &function, bool saving, Saved &saved, double limit,
                     Counts &counts) {
  const int32_t dtype = function.inputs[0].dtype;
  std::vector<Tensor> results;
  std::string message;
  auto say = [&](const char *verdict, const std::string &text) {
    std::printf("%s %-4s %-40s %s\n", verdict, rnnrt_dtype_name(dtype), function.name, text.c_str());
  };
  if (!device.run(function, makeInputs(function, /*withZero=*/false), results, message)) {
    ++counts.failed;
    return say("FAIL", message);
  }
  if (saving) {
    ++counts.passed;
    say("SAVED", "");
    saved[function.name] = std::move(results);
    return;
  }
  auto found = saved.find(function.name);
  if (found == saved.end())
    fail("the file of --saved= has no function `%s`", function.name);
  if (haveSameBits(results, found->second)) {
    ++counts.passed;
    return say("PASS", "the same bits");
  }
  int64_t differing = 0, elements = 0;
  double worst = 0;
  for (size_t index = 0; index < results.size() && index < found->second.size(); ++index) {
    const Tensor &result = results[index], &expected = found->second[index];
    double error = result.errorAgainst(expected);
    worst = error <= worst ? worst : error;
    elements += result.elements();
    for (size_t place = 0; place < result.values.size() && place < expected.values.size(); ++place)
      differing += std::memcmp(&result.values[place], &expected.values[place], sizeof(double)) != 0;
  }
  // Compiled loops of the host reduce in another order.
  const bool kernels = std::strcmp(rnnrt_device_name(device.device), "host") != 0;
  const bool exact = kernels && dtype == RNNRT_DTYPE_F32 && std::strstr(function.name, "exact");
  if (limit <= 0)
    limit = limitOf(dtype);
  const bool good = results.size() == found->second.size() && worst <= limit && !exact;
  ++(good ? counts.passed : counts.failed);
  char text[160], most[24];
  std::snprintf(most, sizeof most, "%.0e", limit);
  std::snprintf(text, sizeof text, "%lld of %lld elements differ, error %.2e, limit %s", (long long)differing,
                (long long)elements, worst, exact ? "the same bits" : most);
  say(good ? "PASS" : "FAIL", text);
}

static void timeFunction(Session &device, const rnnrt_function_t &function, double seconds, Counts &counts) {
  std::vector<Tensor> inputs = makeInputs(function, /*withZero=*/false), results;
  std::string message;
  Times times;
  const char *dtype = rnnrt_dtype_name(function.inputs[0].dtype);
  if (device.run(function, inputs, results, message, seconds, &times)) {
    ++counts.passed;
    std::printf("| %s | %s | %.1f | %.1f |\n", function.name, dtype, times.whole, times.host);
  } else {
    ++counts.skipped;
    std::printf("| %s | %s | %s | |\n", function.name, dtype, message.c_str());
  }
}

int main(int argc, char **argv) {
  const char *device = "cuda", *referenceDevice = "host", *reference = nullptr, *filter = "";
  const char *saveFile = nullptr, *savedFile = nullptr, *after = "";
  double limit = 0, seconds = 0;
  std::vector<const char *> modules;
  bool version = false;
  for (int index = 1; index < argc; ++index) {
    const char *flag = argv[index], *value = std::strchr(flag, '=');
    auto is = [&](const char *name) { return value && !std::strncmp(flag, name, value - flag) && !name[value - flag]; };
    if (is("--device"))
      device = value + 1;
    else if (is("--reference-device"))
      referenceDevice = value + 1;
    else if (is("--reference"))
      reference = value + 1;
    else if (is("--module"))
      modules.push_back(value + 1);
    else if (is("--filter"))
      filter = value + 1;
    else if (is("--save"))
      saveFile = value + 1;
    else if (is("--saved"))
      savedFile = value + 1;
    else if (is("--limit") && (limit = std::atof(value + 1)) > 0)
      continue;
    else if (is("--time") && (seconds = std::atof(value + 1)) > 0)
      continue;
    else if (is("--after"))
      after = value + 1;
    else if (is("--patience"))
      Watch::setPatience(unsigned(std::atoi(value + 1)));
    else if (!std::strcmp(flag, "--version"))
      version = true;
    else
      fail(
          "unknown argument `%s`; expected --device=, --reference=, --reference-device=, --module=, --save=, --saved=, "
          "--filter=, --after=, --patience=, --limit=, --time= or --version",
          flag);
  }
  if (!version && ((!reference && !seconds && !saveFile && !savedFile) || modules.empty()))
    fail("expects --reference=FILE.so, --save=FILE, --saved=FILE or --time=SECONDS, and at least one --module=FILE.so");

  Session session(device), host(referenceDevice);
  if (session.status) {
    std::printf("SKIP everything: %s\n", rnnrt_status_message(session.status));
    return 77;
  }
  if (version) {
    std::printf("runtime interface %d, device %s\n", rnnrt_abi_version(), rnnrt_device_name(session.device));
    return 0;
  }
  if (host.status)
    fail("the device of the reference: %s", rnnrt_status_message(host.status));
  std::unique_ptr<Module> expected;
  Saved saved;
  if (savedFile)
    saved = load(savedFile);
  else if (!seconds && !saveFile)
    expected = std::make_unique<Module>(reference);
  else if (seconds)
    std::printf("| function | type | call | host |\n|---|---|---|---|\n");
  Counts counts;
  for (const char *path : modules) {
    Module module(path);
    for (const auto &[name, function] : module.functions) {
      if (!matches(name, filter) || name <= after)
        continue;
      Watch::begin(std::string(rnnrt_dtype_name(function->inputs[0].dtype)) + " " + name);
      if (seconds) {
        timeFunction(session, *function, seconds, counts);
        std::fflush(stdout);
        continue;
      }
      if (saveFile || savedFile) {
        runSaved(session, *function, saveFile != nullptr, saved, limit, counts);
        std::fflush(stdout);
        continue;
      }
      const rnnrt_function_t *same = expected->find(name);
      if (!same)
        fail("%s has no function `%s`", reference, name.c_str());
      runFunction(session, host, *function, *same, limit, counts);
      std::fflush(stdout);
    }
  }
  Watch::finish();
  if (saveFile)
    save(saveFile, saved);
  if (!seconds)
    std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  if (counts.passed + counts.failed + counts.skipped == 0 && !*after)
    fail("no function matches --filter=%s", filter);
  return counts.failed > 0;
}
