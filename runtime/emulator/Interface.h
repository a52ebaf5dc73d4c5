// Interface.h - the interface between librnn_runtime and librnn_emulator, besides the public headers.
//
// The emulator is a library of its own: only tests of GPU kernels need it, and it would be a quarter of the runtime's
// code. Each state has one definition. librnn_runtime has the current call of a thread, devices, statuses, trace
// settings and memory pools. librnn_emulator has the running GPU thread and the emulator of each OS thread. The
// libraries share no objects: this interface passes text, numbers and handles of the C API. Code that is compiled into
// both (core/StatusFormat.cpp, inline functions of core/Status.h) has no state.
//
// The two libraries are built and installed together. `version` catches a mixed installation. This header is not
// installed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_INTERFACE_H
#define RNNRT_EMULATOR_INTERFACE_H

#include "rnn_runtime/abi.h"
#include "rnn_runtime/call.h"

/// Increment when anything in this file or a line of simt.def changes.
#define RNNRT_EMULATOR_VERSION 6

extern "C" {

//===-- Exported by librnn_emulator, called by librnn_runtime ----------------------------------------------------===//

typedef struct rnnrt_emulator {
  int32_t version; ///< RNNRT_EMULATOR_VERSION of the emulator; the first member in every version
  /// INVALID_ARGUMENT unless `schedule` is one: fifo, reverse, random or random:SEED.
  rnnrt_status_t (*check_schedule)(const char *schedule);
  /// The entries of simt.def, in order.
  const rnnrt_abi_symbol_t *entries;
  size_t num_entries;
} rnnrt_emulator_t;

/// Static memory.
RNNRT_API const rnnrt_emulator_t *rnnrt_emulator_get(void);

//===-- Exported by librnn_runtime, called by librnn_emulator ----------------------------------------------------===//

/// An operation of emulated host code.
typedef struct rnnrt_emulation {
  rnnrt_call_t *call;   ///< the current call of this thread; rnnrt_call_fail records a failure
  const char *schedule; ///< of the call's device; valid as long as the device
  int32_t traces;       ///< 1 if RNNRT_TRACE contains `dispatch`
  int64_t layers;       ///< of the wavefront, or 0; in one, launches are passed to rnnrt_internal_emulation_defer
} rnnrt_emulation_t;

/// Returns 1 and fills `out_emulation` if an operation must be executed. Returns 0 if the thread has no current call,
/// if that has failed, or if its device emulates no kernels; the last is recorded as FAILED_PRECONDITION.
RNNRT_API int32_t rnnrt_internal_emulation(rnnrt_emulation_t *out_emulation);

/// For a launch of clusters, described by `launch`. Returns 1 if it must not happen: the call has other kernels for its
/// work (rnnrt_abi_try_clusters), and RNNRT_CLUSTERS=0. The call then records that it was skipped.
RNNRT_API int32_t rnnrt_internal_emulation_skips(rnnrt_call_t *call, const char *launch);

/// The value of RNNRT_RESIDENT_CLUSTERS, or INT64_MAX.
RNNRT_API int64_t rnnrt_internal_emulation_most_clusters(void);

/// Adds a launch to the wavefront of the call (rnnrt_abi_wavefront_begin). `clusters` is the
/// number of clusters of a launch with items (RNNRT_LAUNCH_ITEMS_SHIFT), and 0 for other launches. `run` is called at
/// most once, now or later, and then `release` once.
RNNRT_API void rnnrt_internal_emulation_defer(rnnrt_call_t *call, int64_t clusters, rnnrt_status_t (*run)(void *launch),
                                              void (*release)(void *launch), void *launch);

/// Called while a deferred launch runs: runs other launches of its wavefront, as the schedule decides. Not inside of a
/// kernel.
RNNRT_API void rnnrt_internal_emulation_advance(void);

/// Called before and after (NULL) a kernel runs in this thread, on stacks of its own: a failed allocation cannot leave
/// the function then. `end` ends the kernel with the failure, which it owns, and does not return.
RNNRT_API void rnnrt_internal_emulation_kernel(void (*end)(rnnrt_status_t failure));

/// Writes the line of RNNRT_TRACE=dispatch for a launch that returned `status`.
RNNRT_API void rnnrt_internal_emulation_trace(const char *launch, rnnrt_status_t status, double milliseconds);

} // extern "C"

#endif // RNNRT_EMULATOR_INTERFACE_H
