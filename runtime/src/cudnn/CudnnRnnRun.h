// CudnnRnnRun.h - the state of one call of a plan: handle, descriptors, workspace, and copies of operands that cuDNN
// cannot use in place.
//
// Sequences of length 0 (docs/Semantics.md, "Sequence lengths"): y is 0, hn = h0, cn = c0; dx is 0, dh0 = dhn, dc0 =
// dcn, and they do not contribute to dparams. cuDNN does not support them, so that they are passed with length 1, and
// with copies of x, h0, c0, dy, dhn and dcn in which their rows are zero. The results are exact:
// - Sequences are independent, so that all other rows are unaffected.
// - Their incoming gradients are zero and their gates are finite, since x and h0 are zero. So their gate gradients and
//   dx are zero, and they add zeros to dparams. (Non-finite weights yield NaN, as they do for every sequence.)
// - Their rows of y, hn, cn, dh0 and dc0 are zeroed or copied after the call.
// Padding needs no copies: cuDNN reads no padded rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNRNNRUN_H
#define RNNRT_CUDNN_CUDNNRNNRUN_H

#include "cudnn/CudnnRnnPlan.h"

namespace rnnrt::cudnn {

class Run {
public:
  Run(CudnnRnnPlan &plan, const RunContext &context, CudnnRnnPlan::Step step);
  Run(const Run &) = delete;
  /// Releases the scratch memory, ordered on the stream.
  ~Run();

  /// Acquires all resources of the call. Enqueues no cuDNN work.
  Status begin(const int32_t *lengths);
  /// Copies results to unaligned memory of the caller. Must be the last function of a call.
  Status end();

  /// Return an operand: the caller's memory or a copy. [T,B,width] (or [B,T,width]), [L*D,B,width], and
  /// the parameters.
  Status sequence(const void *source, int64_t width, const void *&operand);
  Status states(const void *source, int64_t width, const void *&operand);
  Status params(const void *source, const void *&operand);
  /// Returns the buffer of a result of `bytes` bytes: the caller's memory, or scratch memory if that is unaligned, or
  /// if it is null and cuDNN requires it (`needed`).
  Status result(void *target, int64_t bytes, bool needed, void *&buffer);

  /// Set the result rows of empty sequences: zeroEmpty to zero at step 0 (cuDNN pads the rest), copyEmpty to those of
  /// `source`. Both accept a null result.
  Status zeroEmpty(void *sequence, int64_t width);
  Status copyEmpty(void *states, const void *source, int64_t width);

  /// Whether headers of reserve spaces may be checked and written.
  bool mayWait() const { return !capturing && !refusesWaits; }

  cuda::CUstream stream = nullptr;
  const rnnrt_stream_t *const callStream; ///< null: the default stream
  const bool refusesWaits;
  bool capturing = false;
  HandlePool::Lease handle;
  Engine::Lease rnn;
  std::shared_ptr<const Sequences> sequences;
  void *workspace = nullptr;

private:
  struct Copy {
    void *target;
    const void *source;
    int64_t bytes;
  };
  Status scratch(int64_t bytes, void *&pointer);
  /// An operand of `blocks` blocks [B,width]. `copy` is set if it is a copy.
  Status operand(const void *source, int64_t blocks, int64_t width, const void *&operand, void *&copy);
  /// Sets the rows of empty sequences to zero, in blocks [B,width].
  Status zeroRows(void *base, int64_t blocks, int64_t width);
  /// The same in a tensor of T*B rows.
  Status zeroSequences(void *base, int64_t width);
  Status release();

  CudnnRnnPlan &plan;
  cuda::CudaDevice &device;
  const CudnnRnnPlan::Step step;
  cuda::ContextScope scope;
  std::vector<void *> blocks;
  std::vector<Copy> copies;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNRNNRUN_H
