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

/// Files are written beside their places under temporary names, and get their own when all of them are complete.
class Outputs {
public:
  ~Outputs();

  /// Makes a temporary file for `path`, and gives its name. `-` stands for standard output.
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
