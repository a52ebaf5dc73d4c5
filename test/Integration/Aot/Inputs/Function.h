// Function.h - calls a function of a compiled module with pseudo-random tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TEST_INTEGRATION_AOT_FUNCTION_H
#define RNN_TEST_INTEGRATION_AOT_FUNCTION_H

#include "rnn_runtime/api.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

/// Prints `what` and ends the program unless `truth` holds.
inline void require(bool truth, const std::string &what) {
  if (truth)
    return;
  std::printf("wrong: %s\n", what.c_str());
  std::exit(1);
}

/// An exported function of the program, with the memory of its arguments. All elements are f32.
class Function {
public:
  /// Each dynamic size takes the next value of `sizes`.
  Function(const char *name, const std::vector<int64_t> &sizes) {
    auto *table = static_cast<const rnnrt_exports_t *>(dlsym(RTLD_DEFAULT, "rnn_exports"));
    require(table != nullptr, "rnn_exports");
    for (int32_t k = 0; k < table->num_functions; ++k)
      if (!std::strcmp(table->functions[k]->name, name))
        description = table->functions[k];
    require(description != nullptr, name);
    size_t next = 0;
    const int64_t inputs = description->num_inputs, outputs = description->num_outputs;
    memory.resize(size_t(inputs)), arguments.resize(size_t(inputs)), results.resize(size_t(outputs));
    for (int64_t k = 0; k < inputs; ++k) {
      const rnnrt_argument_t &argument = description->inputs[k];
      int64_t shape[RNNRT_MAX_RANK], elements = 1;
      for (int32_t dim = 0; dim < argument.rank; ++dim) {
        shape[dim] = argument.shape[dim] < 0 ? sizes.at(next++) : argument.shape[dim];
        elements *= shape[dim];
      }
      std::vector<float> &values = memory[size_t(k)];
      values.resize(size_t(elements) + 1);
      for (int64_t index = 0; index < elements; ++index)
        values[size_t(index)] = float((index * 7919 + k) % 201 - 100) / 256;
      arguments[size_t(k)] = rnnrt_tensor_make(values.data(), argument.dtype, argument.rank, shape);
    }
    for (rnnrt_tensor_t &argument : arguments)
      argumentPointers.push_back(&argument);
    for (rnnrt_tensor_t &result : results)
      resultPointers.push_back(&result);
  }

  /// Calls the function; `release` follows. Does not allocate.
  rnnrt_status_code_t call(rnnrt_call_t *in) {
    description->entry(in, argumentPointers.data(), description->num_inputs, resultPointers.data(),
                       description->num_outputs);
    return rnnrt_status_code(rnnrt_call_status(in));
  }
  void release() {
    for (rnnrt_tensor_t &result : results)
      rnnrt_tensor_release(&result);
  }

  static size_t bytesOf(const rnnrt_tensor_t &tensor) {
    return size_t(rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(tensor.dtype));
  }
  /// The bytes of all results.
  std::string bytes() const {
    std::string all;
    for (const rnnrt_tensor_t &result : results)
      all.append(static_cast<const char *>(result.data), bytesOf(result));
    return all;
  }
  bool hasBytes(const std::string &expected) const {
    size_t at = 0;
    for (const rnnrt_tensor_t &result : results) {
      if (at + bytesOf(result) > expected.size() || std::memcmp(expected.data() + at, result.data, bytesOf(result)))
        return false;
      at += bytesOf(result);
    }
    return at == expected.size();
  }
  bool isEmpty() const {
    for (const rnnrt_tensor_t &result : results)
      if (result.allocation)
        return false;
    return true;
  }

  const rnnrt_function_t *description = nullptr;
  std::vector<rnnrt_tensor_t> arguments, results;

private:
  std::vector<std::vector<float>> memory;
  std::vector<const rnnrt_tensor_t *> argumentPointers;
  std::vector<rnnrt_tensor_t *> resultPointers;
};

#endif // RNN_TEST_INTEGRATION_AOT_FUNCTION_H
