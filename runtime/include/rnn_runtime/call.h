// call.h - one invocation of compiled code. The first parameter of a compiled function is the call. When the function
// has returned, the call holds its status.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_CALL_H
#define RNN_RUNTIME_CALL_H

#include "rnn_runtime/stream.h"
#include "rnn_runtime/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether functions of a call may wait for its stream on the host. The values are stable.
typedef enum rnnrt_host_waits {
  /// A function waits if it needs a value of the device: sequence lengths, elements that compiled code reads on the
  /// host.
  RNNRT_HOST_WAITS_ALLOWED = 0,
  /// No function waits for the stream of the call. Compiled layers do not check `lengths`: kernels treat lengths above
  /// T as T and negative ones as 0. RNNRT_CHECK has no effect on the call. A function that needs a value of the device
  /// fails with FAILED_PRECONDITION: cuDNN plans with `lengths`, and compiled code that reads elements. The first use
  /// of
  /// a plan or a module still loads code and may wait for the device. Devices whose tensors are in host memory ignore
  /// this option.
  RNNRT_HOST_WAITS_REFUSED = 1
} rnnrt_host_waits_t;

/// Options of a call. Initialize with rnnrt_call_options_init, then set individual members.
typedef struct rnnrt_call_options {
  /// The dropout draw of the training forward passes of this call. -1: the next draw of each plan, so that masks differ
  /// between calls, as in TensorFlow. 0 or more: this draw, for reproducible runs.
  int64_t dropout_draw;
  int32_t host_waits; ///< rnnrt_host_waits_t
} rnnrt_call_options_t;

/// Sets the defaults: the draw of the environment variable RNNRT_DROPOUT_DRAW, or -1; waits are allowed.
RNNRT_API void rnnrt_call_options_init(rnnrt_call_options_t *options);

/// Creates a call on `device` and `stream`, and keeps both alive. If `stream` is NULL, the call uses the default stream
/// of the device; if `options` is NULL, the defaults. The caller owns the call. Only one thread at a time may use it.
/// It may be reused after rnnrt_call_reset. Returns INVALID_ARGUMENT if `stream` belongs to another device.
RNNRT_API rnnrt_status_t rnnrt_call_create(rnnrt_device_t *device, rnnrt_stream_t *stream,
                                           const rnnrt_call_options_t *options, rnnrt_call_t **out_call);

/// Offers memory for the results of the next exported function that is called with `call`: `tensors[k]` has the type,
/// the shape and the memory of result k; NULL requests new memory. The function computes each result in this memory, or
/// copies it there if the memory is not aligned to RNNRT_MEMORY_ALIGNMENT or if the code allocates the result in
/// another way, such as in a branch. The output tensors then do not own the memory. It must be host memory that is
/// valid until the function returns and that overlaps neither arguments nor other results. `tensors` may be freed after
/// this call. The function fails with INVALID_ARGUMENT if it has another number of results, or if one has another type
/// or shape; the content of the memory is then undefined. It fails with UNIMPLEMENTED if its results are in device
/// memory. rnnrt_call_reset withdraws the offer.
RNNRT_API void rnnrt_call_offer_results(rnnrt_call_t *call, const rnnrt_tensor_t *const *tensors, int64_t num_tensors);

/// Returns the first failure since the call was created or reset, or NULL if there is none. Borrowed: do not release
/// it. After a failure, every entry of abi.h returns at once. Returns INVALID_ARGUMENT if `call` is NULL.
RNNRT_API rnnrt_status_t rnnrt_call_status(const rnnrt_call_t *call);

/// Records a failure of the caller, unless the call has failed already. Takes ownership of `status`.
RNNRT_API void rnnrt_call_fail(rnnrt_call_t *call, rnnrt_status_t status);

/// Why a launch of clusters was skipped since the call was created or reset, so that other kernels did its work. NULL
/// if none was skipped. Valid until the call is used again.
RNNRT_API const char *rnnrt_call_skipped(const rnnrt_call_t *call);

/// The cause of a skipped launch. The values are stable.
typedef enum rnnrt_skipped_by {
  RNNRT_SKIPPED_BY_NOTHING = 0,     ///< no launch was skipped
  RNNRT_SKIPPED_BY_ENVIRONMENT = 1, ///< RNNRT_CLUSTERS=0, which implies nothing about the device
  RNNRT_SKIPPED_BY_DEVICE = 2       ///< the device cannot hold one such cluster
} rnnrt_skipped_by_t;

/// The cause of the last skipped launch; RNNRT_SKIPPED_BY_NOTHING for NULL.
RNNRT_API rnnrt_skipped_by_t rnnrt_call_skipped_by(const rnnrt_call_t *call);

/// Clears the failure and what was skipped, and releases the plans that the call uses.
RNNRT_API void rnnrt_call_reset(rnnrt_call_t *call);

/// Return the device and the stream of the call, borrowed. The stream is NULL if the call uses the default stream.
RNNRT_API rnnrt_device_t *rnnrt_call_device(const rnnrt_call_t *call);
RNNRT_API rnnrt_stream_t *rnnrt_call_stream(const rnnrt_call_t *call);

/// Releases the call. NULL is allowed.
RNNRT_API void rnnrt_call_release(rnnrt_call_t *call);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_CALL_H
