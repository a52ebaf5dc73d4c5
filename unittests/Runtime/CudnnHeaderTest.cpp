// CudnnHeaderTest.cpp - compares the declarations of cuDNN with NVIDIA's headers, at compile time. Built only if the
// headers are found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cudnn/CudnnApi.h"

#include <cudnn.h>

#include <type_traits>

namespace rnnrt::cudnn {

#include "HeaderTest.inc"

RNNRT_SAME_TYPE(cudnnContext, HandleObject)
RNNRT_SAME_TYPE(cudnnTensorStruct, TensorObject)
RNNRT_SAME_TYPE(cudnnDropoutStruct, DropoutObject)
RNNRT_SAME_TYPE(cudnnRNNStruct, RnnObject)
RNNRT_SAME_TYPE(cudnnRNNDataStruct, RnnDataObject)
RNNRT_SAME_TYPE(CUstream_st, std::remove_pointer_t<cuda::CUstream>)

RNNRT_SAME_ENUM(cudnnStatus_t, Result)
RNNRT_SAME_ENUM(cudnnDataType_t, DataType)
RNNRT_SAME_ENUM(cudnnMathType_t, MathType)
RNNRT_SAME_ENUM(cudnnRNNAlgo_t, RnnAlgo)
RNNRT_SAME_ENUM(cudnnForwardMode_t, ForwardMode)
RNNRT_SAME_ENUM(cudnnRNNMode_t, RnnMode)
RNNRT_SAME_ENUM(cudnnRNNBiasMode_t, BiasMode)
RNNRT_SAME_ENUM(cudnnDirectionMode_t, DirectionMode)
RNNRT_SAME_ENUM(cudnnRNNInputMode_t, InputMode)
RNNRT_SAME_ENUM(cudnnRNNDataLayout_t, DataLayout)
RNNRT_SAME_ENUM(cudnnWgradMode_t, WgradMode)

#define RNNRT_CUDNN(result, name, parameters)                                                                          \
  static_assert(std::is_same_v<Ours<decltype(::name)>::type, result parameters>, "signature of " #name);
#include "cudnn/CudnnApi.def"
#undef RNNRT_CUDNN

// The comparison detects other handles, another member order and other integer widths.
static_assert(!std::is_same_v<Ours<decltype(::cudnnSetStream)>::type, Result(Handle, Handle)>);
static_assert(!std::is_same_v<Ours<decltype(::cudnnSetStream)>::type, Result(cuda::CUstream, Handle)>);
static_assert(!std::is_same_v<Ours<decltype(::cudnnBuildRNNDynamic)>::type, Result(Handle, RnnDescriptor, int64_t)>);

RNNRT_SAME_VALUE(Result::Success, CUDNN_STATUS_SUCCESS)
RNNRT_SAME_VALUE(Result::NotInitialized, CUDNN_STATUS_NOT_INITIALIZED)
RNNRT_SAME_VALUE(Result::BadParam, CUDNN_STATUS_BAD_PARAM)
RNNRT_SAME_VALUE(Result::BadParamMisalignedPointer, CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER)
RNNRT_SAME_VALUE(Result::NotSupported, CUDNN_STATUS_NOT_SUPPORTED)
RNNRT_SAME_VALUE(Result::NotSupportedIncompatibleCudaDriver, CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER)
RNNRT_SAME_VALUE(Result::NotSupportedIncompatibleCudart, CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART)
RNNRT_SAME_VALUE(Result::NotSupportedRuntimePrerequisiteMissing,
                 CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING)
RNNRT_SAME_VALUE(Result::NotSupportedSublibraryUnavailable, CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE)
RNNRT_SAME_VALUE(Result::InternalError, CUDNN_STATUS_INTERNAL_ERROR)
RNNRT_SAME_VALUE(Result::HostAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
RNNRT_SAME_VALUE(Result::DeviceAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
RNNRT_SAME_VALUE(Result::ExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED)
RNNRT_SAME_VALUE(DataType::Float, CUDNN_DATA_FLOAT)
RNNRT_SAME_VALUE(DataType::Double, CUDNN_DATA_DOUBLE)
RNNRT_SAME_VALUE(DataType::Half, CUDNN_DATA_HALF)
RNNRT_SAME_VALUE(DataType::BFloat16, CUDNN_DATA_BFLOAT16)
RNNRT_SAME_VALUE(MathType::Default, CUDNN_DEFAULT_MATH)
RNNRT_SAME_VALUE(MathType::TensorOp, CUDNN_TENSOR_OP_MATH)
RNNRT_SAME_VALUE(MathType::Fma, CUDNN_FMA_MATH)
RNNRT_SAME_VALUE(RnnAlgo::Standard, CUDNN_RNN_ALGO_STANDARD)
RNNRT_SAME_VALUE(RnnAlgo::PersistStatic, CUDNN_RNN_ALGO_PERSIST_STATIC)
RNNRT_SAME_VALUE(RnnAlgo::PersistDynamic, CUDNN_RNN_ALGO_PERSIST_DYNAMIC)
RNNRT_SAME_VALUE(RnnAlgo::PersistStaticSmallH, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H)
RNNRT_SAME_VALUE(ForwardMode::Inference, CUDNN_FWD_MODE_INFERENCE)
RNNRT_SAME_VALUE(ForwardMode::Training, CUDNN_FWD_MODE_TRAINING)
RNNRT_SAME_VALUE(RnnMode::Relu, CUDNN_RNN_RELU)
RNNRT_SAME_VALUE(RnnMode::Tanh, CUDNN_RNN_TANH)
RNNRT_SAME_VALUE(RnnMode::Lstm, CUDNN_LSTM)
RNNRT_SAME_VALUE(RnnMode::Gru, CUDNN_GRU)
RNNRT_SAME_VALUE(BiasMode::Double, CUDNN_RNN_DOUBLE_BIAS)
RNNRT_SAME_VALUE(DirectionMode::Unidirectional, CUDNN_UNIDIRECTIONAL)
RNNRT_SAME_VALUE(DirectionMode::Bidirectional, CUDNN_BIDIRECTIONAL)
RNNRT_SAME_VALUE(InputMode::Linear, CUDNN_LINEAR_INPUT)
RNNRT_SAME_VALUE(InputMode::Skip, CUDNN_SKIP_INPUT)
RNNRT_SAME_VALUE(DataLayout::SeqMajorUnpacked, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED)
RNNRT_SAME_VALUE(DataLayout::SeqMajorPacked, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED)
RNNRT_SAME_VALUE(DataLayout::BatchMajorUnpacked, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
RNNRT_SAME_VALUE(WgradMode::Add, CUDNN_WGRAD_MODE_ADD)
static_assert(paddedIoEnabled == CUDNN_RNN_PADDED_IO_ENABLED);

} // namespace rnnrt::cudnn
