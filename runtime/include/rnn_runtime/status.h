// status.h - success or failure of a runtime function: a code and, when it failed, one sentence for a person.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_STATUS_H
#define RNN_RUNTIME_STATUS_H

#include "rnn_runtime/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What went wrong, coarsely. The numbers are stable.
typedef enum rnnrt_status_code {
  RNNRT_STATUS_OK = 0,
  RNNRT_STATUS_INVALID_ARGUMENT = 1,    ///< the caller passed something wrong; the message names it
  RNNRT_STATUS_FAILED_PRECONDITION = 2, ///< right arguments at the wrong time, as a reserve that was used up
  RNNRT_STATUS_OUT_OF_RANGE = 3,        ///< a size whose bytes do not fit 64 bits
  RNNRT_STATUS_RESOURCE_EXHAUSTED = 4,  ///< no memory
  RNNRT_STATUS_UNAVAILABLE = 5,         ///< a library or a device is missing; the message says which
  RNNRT_STATUS_UNIMPLEMENTED = 6,       ///< a legal request that this device cannot serve
  RNNRT_STATUS_INTERNAL = 7             ///< a bug of the runtime
} rnnrt_status_code_t;

/// A status is a pointer: NULL is OK, so success allocates nothing. Who receives one from a function releases it,
/// unless the function says that it lends it.
typedef struct rnnrt_status *rnnrt_status_t;

/// Makes a status; the message is copied. NULL for RNNRT_STATUS_OK. Without memory for it the result is a static
/// RESOURCE_EXHAUSTED.
RNNRT_API rnnrt_status_t rnnrt_status_create(rnnrt_status_code_t code, const char *message);

/// A copy with its own owner. NULL for NULL.
RNNRT_API rnnrt_status_t rnnrt_status_clone(rnnrt_status_t status);

/// The code; RNNRT_STATUS_OK for NULL.
RNNRT_API rnnrt_status_code_t rnnrt_status_code(rnnrt_status_t status);

/// The sentence, lent until the status is released; "" for NULL. Never NULL.
RNNRT_API const char *rnnrt_status_message(rnnrt_status_t status);

/// `INVALID_ARGUMENT` and so on; `UNKNOWN` for a number that is no code. Static string.
RNNRT_API const char *rnnrt_status_code_name(rnnrt_status_code_t code);

/// Gives a status back. NULL is allowed.
RNNRT_API void rnnrt_status_release(rnnrt_status_t status);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_STATUS_H
