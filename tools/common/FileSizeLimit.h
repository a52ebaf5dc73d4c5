//===- FileSizeLimit.h - large files are errors, not signals -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_FILESIZELIMIT_H
#define RNN_TOOLS_COMMON_FILESIZELIMIT_H

#include <csignal>

namespace mlir::rnn {

/// Makes a write beyond the limit of the process (`ulimit -f`) fail. LLVM's handler of SIGXFSZ would end the tool with
/// a stack trace instead. Call it after InitLLVM.
inline void failOnLargeFiles() {
  std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_FILESIZELIMIT_H
