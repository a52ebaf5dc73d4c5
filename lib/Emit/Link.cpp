//===- Link.cpp - link object files to a shared library -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGeneration.h"
#include "rnn/Emit/Object.h"
#include "rnn_runtime/abi.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/InterfaceStub/ELFObjHandler.h"
#include "llvm/InterfaceStub/IFSStub.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::rnn;

static BuiltinLinker builtinLinker = nullptr;

void rnn::setBuiltinLinker(BuiltinLinker linker) {
  builtinLinker = linker;
}

static llvm::Expected<std::string> findLinker(llvm::StringRef given) {
  if (!given.empty()) {
    if (auto path = llvm::sys::findProgramByName(given); path && llvm::sys::fs::can_execute(*path))
      return *path;
    return makeError("there is no linker `" + given + "`");
  }
  for (llvm::StringRef name : {"ld.lld-22", "ld.lld", "cc", "ld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return makeError(
      "found no linker; looked for ld.lld-22, ld.lld, cc and ld on the path. Install one (Debian: lld-22), name "
      "one, or make an object file and link that elsewhere");
}

/// Runs the linker. The error contains its output.
static llvm::Error runLinker(llvm::StringRef linker, llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallString<128> log;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("rnn-link", "log", log))
    return makeError("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(log);
  std::string message;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  int status = llvm::sys::ExecuteAndWait(linker, command, /*Env=*/std::nullopt, redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status == 0)
    return llvm::Error::success();
  if (auto words = llvm::MemoryBuffer::getFile(log); words && !(*words)->getBuffer().trim().empty())
    message = (*words)->getBuffer().trim().str();
  return makeError("the linker `" + linker + "` failed: " + message);
}

static llvm::Error runBuiltinLinker(llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallVector<std::string> words(command.begin(), command.end());
  llvm::SmallVector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string messages;
  llvm::raw_string_ostream os(messages);
  if (builtinLinker(arguments, os))
    return llvm::Error::success();
  return makeError("the linker failed: " + llvm::StringRef(messages).trim());
}

namespace {
/// What a library of some object files needs.
struct Requirements {
  llvm::ifs::IFSTarget target;
  /// The libraries that define the entries which the objects call: always the runtime, and the emulator for its
  /// entries.
  llvm::SmallVector<llvm::StringRef> libraries = {"librnn_runtime.so"};
};
} // namespace

static llvm::Expected<Requirements> getRequirements(llvm::StringRef bytes) {
  static const llvm::StringSet<> emulated = {
#define RNNRT_ENTRY(result, name, parameters) #name,
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
  };
  Requirements requirements;
  bool isEmulated = false;
  llvm::Error error = forObjects(bytes, [&](const llvm::object::ObjectFile &object) {
    requirements.target.Arch = llvm::cast<llvm::object::ELFObjectFileBase>(object).getEMachine();
    requirements.target.BitWidth = llvm::ifs::IFSBitWidthType::IFS64;
    requirements.target.Endianness =
        object.isLittleEndian() ? llvm::ifs::IFSEndiannessType::Little : llvm::ifs::IFSEndiannessType::Big;
    isEmulated |= llvm::any_of(object.symbols(), [](const llvm::object::SymbolRef &symbol) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      if (!name)
        llvm::consumeError(name.takeError());
      return name && emulated.contains(*name);
    });
    return llvm::Error::success();
  });
  if (error)
    return error;
  if (isEmulated)
    requirements.libraries.push_back("librnn_emulator.so");
  return requirements;
}

/// Writes an empty library with the SONAME `name`. Linking with it records the dependency, so that the compiler needs
/// no runtime of that machine.
static llvm::Error writeStub(const llvm::ifs::IFSTarget &target, llvm::StringRef name, llvm::StringRef path) {
  llvm::ifs::IFSStub stub;
  stub.SoName = name;
  stub.Target = target;
  return llvm::ifs::writeBinaryStub(path, stub);
}

llvm::Error rnn::linkSharedLibrary(llvm::StringRef bytes, llvm::StringRef outputPath, llvm::StringRef soname,
                                   llvm::StringRef linkerPath) {
  if (outputPath.empty())
    return makeError("the path of the library is empty");
  const bool isBuiltin = builtinLinker && linkerPath.empty();
  auto linker = isBuiltin ? llvm::Expected<std::string>("ld.lld") : findLinker(linkerPath);
  if (!linker)
    return linker.takeError();
  llvm::SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("rnn-link", folder))
    return makeError("cannot make a temporary folder, in the folder that TMPDIR names or else in /tmp: " +
                     code.message());
  llvm::scope_exit cleanUp([&] { llvm::sys::fs::remove_directories(folder); });
  llvm::SmallString<128> objectPath(folder);
  llvm::sys::path::append(objectPath, "module"); // an object file or an archive
  std::error_code code;
  llvm::raw_fd_ostream os(objectPath, code);
  if (!code) {
    os << bytes;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return makeError("cannot write `" + objectPath + "`: " + code.message());

  auto requirements = getRequirements(bytes);
  if (!requirements)
    return requirements.takeError();
  llvm::SmallVector<std::string> stubs;
  for (llvm::StringRef name : requirements->libraries) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::Error error = writeStub(requirements->target, name, path))
      return error;
    stubs.push_back(path.str().str());
  }
  // ld and ld.lld are called as they are; anything else is a compiler, which passes options on.
  bool isDriver = !llvm::sys::path::filename(*linker).starts_with("ld");
  std::string ownName = (isDriver ? "-Wl,-soname," : "-soname=") + soname.str();
  // Generated code needs no executable stack. The dependencies are recorded even if nothing refers to the library. The
  // table of functions has those of this library, also in a program that has loaded another one with the same names.
  llvm::SmallVector<llvm::StringRef> command{*linker, "-shared", "-o", outputPath, ownName};
  if (isDriver)
    command.append({"-nostdlib", "-Wl,-z,noexecstack", "-Wl,--no-as-needed", "-Wl,-Bsymbolic", "-Wl,--whole-archive"});
  else
    command.append({"-znoexecstack", "--no-as-needed", "-Bsymbolic", "--whole-archive"});
  command.push_back(objectPath);
  command.append(stubs.begin(), stubs.end());
  return isBuiltin ? runBuiltinLinker(command) : runLinker(*linker, command);
}
