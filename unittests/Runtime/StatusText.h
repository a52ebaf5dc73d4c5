// StatusText.h - statuses as text for comparisons.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_RUNTIME_STATUSTEXT_H
#define RNN_UNITTESTS_RUNTIME_STATUSTEXT_H

#include "rnn_runtime/status.h"

#include <string>

namespace rnntest {

/// Returns "CODE: message", or "" for success, and releases `status`.
inline std::string take(rnnrt_status_t status) {
  std::string text;
  if (status)
    text = std::string(rnnrt_status_code_name(rnnrt_status_code(status))) + ": " + rnnrt_status_message(status);
  rnnrt_status_release(status);
  return text;
}

} // namespace rnntest

#endif // RNN_UNITTESTS_RUNTIME_STATUSTEXT_H
