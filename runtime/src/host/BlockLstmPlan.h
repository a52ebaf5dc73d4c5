// BlockLstmPlan.h - the host plan of one block LSTM layer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_BLOCKLSTMPLAN_H
#define RNNRT_HOST_BLOCKLSTMPLAN_H

#include "core/Memory.h"
#include "core/Plan.h"
#include "host/Convert.h"
#include "host/Kernels.h"

namespace rnnrt {

template <typename A> class HostBlockLstmPlan final : public BlockLstmPlan {
public:
  HostBlockLstmPlan(const BlockProblem &problem, std::shared_ptr<MemoryPool> pool)
      : BlockLstmPlan(problem.describe()), p(problem), pool(std::move(pool)) {}
  /// Checks the sizes. Must precede every other function.
  Status prepare();

  Status forward(const RunContext &context, const BlockForward &arguments) override;
  Status backward(const RunContext &context, const BlockBackward &arguments) override;

private:
  struct BackwardRun;

  Status checkSteps(int64_t seqLenMax) const;
  /// Columns of the four gates in `w` and `b`, the layout's order.
  struct Gates {
    int64_t i, c, f, o;
  };
  Gates gates() const {
    return p.layout == BlockLayout::Icfo ? Gates{0, p.hidden, 2 * p.hidden, 3 * p.hidden}
                                         : Gates{0, 2 * p.hidden, p.hidden, 3 * p.hidden};
  }

  const BlockProblem p;
  const std::shared_ptr<MemoryPool> pool;
};

} // namespace rnnrt

#endif // RNNRT_HOST_BLOCKLSTMPLAN_H
