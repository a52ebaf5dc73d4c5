// types.h - what every other header of the runtime needs: the export macro, the opaque handles and the element types.
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

/// A place that runs plans and owns memory: device.h lists them.
typedef struct rnnrt_device rnnrt_device_t;

/// An order of work on a device. The host device runs everything at once, in the calling thread.
typedef struct rnnrt_stream rnnrt_stream_t;

/// One problem made ready to run: every size, mode and type is fixed in it.
typedef struct rnnrt_plan rnnrt_plan_t;

/// One invocation of compiled code: its device, its stream, the plans that it uses and its first error.
typedef struct rnnrt_call rnnrt_call_t;

/// Element types. The numbers are part of the promise to compiled code: never renumber. Plans compute in the first four;
/// the others are for tensors and scalars at the boundary of compiled code.
typedef enum rnnrt_dtype {
  RNNRT_DTYPE_F16 = 0,  ///< IEEE binary16
  RNNRT_DTYPE_BF16 = 1, ///< the upper half of an f32
  RNNRT_DTYPE_F32 = 2,
  RNNRT_DTYPE_F64 = 3,
  RNNRT_DTYPE_I1 = 4, ///< one byte, 0 or 1
  RNNRT_DTYPE_I8 = 5,
  RNNRT_DTYPE_I16 = 6,
  RNNRT_DTYPE_I32 = 7,
  RNNRT_DTYPE_I64 = 8
} rnnrt_dtype_t;

/// Bytes of one element, 0 for a value that is no element type.
RNNRT_API int64_t rnnrt_dtype_size(int32_t dtype);

/// `f16`, `bf16`, `f32`, `f64`, `i1` and so on; `unknown` for a value that is no element type. Static string.
RNNRT_API const char *rnnrt_dtype_name(int32_t dtype);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_TYPES_H
