// PlanCache.cpp - lookup and eviction of plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/PlanCache.h"
#include "core/Trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace rnnrt;

static size_t readLimit() {
  constexpr long long usual = 1024, largest = 1 << 30;
  const char *text = std::getenv("RNNRT_PLAN_CACHE");
  if (!text || !*text)
    return usual;
  char *end;
  long long count = std::strtoll(text, &end, 10);
  if (!*end && count >= 1 && count <= largest)
    return size_t(count);
  std::fprintf(stderr, "rnnrt,warning,RNNRT_PLAN_CACHE expects a number of plans from 1 to %lld, but got `%s`\n",
               largest, text);
  return usual;
}

PlanCache::PlanCache() : limit(readLimit()) {}

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
