// schedules.cpp - calls every function of a compiled module many times on several devices. All results must have the
// same bits.
//
//   schedules MODULE.so RUNS DEVICE...       a DEVICE that ends with A-B stands for the devices with the numbers A to B
//
// Prints a hash of the results of each function, then the number of calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Module.h"

using namespace bundle;

/// The bytes of all results.
static std::vector<char> run(const rnnrt_function_t &function, rnnrt_device_t *device,
                             std::vector<std::vector<char>> &memory, const std::vector<Tensor> &inputs) {
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  options.dropout_draw = 0;
  rnnrt_call_t *call = nullptr;
  check(rnnrt_call_create(device, nullptr, &options, &call));
  std::vector<rnnrt_tensor_t> arguments, results(size_t(function.num_outputs));
  std::vector<const rnnrt_tensor_t *> argumentList;
  std::vector<rnnrt_tensor_t *> resultList;
  for (size_t index = 0; index < inputs.size(); ++index)
    arguments.push_back(rnnrt_tensor_make(memory[index].data(), function.inputs[index].dtype,
                                          int32_t(inputs[index].shape.size()), inputs[index].shape.data()));
  for (const rnnrt_tensor_t &argument : arguments)
    argumentList.push_back(&argument);
  for (rnnrt_tensor_t &result : results)
    resultList.push_back(&result);
  function.entry(call, argumentList.data(), function.num_inputs, resultList.data(), function.num_outputs);
  check(rnnrt_call_status(call));
  std::vector<char> bytes;
  for (rnnrt_tensor_t &result : results) {
    auto *begin = static_cast<const char *>(result.data);
    bytes.insert(bytes.end(), begin, begin + rnnrt_tensor_elements(&result) * rnnrt_dtype_size(result.dtype));
    rnnrt_tensor_release(&result);
  }
  rnnrt_call_release(call);
  return bytes;
}

static std::vector<std::string> expand(const std::string &device) {
  const size_t colon = device.rfind(':'), dash = device.rfind('-');
  if (colon == std::string::npos || dash == std::string::npos || dash < colon)
    return {device};
  std::vector<std::string> all;
  for (int number = std::atoi(device.c_str() + colon + 1); number <= std::atoi(device.c_str() + dash + 1); ++number)
    all.push_back(device.substr(0, colon + 1) + std::to_string(number));
  return all;
}

int main(int argc, char **argv) {
  if (argc < 4)
    fail("schedules MODULE.so RUNS DEVICE...");
  Module module(argv[1]);
  const int runs = std::atoi(argv[2]);
  std::map<std::string, std::vector<char>> expected;
  long calls = 0;
  int status = 0;
  for (int index = 3; index < argc; ++index)
    for (const std::string &name : expand(argv[index])) {
      rnnrt_device_t *device = nullptr;
      check(rnnrt_device_create(name.c_str(), nullptr, &device));
      for (const rnnrt_function_t *function : module.inOrder) {
        const std::vector<Tensor> inputs = makeInputs(*function, /*withZero=*/false);
        std::vector<std::vector<char>> memory;
        for (int64_t input = 0; input < function->num_inputs; ++input)
          memory.push_back(inputs[size_t(input)].convert(function->inputs[input].dtype));
        for (int number = 0; number < runs; ++number, ++calls) {
          std::vector<char> bytes = run(*function, device, memory, inputs);
          auto [found, isFirst] = expected.emplace(function->name, bytes);
          if (isFirst || bytes == found->second)
            continue;
          std::printf("DIFFERS %s: run %d on %s\n", function->name, number, name.c_str());
          status = 1;
          break;
        }
      }
      rnnrt_device_release(device);
    }
  for (const auto &[name, bytes] : expected) {
    uint64_t hash = 14695981039346656037u;
    for (unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211u;
    std::printf("%s %zu bytes %016llx\n", name.c_str(), bytes.size(), (unsigned long long)hash);
  }
  std::fprintf(stderr, "%ld calls\n", calls);
  return status;
}
