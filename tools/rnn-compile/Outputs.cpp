//===- Outputs.cpp - files that appear all together or not at all ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"
#include "rnn/Support/OutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::rnn;

static llvm::Error makeError(llvm::StringRef path, const llvm::Twine &reason) {
  return llvm::createStringError(("cannot write `" + path + "`: " + reason).str());
}

Outputs::~Outputs() {
  for (File &file : files)
    llvm::consumeError(file.temporary.discard());
}

llvm::Expected<std::string> Outputs::create(llvm::StringRef path) {
  // A device or a folder must not be replaced by a file.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return makeError(path, "it exists and is not a regular file");
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temporary)
    return makeError(path, llvm::toString(temporary.takeError()));
  std::string name = temporary->TmpName;
  files.push_back({std::move(*temporary), path.str()});
  return name;
}

llvm::Error Outputs::write(llvm::StringRef path, llvm::StringRef content) {
  if (path == "-") {
    standardOutput += content;
    return llvm::Error::success();
  }
  auto name = create(path);
  if (!name)
    return name.takeError();
  llvm::raw_fd_ostream os(files.back().temporary.FD, /*shouldClose=*/false);
  os << content;
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code ? makeError(path, code.message()) : llvm::Error::success();
}

llvm::Error Outputs::commit() {
  llvm::Error errors = llvm::Error::success();
  for (File &file : files)
    if (llvm::Error error = keepFile(file.temporary, file.path))
      errors = llvm::joinErrors(std::move(errors), makeError(file.path, llvm::toString(std::move(error))));
  files.clear();
  llvm::outs() << standardOutput;
  llvm::outs().flush();
  return errors;
}
