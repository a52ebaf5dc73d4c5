//===- OutputFile.cpp - files that are replaced as a whole -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include <cerrno>
#include <unistd.h>

using namespace mlir::rnn;

/// Writes, and clears the error of the stream: the destructor of a stream with an error ends the process.
static std::error_code writeTo(llvm::raw_fd_ostream &os, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

static llvm::Error check(std::error_code code) {
  return code ? llvm::createStringError(code, code.message()) : llvm::Error::success();
}

namespace {
enum class Target { None, File, Other };
} // namespace

/// What is at `path`: nothing, a regular file, or a pipe or device. A directory is an error.
static llvm::Expected<Target> inspect(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::exists(status))
    return Target::None;
  if (llvm::sys::fs::is_directory(status))
    return llvm::createStringError("it is a directory");
  return llvm::sys::fs::is_regular_file(status) ? Target::File : Target::Other;
}

/// Creates the temporary file beside the target of a link: the rename stays on one disk and keeps the link.
static llvm::Expected<llvm::sys::fs::TempFile> createBeside(llvm::SmallString<128> &target, bool exists) {
  if (exists)
    if (std::error_code code = llvm::sys::fs::real_path(llvm::StringRef(target).str(), target))
      return check(code);
  return llvm::sys::fs::TempFile::create(target + ".%%%%%%%%");
}

llvm::Error mlir::rnn::checkReplaceable(llvm::StringRef path) {
  auto found = inspect(path);
  if (!found)
    return found.takeError();
  if (*found == Target::Other)
    return llvm::Error::success();
  llvm::SmallString<128> target(path);
  auto temporary = createBeside(target, *found == Target::File);
  return temporary ? temporary->discard() : temporary.takeError();
}

llvm::Error mlir::rnn::keepFile(llvm::sys::fs::TempFile &temporary, llvm::StringRef path) {
  const std::string name = temporary.TmpName;
  llvm::Error error = temporary.keep(path);
  // If the rename fails, `keep` copies the file and leaves the temporary one.
  (void)llvm::sys::fs::remove(name);
  return error;
}

llvm::Error mlir::rnn::replaceFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  auto found = inspect(path);
  if (!found)
    return found.takeError();
  if (*found == Target::Other) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                            llvm::sys::fs::OF_None);
    if (!code)
      code = writeTo(os, write);
    if (!code) {
      os.close();
      code = os.error();
      os.clear_error();
    }
    return check(code);
  }

  llvm::SmallString<128> target(path);
  auto temporary = createBeside(target, *found == Target::File);
  if (!temporary)
    return temporary.takeError();
  std::error_code code;
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    code = writeTo(os, write);
  }
  // Without this, a power failure after the rename can leave an empty file.
  if (!code && fsync(temporary->FD) != 0)
    code = std::error_code(errno, std::generic_category());
  if (code) {
    llvm::consumeError(temporary->discard());
    return check(code);
  }
  return keepFile(*temporary, target);
}
