// dlpack.h - tensors with several owners, and their exchange with other libraries by the DLPack protocol.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_DLPACK_H
#define RNN_RUNTIME_DLPACK_H

#include "rnn_runtime/status.h"
#include "rnn_runtime/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The memory of a tensor, and a count of its owners. The last owner frees it by rnnrt_tensor_release. Owners may be
/// released in any thread, and until the process ends.
typedef struct rnnrt_shared_tensor rnnrt_shared_tensor_t;

/// Moves the memory of `tensor` to a shared tensor, which the caller owns. `tensor` is a result of a function, or
/// describes memory of rnnrt_memory_alloc: `allocation` is its pointer, and `device` its device with a reference of the
/// tensor. Afterwards, `tensor` describes the memory as an argument does, as long as the shared tensor has owners.
/// After a failure `tensor` is unchanged. Returns INVALID_ARGUMENT for an element type or a rank that tensors do not
/// have.
RNNRT_API rnnrt_status_t rnnrt_tensor_share(rnnrt_tensor_t *tensor, rnnrt_shared_tensor_t **out_shared);

/// Releases one owner. NULL is allowed.
RNNRT_API void rnnrt_shared_tensor_release(rnnrt_shared_tensor_t *shared);

/// Returns a DLManagedTensor of dlpack.h in `*out_managed`, or with `versioned` a DLManagedTensorVersioned of version
/// 1.0. It is an owner of the memory; its deleter releases it. The tensor is writable and in memory of the host, or of
/// the GPU with the ordinal of its device. The consumer orders its work after that of the function, as by an event.
RNNRT_API rnnrt_status_t rnnrt_dlpack_export(rnnrt_shared_tensor_t *shared, int32_t versioned, void **out_managed);

/// The functions of CPython that capsules need. The runtime does not link Python; the program passes their addresses.
typedef struct rnnrt_capsule_functions {
  void *(*new_capsule)(void *pointer, const char *name, void (*destructor)(void *capsule)); ///< PyCapsule_New
  int (*is_valid)(void *capsule, const char *name);                                         ///< PyCapsule_IsValid
  void *(*get_pointer)(void *capsule, const char *name);                                    ///< PyCapsule_GetPointer
  void *(*no_memory)(void);                                                                 ///< PyErr_NoMemory
} rnnrt_capsule_functions_t;

/// Sets the functions of the process, which are copied. Call it before the first capsule is made. A process with two
/// interpreters of different libraries cannot use capsules in both.
RNNRT_API rnnrt_status_t rnnrt_dlpack_set_capsule_functions(const rnnrt_capsule_functions_t *functions);

/// Returns a new PyCapsule that contains a tensor of rnnrt_dlpack_export, with the name `dltensor` or
/// `dltensor_versioned`. The caller owns the reference.
/// A consumer renames it and calls the deleter later, which needs neither the GIL nor the interpreter. If a capsule
/// still has its first name, its destructor calls the deleter. Requires the GIL. After a failure, and without the
/// functions above, returns NULL; in the first case with an exception of Python.
RNNRT_API void *rnnrt_dlpack_capsule(rnnrt_shared_tensor_t *shared, int32_t versioned);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_DLPACK_H
