// runner.cpp - runs every function of compiled modules on a device and compares with the same functions compiled for the
// host in f64. Needs librnn_runtime and a C library alone, so that it runs where there is a GPU and no compiler.
//
//   rnn-bundle-runner --device=cuda --reference=host_f64.so --module=cuda_f16.so [--module=...] [--filter=TEXT]
//   rnn-bundle-runner --device=cuda --module=cuda_f16.so --time=0.1
//   rnn-bundle-runner --device=cuda --version
//
// One line per function: PASS, FAIL or SKIP, the worst result, its error, the limit, and a number made of all bits; where
// the reference fails, the device must fail for the same kind of reason. Every function runs twice and must give the same bits. --limit= is an error to
// allow instead of the element type's. Exit status: 0 when all passed, 1 when one failed, 77 when the device is not
// available. --time= measures instead: microseconds of a call and of handing it over, medians over so many seconds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensors.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <chrono>
#include <map>
#include <memory>

using namespace bundle;

namespace {

/// A shared library made by rnn-compile, and its functions by name.
class Module {
public:
  explicit Module(const char *path) {
    // RTLD_NOW: an entry that this runtime lacks is found here and not in the middle of a run.
    // A name without a slash would be searched for among the system's libraries.
    const std::string file = std::strchr(path, '/') ? path : std::string("./") + path;
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      fail("cannot load the module: %s", dlerror());
    auto *exports = static_cast<const rnnrt_exports_t *>(dlsym(handle, "rnn_exports"));
    if (!exports)
      fail("%s exports no `rnn_exports`; was it made by rnn-compile?", path);
    if (exports->abi_version != rnnrt_abi_version())
      fail("%s was compiled for version %d of the runtime's interface, but the library has %d; compile it again", path,
           exports->abi_version, rnnrt_abi_version());
    for (int32_t index = 0; index < exports->num_functions; ++index)
      functions.emplace(exports->functions[index]->name, exports->functions[index]);
  }

  const rnnrt_function_t *find(const std::string &name) const {
    auto it = functions.find(name);
    return it == functions.end() ? nullptr : it->second;
  }

  std::map<std::string, const rnnrt_function_t *> functions;

private:
  void *handle;
};

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
    check(rnnrt_call_create(device, stream, nullptr, &call));
  }
  ~Session() {
    rnnrt_call_release(call);
    rnnrt_stream_release(stream);
    rnnrt_device_release(device);
    rnnrt_status_release(status);
  }

  /// Runs a function; the results in f64. A failure is left in `message`.
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
      arguments.push_back(rnnrt_tensor_make(data, argument.dtype, int32_t(inputs[index].shape.size()),
                                            inputs[index].shape.data()));
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
  /// After one call to warm up. Results are given back outside of the measured time.
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
    auto median = [](std::vector<double> &values) {
      values.erase(values.begin());
      std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
      return values[values.size() / 2];
    };
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

/// Numbers for the arguments of `function`, rounded to its element type. Integers are lengths of sequences: 1 to T, and 0
/// for the first example when `withZero`.
static std::vector<Tensor> makeInputs(const rnnrt_function_t &function, bool withZero) {
  std::vector<Tensor> inputs;
  Random random(function.name);
  for (int64_t index = 0; index < function.num_inputs; ++index) {
    const rnnrt_argument_t &argument = function.inputs[index];
    Tensor tensor;
    // Dynamic sizes: five steps and four examples, which stand first and second wherever they stand.
    for (int32_t dim = 0; dim < argument.rank; ++dim)
      tensor.shape.push_back(argument.shape[dim] >= 0 ? argument.shape[dim] : dim == 0 ? 5 : 4);
    tensor.values.resize(tensor.elements());
    bool isLengths = argument.dtype == RNNRT_DTYPE_I32;
    int64_t steps = inputs.empty() ? 1 : inputs.front().shape.front();
    // Matrices are scaled as PyTorch initializes them: a recurrence that amplifies would amplify rounding too.
    double scale = argument.rank == 2 ? 2 / std::sqrt(double(std::max<int64_t>(tensor.shape[1], 1))) : 1;
    for (double &value : tensor.values)
      value = isLengths ? 1 + random.below(steps) : scale * (random.uniform() - 0.5);
    if (isLengths && withZero)
      tensor.values.front() = 0;
    tensor.round(argument.dtype);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

/// The limit of an error, relative to the largest element of a result: the rounding of the element type times the length
/// of the sums in these small problems, set before anything was measured.
static double limitOf(int32_t dtype) {
  switch (dtype) {
  case RNNRT_DTYPE_F16:
    return 1e-2;
  case RNNRT_DTYPE_BF16:
    return 6e-2;
  case RNNRT_DTYPE_F32:
    return 2e-5;
  default:
    return 1e-12;
  }
}

/// A number that changes with any bit of the results.
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
      message += "; the reference says: " + refusal;
    }
    // What a device does not offer is said, and is no failure: bf16 on an old GPU, say.
    bool skip = message.rfind("UNIMPLEMENTED", 0) == 0;
    ++(skip ? counts.skipped : counts.failed);
    std::printf("%s %-4s %-40s %s\n", skip ? "SKIP" : "FAIL", rnnrt_dtype_name(dtype), name.c_str(), message.c_str());
  }
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
    else if (is("--limit") && (limit = std::atof(value + 1)) > 0)
      continue;
    else if (is("--time") && (seconds = std::atof(value + 1)) > 0)
      continue;
    else if (!std::strcmp(flag, "--version"))
      version = true;
    else
      fail("unknown argument `%s`; expected --device=, --reference=, --reference-device=, --module=, --filter=, --limit=, "
           "--time= or --version",
           flag);
  }
  if (!version && ((!reference && !seconds) || modules.empty()))
    fail("expects --reference=FILE.so and at least one --module=FILE.so");

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
  if (!seconds)
    expected = std::make_unique<Module>(reference);
  else
    std::printf("| function | type | call | host |\n|---|---|---|---|\n");
  Counts counts;
  for (const char *path : modules) {
    Module module(path);
    for (const auto &[name, function] : module.functions) {
      if (name.find(filter) == std::string::npos)
        continue;
      if (seconds) {
        timeFunction(session, *function, seconds, counts);
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
  if (!seconds)
    std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  if (counts.passed + counts.failed + counts.skipped == 0)
    fail("no function matches --filter=%s", filter);
  return counts.failed > 0;
}
