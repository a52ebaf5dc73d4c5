// Call.cpp - the public functions of call.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/CurrentCall.h"
#include "core/Device.h"
#include "core/Environment.h"
#include "core/Trace.h"

using namespace rnnrt;

static thread_local rnnrt_call_t *current = nullptr;

void rnnrt::setCurrentCall(rnnrt_call_t *call) {
  current = call;
}
rnnrt_call_t *rnnrt::currentCall() {
  return current;
}

bool rnnrt::clustersAreDisabled() {
  static const bool areEnabled = readFlag("RNNRT_CLUSTERS", true);
  return !areEnabled;
}

bool rnnrt::usesSignals() {
  static const bool uses = readFlag("RNNRT_WAVEFRONT_SIGNALS", true);
  return uses;
}

int64_t rnnrt::getMostResidentClusters() {
  static const int64_t most = readInteger("RNNRT_RESIDENT_CLUSTERS", INT64_MAX, 1, INT64_MAX);
  return most;
}

void rnnrt::skipDisabledClusters(rnnrt_call_t &call, const std::string &launch) {
  skipClusters(call, launch, RNNRT_SKIPPED_BY_ENVIRONMENT, "RNNRT_CLUSTERS=0");
}

void rnnrt::skipClusters(rnnrt_call_t &call, const std::string &launch, rnnrt_skipped_by_t by,
                         const std::string &reason) {
  call.skippedClusters = true;
  call.skippedBy = by;
  call.skipReason = reason;
  if (tracing(TraceKind::Dispatch))
    trace("rnnrt,dispatch,%s,SKIPPED,%s", launch.c_str(), reason.c_str());
}

extern "C" {

void rnnrt_call_options_init(rnnrt_call_options_t *options) {
  static const int64_t defaultDraw = readInteger("RNNRT_DROPOUT_DRAW", -1, -1, INT64_MAX);
  if (options)
    *options = {defaultDraw, RNNRT_HOST_WAITS_ALLOWED};
}

rnnrt_status_t rnnrt_call_create(rnnrt_device_t *device, rnnrt_stream_t *stream, const rnnrt_call_options_t *options,
                                 rnnrt_call_t **out_call) {
  if (!out_call)
    return invalidArgument("expects `out_call`, but got a null pointer").take();
  *out_call = nullptr;
  if (!device)
    return invalidArgument("expects `device`, but got a null pointer").take();
  if (stream && stream->device.get() != device)
    return invalidArgument("expects `stream` to belong to `device`").take();
  rnnrt_call_options_t chosen;
  rnnrt_call_options_init(&chosen);
  if (options)
    chosen = *options;
  if (chosen.dropout_draw < -1)
    return invalidArgument("expects `dropout_draw` to be at least -1, but got %lld", (long long)chosen.dropout_draw)
        .take();
  if (chosen.host_waits != RNNRT_HOST_WAITS_ALLOWED && chosen.host_waits != RNNRT_HOST_WAITS_REFUSED)
    return invalidArgument("expects `host_waits` to be in [0, 1], but got %d", int(chosen.host_waits)).take();
  return guarded([&] {
           *out_call = new rnnrt_call(device, stream, chosen, readFlag("RNNRT_GRAPHS", true));
           return Status();
         })
      .take();
}

rnnrt_status_t rnnrt_call_status(const rnnrt_call_t *call) {
  return call ? call->first.get() : nullCallStatus();
}

void rnnrt_call_fail(rnnrt_call_t *call, rnnrt_status_t status) {
  Status owned(status);
  if (call)
    call->record(std::move(owned));
}

const char *rnnrt_call_skipped(const rnnrt_call_t *call) {
  return call && !call->skipReason.empty() ? call->skipReason.c_str() : nullptr;
}

rnnrt_skipped_by_t rnnrt_call_skipped_by(const rnnrt_call_t *call) {
  return call ? call->skippedBy : RNNRT_SKIPPED_BY_NOTHING;
}

void rnnrt_call_reset(rnnrt_call_t *call) {
  if (!call)
    return;
  call->endWavefront();
  call->first = Status();
  call->nextResets = {};
  call->triesClusters = call->skippedClusters = call->inChain = false;
  call->skippedBy = RNNRT_SKIPPED_BY_NOTHING;
  call->skipReason.clear();
  // A pass that did not run has not consumed them.
  call->nextResets = {};
  call->plans.clear();
  call->offered.clear();
  call->resultMemory.clear();
}

void rnnrt_call_offer_results(rnnrt_call_t *call, const rnnrt_tensor_t *const *tensors, int64_t num_tensors) {
  if (!call)
    return;
  call->record(guarded([&] {
    call->offered.clear();
    if (num_tensors < 0 || (num_tensors && !tensors))
      return invalidArgument("expects the tensors of %lld results, but got %s", (long long)num_tensors,
                             num_tensors < 0 ? "a negative number" : "a null pointer");
    for (int64_t k = 0; k < num_tensors; ++k)
      call->offered.push_back(tensors[k] ? *tensors[k] : rnnrt_tensor_t{nullptr, 0, -1, {}, nullptr, nullptr});
    return Status();
  }));
}

rnnrt_device_t *rnnrt_call_device(const rnnrt_call_t *call) {
  return call ? call->device.get() : nullptr;
}
rnnrt_stream_t *rnnrt_call_stream(const rnnrt_call_t *call) {
  return call ? call->stream.get() : nullptr;
}
void rnnrt_call_release(rnnrt_call_t *call) {
  if (call && call == currentCall())
    setCurrentCall(nullptr);
  if (call)
    call->endWavefront();
  delete call;
}

} // extern "C"
