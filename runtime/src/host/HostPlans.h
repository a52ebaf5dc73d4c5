// HostPlans.h - the host plans, the numeric reference for every other lowering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_HOSTPLANS_H
#define RNNRT_HOST_HOSTPLANS_H

#include "core/Memory.h"
#include "core/Plan.h"

namespace rnnrt {

/// Both return OUT_OF_RANGE if the size of a tensor in bytes exceeds 64 bits.
Status createHostRnnPlan(const RnnProblem &problem, std::shared_ptr<MemoryPool> pool, std::shared_ptr<Plan> &plan);
Status createHostBlockLstmPlan(const BlockProblem &problem, std::shared_ptr<MemoryPool> pool,
                               std::shared_ptr<Plan> &plan);

} // namespace rnnrt

#endif // RNNRT_HOST_HOSTPLANS_H
