// PlanCache.h - the plans of a device by their problems.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_PLANCACHE_H
#define RNNRT_CORE_PLANCACHE_H

#include "core/Backend.h"
#include "core/Plan.h"
#include "rnn_runtime/plan.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace rnnrt {

/// Plans by their key. A full cache evicts the plan whose last use is the longest ago, unless a call uses it.
/// Thread-safe.
class PlanCache {
public:
  /// At most RNNRT_PLAN_CACHE plans.
  PlanCache();

  /// The plan of `problem`; `backend` creates it if it is not cached.
  template <typename Problem> Status get(Backend &backend, const Problem &problem, std::shared_ptr<Plan> &plan) {
    std::string key = problem.describe();
    // Destroyed outside the lock.
    std::shared_ptr<Plan> evicted;
    // Creation happens under the lock: two plans of one problem would draw the same dropout masks.
    std::lock_guard<std::mutex> lock(mutex);
    if (find(key, plan))
      return Status();
    RNNRT_TRY(backend.createPlan(problem, plan));
    insert(std::move(key), plan, evicted);
    return Status();
  }

  void clear();
  rnnrt_plan_stats_t stats() const;

private:
  struct Entry {
    std::shared_ptr<Plan> plan;
    std::list<const std::string *>::iterator use;
  };

  bool find(const std::string &key, std::shared_ptr<Plan> &plan);
  void insert(std::string key, const std::shared_ptr<Plan> &plan, std::shared_ptr<Plan> &evicted);
  void evict(std::shared_ptr<Plan> &evicted);

  const size_t limit;
  mutable std::mutex mutex;
  std::unordered_map<std::string, Entry> plans;
  std::list<const std::string *> uses; ///< keys of `plans`, the last used one first
  /// The largest number of dropout draws of evicted plans: new plans continue there, so that no mask is drawn twice.
  uint64_t draws = 0;
  int64_t created = 0, hits = 0, numEvicted = 0;
};

} // namespace rnnrt

#endif // RNNRT_CORE_PLANCACHE_H
