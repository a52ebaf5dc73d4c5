// PlanCache.cpp - lookup and eviction of plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/PlanCache.h"
#include "core/Environment.h"
#include "core/Trace.h"

#include <algorithm>

using namespace rnnrt;

PlanCache::PlanCache() : limit(size_t(readInteger("RNNRT_PLAN_CACHE", 1024, 1, 1 << 30, "a number of plans"))) {}

bool PlanCache::find(const std::string &key, std::shared_ptr<Plan> &plan) {
  auto found = plans.find(key);
  if (found == plans.end())
    return false;
  uses.splice(uses.begin(), uses, found->second.use);
  plan = found->second.plan;
  ++hits;
  return true;
}

void PlanCache::insert(std::string key, const std::shared_ptr<Plan> &plan, std::shared_ptr<Plan> &evicted) {
  if (tracing(TraceKind::Plan))
    trace("rnnrt,plan,create,%s", key.c_str());
  if (plans.size() >= limit)
    evict(evicted);
  plan->startDraws(draws);
  uses.emplace_front(nullptr);
  try {
    auto inserted = plans.emplace(std::move(key), Entry{plan, uses.begin()}).first;
    uses.front() = &inserted->first;
  } catch (...) {
    uses.pop_front();
    throw;
  }
  ++created;
}

void PlanCache::evict(std::shared_ptr<Plan> &evicted) {
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
    auto found = plans.find(**use);
    // The number of draws of a plan in use is not final.
    if (found->second.plan.use_count() > 1)
      continue;
    evicted = std::move(found->second.plan);
    draws = std::max(draws, evicted->numDraws());
    uses.erase(found->second.use);
    plans.erase(found);
    ++numEvicted;
    if (tracing(TraceKind::Plan))
      trace("rnnrt,plan,evict,%s", evicted->key.c_str());
    return;
  }
}

void PlanCache::clear() {
  // Destroy the plans outside the lock.
  std::unordered_map<std::string, Entry> old;
  std::lock_guard<std::mutex> lock(mutex);
  old.swap(plans);
  uses.clear();
  draws = 0;
}

rnnrt_plan_stats_t PlanCache::stats() const {
  std::lock_guard<std::mutex> lock(mutex);
  return {created, hits, int64_t(plans.size()), numEvicted};
}
