// plan.h - inspection of plans, and the plan cache of a device. The entries of abi.h create and run plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_PLAN_H
#define RNN_RUNTIME_PLAN_H

#include "rnn_runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Counters of the plan cache of a device, since its creation.
typedef struct rnnrt_plan_stats {
  int64_t created; ///< plans created
  int64_t hits;    ///< requests served from the cache
  int64_t cached;  ///< plans in the cache
  int64_t evicted; ///< plans that a full cache has removed
} rnnrt_plan_stats_t;

/// Returns the problem as one line, e.g. "lstm l2_t8_b4_i32_h64_d2 dtype=f32 training=1". It contains every size and
/// option that the plan depends on, and is the key of the cache. Borrowed: it lives as long as the plan. "" for NULL.
RNNRT_API const char *rnnrt_plan_key(const rnnrt_plan_t *plan);

/// Returns the algorithm of the plan as a static string: `fused` for plans of fused kernels, `reference` on the host,
/// and on cuda cuDNN's `standard`, `persist_static`, `persist_dynamic` or `persist_static_small_h` (RNNRT_CUDNN_ALGO
/// forces one). All plans of one problem on one kind of device use the same algorithm. Sequences of different lengths
/// always use `standard`.
RNNRT_API const char *rnnrt_plan_algorithm(const rnnrt_plan_t *plan);

/// Empties the plan cache. The cache holds at most RNNRT_PLAN_CACHE plans (an environment variable; default 1024), and
/// more only if calls use them all: the plan whose last use is the longest ago is removed. A plan that a call uses
/// lives until that call is reset or released. Host dropout sequences restart, because each plan counts its own draws.
RNNRT_API rnnrt_status_t rnnrt_device_clear_plans(rnnrt_device_t *device);

/// The counters of `device` now.
RNNRT_API rnnrt_status_t rnnrt_device_plan_stats(const rnnrt_device_t *device, rnnrt_plan_stats_t *out_stats);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_PLAN_H
