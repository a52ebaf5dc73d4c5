// DriverHeaderTest.cpp - compares the declarations of the CUDA driver API with NVIDIA's header, at compile time:
// signatures, symbols, structures and values. Built only if cuda.h is found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/DriverApi.h"

#include <cuda.h>

#include <cstddef>
#include <type_traits>

namespace rnnrt::cuda {

#include "HeaderTest.inc"

RNNRT_SAME_TYPE(CUctx_st, CUctx_st)
RNNRT_SAME_TYPE(CUstream_st, CUstream_st)
RNNRT_SAME_TYPE(CUevent_st, CUevent_st)
RNNRT_SAME_TYPE(CUgraph_st, CUgraph_st)
RNNRT_SAME_TYPE(CUgraphExec_st, CUgraphExec_st)
RNNRT_SAME_TYPE(CUgraphNode_st, CUgraphNode_st)
RNNRT_SAME_TYPE(CUmemPoolHandle_st, CUmemPoolHandle_st)
RNNRT_SAME_TYPE(CUmod_st, CUmod_st)
RNNRT_SAME_TYPE(CUfunc_st, CUfunc_st)

RNNRT_SAME_ENUM(CUresult, CUresult)
RNNRT_SAME_ENUM(CUdevice_attribute, CUdevice_attribute)
RNNRT_SAME_ENUM(CUfunction_attribute, CUfunction_attribute)
RNNRT_SAME_ENUM(CUpointer_attribute, CUpointer_attribute)
RNNRT_SAME_ENUM(CUmemorytype, CUmemorytype)
RNNRT_SAME_ENUM(CUstreamWaitValue_flags, CUstreamWaitValue_flags)
RNNRT_SAME_ENUM(CUstreamWriteValue_flags, CUstreamWriteValue_flags)
RNNRT_SAME_ENUM(CUstreamCaptureStatus, CUstreamCaptureStatus)
RNNRT_SAME_ENUM(CUstreamCaptureMode, CUstreamCaptureMode)
RNNRT_SAME_ENUM(CUgraphExecUpdateResult, CUgraphExecUpdateResult)
RNNRT_SAME_ENUM(CUmemAllocationType, CUmemAllocationType)
RNNRT_SAME_ENUM(CUmemAllocationHandleType, CUmemAllocationHandleType)
RNNRT_SAME_ENUM(CUmemLocationType, CUmemLocationType)
RNNRT_SAME_ENUM(CUmemPool_attribute, CUmemPool_attribute)
RNNRT_SAME_ENUM(CUjit_option, CUjit_option)
RNNRT_SAME_ENUM(CUlaunchAttributeID, CUlaunchAttributeID)
RNNRT_SAME_ENUM(CUtensorMapDataType, CUtensorMapDataType)
RNNRT_SAME_ENUM(CUtensorMapInterleave, CUtensorMapInterleave)
RNNRT_SAME_ENUM(CUtensorMapSwizzle, CUtensorMapSwizzle)
RNNRT_SAME_ENUM(CUtensorMapL2promotion, CUtensorMapL2promotion)
RNNRT_SAME_ENUM(CUtensorMapFloatOOBfill, CUtensorMapFloatOOBfill)

/// Structures: every member has the same offset.
#define RNNRT_SAME_STRUCT(name)                                                                                        \
  RNNRT_SAME_TYPE(name, name)                                                                                          \
  static_assert(sizeof(::name) == sizeof(name) && alignof(::name) <= alignof(name), "size of " #name);
#define RNNRT_SAME_FIELD(name, field)                                                                                  \
  static_assert(offsetof(::name, field) == offsetof(name, field) && sizeof(::name::field) == sizeof(name::field),      \
                "offset of " #name "." #field);
RNNRT_SAME_STRUCT(CUmemLocation)
RNNRT_SAME_FIELD(CUmemLocation, type)
RNNRT_SAME_FIELD(CUmemLocation, id)
RNNRT_SAME_STRUCT(CUmemPoolProps)
RNNRT_SAME_FIELD(CUmemPoolProps, allocType)
RNNRT_SAME_FIELD(CUmemPoolProps, handleTypes)
RNNRT_SAME_FIELD(CUmemPoolProps, location)
RNNRT_SAME_FIELD(CUmemPoolProps, win32SecurityAttributes)
RNNRT_SAME_FIELD(CUmemPoolProps, maxSize)
RNNRT_SAME_FIELD(CUmemPoolProps, usage)
RNNRT_SAME_FIELD(CUmemPoolProps, reserved)
RNNRT_SAME_STRUCT(CUlaunchAttributeValue)
RNNRT_SAME_FIELD(CUlaunchAttributeValue, clusterDim.y)
RNNRT_SAME_FIELD(CUlaunchAttributeValue, cooperative)
RNNRT_SAME_FIELD(CUlaunchAttributeValue, programmaticStreamSerializationAllowed)
RNNRT_SAME_STRUCT(CUlaunchAttribute)
RNNRT_SAME_FIELD(CUlaunchAttribute, id)
RNNRT_SAME_FIELD(CUlaunchAttribute, value)
RNNRT_SAME_STRUCT(CUlaunchConfig)
RNNRT_SAME_FIELD(CUlaunchConfig, gridDimX)
RNNRT_SAME_FIELD(CUlaunchConfig, gridDimY)
RNNRT_SAME_FIELD(CUlaunchConfig, gridDimZ)
RNNRT_SAME_FIELD(CUlaunchConfig, blockDimX)
RNNRT_SAME_FIELD(CUlaunchConfig, blockDimY)
RNNRT_SAME_FIELD(CUlaunchConfig, blockDimZ)
RNNRT_SAME_FIELD(CUlaunchConfig, sharedMemBytes)
RNNRT_SAME_FIELD(CUlaunchConfig, hStream)
RNNRT_SAME_FIELD(CUlaunchConfig, attrs)
RNNRT_SAME_FIELD(CUlaunchConfig, numAttrs)
RNNRT_SAME_STRUCT(CUgraphExecUpdateResultInfo)
RNNRT_SAME_FIELD(CUgraphExecUpdateResultInfo, result)
RNNRT_SAME_FIELD(CUgraphExecUpdateResultInfo, errorNode)
RNNRT_SAME_FIELD(CUgraphExecUpdateResultInfo, errorFromNode)
RNNRT_SAME_STRUCT(CUtensorMap)

constexpr bool same(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return *a == *b;
}
/// The functions whose older symbol is used on purpose (see DriverApi.def).
constexpr bool keepsOldSymbol(const char *symbol) {
  return same(symbol, "cuEventElapsedTime") || same(symbol, "cuStreamGetCtx");
}

// RNNRT_TEXT expands the macro `name` of cuda.h to the versioned symbol that a program compiled with cuda.h uses.
#define RNNRT_TEXT(name) #name
#define RNNRT_CUDA(name, version, parameters)                                                                          \
  static_assert(std::is_same_v<Ours<decltype(::name)>::type, CUresult parameters>, "signature of " #name);             \
  static_assert(same(RNNRT_TEXT(name), #name #version) || keepsOldSymbol(#name #version), "symbol of " #name);
#define RNNRT_CUDA_VALUE(type, name, value)                                                                            \
  static_assert(uint32_t(::name) == value && std::is_same_v<decltype(::name), ::type>, "value of " #name);
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA
#undef RNNRT_CUDA_VALUE

// The comparison detects other handles, another member order and other integer widths.
using Record = Ours<decltype(::cuEventRecord)>::type;
static_assert(std::is_same_v<Record, CUresult(CUevent, CUstream)>);
static_assert(!std::is_same_v<Record, CUresult(CUstream, CUevent)>);
static_assert(!std::is_same_v<Record, CUresult(CUevent, CUevent)>);
static_assert(!std::is_same_v<Ours<decltype(::cuInit)>::type, CUresult(unsigned long long)>);
static_assert(same("cuMemFree", "cuMemFree") && !same("cuMemFree", "cuMemFree_v2") && !same("a", "b"));

} // namespace rnnrt::cuda
