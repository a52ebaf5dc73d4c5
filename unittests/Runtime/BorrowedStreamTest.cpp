// BorrowedStreamTest.cpp - streams and memory of another library on the fake driver: order, ownership, contexts, the
// allocator for scratch memory, calls that refuse to wait, and a failure of each driver call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaSupport.h"
#include "Scratch.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace rnntest;
using namespace rnnrt::cuda;

namespace {

using Lines = std::vector<std::string>;

/// A function of the fake driver.
template <typename Function> Function driver(const char *name) {
  static void *library = dlopen(RNN_FAKE_CUDA_DIRECTORY "/libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Function>(dlsym(library, name));
}

CUcontext currentContext() {
  CUcontext context = nullptr;
  driver<CUresult (*)(CUcontext *)>("cuCtxGetCurrent")(&context);
  return context;
}

/// Another library: it retains the primary context of a GPU and has streams in it. Its context is current only while it
/// creates a stream, as in XLA.
class Library {
public:
  explicit Library(int ordinal = 0) : ordinal(ordinal) {
    driver<CUresult (*)(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, ordinal);
  }
  ~Library() {
    for (CUstream stream : streams)
      driver<CUresult (*)(CUstream)>("cuStreamDestroy_v2")(stream);
    driver<CUresult (*)(CUdevice)>("cuDevicePrimaryCtxRelease_v2")(ordinal);
  }
  CUstream makeStream() {
    CUcontext popped;
    CUstream stream = nullptr;
    driver<CUresult (*)(CUcontext)>("cuCtxPushCurrent_v2")(context);
    driver<CUresult (*)(CUstream *, unsigned)>("cuStreamCreate")(&stream, 1);
    driver<CUresult (*)(CUcontext *)>("cuCtxPopCurrent_v2")(&popped);
    streams.push_back(stream);
    return stream;
  }

private:
  const int ordinal;
  CUcontext context = nullptr;
  std::vector<CUstream> streams;
};

/// A call on a stream of the other library.
struct BorrowedCall {
  BorrowedCall(rnnrt_device_t *device, void *native, Scratch *scratch = nullptr,
               int32_t waits = RNNRT_HOST_WAITS_REFUSED) {
    rnnrt_allocator_t allocator{};
    if (scratch)
      allocator = scratch->get();
    rnnrt_stream_t *stream = nullptr;
    creation = take(rnnrt_stream_borrow(device, native, scratch ? &allocator : nullptr, &stream));
    rnnrt_call_options_t options;
    rnnrt_call_options_init(&options);
    options.host_waits = waits;
    if (creation.empty())
      creation = take(rnnrt_call_create(device, stream, &options, &call));
    rnnrt_stream_release(stream); // the call keeps it
  }
  ~BorrowedCall() { rnnrt_call_release(call); }
  BorrowedCall(const BorrowedCall &) = delete;
  std::string failure() const {
    return creation.empty() ? take(rnnrt_status_clone(rnnrt_call_status(call))) : creation;
  }

  rnnrt_call_t *call = nullptr;
  std::string creation;
};

class BorrowedStreamTest : public CudaTest {
protected:
  size_t numWaits() const { return fake.lines("cuStreamSynchronize").size() + fake.lines("cuCtxSynchronize").size(); }
};

char code[] = "\177ELF chip=sm_90a kernels=step";

/// Temporary memory, a copy, and a kernel.
void work(rnnrt_call_t *call, void *kernels) {
  rnnrt_abi_make_current(call);
  const float values[4] = {1, 2, 3, 4};
  void *buffer = rnnrt_abi_alloc(call, sizeof(values));
  rnnrt_abi_copy(call, values, buffer, sizeof(values));
  rnnrt_abi_gpu_launch(rnnrt_abi_gpu_module_get_function(kernels, "step"), 0, 0, 0, 1, 1, 1, 32, 1, 1, 0, nullptr, 0);
  rnnrt_abi_free(call, buffer);
}

//===-- Order and ownership --------------------------------------------------------------------------------------===//

TEST_F(BorrowedStreamTest, WorkIsEnqueuedOnTheStreamOfTheLibrary) {
  CudaCall cuda;
  Library library;
  CUstream native = library.makeStream(); // stream 3
  void *kernels = rnnrt_abi_gpu_module_load(code, sizeof(code));
  {
    BorrowedCall borrowed(cuda.device, native);
    ASSERT_EQ(borrowed.failure(), "");
    EXPECT_EQ(rnnrt_stream_native(rnnrt_call_stream(borrowed.call)), native);
    EXPECT_EQ(rnnrt_stream_device(rnnrt_call_stream(borrowed.call)), cuda.device);
    fake.fake_cuda_reset();
    work(borrowed.call, kernels);
    EXPECT_EQ(borrowed.failure(), "");
  }
  Lines lines = fake.lines("cu");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "cuMemAllocFromPoolAsync stream=3 bytes=16");
  EXPECT_EQ(lines[1], "cuMemcpyAsync stream=3 bytes=16");
  EXPECT_EQ(lines[2].rfind("cuModuleLoadDataEx", 0), 0u) << lines[2]; // the first launch
  EXPECT_EQ(lines[3].rfind("cuLaunchKernelEx stream=3", 0), 0u) << lines[3];
  EXPECT_EQ(lines[4], "cuMemFreeAsync stream=3 bytes=16");
  EXPECT_EQ(numWaits(), 0u);
  // The call destroyed no stream, and no context is current, as before the call.
  EXPECT_EQ(fake.fake_cuda_live("stream"), 3);
  EXPECT_EQ(currentContext(), nullptr);
  rnnrt_abi_gpu_module_unload(kernels);
}

TEST_F(BorrowedStreamTest, TwoStreamsAreIndependent) {
  CudaCall cuda;
  Library library;
  CUstream natives[] = {library.makeStream(), library.makeStream()}; // streams 3 and 4
  void *kernels = rnnrt_abi_gpu_module_load(code, sizeof(code));
  {
    BorrowedCall first(cuda.device, natives[0]), second(cuda.device, natives[1]), again(cuda.device, natives[0]);
    work(first.call, kernels);
    fake.fake_cuda_reset();
    std::thread other([&] { work(second.call, kernels); });
    other.join();
    for (const std::string &line : fake.lines("cuMem"))
      EXPECT_NE(line.find("stream=4"), std::string::npos) << line;
    EXPECT_EQ(fake.lines("cuLaunchKernelEx stream=4").size(), 1u);
    fake.fake_cuda_reset();
    work(again.call, kernels);
    EXPECT_EQ(fake.lines("cuLaunchKernelEx stream=3").size(), 1u);
    EXPECT_EQ(first.failure() + second.failure() + again.failure(), "");
  }
  EXPECT_EQ(numWaits(), 0u);
  rnnrt_abi_gpu_module_unload(kernels);
}

TEST_F(BorrowedStreamTest, NullIsTheLegacyDefaultStream) {
  CudaCall cuda;
  BorrowedCall borrowed(cuda.device, nullptr);
  ASSERT_EQ(borrowed.failure(), "");
  EXPECT_EQ(rnnrt_stream_native(rnnrt_call_stream(borrowed.call)), reinterpret_cast<void *>(1));
  fake.fake_cuda_reset();
  void *buffer = rnnrt_abi_alloc(borrowed.call, 8);
  rnnrt_abi_free(borrowed.call, buffer);
  EXPECT_EQ(take(rnnrt_stream_synchronize(rnnrt_call_stream(borrowed.call))), "");
  EXPECT_EQ(fake.lines(), (Lines{"cuMemAllocFromPoolAsync stream=0 bytes=8", "cuMemFreeAsync stream=0 bytes=8",
                                 "cuStreamSynchronize stream=0"}));
}

TEST_F(BorrowedStreamTest, MemoryOfTheLibraryIsAnArgument) {
  CudaCall cuda;
  Library library;
  rnnrt_stream_t *stream = nullptr;
  ASSERT_EQ(take(rnnrt_stream_borrow(cuda.device, library.makeStream(), nullptr, &stream)), "");
  // Memory that the runtime has not allocated: copied, and not freed.
  float source[4] = {1, 2, 3, 4}, target[4] = {};
  EXPECT_EQ(take(rnnrt_memory_copy(cuda.device, stream, target, source, sizeof(source))), "");
  EXPECT_EQ(target[3], 4);
  EXPECT_EQ(take(rnnrt_memory_free(cuda.device, source)),
            "INVALID_ARGUMENT: the pointer was not allocated on this device, or was freed already");
  rnnrt_stream_release(stream);
}

TEST_F(BorrowedStreamTest, EventsOrderOtherStreamsAfterIt) {
  CudaCall cuda(/*ownStream=*/true); // stream 3
  Library library;
  rnnrt_stream_t *stream = nullptr;
  ASSERT_EQ(take(rnnrt_stream_borrow(cuda.device, library.makeStream(), nullptr, &stream)), "");
  rnnrt_event_t *event = nullptr;
  ASSERT_EQ(take(rnnrt_event_create(cuda.device, &event)), "");
  fake.fake_cuda_reset();
  EXPECT_EQ(take(rnnrt_event_record(event, stream)), "");
  EXPECT_EQ(take(rnnrt_event_wait(event, cuda.stream)), "");
  EXPECT_EQ(fake.lines(), (Lines{"cuEventRecord stream=4", "cuStreamWaitEvent stream=3"}));
  rnnrt_event_release(event);
  rnnrt_stream_release(stream);
}

TEST_F(BorrowedStreamTest, AWavefrontStartsAndEndsOnIt) {
  CudaCall cuda;
  Library library;
  BorrowedCall borrowed(cuda.device, library.makeStream()); // stream 3
  fake.fake_cuda_reset();
  rnnrt_abi_make_current(borrowed.call);
  rnnrt_abi_wavefront_begin(borrowed.call, 2, 2, 64, 0);
  rnnrt_abi_wavefront_task(borrowed.call, 0, 0);
  rnnrt_abi_wavefront_task(borrowed.call, 1, 0);
  rnnrt_abi_wavefront_end(borrowed.call);
  EXPECT_EQ(borrowed.failure(), "");
  const Lines records = fake.lines("cuEventRecord"), waits = fake.lines("cuStreamWaitEvent");
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front(), "cuEventRecord stream=3");
  EXPECT_EQ(waits.back(), "cuStreamWaitEvent stream=3");
  EXPECT_EQ(numWaits(), 0u);
}

//===-- Invalid streams ------------------------------------------------------------------------------------------===//

TEST_F(BorrowedStreamTest, StreamsOfOtherDevicesAreRefused) {
  fake.fake_cuda_set_devices(2);
  CudaCall cuda, host(false, "host");
  Library library(1);
  rnnrt_stream_t *stream = nullptr;
  EXPECT_EQ(take(rnnrt_stream_borrow(cuda.device, library.makeStream(), nullptr, &stream)),
            "INVALID_ARGUMENT: expects `native` to be a stream of the primary context of `cuda:0`, but it belongs to "
            "another GPU or context; create the device of that GPU");
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(take(rnnrt_stream_borrow(host.device, nullptr, nullptr, &stream)),
            "UNIMPLEMENTED: device `host` has no native streams; borrow streams on a device `cuda`");
  EXPECT_EQ(take(rnnrt_stream_borrow(nullptr, nullptr, nullptr, &stream)),
            "INVALID_ARGUMENT: expects `device`, but got a null pointer");
  EXPECT_EQ(take(rnnrt_stream_borrow(cuda.device, nullptr, nullptr, nullptr)),
            "INVALID_ARGUMENT: expects `out_stream`, but got a null pointer");
  Scratch scratch;
  rnnrt_allocator_t half = scratch.get();
  half.release = nullptr;
  EXPECT_EQ(take(rnnrt_stream_borrow(cuda.device, nullptr, &half, &stream)),
            "INVALID_ARGUMENT: expects both functions of `scratch` or none");
  // A call of one device cannot use the stream of another one.
  CudaCall second(false, "cuda:1");
  ASSERT_EQ(take(rnnrt_stream_borrow(second.device, library.makeStream(), nullptr, &stream)), "");
  rnnrt_call_t *call = nullptr;
  EXPECT_EQ(take(rnnrt_call_create(cuda.device, stream, nullptr, &call)),
            "INVALID_ARGUMENT: expects `stream` to belong to `device`");
  rnnrt_stream_release(stream);
}

TEST_F(BorrowedStreamTest, ADestroyedStreamIsAnErrorWhereTheDriverDetectsIt) {
  CudaCall cuda;
  CUstream native;
  {
    Library library;
    native = library.makeStream();
  }
  rnnrt_stream_t *stream = nullptr;
  EXPECT_EQ(take(rnnrt_stream_borrow(cuda.device, native, nullptr, &stream)),
            "INVALID_ARGUMENT: expects `native` to be a stream of the primary context of `cuda:0`, but it is no live "
            "stream");
  EXPECT_EQ(stream, nullptr);
  EXPECT_NE(std::string(fake.fake_cuda_misuse()), "");
  fake.fake_cuda_reset();
}

TEST_F(BorrowedStreamTest, OptionsAreChecked) {
  CudaCall cuda;
  EXPECT_EQ(BorrowedCall(cuda.device, nullptr, nullptr, 2).failure(),
            "INVALID_ARGUMENT: expects `host_waits` to be in [0, 1], but got 2");
}

//===-- Scratch memory -------------------------------------------------------------------------------------------===//

TEST_F(BorrowedStreamTest, ScratchMemoryIsThatOfTheLibrary) {
  CudaCall cuda;
  Library library;
  Scratch scratch;
  CUcontext context = nullptr;
  scratch.onAllocation = [&] { context = currentContext(); };
  BorrowedCall borrowed(cuda.device, library.makeStream(), &scratch);
  fake.fake_cuda_reset();
  void *buffer = rnnrt_abi_alloc(borrowed.call, 100), *empty = rnnrt_abi_alloc(borrowed.call, 0);
  EXPECT_EQ(borrowed.failure(), "");
  EXPECT_EQ(scratch.live[buffer], 256u);
  EXPECT_EQ(scratch.live[empty], 256u);
  EXPECT_NE(context, nullptr);
  rnnrt_memory_stats_t stats;
  ASSERT_EQ(take(rnnrt_memory_stats(cuda.device, &stats)), "");
  EXPECT_EQ(stats.live_bytes, 100);
  // Only the stream knows its allocator.
  EXPECT_EQ(take(rnnrt_memory_free(cuda.device, buffer)),
            "INVALID_ARGUMENT: the pointer belongs to the allocator of a borrowed stream; free it on that stream");
  rnnrt_abi_free(borrowed.call, empty);
  rnnrt_abi_free(borrowed.call, buffer);
  EXPECT_EQ(borrowed.failure(), "");
  EXPECT_TRUE(scratch.live.empty());
  EXPECT_EQ(fake.lines("cuMemAlloc").size() + fake.lines("cuMemFree").size(), 0u);
  // Memory of the device itself may be freed on the stream.
  void *own = nullptr;
  ASSERT_EQ(take(rnnrt_memory_alloc(cuda.device, 64, &own)), "");
  rnnrt_abi_free(borrowed.call, own);
  EXPECT_EQ(borrowed.failure(), "");
}

TEST_F(BorrowedStreamTest, ExhaustedScratchMemoryIsAStatus) {
  CudaCall cuda;
  Library library;
  Scratch scratch;
  scratch.left = 1;
  BorrowedCall borrowed(cuda.device, library.makeStream(), &scratch);
  void *buffer = rnnrt_abi_alloc(borrowed.call, 100);
  EXPECT_EQ(rnnrt_abi_alloc(borrowed.call, 200), nullptr);
  EXPECT_EQ(borrowed.failure(),
            "RESOURCE_EXHAUSTED: the allocator of the borrowed stream has not enough memory for 200 "
            "bytes on `Fake GPU 0`");
  rnnrt_abi_free(borrowed.call, buffer);
  EXPECT_TRUE(scratch.live.empty());
}

TEST_F(BorrowedStreamTest, ResultsCannotComeFromScratchMemory) {
  static const int64_t shape[] = {4};
  static const rnnrt_argument_t result = {"y", shape, RNNRT_DTYPE_F32, 1, RNNRT_ARGUMENT_TENSOR, 0, nullptr};
  static const rnnrt_function_t function = {
      RNNRT_ABI_VERSION, RNNRT_FUNCTION_DEVICE_MEMORY, "main", nullptr, &result, 0, 1, nullptr};
  CudaCall cuda;
  Library library;
  Scratch scratch;
  CUstream native = library.makeStream();
  rnnrt_tensor_t tensor;
  rnnrt_tensor_t *outputs[] = {&tensor};
  void *slots[] = {nullptr};
  BorrowedCall borrowed(cuda.device, native, &scratch), plain(cuda.device, native);
  EXPECT_EQ(rnnrt_abi_enter(borrowed.call, &function, nullptr, 0, outputs, 1, slots), 0);
  EXPECT_EQ(borrowed.failure(),
            "FAILED_PRECONDITION: `main` returns tensors, but the borrowed stream of the call has an "
            "allocator, whose memory ends with the call; write to memref arguments instead");
  EXPECT_EQ(rnnrt_abi_enter(plain.call, &function, nullptr, 0, outputs, 1, slots), 1);
}

//===-- Calls that refuse to wait --------------------------------------------------------------------------------===//

TEST_F(BorrowedStreamTest, ReadsOfElementsAreRefused) {
  CudaCall cuda;
  Library library;
  CUstream native = library.makeStream();
  BorrowedCall refuses(cuda.device, native), allows(cuda.device, native, nullptr, RNNRT_HOST_WAITS_ALLOWED);
  const int32_t value = 7;
  int32_t read = 1;
  rnnrt_abi_read(refuses.call, &value, &read, sizeof(read));
  EXPECT_EQ(refuses.failure(),
            "FAILED_PRECONDITION: compiled code reads elements of a tensor on the host, but the call "
            "refuses to wait for the device (host_waits)");
  EXPECT_EQ(read, 0);
  EXPECT_EQ(numWaits(), 0u);
  rnnrt_abi_read(allows.call, &value, &read, sizeof(read));
  EXPECT_EQ(allows.failure(), "");
  EXPECT_EQ(read, 7);
  EXPECT_EQ(numWaits(), 1u);
}

TEST_F(BorrowedStreamTest, RegisteredMemoryIsRefused) {
  CudaCall cuda;
  BorrowedCall borrowed(cuda.device, nullptr);
  std::vector<float> memory(16);
  struct {
    float *allocated, *aligned;
    int64_t offset, size, stride;
  } memref{memory.data(), memory.data(), 0, 16, 1};
  rnnrt_abi_make_current(borrowed.call);
  rnnrt_abi_gpu_mem_host_register_memref(1, &memref, 4);
  rnnrt_abi_gpu_stream_synchronize(rnnrt_abi_gpu_stream_create());
  EXPECT_EQ(borrowed.failure().rfind("FAILED_PRECONDITION: compiled code reads registered host memory", 0), 0u)
      << borrowed.failure();
  rnnrt_abi_gpu_mem_host_unregister_memref(1, &memref, 4);
  EXPECT_EQ(numWaits(), 0u);
}

/// The lengths of compiled layers are checked only by calls that may wait.
TEST_F(BorrowedStreamTest, CompiledLayersDoNotReadLengths) {
  CudaCall cuda;
  BorrowedCall refuses(cuda.device, nullptr), allows(cuda.device, nullptr, nullptr, RNNRT_HOST_WAITS_ALLOWED);
  for (rnnrt_call_t *call : {refuses.call, allows.call}) {
    rnnrt_plan_t *plan =
        rnnrt_abi_rnn_fused_plan(call, RNNRT_DTYPE_F32, 3, 0, 0, /*training=*/1, 0, 0, 0, 0, 3, 2, 4, 5, 5, 1);
    const int64_t params = rnnrt_abi_rnn_params_size(call, plan), bytes = rnnrt_abi_rnn_reserve_size(call, plan);
    void *reserve = rnnrt_abi_alloc(call, bytes), *lengths = rnnrt_abi_alloc(call, 8);
    const int32_t tooLong[] = {3, 4};
    rnnrt_abi_copy(call, tooLong, lengths, 8);
    fake.fake_cuda_reset();
    const auto *onDevice = static_cast<const int32_t *>(lengths);
    EXPECT_EQ(rnnrt_abi_rnn_begin(call, /*pass=*/1, plan, onDevice, params, reserve, bytes), call == refuses.call);
    EXPECT_EQ(numWaits(), call == refuses.call ? 0u : 1u);
    rnnrt_abi_free(call, lengths);
    rnnrt_abi_free(call, reserve);
  }
  EXPECT_EQ(refuses.failure(), "");
  EXPECT_NE(allows.failure().find("expects element 1 of `lengths` to be in [0, T = 3], but got 4"), std::string::npos);
}

//===-- Failures -------------------------------------------------------------------------------------------------===//

TEST_F(BorrowedStreamTest, EveryCallFailsOnce) {
  void *kernels = rnnrt_abi_gpu_module_load(code, sizeof(code));
  Library library;
  CUstream native = library.makeStream();
  const int64_t before = fake.fake_cuda_live(nullptr);
  auto run = [&] {
    rnnrt_device_t *device = nullptr;
    std::string failure = take(rnnrt_device_create("cuda", nullptr, &device));
    if (device) {
      Scratch scratch;
      for (Scratch *used : {&scratch, static_cast<Scratch *>(nullptr)}) {
        BorrowedCall borrowed(device, native, used);
        if (borrowed.call)
          work(borrowed.call, kernels);
        failure += borrowed.failure();
      }
      EXPECT_TRUE(scratch.live.empty());
      rnnrt_device_release(device);
    }
    return failure;
  };
  EXPECT_EQ(run(), ""); // loads the driver
  fake.fake_cuda_reset();
  EXPECT_EQ(run(), "");
  const int64_t calls = fake.fake_cuda_calls();
  int64_t noticed = 0;
  for (int64_t n = 0; n < calls; ++n) {
    fake.fake_cuda_reset();
    fake.fake_cuda_fail_nth(n, CUDA_ERROR_UNKNOWN);
    noticed += !run().empty();
    EXPECT_EQ(fake.fake_cuda_live(nullptr), before) << "call " << n << ", " << fake.fake_cuda_failed();
    EXPECT_STREQ(fake.fake_cuda_misuse(), "") << "call " << n << ", " << fake.fake_cuda_failed();
  }
  EXPECT_GT(noticed, calls / 2);
  fake.fake_cuda_reset();
  EXPECT_EQ(run(), "");
  rnnrt_abi_gpu_module_unload(kernels);
}

} // namespace
