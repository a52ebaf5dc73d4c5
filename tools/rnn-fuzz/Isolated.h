//===- Isolated.h - runs code in a child process -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_ISOLATED_H
#define RNN_TOOLS_RNN_FUZZ_ISOLATED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::rnn::fuzz {

/// How a child process ended.
struct Isolated {
  /// The result of the function. Empty if it did not return.
  std::string text;
  /// The last step that the function reported.
  std::string step;
  /// 0 if the function returned.
  int signal = 0;
  bool timedOut = false;
  bool returned = false;
  /// The end of what the child wrote to standard error.
  std::string errors;
};

/// Reports the step that begins, from within the function.
using ReportStep = llvm::function_ref<void(llvm::StringRef step)>;

/// Runs `function` in a child process, with limits for processor time and memory. The parent must have one thread.
Isolated runIsolated(unsigned seconds, llvm::function_ref<std::string(ReportStep)> function);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_ISOLATED_H
