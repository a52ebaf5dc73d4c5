// CudnnAlgorithm.cpp - the selection rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnAlgorithm.h"

#include <cstdlib>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::cudnn;

RnnAlgo cudnn::preferredAlgorithm(const RnnProblem &p, const DeviceInfo &device) {
  // The persistent algorithms do not support projections, and only persist_dynamic supports f64.
  if (p.projected() || p.skipInput || p.dtype == RNNRT_DTYPE_F64)
    return RnnAlgo::Standard;

  // Limits of PyTorch's get_algo (aten/src/ATen/native/cudnn/RNN.cpp). Its forward and backward limits differ. Training
  // uses the smaller limit for both passes, because one algorithm must write and read the reserve space.
  const bool gated = p.mode == Mode::Lstm || p.mode == Mode::Gru;
  const int64_t smallHidden = p.training ? (gated ? 128 : 256) : (gated ? 192 : 384);
  if (p.hidden <= smallHidden)
    return RnnAlgo::PersistStaticSmallH;

  const bool fits = p.layers == 1 && !p.bidirectional && p.hidden <= 1024 && p.hidden % 128 == 0 &&
                    p.input % 128 == 0 && p.batch % 8 == 0 && p.batch <= 128;
  // All blocks must be co-resident, which requires enough multiprocessors.
  if (p.dtype == RNNRT_DTYPE_F16 && fits && p.mode != Mode::Gru && device.computeCapability >= 80 &&
      device.multiprocessors >= 98)
    return RnnAlgo::PersistStatic;
  return RnnAlgo::Standard;
}

Status Preferences::read(Preferences &preferences) {
  preferences = Preferences();
  if (const char *text = std::getenv("RNNRT_CUDNN_ALGO"); text && *text) {
    preferences.forced = true;
    if (!algorithmOf(text, preferences.algorithm))
      return invalidArgument("expects RNNRT_CUDNN_ALGO to be `standard`, `persist_static`, `persist_dynamic` or "
                             "`persist_static_small_h`, but got `%.64s`",
                             text);
  }
  auto readFlag = [](const char *variable, bool &flag) {
    const char *text = std::getenv(variable);
    if (!text || !*text)
      return Status();
    if (std::strcmp(text, "0") && std::strcmp(text, "1"))
      return invalidArgument("expects %s to be `0` or `1`, but got `%.64s`", variable, text);
    flag = *text == '1';
    return Status();
  };
  RNNRT_TRY(readFlag("RNNRT_TF32", preferences.tf32));
  return readFlag("RNNRT_CUDNN_PACKED", preferences.packed);
}
