// function.h - how a function of a compiled module is called and what it says about itself. Programs that know the
// module use the header that was generated for it; these are the parts for programs that find out at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_FUNCTION_H
#define RNN_RUNTIME_FUNCTION_H

#include "rnn_runtime/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The uniform entry of a compiled function. `inputs` and `outputs` have one pointer for each argument and result;
/// counts, element types, ranks and fixed sizes are checked, and what does not fit fails the call (rnnrt_call_status)
/// with INVALID_ARGUMENT. `inputs` or `outputs` may be NULL where there are none.
typedef void (*rnnrt_entry_t)(rnnrt_call_t *call, const rnnrt_tensor_t *const *inputs, int64_t num_inputs,
                              rnnrt_tensor_t *const *outputs, int64_t num_outputs);

/// What an argument or a result is. The numbers are part of the promise to compiled code.
typedef enum rnnrt_argument_kind {
  RNNRT_ARGUMENT_TENSOR = 0,  ///< a tensor of known rank
  RNNRT_ARGUMENT_SCALAR = 1,  ///< one value: a tensor of rank 0 whose data is in host memory
  RNNRT_ARGUMENT_UNRANKED = 2 ///< a tensor whose rank the function's type leaves open
} rnnrt_argument_kind_t;

/// One argument or result of a function.
typedef struct rnnrt_argument {
  const char *name;     ///< "" when the module names none
  const int64_t *shape; ///< `rank` sizes, -1 for one that is only known at run time
  int32_t dtype;        ///< rnnrt_dtype_t; the type `index` of MLIR is RNNRT_DTYPE_I64
  int32_t rank;         ///< -1: any
  int32_t kind;         ///< rnnrt_argument_kind_t
  int32_t reserved;     ///< 0
} rnnrt_argument_t;

/// Flags of a function.
typedef enum rnnrt_function_flags {
  /// Tensors are in the memory of the call's device, which is not the host.
  RNNRT_FUNCTION_DEVICE_MEMORY = 1
} rnnrt_function_flags_t;

/// A function of a compiled module: static data inside the module.
typedef struct rnnrt_function {
  int32_t abi_version; ///< RNNRT_ABI_VERSION of the compiler; stands first in every version
  int32_t flags;       ///< rnnrt_function_flags_t
  const char *name;    ///< as in the MLIR module
  const rnnrt_argument_t *inputs;
  const rnnrt_argument_t *outputs;
  int64_t num_inputs, num_outputs;
  rnnrt_entry_t entry;
} rnnrt_function_t;

/// All functions of a compiled module. A shared library exports one as the data symbol `rnn_exports`.
typedef struct rnnrt_exports {
  int32_t abi_version; ///< as above; when it is another than rnnrt_abi_version(), the rest must not be read
  int32_t num_functions;
  const rnnrt_function_t *const *functions;
} rnnrt_exports_t;

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_FUNCTION_H
