// LoadOnce.h - what CUDA's libraries have in common: each is loaded once, and numbers its versions in NVIDIA's way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_LOADONCE_H
#define RNNRT_CORE_LOADONCE_H

#include "core/DynamicLibrary.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace rnnrt {

/// One `Library` for each value of `query.variable` and each first name: made empty and then filled by `open`, which returns
/// a status. A success is kept; a failure is tried again.
template <typename Library, typename Open>
Status loadOnce(const LibraryQuery &query, std::shared_ptr<const Library> &library, Open &&open) {
  static std::mutex mutex;
  // By the value of the variable: a program may set it between two devices, as the tests do. Never destroyed, so that
  // objects with static storage can still use it.
  static auto &loaded = *new std::map<std::pair<std::string, std::string>, std::shared_ptr<const Library>>();
  const char *value = std::getenv(query.variable);
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Library> &slot = loaded[{value ? value : "", query.names.front()}];
  if (!slot) {
    auto made = std::make_shared<Library>();
    RNNRT_TRY(open(*made));
    slot = std::move(made);
  }
  library = slot;
  return Status();
}

/// "9.19.0" for 91900: MAJOR*10000 + MINOR*100 + PATCH from the number `since` on, before it MAJOR*1000 + MINOR*100 + PATCH.
inline std::string libraryVersionText(size_t number, size_t since) {
  const bool isNew = number >= since;
  return std::to_string(number / (isNew ? 10000 : 1000)) + "." + std::to_string(number / 100 % (isNew ? 100 : 10)) + "." +
         std::to_string(number % 100);
}

} // namespace rnnrt

#endif // RNNRT_CORE_LOADONCE_H
