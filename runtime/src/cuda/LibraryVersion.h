// LibraryVersion.h - formatting of version numbers of NVIDIA's libraries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CUDA_LIBRARYVERSION_H
#define RNNRT_CUDA_LIBRARYVERSION_H

#include <cstddef>
#include <string>

namespace rnnrt::cuda {

/// Returns e.g. "9.19.0" for 91900. The number is MAJOR*10000 + MINOR*100 + PATCH if it is at least `since`, else
/// MAJOR*1000 + MINOR*100 + PATCH.
inline std::string libraryVersionText(size_t number, size_t since) {
  const bool isNew = number >= since;
  return std::to_string(number / (isNew ? 10000 : 1000)) + "." + std::to_string(number / 100 % (isNew ? 100 : 10)) +
         "." + std::to_string(number % 100);
}

} // namespace rnnrt::cuda

#endif // RNNRT_CUDA_LIBRARYVERSION_H
