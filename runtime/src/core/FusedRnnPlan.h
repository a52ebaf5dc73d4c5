// FusedRnnPlan.h - the plan of a network that compiled kernels run: sizes, checks, the reserve's header, parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_FUSEDRNNPLAN_H
#define RNNRT_CORE_FUSEDRNNPLAN_H

#include "core/Plan.h"

#include <memory>

namespace rnnrt {

/// How a plan reaches the memory that kernels work on. Thread-safe; owns what it needs of the device.
class FusedMemory {
public:
  virtual ~FusedMemory() = default;

  /// A backward pass reads the header of its reserve, and waits for it.
  virtual bool checksHeaders() const = 0;
  /// Not while the stream is being captured.
  virtual Status canWait(rnnrt_stream_t *stream, bool &can) = 0;
  /// In the order of the stream; memory of the host that is read may be used again when it returns.
  virtual Status copy(rnnrt_stream_t *stream, void *target, const void *source, int64_t bytes) = 0;
  virtual Status wait(rnnrt_stream_t *stream) = 0;
};

/// OUT_OF_RANGE when 64 bits do not hold a size.
Status createFusedRnnPlan(const RnnProblem &problem, std::unique_ptr<FusedMemory> memory, std::shared_ptr<Plan> &plan);

} // namespace rnnrt

#endif // RNNRT_CORE_FUSEDRNNPLAN_H
