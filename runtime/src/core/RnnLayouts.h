// RnnLayouts.h - tables of the offsets that rnn_runtime/layout.h defines, for one problem.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_RNNLAYOUTS_H
#define RNNRT_CORE_RNNLAYOUTS_H

#include "core/RnnChecks.h"

#include <vector>

namespace rnnrt {

/// Offsets in the dense parameter buffer, in elements: `rnn_layout::ParamsOffsets` of every layer and direction.
struct ParamsLayout {
  struct PseudoLayer {
    int64_t inputWeights;     ///< W [G*H, K]; empty with skip_input in layer 0
    int64_t recurrentWeights; ///< R [G*H, P]
    int64_t projection;       ///< [P, H], if any
    int64_t inputBias;        ///< bW [G*H]
    int64_t recurrentBias;    ///< bR [G*H]
  };
  std::vector<PseudoLayer> layers; ///< index layer * D + direction
  int64_t elements = 0;

  /// OUT_OF_RANGE when 64 bits do not hold the bytes.
  Status make(const RnnProblem &problem);
};

/// Offsets in the reserve space of the host's plans and of fused kernels: `rnn_layout::ReserveOffsets` of every layer
/// and direction. A ReserveHeader precedes them. The plans' backward passes overwrite activations with gradients; fused
/// kernels keep those elsewhere.
struct ReserveLayout {
  struct PseudoLayer {
    int64_t gates;  ///< [T,B,G*H] activations; after backward_data the gradients of the gates' arguments
    int64_t cell;   ///< lstm: [T,B,H] cell states
    int64_t linear; ///< gru: [T,B,H] q = Rn h + bRn; after backward_data its gradient
    int64_t hidden; ///< projection: [T,B,H] h before the projection
    int64_t delta;  ///< projection: [T,B,P] written by backward_data, the gradient of the projected h
  };
  std::vector<PseudoLayer> pseudo; ///< index layer * D + direction
  std::vector<int64_t> states;     ///< per layer [T,B,D*P]: the state after each step; past a length it stays the same
  int64_t bytes = 0;               ///< header included

  Status make(const RnnProblem &problem, int64_t elementBytes);
};

/// The dense buffer is the canonical tensors one after the other, so both directions are copies: `copy(target, source,
/// bytes)` returns a Status. The operands are those of pack_params and unpack_params, checked here.
template <typename Copy>
Status packCanonical(const RnnProblem &problem, int64_t paramsSize, int64_t numWeights, int64_t numBiases,
                     const void *const *tensors, const int64_t *elements, void *params, int64_t paramsElements,
                     Copy &&copy) {
  RNNRT_TRY(checkCanonical(problem, paramsSize, numWeights, numBiases, tensors, elements, params, paramsElements));
  auto *target = static_cast<char *>(params);
  for (int64_t k = 0; k < numWeights + numBiases; ++k) {
    const int64_t bytes = elements[k] * rnnrt_dtype_size(problem.dtype);
    if (bytes)
      RNNRT_TRY(copy(target, tensors[k], bytes));
    target += bytes;
  }
  return Status();
}

template <typename Copy>
Status unpackCanonical(const RnnProblem &problem, int64_t paramsSize, int64_t numWeights, int64_t numBiases,
                       void *const *tensors, const int64_t *elements, const void *params, int64_t paramsElements,
                       Copy &&copy) {
  RNNRT_TRY(checkCanonical(problem, paramsSize, numWeights, numBiases, tensors, elements, params, paramsElements));
  auto *source = static_cast<const char *>(params);
  for (int64_t k = 0; k < numWeights + numBiases; ++k) {
    const int64_t bytes = elements[k] * rnnrt_dtype_size(problem.dtype);
    if (bytes)
      RNNRT_TRY(copy(tensors[k], source, bytes));
    source += bytes;
  }
  return Status();
}

} // namespace rnnrt

#endif // RNNRT_CORE_RNNLAYOUTS_H
