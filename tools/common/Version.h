//===- Version.h - the version that the flag --version prints -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_VERSION_H
#define RNN_TOOLS_COMMON_VERSION_H

#include "rnn/Config/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rnn {

/// Adds the version of rnn-mlir to LLVM's. Call it before the command line is parsed.
inline void addProjectVersion() {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) { os << "  rnn-mlir version " RNN_VERSION "\n"; });
}

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_VERSION_H
