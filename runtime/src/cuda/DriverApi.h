// DriverApi.h - the part of the CUDA driver's C interface that the runtime uses. Names and numbers are NVIDIA's, in a
// namespace of the runtime.
//
// The declarations do not come from cuda.h, even if it is installed: the library would then have two variants, and
// builds without CUDA would test only one. cuda.h of an older release also lacks entries. A test compares every name,
// number and signature with cuda.h where it is found (unittests/Runtime/DriverHeaderTest.cpp). cuDNN and cuBLASLt are
// declared in the same way. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_DRIVERAPI_H
#define RNNRT_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rnnrt::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;

// The values that the runtime uses are defined below.
enum CUresult : uint32_t {};
enum CUdevice_attribute : uint32_t {};
enum CUfunction_attribute : uint32_t {};
enum CUpointer_attribute : uint32_t {};
enum CUmemorytype : uint32_t {};
enum CUstream_flags : uint32_t {};
enum CUstreamWaitValue_flags : uint32_t {};
enum CUstreamWriteValue_flags : uint32_t {};
enum CUstreamCaptureStatus : uint32_t {};
enum CUstreamCaptureMode : uint32_t {};
enum CUgraphExecUpdateResult : uint32_t {};
enum CUevent_flags : uint32_t {};
enum CUmemAllocationType : uint32_t {};
enum CUmemAllocationHandleType : uint32_t {};
enum CUmemLocationType : uint32_t {};
enum CUmemPool_attribute : uint32_t {};
enum CUjit_option : uint32_t {};
enum CUlaunchAttributeID : uint32_t {};
enum CUtensorMapDataType : uint32_t {};
enum CUtensorMapInterleave : uint32_t {};
enum CUtensorMapSwizzle : uint32_t {};
enum CUtensorMapL2promotion : uint32_t {};
enum CUtensorMapFloatOOBfill : uint32_t {};

#define RNNRT_CUDA_VALUE(type, name, value) constexpr type name = type(value);
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA_VALUE

struct CUmemLocation {
  CUmemLocationType type;
  int id;
};

struct CUmemPoolProps {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

/// The members of NVIDIA's union that the runtime uses.
union alignas(8) CUlaunchAttributeValue {
  char pad[64];
  struct {
    unsigned int x, y, z;
  } clusterDim;
  int cooperative;
  int programmaticStreamSerializationAllowed;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned int numAttrs;
};

struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode, errorFromNode;
};

/// CUDA before version 13 requires only 64 bytes of alignment.
struct alignas(128) CUtensorMap {
  uint64_t opaque[16];
};

/// Function table of the loaded driver.
struct DriverApi {
#define RNNRT_CUDA(name, version, parameters) CUresult(*name) parameters = nullptr;
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA
  /// True for functions that old drivers may lack; their addresses are then null.
  static bool isOptional(const char *symbol) {
    constexpr const char *names[] = {"cuFuncGetParamInfo", "cuModuleGetFunctionCount", "cuModuleEnumerateFunctions",
                                     "cuFuncLoad",         "cuStreamWaitValue32_v2",   "cuStreamWriteValue32_v2"};
    for (const char *name : names)
      if (!std::strcmp(symbol, name))
        return true;
    return false;
  }
  template <typename Visit> void forEach(Visit &&visit) {
#define RNNRT_CUDA(name, version, parameters) visit(#name #version, name);
#include "cuda/DriverApi.def"
#undef RNNRT_CUDA
  }
};

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_DRIVERAPI_H
