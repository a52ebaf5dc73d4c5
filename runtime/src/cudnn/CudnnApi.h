// CudnnApi.h - declarations of the part of the cuDNN 9 API that the runtime uses. They do not come from NVIDIA's
// headers, so that the runtime builds without CUDA. A test compares them with the headers if these are available.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDNN_CUDNNAPI_H
#define RNNRT_CUDNN_CUDNNAPI_H

#include "cuda/DriverApi.h"

#include <cstddef>
#include <cstdint>

namespace rnnrt::cudnn {

using Handle = struct HandleObject *;
using TensorDescriptor = struct TensorObject *;
using DropoutDescriptor = struct DropoutObject *;
using RnnDescriptor = struct RnnObject *;
using RnnDataDescriptor = struct RnnDataObject *;

/// The thousands are the category, the remainder is the cause.
enum class Result : uint32_t {
  Success = 0,
  NotInitialized = 1001,
  BadParam = 2000,
  BadParamMisalignedPointer = 2003,
  NotSupported = 3000,
  NotSupportedIncompatibleCudaDriver = 3005,
  NotSupportedIncompatibleCudart = 3006,
  NotSupportedRuntimePrerequisiteMissing = 3008,
  NotSupportedSublibraryUnavailable = 3009,
  InternalError = 4000,
  HostAllocationFailed = 4003,
  DeviceAllocationFailed = 4004,
  ExecutionFailed = 5000,
};

enum class DataType : uint32_t { Float = 0, Double = 1, Half = 2, BFloat16 = 9 };
enum class MathType : uint32_t { Default = 0, TensorOp = 1, Fma = 3 };
enum class RnnAlgo : uint32_t { Standard = 0, PersistStatic = 1, PersistDynamic = 2, PersistStaticSmallH = 3 };
enum class ForwardMode : uint32_t { Inference = 0, Training = 1 };
enum class RnnMode : uint32_t { Relu = 0, Tanh = 1, Lstm = 2, Gru = 3 };
enum class BiasMode : uint32_t { Double = 2 };
enum class DirectionMode : uint32_t { Unidirectional = 0, Bidirectional = 1 };
enum class InputMode : uint32_t { Linear = 0, Skip = 1 };
enum class DataLayout : uint32_t { SeqMajorUnpacked = 0, SeqMajorPacked = 1, BatchMajorUnpacked = 2 };
enum class WgradMode : uint32_t { Add = 0 };

/// A bit of auxFlags: padded input and output, required by unpacked data layouts.
constexpr uint32_t paddedIoEnabled = 1;

/// The linLayerID of the projection matrix (cuDNN reference, cudnnGetRNNWeightParams).
constexpr int32_t projectionLayerId = 8;

/// Function table of the loaded library.
struct CudnnApi {
#define RNNRT_CUDNN(result, name, parameters) result(*name) parameters = nullptr;
#include "cudnn/CudnnApi.def"
#undef RNNRT_CUDNN
  template <typename Visit> void forEach(Visit &&visit) {
#define RNNRT_CUDNN(result, name, parameters) visit(#name, name);
#include "cudnn/CudnnApi.def"
#undef RNNRT_CUDNN
  }
};

} // namespace rnnrt::cudnn

#endif // RNNRT_CUDNN_CUDNNAPI_H
