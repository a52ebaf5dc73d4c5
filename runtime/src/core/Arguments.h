// Arguments.h - arguments of exported functions in messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_ARGUMENTS_H
#define RNNRT_CORE_ARGUMENTS_H

#include "rnn_runtime/function.h"

#include <string>

namespace rnnrt {

/// Names an argument or result in a message: "argument 0 (`x`) of `main`", or "argument 0 of `main`" if it has no name.
/// `what` is "argument" or "result".
inline std::string describeArgument(const char *what, int64_t index, const rnnrt_argument_t &argument,
                                    const rnnrt_function_t &function) {
  std::string text = what + (" " + std::to_string(index));
  if (argument.name && *argument.name)
    text += std::string(" (`") + argument.name + "`)";
  return text + " of `" + function.name + "`";
}

} // namespace rnnrt

#endif // RNNRT_CORE_ARGUMENTS_H
