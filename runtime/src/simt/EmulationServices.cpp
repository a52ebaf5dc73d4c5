// EmulationServices.cpp - the functions of the runtime that the emulator calls (emulator/Interface.h).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/CurrentCall.h"
#include "core/Device.h"
#include "core/Exit.h"
#include "emulator/Interface.h"
#include "simt/SimtBackend.h"
#include "simt/SimtWavefront.h"

#include <memory>

using namespace rnnrt;

extern "C" {

int32_t rnnrt_internal_emulation(rnnrt_emulation_t *out_emulation) {
  rnnrt_call_t *call = currentCall();
  if (!call || !call->first.ok())
    return 0;
  const char *schedule = emulatedSchedule(*call->device->backend);
  if (!schedule) {
    call->record(
        failedPrecondition("the function was compiled for target simt, but its call is on device `%s`; make the "
                           "call on a device `simt`",
                           call->device->name.c_str()));
    return 0;
  }
  *out_emulation = {call, schedule, tracing(TraceKind::Dispatch),
                    call->wavefront ? call->wavefront->getNumLayers() : 0};
  return 1;
}

int32_t rnnrt_internal_emulation_skips(rnnrt_call_t *call, const char *launch) {
  if (!call->triesClusters || !clustersAreDisabled())
    return 0;
  call->record(guarded([&] {
    skipDisabledClusters(*call, launch);
    return Status();
  }));
  return 1;
}

int64_t rnnrt_internal_emulation_most_clusters(void) {
  return getMostResidentClusters();
}

void rnnrt_internal_emulation_defer(rnnrt_call_t *call, int64_t clusters, rnnrt_status_t (*run)(void *launch),
                                    void (*release)(void *launch), void *launch) {
  call->record(guarded([&] {
    auto work = [run, owned = std::shared_ptr<void>(launch, release)] { return Status(run(owned.get())); };
    if (!call->wavefront || !call->wavefront->defer(work))
      return work();
    call->wavefront->launched(clusters);
    return Status();
  }));
}

void rnnrt_internal_emulation_advance(void) {
  SimtWavefront::advance();
}

void rnnrt_internal_emulation_kernel(void (*end)(rnnrt_status_t failure)) {
  Exit::setKernel(end);
}

void rnnrt_internal_emulation_trace(const char *launch, rnnrt_status_t status, double milliseconds) {
  trace("rnnrt,dispatch,%s,%s,%.3f", launch, rnnrt_status_code_name(rnnrt_status_code(status)), milliseconds);
}

} // extern "C"
