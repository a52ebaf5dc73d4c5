// CudnnDescriptors.h - owners of cuDNN's descriptors, and what they say about a problem. Nothing here needs a device
// but the build of persist_dynamic and the dropout descriptor, so it is tested against the real library anywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNDESCRIPTORS_H
#define RNNRT_CUDNN_CUDNNDESCRIPTORS_H

#include "core/Problem.h"
#include "cudnn/CudnnLibrary.h"

#include <vector>

namespace rnnrt::cudnn {

/// Owns one descriptor: `Create` and `Destroy` are members of CudnnApi.
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

/// How to compute: what of a descriptor is a choice.
struct Choice {
  RnnAlgo algorithm = RnnAlgo::Standard;
  /// f32 may round its products to TF32.
  bool tf32 = false;
};

/// `standard`, `persist_static`, `persist_dynamic`, `persist_static_small_h`. Static string.
const char *algorithmName(RnnAlgo algorithm);
/// False for a word that names none.
bool algorithmOf(const std::string &name, RnnAlgo &algorithm);

DataType dataTypeOf(int32_t dtype);
/// The type that products are summed in.
DataType mathPrecisionOf(int32_t dtype);
MathType mathTypeOf(int32_t dtype, bool tf32);

/// cuDNN counts in 32 bits: OUT_OF_RANGE for a problem with a size that does not fit.
Status checkSizes(const RnnProblem &problem);

/// UNIMPLEMENTED for a combination that cuDNN does not support; another algorithm may.
Status makeRnn(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, const Choice &choice,
               DropoutDescriptor dropout, RnnOwner &owner);

/// [T,B,width] time major with padding; `lengths` are copied by cuDNN.
Status makeData(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, int64_t width,
                const std::vector<int32_t> &lengths, RnnDataOwner &owner);

/// [L*D,B,width], the states.
Status makeStates(const std::shared_ptr<const CudnnLibrary> &library, const RnnProblem &problem, int64_t width,
                  TensorOwner &owner);

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNDESCRIPTORS_H
