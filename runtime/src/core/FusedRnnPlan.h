// FusedRnnPlan.h - the plan of a network that compiled kernels execute: sizes, checks, the header of the reserve space,
// parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_FUSEDRNNPLAN_H
#define RNNRT_CORE_FUSEDRNNPLAN_H

#include "core/Plan.h"

#include <memory>

namespace rnnrt {

/// Access of a plan to the memory of its device. Thread-safe; owns the objects of the device that it uses.
class FusedMemory {
public:
  virtual ~FusedMemory() = default;

  /// True if a backward pass reads the header of its reserve space, which synchronizes.
  virtual bool checksHeaders() const = 0;
  /// False if the call refuses to wait for the device, and while the stream is being captured.
  virtual Status canWait(const RunContext &context, bool &can) = 0;
  /// In the order of the stream. Host memory that is read may be reused when it returns.
  virtual Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) = 0;
  virtual Status wait(rnnrt_stream_t *stream) = 0;
};

/// OUT_OF_RANGE if a size overflows 64 bits.
Status createFusedRnnPlan(const RnnProblem &problem, std::unique_ptr<FusedMemory> memory, std::shared_ptr<Plan> &plan);

} // namespace rnnrt

#endif // RNNRT_CORE_FUSEDRNNPLAN_H
