// RnnChecks.h - checks of the operands of a network's plan. All backends use them, so that they report the same
// messages. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_RNNCHECKS_H
#define RNNRT_CORE_RNNCHECKS_H

#include "core/Plan.h"
#include "core/Require.h"

#include <cstddef>
#include <vector>

namespace rnnrt {

/// Header of the reserve space, which identifies its writer and problem. It precedes the data or, if cuDNN requires an
/// aligned base, follows it.
struct ReserveHeader {
  uint64_t magic;
  uint32_t abiVersion;
  uint32_t lowering; ///< the code that can read the rest
  uint64_t problem;  ///< hash of the plan's key
  uint64_t lengths;  ///< hash of the sequence lengths and resets
  uint64_t draw;     ///< of the dropout masks
  uint32_t state;
  uint32_t unused[5];

  static constexpr uint64_t magicValue = 0x7672736572746e52; // "Rntresrv"
  /// Host plans and fused kernels use the same layout of the reserve space.
  static constexpr uint32_t loweringHost = 1, loweringCudnn = 2;
  enum State : uint32_t { Written = 1, Consumed = 2 };

  /// The header of a forward pass.
  static ReserveHeader written(uint32_t lowering, uint64_t problem, uint64_t lengths);
  /// Checks that a backward pass may use the reserve space; `required` is the required state.
  Status check(uint32_t lowering, uint64_t problem, uint64_t lengths, uint32_t required) const;
};
static_assert(sizeof(ReserveHeader) == rnn_layout::reserveHeaderBytes &&
                  offsetof(ReserveHeader, draw) == rnn_layout::reserveDrawByte,
              "compiled code reads the draw");

/// True for RNNRT_CHECK=1: devices with memory of their own read the headers too, which synchronizes, and weights with
/// a handle are compared with a checksum.
bool isCheckingEnabled();

Status checkParamsElements(int64_t expected, int64_t elements);
Status checkReserveBytes(int64_t expected, int64_t bytes);

/// Checks that each length is in [0, T]. `full` is true if all are T.
Status checkLengths(const RnnProblem &problem, const int32_t *values, bool &full);

/// The hash of lengths and resets for the header of the reserve space. `lengths` is null if all are T. The pointers are
/// host memory.
uint64_t hashSequences(const RnnProblem &problem, const int32_t *lengths, const Resets &resets);

/// The sizes of the canonical tensors in order (docs/Semantics.md, "Parameter layout"), weights then biases.
std::vector<int64_t> canonicalSizes(const RnnProblem &problem);

/// Checks the operands of pack_params and unpack_params.
Status checkCanonical(const RnnProblem &problem, int64_t paramsSize, int64_t numWeights, int64_t numBiases,
                      const void *const *tensors, const int64_t *elements, const void *params, int64_t paramsElements);

/// Checks the required pointers of a forward pass.
Status checkForwardOperands(const RnnProblem &problem, const void *x, const void *h0, const void *c0,
                            const void *params);
/// The same for the two steps of a backward pass; the plan must be a training plan.
Status checkBackwardDataOperands(const RnnProblem &problem, const void *h0, const void *c0, const void *params,
                                 const void *dy, const void *dhn, const void *dcn);
Status checkBackwardWeightsOperands(const RnnProblem &problem, const void *x, const void *h0);

} // namespace rnnrt

#endif // RNNRT_CORE_RNNCHECKS_H
