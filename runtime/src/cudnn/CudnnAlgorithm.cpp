// CudnnAlgorithm.cpp - the rules by which an algorithm is preferred.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnAlgorithm.h"

#include <cstdlib>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::cudnn;

RnnAlgo cudnn::preferredAlgorithm(const RnnProblem &p, const DeviceFacts &facts) {
  // The persistent algorithms know neither projections nor, all but persist_dynamic, f64.
  if (p.projected() || p.skipInput || p.dtype == RNNRT_DTYPE_F64)
    return RnnAlgo::Standard;

  // The limits are those of PyTorch's get_algo (aten/src/ATen/native/cudnn/RNN.cpp). It has other limits forward than
  // backward; a reserve space must be read by the algorithm that wrote it, so training takes the smaller ones for both.
  const bool gated = p.mode == Mode::Lstm || p.mode == Mode::Gru;
  const int64_t smallHidden = p.training ? (gated ? 128 : 256) : (gated ? 192 : 384);
  if (p.hidden <= smallHidden)
    return RnnAlgo::PersistStaticSmallH;

  const bool fits = p.layers == 1 && !p.bidirectional && p.hidden <= 1024 && p.hidden % 128 == 0 &&
                    p.input % 128 == 0 && p.batch % 8 == 0 && p.batch <= 128;
  // All thread blocks must be resident at once, so the device needs enough multiprocessors.
  if (p.dtype == RNNRT_DTYPE_F16 && fits && p.mode != Mode::Gru && facts.computeCapability >= 80 &&
      facts.multiprocessors >= 98)
    return RnnAlgo::PersistStatic;
  return RnnAlgo::Standard;
}

Status Wishes::read(Wishes &wishes) {
  wishes = Wishes();
  if (const char *text = std::getenv("RNNRT_CUDNN_ALGO"); text && *text) {
    wishes.forced = true;
    if (!algorithmOf(text, wishes.algorithm))
      return invalidArgument("expects RNNRT_CUDNN_ALGO to be `standard`, `persist_static`, `persist_dynamic` or "
                             "`persist_static_small_h`, but got `%.64s`",
                             text);
  }
  if (const char *text = std::getenv("RNNRT_TF32"); text && *text) {
    if (std::strcmp(text, "0") && std::strcmp(text, "1"))
      return invalidArgument("expects RNNRT_TF32 to be `0` or `1`, but got `%.64s`", text);
    wishes.tf32 = *text == '1';
  }
  return Status();
}
