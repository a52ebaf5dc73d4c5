// CudnnDescriptors.h - RAII owners of cuDNN descriptors, and their creation from a problem. Only cudnnBuildRNNDynamic
// and dropout descriptors need a device, so that tests run these functions with the real library on any machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNDESCRIPTORS_H
#define RNNRT_CUDNN_CUDNNDESCRIPTORS_H

#include "core/Problem.h"
#include "cudnn/CudnnLibrary.h"

#include <vector>

namespace rnnrt::cudnn {

/// Owns one descriptor. `Create` and `Destroy` are members of CudnnApi.
template <typename T, Result (*CudnnApi::*Create)(T *), Result (*CudnnApi::*Destroy)(T)> class Descriptor {
public:
  Descriptor() = default;
  Descriptor(Descriptor &&other) noexcept
      : library(std::move(other.library)), object(std::exchange(other.object, nullptr)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(library, other.library);
    std::swap(object, other.object);
    return *this;
  }
  ~Descriptor() {
    if (object)
      (library->api().*Destroy)(object);
  }

  Status create(const std::shared_ptr<const CudnnLibrary> &from, const char *what) {
    *this = Descriptor();
    library = from;
    Result result = (library->api().*Create)(&object);
    if (result != Result::Success)
      object = nullptr;
    return library->check(result, what);
  }
  T get() const { return object; }

private:
  std::shared_ptr<const CudnnLibrary> library;
  T object = nullptr;
};

using TensorOwner =
    Descriptor<TensorDescriptor, &CudnnApi::cudnnCreateTensorDescriptor, &CudnnApi::cudnnDestroyTensorDescriptor>;
using DropoutOwner =
    Descriptor<DropoutDescriptor, &CudnnApi::cudnnCreateDropoutDescriptor, &CudnnApi::cudnnDestroyDropoutDescriptor>;
using RnnOwner = Descriptor<RnnDescriptor, &CudnnApi::cudnnCreateRNNDescriptor, &CudnnApi::cudnnDestroyRNNDescriptor>;
using RnnDataOwner =
    Descriptor<RnnDataDescriptor, &CudnnApi::cudnnCreateRNNDataDescriptor, &CudnnApi::cudnnDestroyRNNDataDescriptor>;

/// The selectable options of an RNN descriptor.
struct RnnConfig {
  RnnAlgo algorithm = RnnAlgo::Standard;
  bool tf32 = false;   ///< f32 GEMM operands may be rounded to TF32
  bool packed = false; ///< packed input and output instead of padded ones
};

/// Returns `standard`, `persist_static`, `persist_dynamic` or `persist_static_small_h`, a static string.
const char *algorithmName(RnnAlgo algorithm);
/// Returns false for an unknown name.
bool algorithmOf(const std::string &name, RnnAlgo &algorithm);

DataType dataTypeOf(int32_t dtype);
/// Returns the accumulator type.
DataType mathPrecisionOf(int32_t dtype);
MathType mathTypeOf(int32_t dtype, bool tf32);

/// Returns OUT_OF_RANGE if a size exceeds 32 bits, the size type of cuDNN.
Status checkSizes(const RnnProblem &problem);

/// Returns UNIMPLEMENTED if cuDNN does not support the combination; another algorithm may support it.
Status makeRnn(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, const RnnConfig &config,
               DropoutDescriptor dropout, RnnOwner &owner);

/// Describes a padded [T,B,width] tensor, or [B,T,width] in batch-major data. cuDNN copies `lengths`. `packed`: the
/// same time-major tensor as a packed one; all lengths must be T.
Status makeData(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, int64_t width,
                const std::vector<int32_t> &lengths, RnnDataOwner &owner, bool packed = false);

/// Describes a state tensor [L*D,B,width].
Status makeStates(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, int64_t width,
                  TensorOwner &owner);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNDESCRIPTORS_H
