// TvmFfiTest.cpp - the packed calling convention of tvm-ffi, with a fake of its functions in this program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TvmFfiLayouts.h"
#include "rnn_runtime/api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace rnntest;

namespace {

struct Bytes {
  const char *data;
  size_t size;
};
/// A tensor object: the header, then the tensor.
struct TensorObject {
  char header[24];
  DLTensor tensor;
};

std::string raisedKind, raisedMessage;
std::vector<DLManagedTensor *> owned;
int released = 0;

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  raisedKind = kind;
  raisedMessage = message;
}
FAKE int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t, int32_t, void **out) {
  owned.push_back(from);
  *out = from;
  return 0;
}
FAKE int TVMFFIObjectDecRef(void *) {
  ++released;
  return 0;
}
FAKE int TVMFFIFunctionGetGlobal(const Bytes *name, void **out) {
  EXPECT_EQ(std::string(name->data, name->size), "ffi.Array");
  static int function;
  *out = &function;
  return 0;
}
FAKE int TVMFFIFunctionCall(void *, Any *arguments, int32_t count, Any *result) {
  for (int32_t k = 0; k < count; ++k)
    EXPECT_EQ(arguments[k].type, 70);
  result->type = 71;
  result->integer = count;
  return 0;
}

namespace {

const int64_t vectorShape[1] = {-1};
const rnnrt_argument_t vectorArgument = {"x", vectorShape, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr};
const rnnrt_argument_t realArgument = {"s", nullptr, RNNRT_DTYPE_F32, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr};
const rnnrt_argument_t flagArgument = {"b", nullptr, RNNRT_DTYPE_I1, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr};

/// Doubles argument 0, with the scalar of argument 1 added; fails if that is negative.
void scale(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t, rnnrt_tensor_t *const *, int64_t) {
  const float add = *static_cast<const float *>(inputs[1]->data);
  if (add < 0)
    return rnnrt_call_fail(call, rnnrt_status_create(RNNRT_STATUS_INVALID_ARGUMENT, "expects no negative number"));
  auto *data = static_cast<float *>(inputs[0]->data);
  for (int64_t k = 0; k < inputs[0]->shape[0]; ++k)
    data[k] = 2 * data[k] + add;
}
const rnnrt_argument_t scaleInputs[] = {vectorArgument, realArgument};
const rnnrt_function_t scaleFunction = {RNNRT_ABI_VERSION, 0, "scale", scaleInputs, nullptr, 2, 0, scale};

/// Results of two elements, and then scalars.
void makeResults(rnnrt_call_t *, const rnnrt_tensor_t *const *, int64_t, rnnrt_tensor_t *const *outputs,
                 int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    const int64_t shape[] = {2};
    *outputs[k] = rnnrt_tensor_make(_mlir_memref_to_llvm_alloc(8), RNNRT_DTYPE_F32, 1, shape);
    outputs[k]->allocation = outputs[k]->data;
    static_cast<float *>(outputs[k]->data)[0] = float(k + 1);
  }
}
const rnnrt_argument_t resultArguments[] = {vectorArgument, vectorArgument};
const rnnrt_function_t oneResult = {RNNRT_ABI_VERSION, 0, "one", nullptr, resultArguments, 0, 1, makeResults};
const rnnrt_function_t twoResults = {RNNRT_ABI_VERSION, 0, "two", nullptr, resultArguments, 0, 2, makeResults};

void makeFlag(rnnrt_call_t *, const rnnrt_tensor_t *const *, int64_t, rnnrt_tensor_t *const *outputs, int64_t) {
  *outputs[0] = rnnrt_tensor_make(_mlir_memref_to_llvm_alloc(1), RNNRT_DTYPE_I1, 0, nullptr);
  outputs[0]->allocation = outputs[0]->data;
  *static_cast<uint8_t *>(outputs[0]->data) = 1;
}
const rnnrt_function_t flagResult = {RNNRT_ABI_VERSION, 0, "flag", nullptr, &flagArgument, 0, 1, makeFlag};

class TvmFfiTest : public ::testing::Test {
protected:
  void SetUp() override {
    raisedKind = raisedMessage = "";
    owned.clear();
    released = 0;
    arguments[0].type = 7;
    arguments[0].pointer = &tensor;
    arguments[1].type = 3;
    arguments[1].real = 0.5;
  }

  int32_t call(const rnnrt_function_t &function, int32_t count) {
    return rnnrt_abi_tvm_ffi_call(&function, arguments, count, &result);
  }
  /// Expects a failure whose message contains `part`.
  void expectError(const char *kind, const char *part, int32_t count = 2) {
    EXPECT_EQ(call(scaleFunction, count), -1);
    EXPECT_EQ(raisedKind, kind);
    EXPECT_NE(raisedMessage.find(part), std::string::npos) << raisedMessage;
    EXPECT_EQ(result.type, 0);
  }

  float data[3] = {1, 2, 3};
  int64_t shape[2] = {3, 1}, strides[2] = {1, 1};
  DLTensor tensor = {data, 1, 0, 1, 2, 32, 1, shape, nullptr, 0};
  Any arguments[2], result;
};

TEST_F(TvmFfiTest, WritesToTheTensor) {
  EXPECT_EQ(call(scaleFunction, 2), 0);
  EXPECT_EQ(data[2], 6.5f);
  EXPECT_EQ(result.type, 0);

  // A tensor object, with an offset and strides; an integer for a floating-point scalar.
  TensorObject object = {{}, {data, 1, 0, 1, 2, 32, 1, shape, strides, 4}};
  shape[0] = 2;
  arguments[0].type = 70;
  arguments[0].pointer = &object;
  arguments[1].type = 1;
  arguments[1].integer = 1;
  EXPECT_EQ(call(scaleFunction, 2), 0);
  EXPECT_EQ(data[0], 2.5f);
  EXPECT_EQ(data[2], 14.0f);
}

TEST_F(TvmFfiTest, Errors) {
  expectError("ValueError", "`scale` expects 2 argument(s), but got 1", 1);
  arguments[1].real = -1;
  expectError("ValueError", "expects no negative number");
  arguments[1].real = 0;
  EXPECT_EQ(call(scaleFunction, 2), 0) << "a failure ends with its call";

  tensor.deviceType = 2;
  expectError("ValueError", "argument 0 (`x`) of `scale` must be in host memory");
  tensor.deviceType = 1;
  tensor.bits = 64;
  expectError("ValueError", "argument 0 (`x`) of `scale` must have elements of type f32");
  rnnrt_argument_t nameless[] = {scaleInputs[0], scaleInputs[1]};
  nameless[0].name = nullptr;
  rnnrt_function_t function = scaleFunction;
  function.inputs = nameless;
  EXPECT_EQ(call(function, 2), -1);
  EXPECT_EQ(raisedMessage, "argument 0 of `scale` must have elements of type f32");
  tensor.bits = 32;
  tensor.strides = strides;
  strides[0] = 2;
  expectError("ValueError", "must be dense and row-major");
  tensor.strides = nullptr;
  tensor.rank = 9;
  expectError("ValueError", "more than 8 dimensions");
  tensor.rank = 1;
  arguments[0].type = 1;
  expectError("ValueError", "must be a tensor");
  arguments[0].type = 70;
  arguments[0].pointer = nullptr;
  expectError("ValueError", "must be a tensor");
  arguments[0].type = 7;
  expectError("ValueError", "must be a tensor");
  arguments[0].pointer = &tensor;
  tensor.shape = nullptr;
  expectError("ValueError", "argument 0 (`x`) of `scale` has no shape");
  tensor.shape = shape;
  arguments[1].type = 65;
  expectError("ValueError", "argument 1 (`s`) of `scale` must be a number");

  rnnrt_function_t old = scaleFunction;
  old.abi_version = 1;
  EXPECT_EQ(rnnrt_abi_tvm_ffi_call(&old, arguments, 2, &result), -1);
  EXPECT_NE(raisedMessage.find("recompile"), std::string::npos);
  old = scaleFunction;
  old.flags = RNNRT_FUNCTION_DEVICE_MEMORY;
  EXPECT_EQ(rnnrt_abi_tvm_ffi_call(&old, arguments, 2, &result), -1);
  EXPECT_NE(raisedMessage.find("argument 0 (`x`) of `scale` must be in CUDA device memory"), std::string::npos)
      << raisedMessage;
  EXPECT_EQ(rnnrt_abi_tvm_ffi_call(nullptr, arguments, 2, &result), -1);
  EXPECT_EQ(rnnrt_abi_tvm_ffi_call(&scaleFunction, nullptr, 2, &result), -1);
}

TEST_F(TvmFfiTest, IntegersFitTheirTypes) {
  const struct {
    int32_t dtype;
    int64_t least, most;
  } types[] = {{RNNRT_DTYPE_I1, 0, 1},
               {RNNRT_DTYPE_I8, -128, 127},
               {RNNRT_DTYPE_I16, -32768, 32767},
               {RNNRT_DTYPE_I32, INT32_MIN, INT32_MAX},
               {RNNRT_DTYPE_I64, INT64_MIN, INT64_MAX}};
  for (const auto &type : types) {
    const rnnrt_argument_t argument = {"k", nullptr, type.dtype, 0, RNNRT_ARGUMENT_SCALAR, 0, nullptr};
    const rnnrt_function_t function = {
        RNNRT_ABI_VERSION,
        0,
        "f",
        &argument,
        nullptr,
        1,
        0,
        [](rnnrt_call_t *, const rnnrt_tensor_t *const *, int64_t, rnnrt_tensor_t *const *, int64_t) {}};
    arguments[0].type = 1;
    for (int64_t value : {type.least, type.most}) {
      arguments[0].integer = value;
      EXPECT_EQ(call(function, 1), 0) << value;
    }
    if (type.dtype == RNNRT_DTYPE_I64)
      continue;
    for (int64_t value : {type.least - 1, type.most + 1, int64_t(1) << 40}) {
      arguments[0].integer = value;
      EXPECT_EQ(call(function, 1), -1) << value;
      EXPECT_NE(raisedMessage.find("argument 0 (`k`) of `f` must be of type i"), std::string::npos) << raisedMessage;
      EXPECT_NE(raisedMessage.find("but got " + std::to_string(value)), std::string::npos) << raisedMessage;
    }
  }
}

TEST_F(TvmFfiTest, Results) {
  const int64_t before = rnnrt_memory_live_bytes();
  EXPECT_EQ(call(oneResult, 0), 0);
  EXPECT_EQ(result.type, 70);
  ASSERT_EQ(owned.size(), 1u);
  EXPECT_EQ(static_cast<float *>(owned[0]->tensor.data)[0], 1);
  EXPECT_EQ(owned[0]->tensor.shape[0], 2);
  owned[0]->deleter(owned[0]);
  owned.clear();

  EXPECT_EQ(call(twoResults, 0), 0);
  EXPECT_EQ(result.type, 71);
  EXPECT_EQ(released, 3) << "the function `ffi.Array` and both elements, which the array holds";
  for (DLManagedTensor *tensor : owned)
    tensor->deleter(tensor);

  EXPECT_EQ(call(flagResult, 0), 0);
  EXPECT_EQ(result.type, 2);
  EXPECT_EQ(result.integer, 1);
  EXPECT_EQ(rnnrt_memory_live_bytes(), before);
}

} // namespace
