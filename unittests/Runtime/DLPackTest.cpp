// DLPackTest.cpp - unit tests of dlpack.h: owners of a tensor's memory, managed tensors, and capsules of a fake of
// Python. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TvmFfiLayouts.h"
#include "rnn_runtime/api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using rnntest::DLTensor;
using Plain = rnntest::DLManagedTensor;
/// DLManagedTensorVersioned of dlpack/dlpack.h.
struct Versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(Versioned *);
  uint64_t flags;
  DLTensor tensor;
};

/// A capsule of a Python without an interpreter.
struct Capsule {
  void *pointer;
  std::string name;
  void (*destructor)(void *);

  static bool fails, raisedMemoryError;
  static void *make(void *pointer, const char *name, void (*destructor)(void *)) {
    return fails ? nullptr : new Capsule{pointer, name, destructor};
  }
  static int isValid(void *capsule, const char *name) { return static_cast<Capsule *>(capsule)->name == name; }
  static void *getPointer(void *capsule, const char *name) {
    return isValid(capsule, name) ? static_cast<Capsule *>(capsule)->pointer : nullptr;
  }
  static void *noMemory() {
    raisedMemoryError = true;
    return nullptr;
  }
  static void destroy(void *capsule) {
    auto *self = static_cast<Capsule *>(capsule);
    self->destructor(self);
    delete self;
  }
};
bool Capsule::fails = false, Capsule::raisedMemoryError = false;

rnnrt_status_code_t codeOf(rnnrt_status_t status) {
  const rnnrt_status_code_t code = rnnrt_status_code(status);
  rnnrt_status_release(status);
  return code;
}

/// Memory of compiled code, or of a device.
class DLPackTest : public ::testing::TestWithParam<bool> {
protected:
  DLPackTest() {
    EXPECT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    before = liveBytes();
    const int64_t shape[] = {2, 4, 3};
    data = static_cast<float *>(GetParam() ? allocate(96) : _mlir_memref_to_llvm_alloc(96));
    tensor = rnnrt_tensor_make(data, RNNRT_DTYPE_F32, 3, shape);
    tensor.allocation = data;
    if (GetParam()) {
      tensor.device = device;
      rnnrt_device_retain(device);
    }
    EXPECT_EQ(rnnrt_tensor_share(&tensor, &shared), nullptr);
    rnnrt_capsule_functions_t functions = {Capsule::make, Capsule::isValid, Capsule::getPointer, Capsule::noMemory};
    EXPECT_EQ(rnnrt_dlpack_set_capsule_functions(&functions), nullptr);
  }
  ~DLPackTest() override { rnnrt_device_release(device); }

  void *allocate(int64_t bytes) {
    void *pointer = nullptr;
    EXPECT_EQ(rnnrt_memory_alloc(device, bytes, &pointer), nullptr);
    return pointer;
  }
  int64_t liveBytes() {
    rnnrt_memory_stats_t stats;
    EXPECT_EQ(rnnrt_memory_stats(device, &stats), nullptr);
    return stats.live_bytes + rnnrt_memory_live_bytes();
  }
  template <typename Managed> Managed *exportTo() {
    void *managed = nullptr;
    EXPECT_EQ(rnnrt_dlpack_export(shared, std::is_same<Managed, Versioned>::value, &managed), nullptr);
    return static_cast<Managed *>(managed);
  }

  rnnrt_device_t *device = nullptr;
  rnnrt_shared_tensor_t *shared = nullptr;
  rnnrt_tensor_t tensor;
  float *data;
  int64_t before;
};

} // namespace

TEST_P(DLPackTest, TheLastOwnerFreesTheMemory) {
  EXPECT_EQ(tensor.data, data);
  EXPECT_EQ(tensor.allocation, nullptr);
  EXPECT_EQ(tensor.device, nullptr);
  auto *plain = exportTo<Plain>();
  auto *versioned = exportTo<Versioned>();
  rnnrt_shared_tensor_release(shared);
  EXPECT_EQ(liveBytes(), before + 96);
  EXPECT_EQ(versioned->major, 1u);
  EXPECT_EQ(versioned->minor, 0u);
  EXPECT_EQ(versioned->flags, 0u);
  for (const DLTensor &t : {plain->tensor, versioned->tensor}) {
    EXPECT_EQ(t.data, data);
    EXPECT_EQ(t.deviceType, 1);
    EXPECT_EQ(t.deviceId, 0);
    EXPECT_EQ((std::vector<int>{t.code, t.bits, t.lanes}), (std::vector<int>{2, 32, 1}));
    EXPECT_EQ(std::vector<int64_t>(t.shape, t.shape + t.rank), (std::vector<int64_t>{2, 4, 3}));
    EXPECT_EQ(std::vector<int64_t>(t.strides, t.strides + t.rank), (std::vector<int64_t>{12, 3, 1}));
    EXPECT_EQ(t.byteOffset, 0u);
  }
  plain->deleter(plain);
  EXPECT_EQ(liveBytes(), before + 96);
  versioned->deleter(versioned);
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(DLPackTest, AnUnusedCapsuleFreesItsTensor) {
  for (int32_t versioned : {0, 1}) {
    auto *unused = static_cast<Capsule *>(rnnrt_dlpack_capsule(shared, versioned));
    auto *used = static_cast<Capsule *>(rnnrt_dlpack_capsule(shared, versioned));
    ASSERT_TRUE(unused && used);
    EXPECT_EQ(unused->name, versioned ? "dltensor_versioned" : "dltensor");
    used->name = "used_" + used->name;
    void *managed = used->pointer;
    Capsule::destroy(used);
    Capsule::destroy(unused);
    // The consumer still owns it.
    if (versioned)
      static_cast<Versioned *>(managed)->deleter(static_cast<Versioned *>(managed));
    else
      static_cast<Plain *>(managed)->deleter(static_cast<Plain *>(managed));
    EXPECT_EQ(liveBytes(), before + 96);
  }
  auto *last = static_cast<Capsule *>(rnnrt_dlpack_capsule(shared, 0));
  rnnrt_shared_tensor_release(shared);
  EXPECT_EQ(liveBytes(), before + 96);
  Capsule::destroy(last);
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(DLPackTest, FailuresKeepNoMemory) {
  Capsule::fails = true;
  EXPECT_EQ(rnnrt_dlpack_capsule(shared, 0), nullptr);
  EXPECT_EQ(rnnrt_dlpack_capsule(shared, 1), nullptr);
  Capsule::fails = false;
  EXPECT_FALSE(Capsule::raisedMemoryError) << "the exception is that of PyCapsule_New";
  EXPECT_EQ(rnnrt_dlpack_capsule(nullptr, 0), nullptr);
  rnnrt_shared_tensor_release(shared);
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(DLPackTest, OwnersInManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([this] {
      for (int k = 0; k < 1000; ++k) {
        auto *managed = exportTo<Plain>();
        managed->deleter(managed);
      }
    });
  auto *last = exportTo<Versioned>();
  for (std::thread &thread : threads)
    thread.join();
  rnnrt_shared_tensor_release(shared);
  std::thread([last] { last->deleter(last); }).join();
  EXPECT_EQ(liveBytes(), before);
}

TEST_P(DLPackTest, InvalidArguments) {
  rnnrt_shared_tensor_t *other = shared;
  EXPECT_EQ(codeOf(rnnrt_tensor_share(nullptr, &other)), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(codeOf(rnnrt_tensor_share(&tensor, nullptr)), RNNRT_STATUS_INVALID_ARGUMENT);
  rnnrt_tensor_t bad = tensor;
  bad.rank = 9;
  rnnrt_status_t status = rnnrt_tensor_share(&bad, &other);
  EXPECT_STREQ(rnnrt_status_message(status),
               "expects `tensor` to have an element type and a rank of 0 to 8, but got f32 and 9");
  rnnrt_status_release(status);
  bad = tensor;
  bad.dtype = 77;
  EXPECT_EQ(codeOf(rnnrt_tensor_share(&bad, &other)), RNNRT_STATUS_INVALID_ARGUMENT);
  void *managed = data;
  EXPECT_EQ(codeOf(rnnrt_dlpack_export(nullptr, 0, &managed)), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(managed, nullptr);
  EXPECT_EQ(codeOf(rnnrt_dlpack_export(shared, 0, nullptr)), RNNRT_STATUS_INVALID_ARGUMENT);
  rnnrt_capsule_functions_t functions = {Capsule::make, Capsule::isValid, nullptr, Capsule::noMemory};
  EXPECT_EQ(codeOf(rnnrt_dlpack_set_capsule_functions(&functions)), RNNRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(rnnrt_dlpack_set_capsule_functions(nullptr)), RNNRT_STATUS_INVALID_ARGUMENT);
  rnnrt_shared_tensor_release(nullptr);
  rnnrt_shared_tensor_release(shared);
  EXPECT_EQ(liveBytes(), before);
}

INSTANTIATE_TEST_SUITE_P(Memory, DLPackTest, ::testing::Bool());
