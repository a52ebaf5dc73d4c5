// HostPlans.h - the host's plans: straightforward, and the numeric reference of every other lowering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_HOSTPLANS_H
#define RNNRT_HOST_HOSTPLANS_H

#include "core/Memory.h"
#include "core/Plan.h"

namespace rnnrt {

/// Both refuse, with OUT_OF_RANGE, problems with a tensor of more bytes than 64 bits can say.
Status createHostRnnPlan(const RnnProblem &problem, std::shared_ptr<MemoryPool> pool, std::shared_ptr<Plan> &plan);
Status createHostBlockLstmPlan(const BlockProblem &problem, std::shared_ptr<MemoryPool> pool,
                               std::shared_ptr<Plan> &plan);

} // namespace rnnrt

#endif // RNNRT_HOST_HOSTPLANS_H
