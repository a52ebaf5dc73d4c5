// CublasGemm.h - GEMMs by cuBLASLt on one CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUBLAS_CUBLASGEMM_H
#define RNNRT_CUBLAS_CUBLASGEMM_H

#include "core/Gemm.h"
#include "cublas/CublasLibrary.h"
#include "cuda/CudaDevice.h"

#include <array>
#include <map>
#include <mutex>

namespace rnnrt::cublas {

/// Loads cuBLASLt and creates its handle for the first GEMM, and caches the algorithm of each kind of GEMM.
/// Thread-safe.
class CublasGemm {
public:
  explicit CublasGemm(std::shared_ptr<cuda::CudaDevice> device) : device(std::move(device)) {}
  CublasGemm(const CublasGemm &) = delete;
  /// Waits for the device: kernels of cuBLASLt may still run.
  ~CublasGemm();

  /// Enqueues `gemm`, which must have passed Gemm::check(), on `stream` and does not wait. The workspace is
  /// stream-ordered memory. Sets `done` to false and writes nothing if cuBLASLt is unavailable, has no algorithm for
  /// `gemm`, or its workspace does not fit.
  ///
  /// Returns FAILED_PRECONDITION for the first GEMM of a kind while `stream` is being captured: cuBLASLt loads device
  /// code for it, which a capture does not allow.
  Status run(const rnnrt_stream_t *callStream, const Gemm &gemm, bool &done);

private:
  /// Everything that the choice of an algorithm depends on.
  using Key = std::array<int64_t, 13>;
  struct Algorithm {
    bool exists = false; ///< cuBLASLt has an algorithm
    bool warm = false;   ///< it has run, so that its device code is loaded
    MatmulAlgo algo{};
    size_t workspace = 0; ///< bytes
  };
  struct Descriptors;

  Status start(bool capturing);
  Status findAlgorithm(const Gemm &gemm, const Key &key, Descriptors &descriptors, Algorithm &algorithm);

  const std::shared_ptr<cuda::CudaDevice> device;
  std::mutex mutex;
  bool started = false;
  std::shared_ptr<const CublasLibrary> library;
  Handle handle = nullptr; ///< null once `started`: cuBLASLt is unavailable
  std::map<Key, Algorithm> algorithms;
};

} // namespace rnnrt::cublas

#endif // RNNRT_CUBLAS_CUBLASGEMM_H
