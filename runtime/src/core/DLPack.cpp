// DLPack.cpp - the functions of dlpack.h. A tensor may be freed after the interpreter was finalized, so functions that
// free tensors do not call Python. The two functions for capsules do: the interpreter itself calls them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/dlpack.h"
#include "core/DLPack.h"
#include "core/Device.h"
#include "core/Require.h"

#include <atomic>
#include <cstddef>

using namespace rnnrt;

struct rnnrt_shared_tensor : RefCounted<rnnrt_shared_tensor> {
  rnnrt_shared_tensor(const rnnrt_tensor_t &tensor, DLDevice device) : device(device), tensor(tensor) {}
  ~rnnrt_shared_tensor() { rnnrt_tensor_release(&tensor); }

  const DLDevice device;
  rnnrt_tensor_t tensor;
};

namespace {

/// What a consumer owns. The managed tensor is the first member: its deleter receives the address of both.
template <typename Managed> struct Exported {
  Managed managed{};
  Ref<rnnrt_shared_tensor> owner;
  int64_t shape[RNNRT_MAX_RANK], strides[RNNRT_MAX_RANK];

  explicit Exported(rnnrt_shared_tensor *shared) : owner(shared) {
    static_assert(offsetof(Exported, managed) == 0, "the deleter converts the address");
    const rnnrt_tensor_t &tensor = shared->tensor;
    managed.tensor = {tensor.data, shared->device, tensor.rank, toDLPack(tensor.dtype), shape, strides, 0};
    managed.deleter = [](Managed *managed) { delete reinterpret_cast<Exported *>(managed); };
    int64_t stride = 1;
    for (int32_t dim = tensor.rank - 1; dim >= 0; --dim) {
      shape[dim] = tensor.shape[dim];
      strides[dim] = stride;
      stride *= shape[dim] ? shape[dim] : 1;
    }
  }
};

void *exportTensor(rnnrt_shared_tensor *shared, bool versioned) {
  if (!versioned)
    return &(new Exported<DLManagedTensor>(shared))->managed;
  auto *exported = new Exported<DLManagedTensorVersioned>(shared);
  exported->managed.major = 1;
  return &exported->managed;
}

/// rnnrt_capsule_functions_t of the process.
struct CapsuleFunctions {
  std::atomic<decltype(rnnrt_capsule_functions_t::new_capsule)> make{nullptr}; ///< set last
  std::atomic<decltype(rnnrt_capsule_functions_t::is_valid)> isValid{nullptr};
  std::atomic<decltype(rnnrt_capsule_functions_t::get_pointer)> getPointer{nullptr};
  std::atomic<decltype(rnnrt_capsule_functions_t::no_memory)> noMemory{nullptr};
} python;

// Capsules refer to their names, so these must be static.
constexpr const char *plainName = "dltensor", *versionedName = "dltensor_versioned";

template <typename Managed> void deleteManaged(void *pointer) {
  auto *managed = static_cast<Managed *>(pointer);
  managed->deleter(managed);
}

/// The destructor of capsules. It must keep a pending exception: PyCapsule_IsValid sets none, nor does
/// PyCapsule_GetPointer for a valid name.
void destroyCapsule(void *capsule) {
  const auto isValid = python.isValid.load();
  const auto getPointer = python.getPointer.load();
  if (isValid(capsule, versionedName))
    deleteManaged<DLManagedTensorVersioned>(getPointer(capsule, versionedName));
  else if (isValid(capsule, plainName))
    deleteManaged<DLManagedTensor>(getPointer(capsule, plainName));
}

} // namespace

extern "C" {

rnnrt_status_t rnnrt_tensor_share(rnnrt_tensor_t *tensor, rnnrt_shared_tensor_t **out_shared) {
  return guarded([&] {
           RNNRT_REQUIRE(out_shared, "out_shared");
           *out_shared = nullptr;
           RNNRT_REQUIRE(tensor, "tensor");
           if (!rnnrt_dtype_size(tensor->dtype) || tensor->rank < 0 || tensor->rank > RNNRT_MAX_RANK)
             return invalidArgument("expects `tensor` to have an element type and a rank of 0 to %d, but got %s and %d",
                                    RNNRT_MAX_RANK, rnnrt_dtype_name(tensor->dtype), tensor->rank);
           DLDevice device = {hostDevice, 0};
           if (tensor->device && !tensor->device->backend->kind.takesHostTensors)
             device = {cudaDevice, tensor->device->backend->properties().ordinal};
           *out_shared = new rnnrt_shared_tensor(*tensor, device);
           tensor->allocation = nullptr;
           tensor->device = nullptr;
           return Status();
         })
      .take();
}

void rnnrt_shared_tensor_release(rnnrt_shared_tensor_t *shared) {
  if (shared)
    shared->release();
}

rnnrt_status_t rnnrt_dlpack_export(rnnrt_shared_tensor_t *shared, int32_t versioned, void **out_managed) {
  return guarded([&] {
           RNNRT_REQUIRE(out_managed, "out_managed");
           *out_managed = nullptr;
           RNNRT_REQUIRE(shared, "shared");
           *out_managed = exportTensor(shared, versioned);
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_dlpack_set_capsule_functions(const rnnrt_capsule_functions_t *functions) {
  return guarded([&] {
           RNNRT_REQUIRE(functions, "functions");
           RNNRT_REQUIRE(functions->new_capsule, "new_capsule");
           RNNRT_REQUIRE(functions->is_valid, "is_valid");
           RNNRT_REQUIRE(functions->get_pointer, "get_pointer");
           RNNRT_REQUIRE(functions->no_memory, "no_memory");
           python.noMemory.store(functions->no_memory);
           python.getPointer.store(functions->get_pointer);
           python.isValid.store(functions->is_valid);
           python.make.store(functions->new_capsule);
           return Status();
         })
      .take();
}

void *rnnrt_dlpack_capsule(rnnrt_shared_tensor_t *shared, int32_t versioned) {
  const auto make = python.make.load();
  if (!make || !shared)
    return nullptr;
  void *managed = nullptr;
  if (rnnrt_status_t failure = rnnrt_dlpack_export(shared, versioned, &managed)) {
    rnnrt_status_release(failure);
    return python.noMemory.load()();
  }
  void *capsule = make(managed, versioned ? versionedName : plainName, destroyCapsule);
  if (!capsule && versioned)
    deleteManaged<DLManagedTensorVersioned>(managed);
  else if (!capsule)
    deleteManaged<DLManagedTensor>(managed);
  return capsule;
}

} // extern "C"
