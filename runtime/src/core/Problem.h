// Problem.h - the problem of a plan: modes, types and sizes, their checks, and the key of the plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_PROBLEM_H
#define RNNRT_CORE_PROBLEM_H

#include "core/Status.h"
#include "rnn_runtime/layout.h"

#include <string>

namespace rnnrt {

using Mode = rnn_layout::CellMode;
using rnn_layout::GateOrder;

/// A multi-layer network, the cudnn ops.
struct RnnProblem {
  int32_t dtype = RNNRT_DTYPE_F32;
  Mode mode = Mode::Lstm;
  bool skipInput = false, bidirectional = false, training = false;
  bool batchMajor = false; ///< sequences are [B,T,.] instead of [T,B,.]
  bool fused = false;      ///< compiled kernels compute; the plan checks, has the sizes and copies parameters
  double dropout = 0;
  int64_t seed = 0, seed2 = 0;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, projection = 0, layers = 0;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  /// Number of gates: 4 for lstm, 3 for gru, else 1.
  int64_t gates() const { return rnn_layout::numGates(mode); }
  bool projected() const { return projection != hidden; }
  bool isLstm() const { return mode == Mode::Lstm; }
  /// Features of a layer's input.
  int64_t inputOf(int64_t layer) const { return layer == 0 ? input : directions() * projection; }
  /// True if dropout is applied, which is only between layers and in training.
  bool drops() const { return training && dropout != 0 && layers > 1; }
  /// TensorFlow's 64-bit seed: both halves are sign-extended first, so a negative seed2 sets all bits of the upper
  /// half.
  uint64_t dropoutSeed() const { return (uint64_t(seed) << 32) | uint64_t(seed2); }

  /// The key of the plan, one line. Options without effect are omitted, so that problems which differ in them share a
  /// plan.
  std::string describe() const;
  /// Identifies the reserve spaces of host plans and fused kernels, which accept those of each other: the hash of the
  /// key without the lowering and the order of the sequences. The content is time-major.
  uint64_t hashReserve() const;
};

/// One LSTM layer in block form.
struct BlockProblem {
  int32_t dtype = RNNRT_DTYPE_F32;
  GateOrder layout = GateOrder::Icfo;
  bool peephole = false;
  bool batchMajor = false; ///< sequences are [B,T,.] instead of [T,B,.]
  double forgetBias = 0, cellClip = 0;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0;

  std::string describe() const;
};

/// Checks the arguments of compiled code and fills a problem. The result satisfies every rule about sizes and
/// attributes in docs/Semantics.md, section "Checks".
Status makeRnnProblem(int32_t dtype, int32_t mode, int32_t inputMode, int32_t direction, int32_t training,
                      int32_t batchMajor, double dropout, int64_t seed, int64_t seed2, int64_t steps, int64_t batch,
                      int64_t input, int64_t hidden, int64_t projection, int64_t layers, RnnProblem &out);
Status makeBlockProblem(int32_t dtype, int32_t layout, int32_t peephole, int32_t batchMajor, double forgetBias,
                        double cellClip, int64_t steps, int64_t batch, int64_t input, int64_t hidden,
                        BlockProblem &out);

/// 64-bit FNV-1a, for the header of the reserve space.
uint64_t hashBytes(const void *data, size_t bytes, uint64_t hash = 0xcbf29ce484222325);

} // namespace rnnrt

#endif // RNNRT_CORE_PROBLEM_H
