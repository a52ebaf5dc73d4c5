/* weights.c - runs the functions of weights.mlir with and without handles of weights.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "Require.h"
#include "net.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { maxInputs = 4 };

static rnnrt_device_t *device;

/* A function, its inputs and the bytes of its weights, the last input. */
typedef struct {
  const rnnrt_function_t *function;
  rnnrt_tensor_t inputs[maxInputs];
  int64_t count, elementBytes;
} problem_t;

static void set(problem_t *problem, int64_t input, int64_t index, float value) {
  if (problem->elementBytes == 4) {
    ((float *)problem->inputs[input].data)[index] = value;
    return;
  }
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  ((uint16_t *)problem->inputs[input].data)[index] = bits >> 16;
}

static problem_t makeProblem(const char *name, int64_t weights) {
  const rnnrt_exports_t *table = (const rnnrt_exports_t *)dlsym(RTLD_DEFAULT, "rnn_exports");
  problem_t problem;
  memset(&problem, 0, sizeof(problem));
  for (int32_t k = 0; k < table->num_functions; ++k)
    if (!strcmp(table->functions[k]->name, name))
      problem.function = table->functions[k];
  require(problem.function != NULL, name);
  problem.count = problem.function->num_inputs;
  for (int64_t k = 0; k < problem.count; ++k) {
    const rnnrt_argument_t *argument = &problem.function->inputs[k];
    int64_t shape[8], elements = 1;
    for (int32_t dim = 0; dim < argument->rank; ++dim) {
      shape[dim] = argument->shape[dim] < 0 ? weights : argument->shape[dim];
      elements *= shape[dim];
    }
    problem.elementBytes = rnnrt_dtype_size(argument->dtype);
    void *data = calloc(elements + 1, problem.elementBytes);
    require(data != NULL, "memory");
    problem.inputs[k] = rnnrt_tensor_make(data, argument->dtype, argument->rank, shape);
    for (int64_t index = 0; index < elements; ++index)
      set(&problem, k, index, (float)((index * 7919 + k) % 201 - 100) / 256.0f);
  }
  return problem;
}

static void freeProblem(problem_t *problem) {
  for (int64_t k = 0; k < problem->count; ++k)
    free(problem->inputs[k].data);
}

static int64_t bytesOf(const rnnrt_tensor_t *tensor, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int32_t dim = 0; dim < tensor->rank; ++dim)
    bytes *= tensor->shape[dim];
  return bytes;
}

static rnnrt_tensor_t run(const problem_t *problem, rnnrt_call_t *in) {
  const rnnrt_tensor_t *inputs[maxInputs];
  rnnrt_tensor_t result, *results[1] = {&result};
  memset(&result, 0, sizeof(result));
  for (int64_t k = 0; k < problem->count; ++k)
    inputs[k] = &problem->inputs[k];
  problem->function->entry(in, inputs, problem->count, results, 1);
  return result;
}

static void expectSame(const problem_t *problem, const rnnrt_tensor_t *expected, rnnrt_tensor_t actual,
                       const char *what) {
  require(!rnnrt_call_status(call), what);
  require(!memcmp(expected->data, actual.data, bytesOf(expected, problem->elementBytes)), what);
  rnnrt_tensor_release(&actual);
}

static void test(const char *name, int64_t weightCount, int64_t changed) {
  problem_t problem = makeProblem(name, weightCount);
  const rnnrt_tensor_t *params = &problem.inputs[problem.count - 1];
  rnnrt_tensor_t expected = run(&problem, call);
  require(!rnnrt_call_status(call), name);

  rnnrt_weights_t *weights = NULL, *elsewhere = NULL;
  rnnrt_call_t *other = NULL;
  require(!rnnrt_weights_create(device, params->data, bytesOf(params, problem.elementBytes), &weights), "create");
  require(!rnnrt_weights_create(device, problem.inputs[0].data, 4, &elsewhere), "create");
  require(!rnnrt_call_create(device, NULL, NULL, &other), "call");
  require(!rnnrt_call_use_weights(other, elsewhere) && !rnnrt_call_use_weights(other, weights), "use");
  require(rnnrt_weights_packed_bytes(weights) == 0, "nothing is packed yet");
  expectSame(&problem, &expected, run(&problem, other), "the call that packs");
  int64_t packed = rnnrt_weights_packed_bytes(weights);
  require(packed > 0 && rnnrt_weights_packed_bytes(elsewhere) == 0, "packed bytes");
  /* Against the promise, to see that the packed weights are used. */
  set(&problem, problem.count - 1, changed, 100.0f);
  rnnrt_call_reset(other);
  expectSame(&problem, &expected, run(&problem, other), "a later call");
  require(rnnrt_weights_packed_bytes(weights) == packed, "no further copy");
  /* The call keeps the handle alive. */
  rnnrt_weights_release(weights);
  rnnrt_weights_release(elsewhere);
  expectSame(&problem, &expected, run(&problem, other), "a call after the release");
  rnnrt_call_release(other);

  rnnrt_tensor_t now = run(&problem, call);
  require(!!memcmp(expected.data, now.data, bytesOf(&expected, problem.elementBytes)),
          "without a handle, weights are read");
  rnnrt_tensor_release(&now);
  rnnrt_tensor_release(&expected);
  freeProblem(&problem);
  printf("%s ok\n", name);
}

static void testConstant(const char *name, const char *withArgument) {
  problem_t constant = makeProblem(name, 0), argument = makeProblem(withArgument, 0),
            source = makeProblem("weights", 0);
  rnnrt_tensor_t weights = run(&source, call);
  require(!rnnrt_call_status(call), "weights");
  memcpy(argument.inputs[2].data, weights.data, bytesOf(&weights, 4));
  rnnrt_tensor_release(&weights);
  rnnrt_tensor_t expected = run(&argument, call);
  for (int round = 0; round < 3; ++round) {
    int64_t before = rnnrt_memory_live_bytes();
    expectSame(&constant, &expected, run(&constant, call), "constant weights");
    require(rnnrt_memory_live_bytes() == before, "packed constants are no memory of the runtime");
  }
  rnnrt_tensor_release(&expected);
  freeProblem(&constant);
  freeProblem(&argument);
  printf("%s ok\n", name);
}

static void testCheck(void) {
  problem_t problem = makeProblem("block", 0);
  const rnnrt_tensor_t *params = &problem.inputs[problem.count - 1];
  rnnrt_weights_t *weights = NULL;
  require(!rnnrt_weights_create(device, params->data, bytesOf(params, problem.elementBytes), &weights), "create");
  require(!rnnrt_call_use_weights(call, weights), "use");
  rnnrt_tensor_t result = run(&problem, call);
  require(!rnnrt_call_status(call), "unchanged");
  rnnrt_tensor_release(&result);
  set(&problem, problem.count - 1, 3, 1.0f);
  result = run(&problem, call);
  require(!result.data, "a failed call has no results");
  rnnrt_status_t status = rnnrt_call_status(call);
  printf("%s: %s\n", rnnrt_status_code_name(rnnrt_status_code(status)), rnnrt_status_message(status));
  rnnrt_weights_release(weights);
  freeProblem(&problem);
}

int main(int argc, char **argv) {
  if (rnnrt_device_create("host", NULL, &device) || rnnrt_call_create(device, NULL, NULL, &call))
    return 2;
  if (argc > 1 && !strcmp(argv[1], "check")) {
    testCheck();
  } else {
    /* The element that changes is a weight of the last packed copy. Biases are not packed. */
    test("block", 0, 0);
    test("lstm", 2 * 4 * 96 * (40 + 96 + 2) + 2 * 4 * 96 * (192 + 96 + 2), 5);
    test("gru", 3 * 33 * (40 + 33 + 2), 40 * 33 * 3 + 7);
    test("skip", 20 * (20 + 2) + 20 * (20 + 20 + 2), 11);
    test("projected", 4 * 24 * (20 + 9 + 2) + 9 * 24, 3);
    test("half", 3 * 48 * (20 + 48 + 2), 1);
    test("block_grad", 0, 0);
    test("lstm_grad", 4 * 48 * (170 + 48 + 2) + 4 * 48 * (48 + 48 + 2), 5);
    test("projected_grad", 4 * 24 * (200 + 9 + 2) + 9 * 24, 3);
    test("half_grad", 3 * 48 * (70 + 48 + 2), 1);
    testConstant("constant", "argument");
    testConstant("constant_grad", "argument_grad");
  }
  rnnrt_call_release(call);
  rnnrt_device_release(device);
  printf(rnnrt_memory_live_bytes() ? "bytes left\n" : "no bytes left\n");
  return 0;
}
