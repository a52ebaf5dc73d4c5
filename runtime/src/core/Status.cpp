// Status.cpp - statuses. A failure is one allocation; if that fails, a static status is returned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Status.h"

#include <string>

struct rnnrt_status {
  rnnrt_status_code_t code;
  std::string message;
};

namespace {

/// Returned when a status cannot be allocated; never released. Short enough to live inside the string object.
rnnrt_status outOfMemory{RNNRT_STATUS_RESOURCE_EXHAUSTED, "out of memory"};

/// The status of a null call; never released.
rnnrt_status noCall{RNNRT_STATUS_INVALID_ARGUMENT, "expects `call`, but got a null pointer"};

rnnrt_status_t make(rnnrt_status_code_t code, const char *message) noexcept {
  if (code == RNNRT_STATUS_OK)
    return nullptr;
  try {
    return new rnnrt_status{code, message ? message : ""};
  } catch (...) {
    return &outOfMemory;
  }
}

} // namespace

rnnrt_status_t rnnrt::nullCallStatus() {
  return &noCall;
}

extern "C" {

rnnrt_status_t rnnrt_status_create(rnnrt_status_code_t code, const char *message) {
  return make(code, message);
}

rnnrt_status_t rnnrt_status_clone(rnnrt_status_t status) {
  return status ? make(status->code, status->message.c_str()) : nullptr;
}

rnnrt_status_code_t rnnrt_status_code(rnnrt_status_t status) {
  return status ? status->code : RNNRT_STATUS_OK;
}

const char *rnnrt_status_message(rnnrt_status_t status) {
  return status ? status->message.c_str() : "";
}

const char *rnnrt_status_code_name(rnnrt_status_code_t code) {
  switch (code) {
  case RNNRT_STATUS_OK:
    return "OK";
  case RNNRT_STATUS_INVALID_ARGUMENT:
    return "INVALID_ARGUMENT";
  case RNNRT_STATUS_FAILED_PRECONDITION:
    return "FAILED_PRECONDITION";
  case RNNRT_STATUS_OUT_OF_RANGE:
    return "OUT_OF_RANGE";
  case RNNRT_STATUS_RESOURCE_EXHAUSTED:
    return "RESOURCE_EXHAUSTED";
  case RNNRT_STATUS_UNAVAILABLE:
    return "UNAVAILABLE";
  case RNNRT_STATUS_UNIMPLEMENTED:
    return "UNIMPLEMENTED";
  case RNNRT_STATUS_INTERNAL:
    return "INTERNAL";
  }
  return "UNKNOWN";
}

void rnnrt_status_release(rnnrt_status_t status) {
  if (status != &outOfMemory && status != &noCall)
    delete status;
}

} // extern "C"
