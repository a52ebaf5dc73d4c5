// function.h - the description and the uniform entry of an exported function of a compiled module. A program that is
// built for one module uses the header generated for it; this interface serves programs that inspect modules at run
// time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_FUNCTION_H
#define RNN_RUNTIME_FUNCTION_H

#include "rnn_runtime/status.h"
#include "rnn_runtime/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The uniform entry of an exported function. `inputs` and `outputs` hold one pointer per argument and result. The
/// entry checks counts, element types, ranks and static sizes; on a mismatch the call fails with INVALID_ARGUMENT
/// (rnnrt_call_status). `inputs` or `outputs` may be NULL if their count is 0.
typedef void (*rnnrt_entry_t)(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t num_inputs,
                              rnnrt_tensor_t *const *outputs, int64_t num_outputs);

/// Kind of an argument or result. The values are part of the ABI of compiled code.
typedef enum rnnrt_argument_kind {
  RNNRT_ARGUMENT_TENSOR = 0,  ///< a ranked tensor
  RNNRT_ARGUMENT_SCALAR = 1,  ///< one value: a tensor of rank 0 with data in host memory
  RNNRT_ARGUMENT_UNRANKED = 2 ///< an unranked tensor
} rnnrt_argument_kind_t;

/// Flags of an argument. An argument without flags is only read; a result has no flags.
typedef enum rnnrt_argument_flags {
  /// The function writes to the memory of the caller: a memref argument that is an output.
  RNNRT_ARGUMENT_WRITTEN = 1,
  /// The function never reads the previous content.
  RNNRT_ARGUMENT_NOT_READ = 2
} rnnrt_argument_flags_t;

/// One argument or result of a function.
typedef struct rnnrt_argument {
  const char *name;     ///< "" if the module has no name for it
  const int64_t *shape; ///< `rank` sizes; -1 is a dynamic size
  int32_t dtype;        ///< rnnrt_dtype_t; the type `index` of MLIR is RNNRT_DTYPE_I64
  int32_t rank;         ///< -1: unranked
  int32_t kind;         ///< rnnrt_argument_kind_t
  int32_t flags;        ///< rnnrt_argument_flags_t
  /// For a result with dynamic sizes that are linear functions of the sizes of arguments: a row-major matrix with one
  /// row for each dimension of the result, and columns for a constant and for each size of each argument, in order;
  /// arguments of rank -1 have none. Size k is row k times the vector (1, sizes of argument 0, sizes of argument 1,
  /// ...). NULL if all sizes are static, if one is not such a function, and for arguments.
  const int64_t *sizes;
} rnnrt_argument_t;

/// Flags of a function.
typedef enum rnnrt_function_flags {
  /// Tensors are in device memory of the call's device.
  RNNRT_FUNCTION_DEVICE_MEMORY = 1
} rnnrt_function_flags_t;

/// An exported function of a compiled module; static data of the module.
typedef struct rnnrt_function {
  int32_t abi_version; ///< RNNRT_ABI_VERSION of the compiler; the first member in every version
  int32_t flags;       ///< rnnrt_function_flags_t
  const char *name;    ///< name of the function in the MLIR module
  const rnnrt_argument_t *inputs;
  const rnnrt_argument_t *outputs;
  int64_t num_inputs, num_outputs;
  rnnrt_entry_t entry;
} rnnrt_function_t;

/// Calls `function` once for each member, as for models with parameters of their own. Members have `num_levels`
/// indices, as those of nested loops: m_l < `counts[l]`, the outermost first. `strides` has the shape [`num_arguments`,
/// `num_levels`]: in a member, the data of argument k begins sum_l m_l * strides[k][l] bytes behind that of
/// `arguments[k]`; with stride 0 the members of a level share it, which arguments that the function writes must not.
/// With `parallel` and host memory, the members run on the threads of the runtime, each on one; otherwise one after the
/// other, with all threads. The first failure is that of the call, and results of later members are undefined.
/// Functions with results (`num_outputs`) are refused.
RNNRT_API void rnnrt_call_members(rnnrt_call_t *call, const rnnrt_function_t *function,
                                  const rnnrt_tensor_t *const *arguments, int64_t num_arguments, const int64_t *counts,
                                  int64_t num_levels, const int64_t *strides, int32_t parallel);

/// Loads the GPU code of the shared library or program that contains `function` onto `device`, which otherwise happens
/// in the first call there: it may wait for the device, and takes longest for PTX, which the driver compiles. With
/// drivers before CUDA 12.4, a part of it remains for the first call. Returns the failure of the driver, or
/// UNIMPLEMENTED if the library has no code for the GPU. Does nothing for devices without GPU code.
RNNRT_API rnnrt_status_t rnnrt_function_load(const rnnrt_function_t *function, rnnrt_device_t *device);

/// The exported functions of a compiled module. A shared library exports this table as the data symbol `rnn_exports`.
typedef struct rnnrt_exports {
  int32_t abi_version; ///< as above; if it differs from rnnrt_abi_version(), the rest must not be read
  int32_t num_functions;
  const rnnrt_function_t *const *functions;
} rnnrt_exports_t;

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_FUNCTION_H
