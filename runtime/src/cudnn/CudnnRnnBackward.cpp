// CudnnRnnBackward.cpp - both steps of the backward pass by cuDNN. The data step overwrites parts of the reserve space
// that the weights step reads (cuDNN reference, cudnnRNNBackwardWeights_v8).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnRnnRun.h"

using namespace rnnrt;
using namespace rnnrt::cudnn;

Status CudnnRnnPlan::backwardData(const RunContext &call, const RnnBackwardData &a) {
  RNNRT_TRY(checkBackwardDataOperands(p, a.h0, a.c0, a.params, a.dy, a.dhn, a.dcn));
  RNNRT_REQUIRE(a.y, "y");
  RNNRT_TRY(checkParamsElements(paramsSize(), a.paramsElements));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes));
  Run run(*this, call, BackwardData);
  RNNRT_TRY(run.begin(a.lengths));
  const Sequences &s = *run.sequences;
  const bool checks = checking && run.mayWait();
  if (checks) {
    RNNRT_TRY(checkHeader(run.stream, a.reserve, s, ReserveHeader::Written));
    // A failure below leaves the reserve space unusable.
    RNNRT_TRY(writeHeader(run.stream, a.reserve, s, ReserveHeader::Consumed));
  }

  const int64_t states = p.layers * p.directions() * p.batch * elementSize();
  const bool lstm = p.isLstm();
  const void *y, *dy, *h0, *dhn, *c0, *dcn, *params;
  void *dx, *dh0, *dc0;
  RNNRT_TRY(run.sequence(a.y, outputWidth(), y));
  RNNRT_TRY(run.sequence(a.dy, outputWidth(), dy));
  RNNRT_TRY(run.states(a.h0, p.projection, h0));
  RNNRT_TRY(run.states(a.dhn, p.projection, dhn));
  RNNRT_TRY(run.states(lstm ? a.c0 : nullptr, p.hidden, c0));
  RNNRT_TRY(run.states(lstm ? a.dcn : nullptr, p.hidden, dcn));
  RNNRT_TRY(run.params(a.params, params));
  RNNRT_TRY(run.result(a.dx, rows() * p.input * elementSize(), /*needed=*/true, dx));
  RNNRT_TRY(run.result(a.dh0, states * p.projection, /*needed=*/false, dh0));
  RNNRT_TRY(run.result(lstm ? a.dc0 : nullptr, states * p.hidden, /*needed=*/false, dc0));

  RNNRT_TRY(check(api().cudnnRNNBackwardData_v8(run.handle.get(), run.rnn.get(), nullptr, s.y.get(), y, dy, s.x.get(),
                                                dx, shared->hidden.get(), h0, dhn, dh0, shared->cell.get(), c0, dcn,
                                                dc0, size_t(layout.bytes), params, s.workspace, run.workspace,
                                                size_t(reserveBytes), a.reserve),
                  "cudnnRNNBackwardData_v8"));
  RNNRT_TRY(run.copyEmpty(dh0, a.dhn, p.projection));
  RNNRT_TRY(run.copyEmpty(dc0, a.dcn, p.hidden));
  return run.end();
}

Status CudnnRnnPlan::backwardWeights(const RunContext &call, const RnnBackwardWeights &a) {
  RNNRT_TRY(checkBackwardWeightsOperands(p, a.x, a.h0));
  RNNRT_REQUIRE(a.y, "y");
  RNNRT_TRY(checkParamsElements(paramsSize(), a.paramsElements));
  RNNRT_TRY(checkReserve(a.reserve, a.reserveBytes));
  Run run(*this, call, BackwardWeights);
  RNNRT_TRY(run.begin(a.lengths));
  const Sequences &s = *run.sequences;
  if (checking && run.mayWait())
    RNNRT_TRY(checkHeader(run.stream, a.reserve, s, ReserveHeader::Consumed));
  if (!a.dparams)
    return run.end(); // not requested

  const void *x, *h0, *y;
  void *dparams;
  const int64_t bytes = paramsSize() * elementSize();
  RNNRT_TRY(run.sequence(a.x, p.input, x));
  RNNRT_TRY(run.states(a.h0, p.projection, h0));
  RNNRT_TRY(run.sequence(a.y, outputWidth(), y));
  RNNRT_TRY(run.result(a.dparams, bytes, /*needed=*/true, dparams));
  // cuDNN supports only accumulation (WgradMode::Add). The whole buffer is zeroed, including gaps between parameters.
  RNNRT_TRY(context->device->fillZero(run.stream, dparams, bytes));
  RNNRT_TRY(
      check(api().cudnnRNNBackwardWeights_v8(run.handle.get(), run.rnn.get(), WgradMode::Add, nullptr, s.x.get(), x,
                                             shared->hidden.get(), h0, s.y.get(), y, size_t(layout.bytes), dparams,
                                             s.workspace, run.workspace, size_t(reserveBytes), a.reserve),
            "cudnnRNNBackwardWeights_v8"));
  return run.end();
}
