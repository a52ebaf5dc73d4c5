// StatusFormat.cpp - statuses with formatted messages. Without state of its own, so that librnn_emulator compiles it in
// too; the statuses themselves are made and released by librnn_runtime alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Status.h"

#include <cstdarg>
#include <cstdio>

static rnnrt::Status makeFailure(rnnrt_status_code_t code, const char *format, va_list arguments) {
  // A longer message is truncated: measuring it first would need a copy of `arguments`.
  char text[1024];
  std::vsnprintf(text, sizeof(text), format, arguments);
  return rnnrt::Status(rnnrt_status_create(code, text));
}

#define RNNRT_DEFINE_FAILURE(name, code)                                                                               \
  rnnrt::Status rnnrt::name(const char *format, ...) {                                                                 \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    Status status = makeFailure(code, format, arguments);                                                              \
    va_end(arguments);                                                                                                 \
    return status;                                                                                                     \
  }

RNNRT_DEFINE_FAILURE(invalidArgument, RNNRT_STATUS_INVALID_ARGUMENT)
RNNRT_DEFINE_FAILURE(failedPrecondition, RNNRT_STATUS_FAILED_PRECONDITION)
RNNRT_DEFINE_FAILURE(outOfRange, RNNRT_STATUS_OUT_OF_RANGE)
RNNRT_DEFINE_FAILURE(resourceExhausted, RNNRT_STATUS_RESOURCE_EXHAUSTED)
RNNRT_DEFINE_FAILURE(unavailable, RNNRT_STATUS_UNAVAILABLE)
RNNRT_DEFINE_FAILURE(unimplemented, RNNRT_STATUS_UNIMPLEMENTED)
RNNRT_DEFINE_FAILURE(internalError, RNNRT_STATUS_INTERNAL)
