// CudnnSequences.h - the sequence lengths of a batch and their data descriptors, cached by value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNSEQUENCES_H
#define RNNRT_CUDNN_CUDNNSEQUENCES_H

#include "cuda/CudaDevice.h"
#include "cudnn/CudnnDescriptors.h"

#include <list>
#include <map>
#include <mutex>

namespace rnnrt::cudnn {

/// The lengths of one batch. Immutable once it is in the cache.
struct Sequences {
  std::vector<int32_t> lengths; ///< as passed by the caller
  bool full = true;             ///< all T
  /// Ranges of adjacent sequences of length 0. cuDNN rejects them in a backward pass, and in a forward pass if all
  /// sequences are empty (jax#17966). They are passed with length 1; CudnnRnnRun.h describes how their results are
  /// corrected.
  struct Rows {
    int64_t first, count;
  };
  std::vector<Rows> empty;
  RnnDataOwner x, y;
  size_t workspace = 0, reserve = 0; ///< bytes that cuDNN requires for these lengths

  /// Initializes all members except the two sizes. `packed`: see RnnConfig; different lengths are UNIMPLEMENTED.
  Status make(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem,
              std::vector<int32_t> lengths, bool packed);
  /// Returns the hash for the header of the reserve space; 0 if `full`, as on the host.
  uint64_t hash() const;
};

/// The most recently used batches of a plan. cuDNN may read the lengths of a descriptor while the stream executes, not
/// only while the call enqueues work (see tensorflow#60192). Therefore a batch is also kept per stream until the stream
/// has finished with it. Thread-safe.
class SequenceCache {
public:
  /// Returns null if there is none.
  std::shared_ptr<const Sequences> find(const std::vector<int32_t> &lengths);
  void insert(std::shared_ptr<const Sequences> sequences);
  /// Records that work with `sequences` is enqueued on `stream`.
  void use(cuda::CUstream stream, std::shared_ptr<const Sequences> sequences);
  /// Removes and returns the batches recorded on `stream`. Keep them until the stream is synchronized.
  std::vector<std::shared_ptr<const Sequences>> takeRunning(cuda::CUstream stream);

private:
  std::mutex mutex;
  std::list<std::shared_ptr<const Sequences>> recent; ///< latest first
  std::map<cuda::CUstream, std::vector<std::shared_ptr<const Sequences>>> running;
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNSEQUENCES_H
