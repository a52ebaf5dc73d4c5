// CublasProducts.h - products of matrices by cuBLASLt on one device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUBLAS_CUBLASPRODUCTS_H
#define RNNRT_CUBLAS_CUBLASPRODUCTS_H

#include "core/MatrixProduct.h"
#include "cublas/CublasLibrary.h"
#include "cuda/CudaDevice.h"

#include <array>
#include <map>
#include <mutex>

namespace rnnrt::cublas {

/// Thread-safe. The library is loaded, and its handle made, for the first product.
class CublasProducts {
public:
  explicit CublasProducts(std::shared_ptr<cuda::CudaDevice> device) : device(std::move(device)) {}
  CublasProducts(const CublasProducts &) = delete;
  /// Waits for the device.
  ~CublasProducts();

  /// Puts a product that was checked on `stream`; nobody waits for it, and its workspace is memory of the stream. Not
  /// done, and nothing written, when there is no library or it has no algorithm for the product.
  ///
  /// What is met for the first time loads device code, which a capture does not allow: FAILED_PRECONDITION.
  Status run(cuda::CUstream stream, const MatrixProduct &product, bool &done);

private:
  /// All that an algorithm is chosen by.
  using Key = std::array<int64_t, 13>;
  struct Choice {
    bool exists = false, warm = false;
    MatmulAlgo algo{};
    size_t workspace = 0;
  };
  struct Descriptors;

  Status start(bool capturing);
  Status choose(const MatrixProduct &product, const Key &key, Descriptors &descriptors, Choice &choice);

  const std::shared_ptr<cuda::CudaDevice> device;
  std::mutex mutex;
  bool started = false;
  std::shared_ptr<const CublasLibrary> library;
  Handle handle = nullptr; ///< null after the start: there is no library
  std::map<Key, Choice> choices;
};

} // namespace rnnrt::cublas

#endif // RNNRT_CUBLAS_CUBLASPRODUCTS_H
