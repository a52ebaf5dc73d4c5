// LoadedLibrary.h - a library that is loaded at first use, and the addresses of its functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_LOADEDLIBRARY_H
#define RNNRT_CORE_LOADEDLIBRARY_H

#include "core/DynamicLibrary.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace rnnrt {

/// Base of the class `Derived` of one library. `Api` holds its functions: pointers with the signatures of a list
/// (X-macro), and `forEach(visit)`, which calls `visit(symbol, pointer)` for each. Its `isOptional(symbol)`, if it has
/// one, is true for functions that a library may lack. Immutable once loaded and shared by all devices of the process.
/// Never unloaded: such libraries keep threads and device code.
///
/// `Derived` is default-constructible and has `Status start()`, which checks the version. The base calls it when all
/// functions are resolved.
template <typename Derived, typename Api> class LoadedLibrary {
public:
  const Api &api() const { return functions; }
  /// The file that was loaded.
  const std::string &path() const { return file->path(); }

protected:
  /// The library that `query` finds. UNAVAILABLE, with every name that was tried, if there is none, and with the name
  /// of the function if one is missing. A success is kept; a failure is tried again.
  static Status load(const LibraryQuery &query, std::shared_ptr<const Derived> &library) {
    static std::mutex mutex;
    // By the value of the variable, which a program may change between two devices, and by the best name. Never
    // destroyed, so that objects with static storage can still use a library.
    static auto &loaded = *new std::map<std::pair<std::string, std::string>, std::shared_ptr<const Derived>>();
    const char *value = std::getenv(query.variable);
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<const Derived> &slot = loaded[{value ? value : "", query.names.front()}];
    if (!slot) {
      auto made = std::make_shared<Derived>();
      LoadedLibrary &base = *made;
      RNNRT_TRY(DynamicLibrary::open(query, base.file));
      RNNRT_TRY(base.resolve(query));
      RNNRT_TRY(made->start());
      slot = std::move(made);
    }
    library = slot;
    return Status();
  }

private:
  /// `Api::isOptional(symbol)`, false for an Api without it.
  template <typename A> static auto isOptional(const char *symbol, int) -> decltype(A::isOptional(symbol)) {
    return A::isOptional(symbol);
  }
  template <typename A> static bool isOptional(const char *, long) { return false; }

  Status resolve(const LibraryQuery &query) {
    const char *missing = nullptr;
    functions.forEach([&](const char *symbol, auto *&function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(file->symbol(symbol));
      if (!function && !missing && !isOptional<Api>(symbol, 0))
        missing = symbol;
    });
    if (!missing)
      return Status();
    return unavailable("%s is needed, but `%s` has no function %s; set %s to a %s",
                       query.version ? query.version : query.what, path().c_str(), missing, query.variable,
                       query.names.front().c_str());
  }

  std::unique_ptr<DynamicLibrary> file;
  Api functions;
};

} // namespace rnnrt

#endif // RNNRT_CORE_LOADEDLIBRARY_H
