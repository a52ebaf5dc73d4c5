// Device.cpp - the public functions of device.h, stream.h, memory.h (those with a device) and plan.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Device.h"

using namespace rnnrt;

static Status nullHandle(const char *name) {
  return invalidArgument("expects `%s`, but got a null pointer", name);
}

extern "C" {

//===-- Device ---------------------------------------------------------------------------------------------------===//

void rnnrt_device_options_init(rnnrt_device_options_t *options) {
  if (options)
    *options = rnnrt_device_options_t{};
}

rnnrt_status_t rnnrt_device_create(const char *name, const rnnrt_device_options_t *options,
                                   rnnrt_device_t **out_device) {
  if (!out_device)
    return nullHandle("out_device").take();
  *out_device = nullptr;
  if (!name)
    return nullHandle("name").take();
  return guarded([&] {
           rnnrt_device_options_t chosen{};
           if (options)
             chosen = *options;
           if (!chosen.allocator.allocate != !chosen.allocator.release)
             return invalidArgument("expects both functions of `allocator` or none");
           std::unique_ptr<Backend> backend;
           const BackendKind *kind = nullptr;
           const char *detail = nullptr;
           RNNRT_TRY(findBackend(name, kind, detail));
           RNNRT_TRY(kind->create(detail, chosen, backend));
           *out_device = new rnnrt_device(name, std::move(backend));
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_device_properties(const rnnrt_device_t *device, rnnrt_device_properties_t *out_properties) {
  if (!out_properties)
    return nullHandle("out_properties").take();
  *out_properties = {};
  if (!device)
    return nullHandle("device").take();
  *out_properties = device->backend->properties();
  return nullptr;
}

const char *rnnrt_device_name(const rnnrt_device_t *device) {
  return device ? device->name.c_str() : "";
}

void rnnrt_device_retain(rnnrt_device_t *device) {
  if (device)
    device->retain();
}

void rnnrt_device_release(rnnrt_device_t *device) {
  if (device)
    device->release();
}

//===-- Stream ---------------------------------------------------------------------------------------------------===//

rnnrt_status_t rnnrt_stream_create(rnnrt_device_t *device, rnnrt_stream_t **out_stream) {
  if (!out_stream)
    return nullHandle("out_stream").take();
  *out_stream = nullptr;
  if (!device)
    return nullHandle("device").take();
  return guarded([&] {
           void *native = nullptr;
           RNNRT_TRY(device->backend->createStream(native));
           try {
             *out_stream = new rnnrt_stream(device, native);
           } catch (...) {
             device->backend->releaseStream(native);
             throw;
           }
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_stream_borrow(rnnrt_device_t *device, void *native, const rnnrt_allocator_t *scratch,
                                   rnnrt_stream_t **out_stream) {
  if (!out_stream)
    return nullHandle("out_stream").take();
  *out_stream = nullptr;
  if (!device)
    return nullHandle("device").take();
  if (scratch && !scratch->allocate != !scratch->release)
    return invalidArgument("expects both functions of `scratch` or none").take();
  return guarded([&] {
           RNNRT_TRY(device->backend->adoptStream(native));
           *out_stream = new rnnrt_stream(device, native, scratch ? *scratch : rnnrt_allocator_t{});
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_stream_synchronize(rnnrt_stream_t *stream) {
  if (!stream)
    return nullHandle("stream").take();
  return guarded([&] { return stream->device->backend->synchronize(stream->native); }).take();
}

rnnrt_device_t *rnnrt_stream_device(const rnnrt_stream_t *stream) {
  return stream ? stream->device.get() : nullptr;
}

void *rnnrt_stream_native(const rnnrt_stream_t *stream) {
  return stream ? stream->native : nullptr;
}

void rnnrt_stream_release(rnnrt_stream_t *stream) {
  if (stream)
    stream->release();
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

rnnrt_status_t rnnrt_memory_alloc(rnnrt_device_t *device, int64_t bytes, void **out_pointer) {
  if (!out_pointer)
    return nullHandle("out_pointer").take();
  *out_pointer = nullptr;
  if (!device)
    return nullHandle("device").take();
  if (bytes < 0)
    return invalidArgument("expects `bytes` to be at least 0, but got %lld", (long long)bytes).take();
  return guarded([&] { return device->backend->allocate(bytes, *out_pointer); }).take();
}

rnnrt_status_t rnnrt_memory_free(rnnrt_device_t *device, void *pointer) {
  if (!device)
    return nullHandle("device").take();
  return guarded([&] { return device->backend->release(pointer); }).take();
}

rnnrt_status_t rnnrt_memory_copy(rnnrt_device_t *device, rnnrt_stream_t *stream, void *target, const void *source,
                                 int64_t bytes) {
  if (!device)
    return nullHandle("device").take();
  if (stream && stream->device.get() != device)
    return invalidArgument("expects `stream` to belong to `device`").take();
  if (bytes < 0)
    return invalidArgument("expects `bytes` to be at least 0, but got %lld", (long long)bytes).take();
  if (bytes && !target)
    return nullHandle("target").take();
  if (bytes && !source)
    return nullHandle("source").take();
  return guarded([&] { return device->backend->copy(stream, target, source, bytes); }).take();
}

rnnrt_status_t rnnrt_memory_stats(const rnnrt_device_t *device, rnnrt_memory_stats_t *out_stats) {
  if (!out_stats)
    return nullHandle("out_stats").take();
  *out_stats = {};
  if (!device)
    return nullHandle("device").take();
  *out_stats = device->backend->memoryStats();
  return nullptr;
}

//===-- Plans ----------------------------------------------------------------------------------------------------===//

const char *rnnrt_plan_key(const rnnrt_plan_t *plan) {
  return plan ? plan->key.c_str() : "";
}

const char *rnnrt_plan_algorithm(const rnnrt_plan_t *plan) {
  return plan ? plan->algorithm() : "";
}

rnnrt_status_t rnnrt_device_clear_plans(rnnrt_device_t *device) {
  if (!device)
    return nullHandle("device").take();
  device->plans.clear();
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,clear,%s", device->name.c_str());
  return nullptr;
}

rnnrt_status_t rnnrt_device_plan_stats(const rnnrt_device_t *device, rnnrt_plan_stats_t *out_stats) {
  if (!out_stats)
    return nullHandle("out_stats").take();
  *out_stats = {};
  if (!device)
    return nullHandle("device").take();
  *out_stats = device->plans.stats();
  return nullptr;
}

} // extern "C"
