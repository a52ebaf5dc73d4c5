// CudnnSequences.h - the sequence lengths of a batch and the descriptors made of them, cached by value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNSEQUENCES_H
#define RNNRT_CUDNN_CUDNNSEQUENCES_H

#include "cuda/CudaDevice.h"
#include "cudnn/CudnnDescriptors.h"

#include <list>
#include <map>
#include <mutex>

namespace rnnrt::cudnn {

/// One batch. Does not change once it is in the cache.
struct Sequences {
  std::vector<int32_t> lengths; ///< as the caller gave them
  bool full = true;             ///< all T
  /// Runs of neighbouring examples of length 0. cuDNN refuses a backward pass with such examples, and a forward pass
  /// where there are no others (jax#17966), so it is told length 1 for them (CudnnRnnRun.h says how they are kept out).
  struct Rows {
    int64_t first, count;
  };
  std::vector<Rows> empty;
  RnnDataOwner x, y;
  size_t workspace = 0, reserve = 0; ///< what cuDNN wants for these lengths

  /// Fills all but the two sizes.
  Status make(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem,
              std::vector<int32_t> lengths);
  /// For the header of the reserve space; 0 when full, as on the host.
  uint64_t hash() const;
};

/// The batches that a plan met last. cuDNN may read a descriptor's lengths while the stream works, not only while the
/// call puts the work there (tensorflow#60192 is what happens otherwise), so a batch is also kept per stream until the
/// stream is known to be past it. Thread-safe.
class SequenceCache {
public:
  /// Null when there is none.
  std::shared_ptr<const Sequences> find(const std::vector<int32_t> &lengths);
  void insert(std::shared_ptr<const Sequences> sequences);
  /// The work of `sequences` is on `stream` now.
  void use(cuda::CUstream stream, std::shared_ptr<const Sequences> sequences);
  /// What is on `stream`. Hold it while you wait for the stream; after that nobody needs it.
  std::vector<std::shared_ptr<const Sequences>> takeRunning(cuda::CUstream stream);

private:
  std::mutex mutex;
  std::list<std::shared_ptr<const Sequences>> recent; ///< latest first
  std::map<cuda::CUstream, std::vector<std::shared_ptr<const Sequences>>> running;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNSEQUENCES_H
