// stream.h - streams: the order in which a device works. On the host an operation is done when its call returns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_STREAM_H
#define RNN_RUNTIME_STREAM_H

#include "rnn_runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a stream; it keeps `device` alive. The caller releases it.
RNNRT_API rnnrt_status_t rnnrt_stream_create(rnnrt_device_t *device, rnnrt_stream_t **out_stream);

/// Waits until everything given to the stream is done, and returns the first failure of that work.
RNNRT_API rnnrt_status_t rnnrt_stream_synchronize(rnnrt_stream_t *stream);

/// The device it was made on, lent.
RNNRT_API rnnrt_device_t *rnnrt_stream_device(const rnnrt_stream_t *stream);

/// What other libraries of the device know the stream by: the CUstream of a device `cuda`, lent; NULL on devices that
/// have no such thing, and for NULL.
RNNRT_API void *rnnrt_stream_native(const rnnrt_stream_t *stream);

/// Gives the ownership back; calls made on the stream keep it alive. NULL is allowed.
RNNRT_API void rnnrt_stream_release(rnnrt_stream_t *stream);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_STREAM_H
