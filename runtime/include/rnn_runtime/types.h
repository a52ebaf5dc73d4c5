// types.h - the export macro, opaque handles, element types and the alignment of memory that the other headers use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_TYPES_H
#define RNN_RUNTIME_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RNNRT_API __attribute__((visibility("default")))
#else
#define RNNRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Alignment in bytes of every pointer that the runtime allocates.
#define RNNRT_MEMORY_ALIGNMENT 64

/// A device, which runs plans and kernels and owns memory (device.h).
typedef struct rnnrt_device rnnrt_device_t;

/// An in-order queue of work on a device. The host device executes work immediately, in the calling thread.
typedef struct rnnrt_stream rnnrt_stream_t;

/// A prepared problem with fixed sizes, mode and element type.
typedef struct rnnrt_plan rnnrt_plan_t;

/// One invocation of compiled code: its device, its stream, the plans that it uses and its first failure.
typedef struct rnnrt_call rnnrt_call_t;

/// Element types. The values are part of the ABI of compiled code. Plans support the first four; the others are for
/// arguments and results of exported functions.
typedef enum rnnrt_dtype {
  RNNRT_DTYPE_F16 = 0,  ///< IEEE binary16
  RNNRT_DTYPE_BF16 = 1, ///< bfloat16, the upper half of an f32
  RNNRT_DTYPE_F32 = 2,
  RNNRT_DTYPE_F64 = 3,
  RNNRT_DTYPE_I1 = 4, ///< one byte, 0 or 1
  RNNRT_DTYPE_I8 = 5,
  RNNRT_DTYPE_I16 = 6,
  RNNRT_DTYPE_I32 = 7,
  RNNRT_DTYPE_I64 = 8
} rnnrt_dtype_t;

/// Returns the bytes of one element; 0 for an invalid type.
RNNRT_API int64_t rnnrt_dtype_size(int32_t dtype);

/// Returns the name, e.g. `f16`, `bf16`, `i1`, as a static string; `unknown` for an invalid type.
RNNRT_API const char *rnnrt_dtype_name(int32_t dtype);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_TYPES_H
