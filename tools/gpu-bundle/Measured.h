// Measured.h - writes measurements for rnn-run --autotune=FILE --measurements=FILE. Each line is a copy of the
// function's line of rnn-compile --emit-candidates, with the measured time, or the reason why there is none, appended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_MEASURED_H
#define RNN_TOOLS_GPU_BUNDLE_MEASURED_H

#include "Tensors.h"

#include <map>

namespace bundle {

class Measured {
public:
  /// `candidatesPath` is the list of the module's functions. Lines are added to `path`.
  Measured(const char *candidatesPath, const char *path, const rnnrt_device_t *device);

  /// The candidate that `function` runs, such as `fused/persistent`; empty if the list does not have the function.
  std::string candidateOf(const std::string &function) const;

  void addTime(const std::string &function, double microseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", microseconds);
    add(function, "microseconds", text);
  }
  void addRefused(const std::string &function, const std::string &reason) { add(function, "refused", quoted(reason)); }
  void addProblem(const std::string &function, const std::string &reason) { add(function, "problem", quoted(reason)); }

  /// Writes all added lines at once, so that an interrupted program leaves no partial row of candidates.
  void flush();

private:
  static std::string quoted(const std::string &text);
  void add(const std::string &function, const char *what, const std::string &value);

  const char *path;
  std::string device, pending;
  std::map<std::string, std::string> lines; ///< by function, without the closing brace
};

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_MEASURED_H
