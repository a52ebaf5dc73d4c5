// split.cpp - compares functions that run on all processes of MPI, each with its part of the batch, with the same
// functions on one process. An argument or result is split along the dimension whose size differs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mpi.h>
#include <string>
#include <vector>

enum { BATCH = 8, STEPS = 5 };

static int rank, processes;
/// The parts of the batch, and the part of this process. Several processes may have the same part.
static int parts, ownPart;

static void require(bool truth, const std::string &what) {
  if (truth)
    return;
  std::printf("wrong: process %d: %s\n", rank, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double read(const rnnrt_tensor_t &tensor, int64_t index) {
  uint32_t bits = 0;
  float narrow;
  switch (tensor.dtype) {
  case RNNRT_DTYPE_F64:
    return static_cast<double *>(tensor.data)[index];
  case RNNRT_DTYPE_F32:
    return static_cast<float *>(tensor.data)[index];
  default: // bf16: the upper half of f32
    bits = uint32_t(static_cast<uint16_t *>(tensor.data)[index]) << 16;
    std::memcpy(&narrow, &bits, 4);
    return narrow;
  }
}

static void write(rnnrt_tensor_t &tensor, int64_t index, int64_t number) {
  const float value = float(number * 7919 % 201 - 100) / 256;
  uint32_t bits;
  switch (tensor.dtype) {
  case RNNRT_DTYPE_F64:
    static_cast<double *>(tensor.data)[index] = value;
    break;
  case RNNRT_DTYPE_F32:
    static_cast<float *>(tensor.data)[index] = value;
    break;
  case RNNRT_DTYPE_BF16:
    std::memcpy(&bits, &value, 4);
    static_cast<uint16_t *>(tensor.data)[index] = uint16_t(bits >> 16);
    break;
  case RNNRT_DTYPE_I32:
    static_cast<int32_t *>(tensor.data)[index] = int32_t(1 + number % STEPS);
    break;
  case RNNRT_DTYPE_I64:
    static_cast<int64_t *>(tensor.data)[index] = STEPS - 1;
    break;
  default:
    static_cast<uint8_t *>(tensor.data)[index] = number % 7 == 3;
  }
}

/// Calls `visit(index, wholeIndex)` for each element of `part`, a part of a tensor of shape `whole`.
template <typename Visit>
static void forEachElement(const std::vector<int64_t> &part, const std::vector<int64_t> &whole, Visit visit) {
  int64_t elements = 1;
  for (int64_t size : part)
    elements *= size;
  for (int64_t index = 0; index < elements; ++index) {
    int64_t wholeIndex = 0, stride = 1, rest = index;
    for (size_t dim = part.size(); dim-- > 0;) {
      const int64_t offset = part[dim] == whole[dim] ? 0 : ownPart * part[dim];
      wholeIndex += (rest % part[dim] + offset) * stride;
      rest /= part[dim], stride *= whole[dim];
    }
    visit(index, wholeIndex);
  }
}

static std::vector<int64_t> shapeOf(const rnnrt_tensor_t &tensor) {
  return std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
}

/// Runs a function on arguments that are the parts of those of `whole`, and returns its results.
static std::vector<rnnrt_tensor_t> call(rnnrt_device_t *device, const rnnrt_function_t &function,
                                        const rnnrt_function_t &whole, int64_t batch) {
  std::vector<std::vector<double>> memory;
  std::vector<rnnrt_tensor_t> arguments, results(size_t(function.num_outputs));
  std::vector<const rnnrt_tensor_t *> argumentPointers;
  std::vector<rnnrt_tensor_t *> resultPointers;
  for (int64_t k = 0; k < function.num_inputs; ++k) {
    const rnnrt_argument_t &argument = function.inputs[k];
    std::vector<int64_t> shape, wholeShape;
    int64_t elements = 1;
    for (int32_t dim = 0; dim < argument.rank; ++dim) {
      shape.push_back(argument.shape[dim] < 0 ? batch : argument.shape[dim]);
      wholeShape.push_back(whole.inputs[k].shape[dim] < 0 ? BATCH : whole.inputs[k].shape[dim]);
      elements *= shape.back();
    }
    memory.emplace_back(size_t(elements));
    arguments.push_back(rnnrt_tensor_make(memory.back().data(), argument.dtype, argument.rank, shape.data()));
    forEachElement(shape, wholeShape,
                   [&](int64_t index, int64_t number) { write(arguments.back(), index, number + 31 * k); });
  }
  for (const rnnrt_tensor_t &argument : arguments)
    argumentPointers.push_back(&argument);
  for (rnnrt_tensor_t &result : results)
    resultPointers.push_back(&result);
  rnnrt_call_t *invocation = nullptr;
  require(!rnnrt_call_create(device, nullptr, nullptr, &invocation), "call");
  function.entry(invocation, argumentPointers.data(), function.num_inputs, resultPointers.data(), function.num_outputs);
  require(!rnnrt_call_status(invocation),
          std::string(function.name) + ": " + rnnrt_status_message(rnnrt_call_status(invocation)));
  rnnrt_call_release(invocation);
  return results;
}

static const rnnrt_exports_t *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, path);
  return static_cast<const rnnrt_exports_t *>(dlsym(library, "rnn_exports"));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  require(argc == 5, "split WHOLE.so SPLIT.so CALLS PARTS");
  // The last axis of a grid is the fastest one.
  parts = std::atoi(argv[4]);
  ownPart = rank * parts / processes;
  const rnnrt_exports_t *whole = load(argv[1]), *split = load(argv[2]);
  rnnrt_device_t *device = nullptr;
  require(!rnnrt_device_create("host", nullptr, &device), "device");
  require(whole->num_functions == split->num_functions, "functions");
  for (int32_t k = 0; k < whole->num_functions; ++k) {
    const rnnrt_function_t &one = *whole->functions[k], &all = *split->functions[k];
    require(!std::strcmp(one.name, all.name), "names");
    std::vector<rnnrt_tensor_t> expected = call(device, one, one, BATCH);
    for (int count = std::atoi(argv[3]); count > 0; --count) {
      std::vector<rnnrt_tensor_t> results = call(device, all, one, BATCH / parts);
      int splitResults = 0;
      for (size_t r = 0; r < results.size(); ++r) {
        double error = 0, largest = 0;
        splitResults += shapeOf(results[r]) != shapeOf(expected[r]);
        forEachElement(shapeOf(results[r]), shapeOf(expected[r]), [&](int64_t index, int64_t number) {
          error = std::fmax(error, std::fabs(read(results[r], index) - read(expected[r], number)));
          largest = std::fmax(largest, std::fabs(read(expected[r], number)));
        });
        // The sums have another order, and those of bf16 are rounded twice.
        const double tolerance = results[r].dtype == RNNRT_DTYPE_F64   ? 1e-14
                                 : results[r].dtype == RNNRT_DTYPE_F32 ? 1e-6
                                                                       : 1e-2;
        require(largest > 1e-3 && error <= tolerance * largest,
                std::string(one.name) + ": result " + std::to_string(r) + " differs by " + std::to_string(error));
        rnnrt_tensor_release(&results[r]);
      }
      if (count == 1 && rank == 0)
        std::printf("%s: %d of %d results are split\n", one.name, splitResults, int(results.size()));
    }
    for (rnnrt_tensor_t &tensor : expected)
      rnnrt_tensor_release(&tensor);
  }
  rnnrt_device_release(device);
  MPI_Finalize();
}
