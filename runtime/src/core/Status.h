// Status.h - the C++ interface of rnnrt_status_t: an owner, constructors with printf formatting, and a guard that
// converts exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_STATUS_H
#define RNNRT_CORE_STATUS_H

#include "rnn_runtime/status.h"

#include <new>
#include <utility>

namespace rnnrt {

/// Owns a status. Default constructed: success.
class [[nodiscard]] Status {
public:
  Status() = default;
  explicit Status(rnnrt_status_t handle) : handle(handle) {}
  Status(Status &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Status &operator=(Status &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Status() { rnnrt_status_release(handle); }

  bool ok() const { return !handle; }
  rnnrt_status_t get() const { return handle; }
  /// Returns the handle and gives up its ownership.
  rnnrt_status_t take() { return std::exchange(handle, nullptr); }

private:
  rnnrt_status_t handle = nullptr;
};

/// Failures by code; the message is formatted as by printf.
__attribute__((format(printf, 1, 2))) Status invalidArgument(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status failedPrecondition(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status outOfRange(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status resourceExhausted(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status unavailable(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status unimplemented(const char *format, ...);
__attribute__((format(printf, 1, 2))) Status internalError(const char *format, ...);

/// The static status of a null call: INVALID_ARGUMENT.
rnnrt_status_t nullCallStatus();

/// Runs `body`, which returns a Status. Converts exceptions to statuses; std::bad_alloc is the only expected one.
template <typename Body> Status guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return resourceExhausted("not enough memory");
  } catch (...) {
    return internalError("unexpected exception in the runtime");
  }
}

} // namespace rnnrt

#define RNNRT_TRY(expression)                                                                                          \
  do {                                                                                                                 \
    if (::rnnrt::Status rnnrtStatus = (expression); !rnnrtStatus.ok())                                                 \
      return rnnrtStatus;                                                                                              \
  } while (false)

#endif // RNNRT_CORE_STATUS_H
