// event.h - events: markers in a stream, for synchronization and for time measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_EVENT_H
#define RNN_RUNTIME_EVENT_H

#include "rnn_runtime/stream.h"

// rnnrt_event_wait, _synchronize and _elapsed return FAILED_PRECONDITION for an event that is not recorded. Functions
// with two objects return INVALID_ARGUMENT if these belong to different devices.

#ifdef __cplusplus
extern "C" {
#endif

/// A marker in a stream.
typedef struct rnnrt_event rnnrt_event_t;

/// Creates an event that is not recorded yet. The caller owns it; it keeps `device` alive.
RNNRT_API rnnrt_status_t rnnrt_event_create(rnnrt_device_t *device, rnnrt_event_t **out_event);

/// Records the event on `stream` (NULL: the default stream of the device), after all work enqueued so far. Recording an
/// event again replaces the earlier marker.
RNNRT_API rnnrt_status_t rnnrt_event_record(rnnrt_event_t *event, rnnrt_stream_t *stream);

/// Makes later work on `stream` (NULL: the default stream) wait for the event. The caller does not wait.
RNNRT_API rnnrt_status_t rnnrt_event_wait(rnnrt_event_t *event, rnnrt_stream_t *stream);

/// Waits until the device reaches the event.
RNNRT_API rnnrt_status_t rnnrt_event_synchronize(rnnrt_event_t *event);

/// Waits for both events and returns the time from `start` to `end` in milliseconds, by the clock of the device.
RNNRT_API rnnrt_status_t rnnrt_event_elapsed(rnnrt_event_t *start, rnnrt_event_t *end, double *out_milliseconds);

/// Releases the event. NULL is allowed.
RNNRT_API void rnnrt_event_release(rnnrt_event_t *event);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_EVENT_H
