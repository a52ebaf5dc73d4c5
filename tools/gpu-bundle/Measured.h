// Measured.h - the file of measurements that rnn-run --autotune=FILE --measurements=FILE makes records of. What a
// function stands for is not known here: its line of rnn-compile --emit-candidates is copied, and what was measured is
// added. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TEST_BUNDLE_MEASURED_H
#define RNN_TEST_BUNDLE_MEASURED_H

#include "Tensors.h"

#include <map>

namespace bundle {

class Measured {
public:
  /// `candidatesPath` is the list of the module's functions. Lines are added to `path`.
  Measured(const char *candidatesPath, const char *path, const rnnrt_device_t *device);

  /// How the compiler runs the op of `function`, as `fused/persistent`; empty if that is the only way.
  std::string candidateOf(const std::string &function) const;

  void addTime(const std::string &function, double microseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", microseconds);
    add(function, "microseconds", text);
  }
  void addRefused(const std::string &function, const std::string &reason) { add(function, "refused", quoted(reason)); }
  void addProblem(const std::string &function, const std::string &reason) { add(function, "problem", quoted(reason)); }

  /// Writes what was added, all at once: half of a row would not say what its other candidates need.
  void flush();

private:
  static std::string quoted(const std::string &text);
  void add(const std::string &function, const char *what, const std::string &value);

  const char *path;
  std::string device, pending;
  std::map<std::string, std::string> lines; ///< by function, without the closing brace
};

} // namespace bundle

#endif // RNN_TEST_BUNDLE_MEASURED_H
