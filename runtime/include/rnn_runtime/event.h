// event.h - events: a point in the order of a stream, to wait for and to measure the time between two of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_EVENT_H
#define RNN_RUNTIME_EVENT_H

#include "rnn_runtime/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point in the order of a stream.
typedef struct rnnrt_event rnnrt_event_t;

/// Makes an event that was not recorded yet; it keeps `device` alive. The caller releases it.
RNNRT_API rnnrt_status_t rnnrt_event_create(rnnrt_device_t *device, rnnrt_event_t **out_event);

/// Puts the event behind everything given to `stream` so far (NULL: the device's own order). An event may be recorded
/// again; it then forgets the earlier point.
RNNRT_API rnnrt_status_t rnnrt_event_record(rnnrt_event_t *event, rnnrt_stream_t *stream);

/// Lets what is given to `stream` from here on wait for the event. The caller does not wait.
RNNRT_API rnnrt_status_t rnnrt_event_wait(rnnrt_event_t *event, rnnrt_stream_t *stream);

/// Waits until the device gets there.
RNNRT_API rnnrt_status_t rnnrt_event_synchronize(rnnrt_event_t *event);

/// Waits for both, and gives the time from `start` to `end` by the clock of the device.
RNNRT_API rnnrt_status_t rnnrt_event_elapsed(rnnrt_event_t *start, rnnrt_event_t *end, double *out_milliseconds);

/// All but creation and release give FAILED_PRECONDITION for an event that was not recorded, and INVALID_ARGUMENT for
/// events and streams of different devices. NULL is allowed.
RNNRT_API void rnnrt_event_release(rnnrt_event_t *event);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_EVENT_H
