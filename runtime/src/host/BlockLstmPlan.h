// BlockLstmPlan.h - the host plan of one block LSTM layer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_HOST_BLOCKLSTMPLAN_H
#define RNNRT_HOST_BLOCKLSTMPLAN_H

#include "core/Memory.h"
#include "core/Plan.h"
#include "host/Convert.h"
#include "host/Kernels.h"
#include "host/Sequences.h"

namespace rnnrt {

template <typename A> class HostBlockLstmPlan final : public BlockLstmPlan {
public:
  HostBlockLstmPlan(const BlockProblem &problem, std::shared_ptr<MemoryPool> pool)
      : BlockLstmPlan(problem.describe()), p(problem), pool(std::move(pool)) {}
  /// Checks the sizes. Must precede every other function.
  Status prepare();
  bool hasResets() const override { return true; }

  Status forward(const RunContext &context, const BlockForward &arguments) override;
  Status backward(const RunContext &context, const BlockBackward &arguments) override;

private:
  struct BackwardRun;

  Status checkSteps(int64_t seqLenMax) const;
  RowOrder order() const { return {p.steps, p.batch, p.batchMajor}; }
  /// Sets the rows of the steps from `first` on to zero. `result` may be null.
  void zeroSteps(void *result, int64_t width, int64_t first) const;
  /// First columns of the four gates in `w` and `b`.
  struct Gates {
    int64_t i, c, f, o;
  };
  Gates gates() const {
    auto column = [&](rnn_layout::LstmGate gate) { return rnn_layout::gateBlock(p.layout, gate) * p.hidden; };
    using rnn_layout::LstmGate;
    return {column(LstmGate::Input), column(LstmGate::Cell), column(LstmGate::Forget), column(LstmGate::Output)};
  }

  const BlockProblem p;
  const std::shared_ptr<MemoryPool> pool;
};

} // namespace rnnrt

#endif // RNNRT_HOST_BLOCKLSTMPLAN_H
