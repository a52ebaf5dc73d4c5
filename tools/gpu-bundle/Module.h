// Module.h - a shared library of rnn-compile, and arguments and error limits for its functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_MODULE_H
#define RNN_TOOLS_GPU_BUNDLE_MODULE_H

#include "Tensors.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>

namespace bundle {

/// A shared library of rnn-compile, and its functions by name.
class Module {
public:
  explicit Module(const char *path) {
    // RTLD_NOW: reports an entry that this runtime lacks here, not in the middle of a run. dlopen searches a name
    // without a slash in the system's folders.
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
    for (int32_t index = 0; index < exports->num_functions; ++index) {
      functions.emplace(exports->functions[index]->name, exports->functions[index]);
      inOrder.push_back(exports->functions[index]);
    }
  }

  const rnnrt_function_t *find(const std::string &name) const {
    auto it = functions.find(name);
    return it == functions.end() ? nullptr : it->second;
  }

  std::map<std::string, const rnnrt_function_t *> functions;
  std::vector<const rnnrt_function_t *> inOrder; ///< of the text

private:
  void *handle;
};

/// Returns true if `name` contains one of the texts of a comma-separated list.
inline bool matches(const std::string &name, const std::string &list) {
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find(',', begin), list.size());
    if (name.find(list.substr(begin, end - begin)) != std::string::npos)
      return true;
    begin = end + 1;
  }
  return false;
}

/// Random arguments for `function`, rounded to its element type. Integers are sequence lengths: 1 to T, and 0 for the
/// first example if `withZero`.
inline std::vector<Tensor> makeInputs(const rnnrt_function_t &function, bool withZero) {
  std::vector<Tensor> inputs;
  Random random(function.name);
  const bool isBatchMajor = std::strstr(function.name, "batch_major");
  for (int64_t index = 0; index < function.num_inputs; ++index) {
    const rnnrt_argument_t &argument = function.inputs[index];
    Tensor tensor;
    // Dynamic sizes: five steps and four examples, in dimensions 0 and 1. In batch-major sequences, which have both,
    // they are in dimensions 1 and 0.
    const bool swaps = isBatchMajor && argument.rank == 3 && argument.shape[0] < 0 && argument.shape[1] < 0;
    for (int32_t dim = 0; dim < argument.rank; ++dim)
      tensor.shape.push_back(argument.shape[dim] >= 0 ? argument.shape[dim] : (dim == 0) != swaps ? 5 : 4);
    tensor.values.resize(tensor.elements());
    bool isLengths = argument.dtype == RNNRT_DTYPE_I32;
    int64_t steps = inputs.empty() ? 1 : inputs.front().shape[isBatchMajor ? 1 : 0];
    // Weights are scaled as PyTorch initializes them: a recurrence that amplifies would amplify rounding errors too.
    // The name of the argument identifies a parameter buffer, and the preceding state has the hidden size.
    int64_t terms = argument.rank == 2                                  ? tensor.shape[1]
                    : std::strcmp(argument.name, "params") || index < 2 ? 4
                                                                        : inputs[1].shape.back();
    double scale = 2 / std::sqrt(double(std::max<int64_t>(terms, 1)));
    for (double &value : tensor.values)
      value = isLengths ? 1 + random.below(steps) : scale * (random.uniform() - 0.5);
    if (isLengths && withZero)
      tensor.values.front() = 0;
    tensor.round(argument.dtype);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

/// The limit of an error, relative to the largest element of a result: the rounding of the element type times the
/// length of the sums in these small problems, set before anything was measured.
inline double limitOf(int32_t dtype) {
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

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_MODULE_H
