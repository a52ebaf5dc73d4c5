// CublasApi.h - declarations of the part of the cuBLASLt API (CUDA 12 and 13) that the runtime uses. They do not come
// from NVIDIA's header, so that the runtime builds without CUDA. A test compares them with the header if that is
// available.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUBLAS_CUBLASAPI_H
#define RNNRT_CUBLAS_CUBLASAPI_H

#include "cuda/DriverApi.h"

#include <cstddef>
#include <cstdint>

namespace rnnrt::cublas {

using Handle = struct HandleObject *;
using MatmulDesc = struct MatmulDescObject *;
using MatrixLayout = struct MatrixLayoutObject *;
using MatmulPreference = struct MatmulPreferenceObject *;

enum class Result : uint32_t {
  Success = 0,
  NotInitialized = 1,
  AllocFailed = 3,
  InvalidValue = 7,
  ArchMismatch = 8,
  ExecutionFailed = 13,
  InternalError = 14,
  NotSupported = 15,
};

/// cudaDataType.
enum class DataType : uint32_t { R32F = 0, R64F = 1, R16F = 2, R16BF = 14 };
/// F32 does not round operands to TF32.
enum class ComputeType : uint32_t { F32 = 68, F32FastTf32 = 77, F64 = 70 };
enum class Operation : uint32_t { None = 0, Transpose = 1 };
enum class Epilogue : uint32_t { Default = 1, Bias = 4 };

/// Value types of the attributes: Operation, Operation, Epilogue, a pointer, DataType.
enum class MatmulDescAttribute : uint32_t {
  TransposeA = 3,
  TransposeB = 4,
  Epilogue = 7,
  BiasPointer = 8,
  BiasDataType = 26,
};
/// Value types: uint64_t for the first attribute, uint32_t for the others.
enum class MatmulPreferenceAttribute : uint32_t {
  MaxWorkspaceBytes = 1,
  MinAlignmentA = 5,
  MinAlignmentB = 6,
  MinAlignmentC = 7,
  MinAlignmentD = 8,
};

struct MatmulAlgo {
  uint64_t data[8];
};

struct MatmulHeuristicResult {
  MatmulAlgo algo;
  size_t workspaceSize;
  Result state;
  float wavesCount;
  int reserved[4];
};

/// Function table of the loaded library.
struct CublasApi {
#define RNNRT_CUBLASLT(result, name, parameters) result(*name) parameters = nullptr;
#include "cublas/CublasApi.def"
#undef RNNRT_CUBLASLT
  template <typename Visit> void forEach(Visit &&visit) {
#define RNNRT_CUBLASLT(result, name, parameters) visit(#name, name);
#include "cublas/CublasApi.def"
#undef RNNRT_CUBLASLT
  }
};

} // namespace rnnrt::cublas

#endif // RNNRT_CUBLAS_CUBLASAPI_H
