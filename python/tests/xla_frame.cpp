// xla_frame.cpp - calls the CUDA handler of native/xla as XLA does: with call frames made by hand, a stream and an
// allocator of XLA's, on the fake driver and cuDNN. test_jax_cuda.py compiles it with the headers that JAX brings.
//
//   xla_frame HANDLER PLANS KERNELS HOST FAKES
//
// HANDLER is librnn_mlir_xla.so. PLANS, KERNELS and HOST are the layer gru of f32 compiled for cuDNN, as GPU kernels,
// and for the host; FAKES is the folder of the fakes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/api.h"
#include "xla/ffi/api/c_api.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

static int failures = 0;

#define EXPECT(condition, ...)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      ++failures;                                                                                                      \
      std::printf("line %d: %s: ", __LINE__, #condition);                                                              \
      std::printf(__VA_ARGS__);                                                                                        \
      std::printf("\n");                                                                                               \
    }                                                                                                                  \
  } while (false)

//===-- XLA ------------------------------------------------------------------------------------------------------===//

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  std::string message;
};
struct XLA_FFI_ExecutionContext {
  void *stream;
  int32_t ordinal;
  size_t allocations = 0, limit = SIZE_MAX;
  std::map<void *, size_t> live;
};

static XLA_FFI_Api makeApi() {
  XLA_FFI_Api api = {};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
  api.XLA_FFI_Error_Create = [](XLA_FFI_Error_Create_Args *args) {
    return new XLA_FFI_Error{args->errc, args->message};
  };
  api.XLA_FFI_Error_GetMessage = [](XLA_FFI_Error_GetMessage_Args *args) {
    args->message = args->error->message.c_str();
  };
  api.XLA_FFI_Error_Destroy = [](XLA_FFI_Error_Destroy_Args *args) { delete args->error; };
  api.XLA_FFI_Stream_Get = [](XLA_FFI_Stream_Get_Args *args) -> XLA_FFI_Error * {
    args->stream = args->ctx->stream;
    return nullptr;
  };
  api.XLA_FFI_DeviceOrdinal_Get = [](XLA_FFI_DeviceOrdinal_Get_Args *args) -> XLA_FFI_Error * {
    args->device_ordinal = args->ctx->ordinal;
    return nullptr;
  };
  api.XLA_FFI_DeviceMemory_Allocate = [](XLA_FFI_DeviceMemory_Allocate_Args *args) -> XLA_FFI_Error * {
    XLA_FFI_ExecutionContext &context = *args->ctx;
    if (context.allocations >= context.limit)
      return new XLA_FFI_Error{XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "out of memory"};
    ++context.allocations;
    args->data = std::aligned_alloc(args->alignment, args->size);
    std::memset(args->data, 0xff, args->size);
    context.live[args->data] = args->size;
    return nullptr;
  };
  api.XLA_FFI_DeviceMemory_Free = [](XLA_FFI_DeviceMemory_Free_Args *args) -> XLA_FFI_Error * {
    EXPECT(args->ctx->live[args->data] == args->size, "freed with %zu bytes", args->size);
    args->ctx->live.erase(args->data);
    std::free(args->data);
    return nullptr;
  };
  return api;
}

struct Buffer {
  Buffer(XLA_FFI_DataType dtype, std::vector<int64_t> dims, void *data)
      : dims(std::move(dims)),
        buffer{XLA_FFI_Buffer_STRUCT_SIZE, nullptr, dtype, data, int64_t(this->dims.size()), this->dims.data()} {}
  Buffer(const Buffer &) = delete;
  std::vector<int64_t> dims;
  XLA_FFI_Buffer buffer;
};

/// A call frame of one stage.
static XLA_FFI_Error *callHandler(XLA_FFI_Handler *handler, XLA_FFI_ExecutionStage stage,
                                  XLA_FFI_ExecutionContext &context, const std::string &module,
                                  const std::string &function, int64_t key, int64_t reserve,
                                  std::vector<Buffer *> inputs, std::vector<Buffer *> outputs) {
  static const XLA_FFI_Api api = makeApi();
  XLA_FFI_ByteSpan texts[] = {{function.data(), function.size()}, {module.data(), module.size()}};
  XLA_FFI_Scalar scalars[] = {{XLA_FFI_DataType_S64, &key}, {XLA_FFI_DataType_S64, &reserve}};
  // Sorted by name.
  XLA_FFI_ByteSpan names[] = {{"function", 8}, {"key", 3}, {"module", 6}, {"reserve", 7}};
  XLA_FFI_ByteSpan *namePointers[] = {&names[0], &names[1], &names[2], &names[3]};
  XLA_FFI_AttrType attrTypes[] = {XLA_FFI_AttrType_STRING, XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_STRING,
                                  XLA_FFI_AttrType_SCALAR};
  void *attrs[] = {&texts[0], &scalars[0], &texts[1], &scalars[1]};
  std::vector<XLA_FFI_ArgType> argTypes(inputs.size(), XLA_FFI_ArgType_BUFFER);
  std::vector<XLA_FFI_RetType> retTypes(outputs.size(), XLA_FFI_RetType_BUFFER);
  std::vector<void *> args, rets;
  for (Buffer *input : inputs)
    args.push_back(&input->buffer);
  for (Buffer *output : outputs)
    rets.push_back(&output->buffer);
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &api;
  frame.ctx = &context;
  frame.stage = stage;
  frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, int64_t(args.size()), argTypes.data(), args.data()};
  frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, int64_t(rets.size()), retTypes.data(), rets.data()};
  frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 4, attrTypes, namePointers, attrs};
  return handler(&frame);
}

/// "CODE: message"; "" for success.
static std::string textOf(XLA_FFI_Error *error) {
  const std::string text = error ? std::to_string(error->code) + ": " + error->message : "";
  delete error;
  return text;
}

//===-- The fake driver ------------------------------------------------------------------------------------------===//

static void *fakeDriver;
template <typename Function> static Function fake(const char *name) {
  void *address = dlsym(fakeDriver, name);
  if (!address) {
    std::printf("no %s\n", name);
    std::exit(2);
  }
  return reinterpret_cast<Function>(address);
}

/// The stream of another library in the primary context of a GPU.
static void *makeStream(int ordinal) {
  void *context = nullptr, *stream = nullptr;
  fake<int (*)(void **, int)>("cuDevicePrimaryCtxRetain")(&context, ordinal);
  fake<int (*)(void *)>("cuCtxPushCurrent_v2")(context);
  fake<int (*)(void **, unsigned)>("cuStreamCreate")(&stream, 1);
  fake<int (*)(void **)>("cuCtxPopCurrent_v2")(&context);
  return stream;
}

static size_t countLines(const std::string &text) {
  const std::string log = fake<const char *(*)()>("fake_cuda_log")();
  size_t count = 0;
  for (size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1))
    ++count;
  return count;
}

//===-- Tests ----------------------------------------------------------------------------------------------------===//

static const char *paths[2]; // of PLANS and KERNELS
static std::string resolved; // what the handler resolved, as "kernels on cuda:0\n"

static int firstGpu = 0; // of this process

static int resolve(const char *module, const char *device, char *answer, int size) {
  const bool plans = !std::strcmp(module, "plans"), known = plans || !std::strcmp(module, "kernels");
  resolved += std::string(module) + " on " + device + "\n";
  std::snprintf(answer, size_t(size), "%s", known ? paths[plans ? 0 : 1] : "no such module");
  return known ? 0 : 1;
}

/// T=3, B=2, I=4, H=5.
struct Layer {
  std::vector<float> x = fill(24), h0 = fill(10), params = fill(165);
  std::vector<float> y = std::vector<float>(30), hn = std::vector<float>(10);
  std::vector<int32_t> lengths = {3, 2};
  std::vector<char> reserve = std::vector<char>(1 << 14);

  static std::vector<float> fill(size_t count) {
    std::vector<float> values(count);
    for (size_t k = 0; k < count; ++k)
      values[k] = std::sin(float(k));
    return values;
  }
};

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  paths[0] = argv[2];
  paths[1] = argv[3];
  void *library = dlopen(argv[1], RTLD_NOW);
  fakeDriver = dlopen((std::string(argv[5]) + "/libcuda.so.1").c_str(), RTLD_NOW);
  if (!library || !fakeDriver) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  auto *instantiate = reinterpret_cast<XLA_FFI_Handler *>(dlsym(library, "rnn_mlir_xla_instantiate_cuda"));
  auto *initialize = reinterpret_cast<XLA_FFI_Handler *>(dlsym(library, "rnn_mlir_xla_initialize_cuda"));
  auto *execute = reinterpret_cast<XLA_FFI_Handler *>(dlsym(library, "rnn_mlir_xla_execute_cuda"));
  reinterpret_cast<void (*)(void *, void *)>(dlsym(library, "rnn_mlir_xla_set_callbacks"))(
      reinterpret_cast<void *>(resolve), reinterpret_cast<void *>(+[] { return firstGpu; }));
  const auto reset = fake<void (*)()>("fake_cuda_reset");
  fake<void (*)(int32_t)>("fake_cuda_set_devices")(2);

  Layer layer;
  Buffer x(XLA_FFI_DataType_F32, {3, 2, 4}, layer.x.data()), h0(XLA_FFI_DataType_F32, {1, 2, 5}, layer.h0.data()),
      params(XLA_FFI_DataType_F32, {165}, layer.params.data()), y(XLA_FFI_DataType_F32, {3, 2, 5}, layer.y.data()),
      hn(XLA_FFI_DataType_F32, {1, 2, 5}, layer.hn.data()),
      reserve(XLA_FFI_DataType_S8, {2, 1 << 13}, layer.reserve.data());
  XLA_FFI_ExecutionContext context{makeStream(0), 0};
  const std::vector<Buffer *> inputs = {&x, &h0, &params}, states = {&y, &hn};

  // The stage of the executable has no stream.
  XLA_FFI_ExecutionContext none{nullptr, -1};
  auto make = [&](const char *module, const char *function, int64_t key) {
    return textOf(callHandler(instantiate, XLA_FFI_ExecutionStage_INSTANTIATE, none, module, function, key, 0, {}, {}));
  };
  auto prepare = [&](XLA_FFI_ExecutionContext &on, const char *module, const char *function, int64_t key) {
    return textOf(
        callHandler(initialize, XLA_FFI_ExecutionStage_INITIALIZE, on, module, function, key, 0, inputs, states));
  };
  auto run = [&](XLA_FFI_ExecutionContext &on, const char *module, const char *function, int64_t key, int64_t bytes,
                 std::vector<Buffer *> outputs) {
    return textOf(
        callHandler(execute, XLA_FFI_ExecutionStage_EXECUTE, on, module, function, key, bytes, inputs, outputs));
  };
  auto expect = [](const std::string &got, const std::string &start) {
    EXPECT(start.empty() ? got.empty() : got.rfind(start, 0) == 0, "got `%s`, expected `%s`", got.c_str(),
           start.c_str());
  };
  expect(make("plans", "inference", 1), "");
  expect(make("plans", "inference", 1), "");
  expect(make("kernels", "inference", 1), "3: rnn-mlir: two modules have one key");
  expect(make("kernels", "forward", 2), "");
  expect(make("other", "forward", 3), "3: rnn-mlir: no such module");
  expect(make("plans", "nothing", 4), "3: rnn-mlir: " + std::string(paths[0]) + ": has no function nothing");
  expect(run(context, "other", "forward", 3, 0, states), "3: rnn-mlir: the module was not instantiated");
  EXPECT(resolved == "plans on cuda:0\nkernels on cuda:0\nother on cuda:0\nplans on cuda:0\n", "%s", resolved.c_str());

  // The results of cuDNN plans, which the fake computes, are those of the host.
  expect(run(context, "plans", "inference", 1, 0, states), "");
  rnnrt_device_t *host = nullptr;
  rnnrt_call_t *call = nullptr;
  rnnrt_status_release(rnnrt_device_create("host", nullptr, &host));
  rnnrt_status_release(rnnrt_call_create(host, nullptr, nullptr, &call));
  void *compiled = dlopen(argv[4], RTLD_NOW);
  auto *exports = compiled ? static_cast<const rnnrt_exports_t *>(dlsym(compiled, "rnn_exports")) : nullptr;
  if (!exports) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  Layer other;
  const int64_t shapes[][3] = {{3, 2, 4}, {1, 2, 5}, {165}, {3, 2, 5}, {1, 2, 5}};
  float *data[] = {other.x.data(), other.h0.data(), other.params.data(), other.y.data(), other.hn.data()};
  rnnrt_tensor_t tensors[5];
  const rnnrt_tensor_t *pointers[5];
  for (int k = 0; k < 5; ++k) {
    tensors[k] = rnnrt_tensor_make(data[k], RNNRT_DTYPE_F32, k == 2 ? 1 : 3, shapes[k]);
    pointers[k] = &tensors[k];
  }
  for (int k = 0; k < exports->num_functions; ++k)
    if (!std::strcmp(exports->functions[k]->name, "inference"))
      exports->functions[k]->entry(call, pointers, 5, nullptr, 0);
  expect(rnnrt_status_message(rnnrt_call_status(call)), "");
  for (size_t k = 0; k < layer.y.size(); ++k)
    EXPECT(std::abs(layer.y[k] - other.y[k]) <= 1e-6f, "y[%zu] is %g, expected %g", k, double(layer.y[k]),
           double(other.y[k]));
  EXPECT(other.y[29] != 0, "the host computed nothing");

  // A call of kernels enqueues them on XLA's stream (number 1 of the fake driver), takes temporary memory from XLA's
  // allocator, and does not wait.
  const int64_t bytes = [&] {
    rnnrt_call_reset(call);
    rnnrt_plan_t *plan = rnnrt_abi_rnn_fused_plan(call, RNNRT_DTYPE_F32, 3, 0, 0, 1, 0, 0, 0, 0, 3, 2, 4, 5, 5, 1);
    return rnnrt_abi_rnn_reserve_size(call, plan);
  }();
  reset();
  fake<void (*)(int32_t)>("fake_cuda_set_devices")(2);
  for (int repeat = 0; repeat < 2; ++repeat) // once
    expect(prepare(context, "kernels", "forward", 2), "");
  const size_t loads = countLines("cuModuleLoadDataEx");
  EXPECT(loads > 0 && countLines("cuFuncLoad") > 0, "%s", fake<const char *(*)()>("fake_cuda_log")());
  EXPECT(countLines("\n") == loads + countLines("cuFuncLoad"), "%s", fake<const char *(*)()>("fake_cuda_log")());
  expect(run(context, "kernels", "forward", 2, bytes, {&y, &hn, &reserve}), "");
  EXPECT(countLines("cuModuleLoadDataEx") == loads, "%s", fake<const char *(*)()>("fake_cuda_log")());
  reset();
  fake<void (*)(int32_t)>("fake_cuda_set_devices")(2);
  context.allocations = 0;
  expect(run(context, "kernels", "forward", 2, bytes, {&y, &hn, &reserve}), "");
  EXPECT(countLines("cuLaunchKernelEx stream=1 ") > 0, "%s", fake<const char *(*)()>("fake_cuda_log")());
  EXPECT(countLines("stream=1 ") == countLines("stream="), "%s", fake<const char *(*)()>("fake_cuda_log")());
  EXPECT(countLines("Synchronize") + countLines("cuMemAlloc") == 0, "%s", fake<const char *(*)()>("fake_cuda_log")());
  EXPECT(context.allocations > 0, "no memory of XLA was used");
  EXPECT(context.live.empty(), "%zu blocks of XLA are live", context.live.size());

  // Failures.
  context.limit = context.allocations;
  expect(run(context, "kernels", "forward", 2, bytes, {&y, &hn, &reserve}),
         "8: rnn-mlir: the allocator of the borrowed stream has not enough memory for");
  context.limit = SIZE_MAX;
  EXPECT(context.live.empty(), "%zu blocks of XLA are live", context.live.size());
  expect(run(context, "kernels", "forward", 2, bytes - 1, {&y, &hn, &reserve}), "3: rnn-mlir: ");
  expect(run(context, "plans", "inference", 1, 0, {&y, &y}), "3: rnn-mlir: ");
  XLA_FFI_ExecutionContext wrong{makeStream(1), 0}, missing{makeStream(1), 7};
  expect(run(wrong, "plans", "inference", 1, 0, states),
         "3: rnn-mlir: expects `native` to be a stream of the primary context of `cuda:0`");
  expect(run(missing, "plans", "inference", 1, 0, states), "14: rnn-mlir: device `cuda:7` is not available");
  expect(prepare(missing, "plans", "inference", 1), "14: rnn-mlir: device `cuda:7` is not available");

  // A GPU of another compute capability has a library of its own, one of the same shares it.
  fake<void (*)(int32_t)>("fake_cuda_set_devices")(3);
  fake<void (*)(int32_t, int32_t)>("fake_cuda_set_capability_of")(1, 80);
  XLA_FFI_ExecutionContext second{makeStream(1), 1}, third{makeStream(2), 2};
  resolved.clear();
  expect(run(second, "plans", "inference", 1, 0, states), "3: rnn-mlir: the module was not instantiated");
  expect(prepare(third, "plans", "inference", 1), "");
  EXPECT(resolved.empty(), "%s", resolved.c_str());
  expect(prepare(second, "plans", "inference", 1), "");
  expect(prepare(second, "kernels", "inference", 1), "3: rnn-mlir: two modules have one key");
  EXPECT(resolved == "plans on cuda:1\n", "%s", resolved.c_str());
  for (XLA_FFI_ExecutionContext *on : {&second, &third})
    expect(run(*on, "plans", "inference", 1, 0, states), "");

  // A process that uses other GPUs than the first one.
  firstGpu = 1;
  resolved.clear();
  expect(make("plans", "inference", 5), "");
  EXPECT(resolved == "plans on cuda:1\n", "%s", resolved.c_str());
  expect(fake<const char *(*)()>("fake_cuda_misuse")(), "");
  std::printf(failures ? "%d failures\n" : "passed\n", failures);
  std::fflush(stdout);
  _exit(failures != 0); // the devices of the handler live as long as the process
}
