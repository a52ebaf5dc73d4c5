// Event.cpp - the public functions of event.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/event.h"
#include "core/Device.h"
#include "core/Require.h"

using namespace rnnrt;

struct rnnrt_event {
  rnnrt_event(rnnrt_device *device, void *native) : device(device), native(native) {}
  ~rnnrt_event() { device->backend->releaseEvent(native); }

  Ref<rnnrt_device> device;
  void *const native;
  std::atomic<bool> recorded{false};
};

static Status requireRecorded(const rnnrt_event_t *event, const char *name) {
  RNNRT_REQUIRE(event, name);
  return event->recorded ? Status() : failedPrecondition("`%s` was not recorded yet", name);
}

static Status requireSameDevice(const rnnrt_event_t *event, const rnnrt_stream_t *stream) {
  if (stream && stream->device.get() != event->device.get())
    return invalidArgument("expects `stream` to belong to the device of `event`");
  return Status();
}

extern "C" {

rnnrt_status_t rnnrt_event_create(rnnrt_device_t *device, rnnrt_event_t **out_event) {
  return guarded([&] {
           RNNRT_REQUIRE(out_event, "out_event");
           *out_event = nullptr;
           RNNRT_REQUIRE(device, "device");
           void *native = nullptr;
           RNNRT_TRY(device->backend->createEvent(native));
           try {
             *out_event = new rnnrt_event(device, native);
           } catch (...) {
             device->backend->releaseEvent(native);
             throw;
           }
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_event_record(rnnrt_event_t *event, rnnrt_stream_t *stream) {
  return guarded([&] {
           RNNRT_REQUIRE(event, "event");
           RNNRT_TRY(requireSameDevice(event, stream));
           RNNRT_TRY(event->device->backend->recordEvent(event->native, stream));
           event->recorded = true;
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_event_wait(rnnrt_event_t *event, rnnrt_stream_t *stream) {
  return guarded([&] {
           RNNRT_TRY(requireRecorded(event, "event"));
           RNNRT_TRY(requireSameDevice(event, stream));
           return event->device->backend->waitEvent(event->native, stream);
         })
      .take();
}

rnnrt_status_t rnnrt_event_synchronize(rnnrt_event_t *event) {
  return guarded([&] {
           RNNRT_TRY(requireRecorded(event, "event"));
           return event->device->backend->synchronizeEvent(event->native);
         })
      .take();
}

rnnrt_status_t rnnrt_event_elapsed(rnnrt_event_t *start, rnnrt_event_t *end, double *out_milliseconds) {
  return guarded([&] {
           RNNRT_REQUIRE(out_milliseconds, "out_milliseconds");
           *out_milliseconds = 0;
           RNNRT_TRY(requireRecorded(start, "start"));
           RNNRT_TRY(requireRecorded(end, "end"));
           if (start->device.get() != end->device.get())
             return invalidArgument("expects `start` and `end` to belong to the same device");
           Backend &backend = *start->device->backend;
           RNNRT_TRY(backend.synchronizeEvent(start->native));
           RNNRT_TRY(backend.synchronizeEvent(end->native));
           return backend.elapsed(start->native, end->native, *out_milliseconds);
         })
      .take();
}

void rnnrt_event_release(rnnrt_event_t *event) {
  delete event;
}

} // extern "C"
