// plan.h - the plans of a device. Plans are made and run through the entries of abi.h; this header looks at them and
// manages the cache that holds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_PLAN_H
#define RNN_RUNTIME_PLAN_H

#include "rnn_runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Counters of a device's plan cache since the device was made.
typedef struct rnnrt_plan_stats {
  int64_t created; ///< plans made
  int64_t hits;    ///< requests served by a plan that was there
  int64_t cached;  ///< plans in the cache now
} rnnrt_plan_stats_t;

/// The problem as one line, as "lstm l2_t8_b4_i32_h64_d2 dtype=f32 training=1". It holds every size and option that
/// the plan depends on, and is the key of the cache. Lent as long as the plan.
RNNRT_API const char *rnnrt_plan_key(const rnnrt_plan_t *plan);

/// How the plan computes, static string: `reference` on the host; on cuda what was chosen of cuDNN's `standard`,
/// `persist_static`, `persist_dynamic` and `persist_static_small_h` (RNNRT_CUDNN_ALGO forces one). It is the same for
/// every plan of one problem on one kind of device. Sequences of several lengths are always done by `standard`.
RNNRT_API const char *rnnrt_plan_algorithm(const rnnrt_plan_t *plan);

/// Empties the cache. Plans that a call still holds live on until that call is reset or released. The random streams of
/// dropout start over, since each plan counts its own draws.
RNNRT_API rnnrt_status_t rnnrt_device_clear_plans(rnnrt_device_t *device);

/// The counters of `device` now.
RNNRT_API rnnrt_status_t rnnrt_device_plan_stats(const rnnrt_device_t *device, rnnrt_plan_stats_t *out_stats);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_PLAN_H
