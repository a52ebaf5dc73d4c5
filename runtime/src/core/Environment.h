// Environment.h - values of environment variables. A value that is not valid is reported and ignored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_ENVIRONMENT_H
#define RNNRT_CORE_ENVIRONMENT_H

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rnnrt {

/// The integer in `variable`, or `usual` if the variable is not set, empty, or not an integer from `least` to `most`.
/// `what` describes the value in the report.
inline int64_t readInteger(const char *variable, int64_t usual, int64_t least, int64_t most,
                           const char *what = "an integer") {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return usual;
  // strtoll also accepts leading spaces and `+`.
  const bool isNumber = *text == '-' || (*text >= '0' && *text <= '9');
  char *end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (isNumber && !*end && !errno && value >= least && value <= most)
    return value;
  if (most == INT64_MAX)
    std::fprintf(stderr, "rnnrt,warning,%s expects %s of at least %lld, but got `%s`\n", variable, what,
                 (long long)least, text);
  else
    std::fprintf(stderr, "rnnrt,warning,%s expects %s from %lld to %lld, but got `%s`\n", variable, what,
                 (long long)least, (long long)most, text);
  return usual;
}

/// The flag in `variable`, 0 or 1, or `usual` if the variable is not set, empty, or another text.
inline bool readFlag(const char *variable, bool usual) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return usual;
  if (std::strcmp(text, "0") && std::strcmp(text, "1")) {
    std::fprintf(stderr, "rnnrt,warning,%s expects 0 or 1, but got `%s`\n", variable, text);
    return usual;
  }
  return *text == '1';
}

} // namespace rnnrt

#endif // RNNRT_CORE_ENVIRONMENT_H
