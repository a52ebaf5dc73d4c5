// tensor.h - tensors at the boundary of compiled code: where the data is, its type and its shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_TENSOR_H
#define RNN_RUNTIME_TENSOR_H

#include "rnn_runtime/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most dimensions that a tensor at the boundary has.
#define RNNRT_MAX_RANK 8

/// A dense row-major tensor; rank 0 is one element. For a function that was compiled for a device with memory of its
/// own, `data` is in the memory of that device, but for scalars, which are always in host memory.
///
/// As an argument it describes memory of the caller: compiled code reads it, does not write it and does not keep it.
/// As a result it is filled by the function and owns its memory: the caller gives it back with rnnrt_tensor_release.
/// What it held before is not looked at. After a failure every result is empty: no data, rank 0.
typedef struct rnnrt_tensor {
  void *data;                    ///< the first element, aligned to the element's size; NULL only without elements
  int32_t dtype;                 ///< rnnrt_dtype_t
  int32_t rank;                  ///< 0 to RNNRT_MAX_RANK
  int64_t shape[RNNRT_MAX_RANK]; ///< the first `rank` count
  void *allocation;              ///< of a result: what is freed; NULL for memory of the caller
  rnnrt_device_t *device;        ///< of a result in device memory: its device; else NULL
} rnnrt_tensor_t;

/// A tensor for an argument, over memory of the caller. `shape` may be NULL for rank 0.
static inline rnnrt_tensor_t rnnrt_tensor_make(void *data, int32_t dtype, int32_t rank, const int64_t *shape) {
  rnnrt_tensor_t tensor = {data, dtype, rank, {0}, NULL, NULL};
  int32_t dim;
  for (dim = 0; dim < rank && dim < RNNRT_MAX_RANK; ++dim)
    tensor.shape[dim] = shape[dim];
  return tensor;
}

/// Elements, the product of the shape.
static inline int64_t rnnrt_tensor_elements(const rnnrt_tensor_t *tensor) {
  int64_t elements = 1;
  int32_t dim;
  for (dim = 0; dim < tensor->rank && dim < RNNRT_MAX_RANK; ++dim)
    elements *= tensor->shape[dim];
  return elements;
}

/// Frees the memory of a result and empties it; an argument is only emptied, and NULL and an empty tensor are allowed.
/// Work on a device that uses the memory must be done, as after rnnrt_stream_synchronize.
RNNRT_API void rnnrt_tensor_release(rnnrt_tensor_t *tensor);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_TENSOR_H
