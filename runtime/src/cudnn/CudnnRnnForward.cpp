// CudnnRnnForward.cpp - the forward pass by cuDNN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnRnnRun.h"

#include <optional>

using namespace rnnrt;
using namespace rnnrt::cudnn;

Status CudnnRnnPlan::forward(const RunContext &call, const RnnForward &a) {
  RNNRT_TRY(checkForwardOperands(p, a.x, a.h0, a.c0, a.params));
  RNNRT_TRY(checkParamsElements(paramsSize(), a.paramsElements));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes));
  Run run(*this, call, Forward);
  RNNRT_TRY(run.begin(a.lengths));

  const int64_t states = p.layers * p.directions() * p.batch * elementSize();
  const bool lstm = p.isLstm();
  const void *x, *h0, *c0, *params;
  void *y, *hn, *cn;
  RNNRT_TRY(run.sequence(a.x, p.input, x));
  RNNRT_TRY(run.states(a.h0, p.projection, h0));
  RNNRT_TRY(run.states(lstm ? a.c0 : nullptr, p.hidden, c0));
  RNNRT_TRY(run.params(a.params, params));
  RNNRT_TRY(run.result(a.y, rows() * outputWidth() * elementSize(), /*needed=*/true, y));
  RNNRT_TRY(run.result(a.hn, states * p.projection, /*needed=*/false, hn));
  RNNRT_TRY(run.result(lstm ? a.cn : nullptr, states * p.hidden, /*needed=*/false, cn));

  const Sequences &s = *run.sequences;
  {
    std::optional<DropoutGenerator::ExclusiveUse> dropout;
    if (shared->generator) {
      dropout.emplace(*shared->generator, run.stream, run.capturing);
      RNNRT_TRY(dropout->begin(run.handle.get(), p.dropout, call.dropoutDraw));
    }
    // cuDNN ignores devSeqLengths since 8.9.1; it uses the lengths in the data descriptors.
    RNNRT_TRY(check(api().cudnnRNNForward(run.handle.get(), run.rnn.get(),
                                          p.training ? ForwardMode::Training : ForwardMode::Inference, nullptr,
                                          s.x.get(), x, s.y.get(), y, shared->hidden.get(), h0, hn, shared->cell.get(),
                                          c0, cn, size_t(layout.bytes), params, s.workspace, run.workspace,
                                          size_t(p.training ? reserveBytes : 0), p.training ? a.reserve : nullptr),
                    "cudnnRNNForward"));
    if (dropout)
      RNNRT_TRY(dropout->end());
  }
  RNNRT_TRY(run.zeroEmpty(a.y ? y : nullptr, outputWidth()));
  RNNRT_TRY(run.copyEmpty(hn, a.h0, p.projection));
  RNNRT_TRY(run.copyEmpty(cn, a.c0, p.hidden));
  if (checking && p.training && run.mayWait())
    RNNRT_TRY(writeHeader(run.stream, a.reserve, s, ReserveHeader::Written));
  return run.end();
}
