// weights.h - weights that do not change between calls.
//
// Compiled host loops pack the weights of a layer for their GEMMs in every call, since the weights may have changed. A
// handle of this type promises that they do not change, and keeps the packed copies. Both passes have copies of their
// own:
//
//   rnnrt_weights_create(device, params, bytes, &weights);
//   rnnrt_call_use_weights(call, weights);
//   entry(call, ...);   // packs
//   entry(call, ...);   // does not
//   rnnrt_weights_release(weights);
//
// Results have the same bits with and without a handle, with one exception: without a handle, few rows are multiplied
// by weights that are not packed, whose sums may have another order. Few rows are at most 24 in a forward pass over one
// step, at most 16 in a few steps together, at most 24 in all steps of a gradient together (its input weights), and one
// or two in each step if the weights are large and have 16 bits. The exact limits depend on the op, its type, the size
// of the weights and the processor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_WEIGHTS_H
#define RNN_RUNTIME_WEIGHTS_H

#include "rnn_runtime/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Memory that does not change, and its packed copies. Any number of calls and threads may use one handle.
typedef struct rnnrt_weights rnnrt_weights_t;

/// Creates a handle. The `bytes` bytes at `data` must stay allocated and unchanged until the handle and all calls that
/// use it are released. A compiled function recognizes weights that it reads from there, at any offset. The caller owns
/// the handle. Returns INVALID_ARGUMENT if `bytes` is negative, and UNAVAILABLE if `device` is not `host`: other
/// devices do not pack weights. With RNNRT_CHECK=1, every use compares a checksum of the memory, and a call whose
/// weights have changed fails with FAILED_PRECONDITION.
RNNRT_API rnnrt_status_t rnnrt_weights_create(rnnrt_device_t *device, const void *data, int64_t bytes,
                                              rnnrt_weights_t **out_weights);

/// Bytes of all packed copies so far; 0 for NULL.
RNNRT_API int64_t rnnrt_weights_packed_bytes(const rnnrt_weights_t *weights);

/// Functions that run in `call` use the packed copies of `weights`. The call keeps the handle alive until it is
/// released; rnnrt_call_reset does not change that. A call may use several handles. Returns INVALID_ARGUMENT if
/// `weights` belongs to another device.
RNNRT_API rnnrt_status_t rnnrt_call_use_weights(rnnrt_call_t *call, rnnrt_weights_t *weights);

/// Releases the handle. Its memory is freed when no call uses it any more. NULL is allowed.
RNNRT_API void rnnrt_weights_release(rnnrt_weights_t *weights);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_WEIGHTS_H
