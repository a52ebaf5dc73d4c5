//===- Outputs.h - files that appear all together or not at all -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_COMPILE_OUTPUTS_H
#define RNN_TOOLS_RNN_COMPILE_OUTPUTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <string>

namespace mlir::rnn {

/// Writes files under temporary names and renames all of them at the end, so that a failure leaves no partial output.
class Outputs {
public:
  ~Outputs();

  /// Creates a temporary file for `path` and returns its name. `-` is standard output.
  llvm::Expected<std::string> create(llvm::StringRef path);
  /// The same, with content.
  llvm::Error write(llvm::StringRef path, llvm::StringRef content);
  /// Renames all.
  llvm::Error commit();

private:
  struct File {
    llvm::sys::fs::TempFile temporary;
    std::string path;
  };
  llvm::SmallVector<File> files;
  std::string standardOutput;
};

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_COMPILE_OUTPUTS_H
