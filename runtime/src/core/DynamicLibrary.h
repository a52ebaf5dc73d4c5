// DynamicLibrary.h - libraries that are loaded when they are first needed, so that the runtime starts without them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_DYNAMICLIBRARY_H
#define RNNRT_CORE_DYNAMICLIBRARY_H

#include "core/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace rnnrt {

/// What to look for, and where.
struct LibraryQuery {
  const char *what;     ///< for messages, as "the CUDA driver"
  const char *variable; ///< environment variable of the user; it names a file, or a directory with one of `names`
  std::vector<std::string> names;            ///< file names as the loader knows them, best first
  std::vector<std::string> wheelDirectories; ///< below site-packages, as "nvidia/cudnn/lib"
  std::vector<std::string> directories;      ///< absolute
  /// What is needed if the library lacks a function, as "cuDNN 9.13 or later"; null: `what`.
  const char *version = nullptr;
};

/// A library that stays loaded until the object ends.
class DynamicLibrary {
public:
  /// Loads the first that works of: what the variable says (and nothing else when it is set: who asks for a certain
  /// library must not get another one); the loader's own search; the Python wheels below VIRTUAL_ENV, CONDA_PREFIX,
  /// ~/.local, /usr/local and /usr; `directories`. UNAVAILABLE, with every name tried and why it failed, without any.
  static Status open(const LibraryQuery &query, std::unique_ptr<DynamicLibrary> &library);

  ~DynamicLibrary();
  DynamicLibrary(const DynamicLibrary &) = delete;

  /// Null when it has no such symbol.
  void *symbol(const char *name) const;
  /// The file that was loaded.
  const std::string &path() const { return file; }

private:
  DynamicLibrary(void *handle, std::string file) : handle(handle), file(std::move(file)) {}

  void *const handle;
  const std::string file;
};

} // namespace rnnrt

#endif // RNNRT_CORE_DYNAMICLIBRARY_H
