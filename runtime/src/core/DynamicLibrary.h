// DynamicLibrary.h - libraries that are loaded at first use, so that the runtime does not depend on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_DYNAMICLIBRARY_H
#define RNNRT_CORE_DYNAMICLIBRARY_H

#include "core/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace rnnrt {

/// A library and where it may be.
struct LibraryQuery {
  const char *what;     ///< name in messages, as "the CUDA driver"
  const char *variable; ///< environment variable of the user; it names a file, or a directory with one of `names`
  std::vector<std::string> names;            ///< file names for the dynamic loader, best first
  std::vector<std::string> wheelDirectories; ///< below site-packages, as "nvidia/cudnn/lib"
  std::vector<std::string> directories;      ///< absolute
  /// Requirement in the message about a missing function, as "cuDNN 9.13 or later"; null: `what`.
  const char *version = nullptr;
};

/// A library that stays loaded until the object ends.
class DynamicLibrary {
public:
  /// Loads the first library that works. If the environment variable is set, only the file or directory it names is
  /// tried, so that a request for a certain library never loads another one. Else the order is: the search of the
  /// dynamic loader; Python wheels below VIRTUAL_ENV, CONDA_PREFIX, ~/.local, /usr/local and /usr; `directories`.
  /// UNAVAILABLE, with every name that was tried and the reason of its failure, if none works.
  static Status open(const LibraryQuery &query, std::unique_ptr<DynamicLibrary> &library);

  ~DynamicLibrary();
  DynamicLibrary(const DynamicLibrary &) = delete;

  /// Null if the library has no such symbol.
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
