// status.h - the status of a runtime function: a code and, for a failure, a message of one sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_STATUS_H
#define RNN_RUNTIME_STATUS_H

#include "rnn_runtime/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Status codes. The values are stable.
typedef enum rnnrt_status_code {
  RNNRT_STATUS_OK = 0,
  RNNRT_STATUS_INVALID_ARGUMENT = 1,    ///< an argument is invalid; the message names it
  RNNRT_STATUS_FAILED_PRECONDITION = 2, ///< valid arguments in an invalid state, e.g. a consumed reserve space
  RNNRT_STATUS_OUT_OF_RANGE = 3,        ///< a size in bytes exceeds 64 bits
  RNNRT_STATUS_RESOURCE_EXHAUSTED = 4,  ///< insufficient memory
  RNNRT_STATUS_UNAVAILABLE = 5,         ///< a library or a device is missing; the message names it
  RNNRT_STATUS_UNIMPLEMENTED = 6,       ///< a valid request that the device does not support
  RNNRT_STATUS_INTERNAL = 7             ///< an error in the runtime or a vendor library
} rnnrt_status_code_t;

/// A status. NULL is OK, so that success allocates nothing. The caller owns a returned status and releases it, unless
/// the function documents it as borrowed.
typedef struct rnnrt_status *rnnrt_status_t;

/// Creates a status with a copy of `message`. Returns NULL for RNNRT_STATUS_OK. If memory is insufficient, returns a
/// static RESOURCE_EXHAUSTED status.
RNNRT_API rnnrt_status_t rnnrt_status_create(rnnrt_status_code_t code, const char *message);

/// Returns a copy, which the caller owns; NULL for NULL.
RNNRT_API rnnrt_status_t rnnrt_status_clone(rnnrt_status_t status);

/// Returns the code; RNNRT_STATUS_OK for NULL.
RNNRT_API rnnrt_status_code_t rnnrt_status_code(rnnrt_status_t status);

/// Returns the message, borrowed until the status is released; "" for NULL. Never returns NULL.
RNNRT_API const char *rnnrt_status_message(rnnrt_status_t status);

/// Returns the name, e.g. `INVALID_ARGUMENT`, as a static string; `UNKNOWN` for an invalid code.
RNNRT_API const char *rnnrt_status_code_name(rnnrt_status_code_t code);

/// Releases a status. NULL is allowed.
RNNRT_API void rnnrt_status_release(rnnrt_status_t status);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_STATUS_H
