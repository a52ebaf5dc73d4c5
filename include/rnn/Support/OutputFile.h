//===- OutputFile.h - files that are replaced as a whole -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_SUPPORT_OUTPUTFILE_H
#define RNN_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rnn {

/// Writes the file `path` atomically: a temporary file beside it is written, synchronized to the disk and renamed. On
/// failure the existing file is unchanged, and the error is the reason without the path. A link keeps its target's
/// place. A pipe or device cannot be replaced by a rename, so its output may be partial.
llvm::Error replaceFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Checks that `replaceFile` can create its temporary file, so that a program fails before a long computation.
llvm::Error checkReplaceable(llvm::StringRef path);

/// Renames a temporary file to `path`, or copies it if that fails. No temporary file is left.
llvm::Error keepFile(llvm::sys::fs::TempFile &temporary, llvm::StringRef path);

} // namespace mlir::rnn

#endif // RNN_SUPPORT_OUTPUTFILE_H
