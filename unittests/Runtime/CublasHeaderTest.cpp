// CublasHeaderTest.cpp - compares the declarations of cuBLASLt with NVIDIA's header, at compile time.
// Built only if the header is found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cublas/CublasApi.h"

#include <cublasLt.h>

#include <type_traits>

namespace rnnrt::cublas {

#include "HeaderTest.inc"

RNNRT_SAME_TYPE(cublasLtContext, HandleObject)
RNNRT_SAME_TYPE(cublasLtMatmulDescOpaque_t, MatmulDescObject)
RNNRT_SAME_TYPE(cublasLtMatrixLayoutOpaque_t, MatrixLayoutObject)
RNNRT_SAME_TYPE(cublasLtMatmulPreferenceOpaque_t, MatmulPreferenceObject)
RNNRT_SAME_TYPE(cublasLtMatmulAlgo_t, MatmulAlgo)
RNNRT_SAME_TYPE(cublasLtMatmulHeuristicResult_t, MatmulHeuristicResult)
RNNRT_SAME_TYPE(CUstream_st, std::remove_pointer_t<cuda::CUstream>)

RNNRT_SAME_ENUM(cublasStatus_t, Result)
RNNRT_SAME_ENUM(cudaDataType_t, DataType)
RNNRT_SAME_ENUM(cublasComputeType_t, ComputeType)
RNNRT_SAME_ENUM(cublasLtMatmulDescAttributes_t, MatmulDescAttribute)
RNNRT_SAME_ENUM(cublasLtMatmulPreferenceAttributes_t, MatmulPreferenceAttribute)
static_assert(sizeof(::cublasOperation_t) == sizeof(Operation));
static_assert(sizeof(::cublasLtEpilogue_t) == sizeof(Epilogue));

#define RNNRT_CUBLASLT(result, name, parameters)                                                                       \
  static_assert(std::is_same_v<Ours<decltype(::name)>::type, result parameters>, "signature of " #name);
#include "cublas/CublasApi.def"
#undef RNNRT_CUBLASLT

// The comparison detects other handles and other integer widths.
static_assert(!std::is_same_v<Ours<decltype(::cublasLtDestroy)>::type, Result(MatmulDesc)>);
static_assert(!std::is_same_v<Ours<decltype(::cublasLtGetVersion)>::type, int32_t()>);

static_assert(sizeof(MatmulAlgo) == sizeof(::cublasLtMatmulAlgo_t));
static_assert(sizeof(MatmulHeuristicResult) == sizeof(::cublasLtMatmulHeuristicResult_t));
#define RNNRT_SAME_PLACE(member)                                                                                       \
  static_assert(offsetof(MatmulHeuristicResult, member) == offsetof(::cublasLtMatmulHeuristicResult_t, member),        \
                "offset of " #member);
RNNRT_SAME_PLACE(algo)
RNNRT_SAME_PLACE(workspaceSize)
RNNRT_SAME_PLACE(state)
RNNRT_SAME_PLACE(wavesCount)
RNNRT_SAME_PLACE(reserved)

RNNRT_SAME_VALUE(Result::Success, CUBLAS_STATUS_SUCCESS)
RNNRT_SAME_VALUE(Result::NotInitialized, CUBLAS_STATUS_NOT_INITIALIZED)
RNNRT_SAME_VALUE(Result::AllocFailed, CUBLAS_STATUS_ALLOC_FAILED)
RNNRT_SAME_VALUE(Result::InvalidValue, CUBLAS_STATUS_INVALID_VALUE)
RNNRT_SAME_VALUE(Result::ArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH)
RNNRT_SAME_VALUE(Result::ExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED)
RNNRT_SAME_VALUE(Result::InternalError, CUBLAS_STATUS_INTERNAL_ERROR)
RNNRT_SAME_VALUE(Result::NotSupported, CUBLAS_STATUS_NOT_SUPPORTED)
RNNRT_SAME_VALUE(DataType::R32F, CUDA_R_32F)
RNNRT_SAME_VALUE(DataType::R64F, CUDA_R_64F)
RNNRT_SAME_VALUE(DataType::R16F, CUDA_R_16F)
RNNRT_SAME_VALUE(DataType::R16BF, CUDA_R_16BF)
RNNRT_SAME_VALUE(ComputeType::F32, CUBLAS_COMPUTE_32F)
RNNRT_SAME_VALUE(ComputeType::F32FastTf32, CUBLAS_COMPUTE_32F_FAST_TF32)
RNNRT_SAME_VALUE(ComputeType::F64, CUBLAS_COMPUTE_64F)
RNNRT_SAME_VALUE(Operation::None, CUBLAS_OP_N)
RNNRT_SAME_VALUE(Operation::Transpose, CUBLAS_OP_T)
RNNRT_SAME_VALUE(Epilogue::Default, CUBLASLT_EPILOGUE_DEFAULT)
RNNRT_SAME_VALUE(Epilogue::Bias, CUBLASLT_EPILOGUE_BIAS)
RNNRT_SAME_VALUE(MatmulDescAttribute::TransposeA, CUBLASLT_MATMUL_DESC_TRANSA)
RNNRT_SAME_VALUE(MatmulDescAttribute::TransposeB, CUBLASLT_MATMUL_DESC_TRANSB)
RNNRT_SAME_VALUE(MatmulDescAttribute::Epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE)
RNNRT_SAME_VALUE(MatmulDescAttribute::BiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER)
RNNRT_SAME_VALUE(MatmulDescAttribute::BiasDataType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE)
RNNRT_SAME_VALUE(MatmulPreferenceAttribute::MaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
RNNRT_SAME_VALUE(MatmulPreferenceAttribute::MinAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)
RNNRT_SAME_VALUE(MatmulPreferenceAttribute::MinAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES)
RNNRT_SAME_VALUE(MatmulPreferenceAttribute::MinAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES)
RNNRT_SAME_VALUE(MatmulPreferenceAttribute::MinAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)

} // namespace rnnrt::cublas
