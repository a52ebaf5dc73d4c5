// stream.h - streams: in-order queues of work on a device. On the host, work is done when the enqueuing function
// returns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_STREAM_H
#define RNN_RUNTIME_STREAM_H

#include "rnn_runtime/device.h"

// Streams of other libraries, such as XLA and PyTorch: rnnrt_stream_borrow. Calls on a borrowed stream enqueue their
// work behind that of the library, and later work of the library runs after it, so that neither side waits on the host.
// Pointers of the library are arguments without copies (rnnrt_tensor_make): they must be valid on the stream until it
// has executed the work of the call.

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a stream. The caller owns it; it keeps `device` alive.
RNNRT_API rnnrt_status_t rnnrt_stream_create(rnnrt_device_t *device, rnnrt_stream_t **out_stream);

/// Makes `native`, a CUstream of another library, usable for calls of `device`, a device `cuda`. NULL is CUDA's legacy
/// default stream. The caller owns the result.
///
/// Ownership: the runtime never destroys `native`. It must stay alive until the result and all calls on it are
/// released. Several results may have the same native stream. Threads: any thread may use it, as rnnrt_stream_create's.
/// A function makes the context of the device current and restores the previous one before it returns. Order: all work
/// of a call is enqueued on `native`, or on streams of the runtime that start after and end before it by events.
/// Capture: a captured stream is allowed, with the limits of rnnrt_stream_create's. Waiting: see
/// rnnrt_call_options_t.host_waits.
///
/// `scratch`, unless NULL, provides the device memory that calls on the stream need while they run: temporary buffers
/// of compiled code and the workspaces of libraries. It is copied; `user` must outlive the result. Both functions are
/// called in the thread of the call, and memory is released when its last use is enqueued, not when the device has
/// executed it: the allocator must reuse it in the order of the stream only. Functions that return tensors are then
/// refused, since results outlive the call. Memory of plans and GPU code does not come from it.
///
/// Returns UNIMPLEMENTED for devices without native streams, INVALID_ARGUMENT if `native` belongs to another GPU or
/// another context than the primary context of `device`, and for an allocator with one function.
RNNRT_API rnnrt_status_t rnnrt_stream_borrow(rnnrt_device_t *device, void *native, const rnnrt_allocator_t *scratch,
                                             rnnrt_stream_t **out_stream);

/// Waits until all work on the stream is done, and returns the first failure of that work.
RNNRT_API rnnrt_status_t rnnrt_stream_synchronize(rnnrt_stream_t *stream);

/// Returns the device of the stream, borrowed; NULL for NULL.
RNNRT_API rnnrt_device_t *rnnrt_stream_device(const rnnrt_stream_t *stream);

/// Returns the native stream, borrowed: the CUstream of a device `cuda`, or CU_STREAM_LEGACY for a borrowed NULL. NULL
/// for other devices and for NULL.
RNNRT_API void *rnnrt_stream_native(const rnnrt_stream_t *stream);

/// Releases the stream. Calls on the stream keep it alive. A borrowed stream only ends the loan: its work continues.
/// NULL is allowed.
RNNRT_API void rnnrt_stream_release(rnnrt_stream_t *stream);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_STREAM_H
