// CudnnRnnRun.h - what one call of a plan holds while it puts its work on the stream: handle, descriptors, workspace,
// and stand-ins for operands that cuDNN must not see as they are.
//
// Examples of length 0 (semantics 3.4): y is 0, hn = h0, cn = c0; dx is 0, dh0 = dhn, dc0 = dcn, and the parameters get
// nothing. cuDNN is told length 1 for them, so it runs step 0 of these examples, on stand-ins where their x, h0, c0,
// dy, dhn and dcn are zero. The rest follows exactly, without a kernel of our own:
// - examples do not mix, so all other rows are as if these were not there;
// - with zero gradients coming in, and finite gates since x and h0 are zero, every gradient of a gate is a product with
//   0: dW, dR and the biases get sums of zeros, and dx is 0 (weights that are not finite spoil all of it, as
//   everywhere);
// - what is left are their rows in y, hn, cn, dh0 and dc0, which are filled or copied after the call.
// Padding needs no stand-in: cuDNN reads nothing past a length (it packs the rows first).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNRNNRUN_H
#define RNNRT_CUDNN_CUDNNRNNRUN_H

#include "cudnn/CudnnRnnPlan.h"

namespace rnnrt::cudnn {

class Run {
public:
  Run(CudnnRnnPlan &plan, const RunContext &context, CudnnRnnPlan::Step step);
  Run(const Run &) = delete;
  /// Gives the scratch back, in the order of the stream.
  ~Run();

  /// Everything that the call needs; nothing of cuDNN's work yet.
  Status begin(const int32_t *lengths);
  /// Copies results to where the caller wants them; the last thing of a call.
  Status end();

  /// Operands: the caller's memory, or a stand-in. [T,B,width], [L*D,B,width], and the parameters.
  Status sequence(const void *source, int64_t width, const void *&operand);
  Status states(const void *source, int64_t width, const void *&operand);
  Status params(const void *source, const void *&operand);
  /// A result of `bytes`: the caller's memory, or scratch when it is unaligned or when it is null and cuDNN insists.
  Status result(void *target, int64_t bytes, bool needed, void *&where);

  /// Rows of the empty examples in results: zeros at step 0 (cuDNN pads the rest), or those of another tensor. Both do
  /// nothing for a null pointer.
  Status zeroEmpty(void *sequence, int64_t width);
  Status passEmpty(void *states, const void *source, int64_t width);

  cuda::CUstream stream = nullptr;
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
  /// `blocks` blocks of [B,width], of which the first `masked` lose their empty rows.
  Status operand(const void *source, int64_t blocks, int64_t masked, int64_t width, const void *&operand);
  Status zeroRows(void *base, int64_t blocks, int64_t width);
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
