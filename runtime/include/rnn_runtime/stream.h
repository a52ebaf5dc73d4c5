// stream.h - streams: in-order queues of work on a device. On the host, work is done when the enqueuing function
// returns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_STREAM_H
#define RNN_RUNTIME_STREAM_H

#include "rnn_runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a stream. The caller owns it; it keeps `device` alive.
RNNRT_API rnnrt_status_t rnnrt_stream_create(rnnrt_device_t *device, rnnrt_stream_t **out_stream);

/// Waits until all work on the stream is done, and returns the first failure of that work.
RNNRT_API rnnrt_status_t rnnrt_stream_synchronize(rnnrt_stream_t *stream);

/// Returns the device of the stream, borrowed; NULL for NULL.
RNNRT_API rnnrt_device_t *rnnrt_stream_device(const rnnrt_stream_t *stream);

/// Returns the native stream, borrowed: the CUstream of a device `cuda`. NULL for other devices and for NULL.
RNNRT_API void *rnnrt_stream_native(const rnnrt_stream_t *stream);

/// Releases the stream. Calls on the stream keep it alive. NULL is allowed.
RNNRT_API void rnnrt_stream_release(rnnrt_stream_t *stream);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_STREAM_H
