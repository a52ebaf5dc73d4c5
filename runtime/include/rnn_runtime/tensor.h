// tensor.h - arguments and results of exported functions: data pointer, element type and shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_TENSOR_H
#define RNN_RUNTIME_TENSOR_H

#include "rnn_runtime/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum rank of an argument or result.
#define RNNRT_MAX_RANK 8

/// A dense row-major tensor; rank 0 is one element. If the function has RNNRT_FUNCTION_DEVICE_MEMORY, `data` is in
/// device memory, except for scalars, which are always in host memory.
///
/// As an argument, it describes memory of the caller, which may be that of another library, such as a buffer of XLA or
/// a storage of PyTorch on the same GPU; compiled code keeps no reference. It only reads the memory, except for
/// arguments with RNNRT_ARGUMENT_WRITTEN: memrefs that a module writes to. As a result, the function fills it, and it
/// owns its memory, which the caller frees with rnnrt_tensor_release; a result in memory that the caller offered
/// (rnnrt_call_offer_results) owns nothing. The previous content of a result is ignored. After a failure every result
/// is empty (no data, rank 0). A result must be none of the arguments and no other result; else the function fails and
/// leaves all of them as they are.
typedef struct rnnrt_tensor {
  void *data;                    ///< the first element, aligned to the element size; NULL only if there are no elements
  int32_t dtype;                 ///< rnnrt_dtype_t
  int32_t rank;                  ///< 0 to RNNRT_MAX_RANK
  int64_t shape[RNNRT_MAX_RANK]; ///< the first `rank` sizes are used
  void *allocation;              ///< result: the pointer to free; argument: NULL
  rnnrt_device_t *device;        ///< result in device memory: its device; else NULL
} rnnrt_tensor_t;

/// Returns an argument tensor for memory of the caller. `shape` may be NULL for rank 0.
static inline rnnrt_tensor_t rnnrt_tensor_make(void *data, int32_t dtype, int32_t rank, const int64_t *shape) {
  rnnrt_tensor_t tensor = {data, dtype, rank, {0}, NULL, NULL};
  int32_t dim;
  for (dim = 0; dim < rank && dim < RNNRT_MAX_RANK; ++dim)
    tensor.shape[dim] = shape[dim];
  return tensor;
}

/// Returns the number of elements.
static inline int64_t rnnrt_tensor_elements(const rnnrt_tensor_t *tensor) {
  int64_t elements = 1;
  int32_t dim;
  for (dim = 0; dim < tensor->rank && dim < RNNRT_MAX_RANK; ++dim)
    elements *= tensor->shape[dim];
  return elements;
}

/// Frees the memory of a result and empties the tensor. An argument is only emptied. NULL and an empty tensor are
/// allowed. Device work that uses the memory must be done, e.g. after rnnrt_stream_synchronize.
RNNRT_API void rnnrt_tensor_release(rnnrt_tensor_t *tensor);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_TENSOR_H
