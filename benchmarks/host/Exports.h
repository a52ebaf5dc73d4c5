//===- Exports.h - functions of a shared library of rnn-compile -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_BENCHMARKS_HOST_EXPORTS_H
#define RNN_BENCHMARKS_HOST_EXPORTS_H

#include "Worker.h"
#include "rnn_runtime/api.h"

#include <dlfcn.h>

namespace worker {

/// Ends the program if a status is an error.
inline void check(rnnrt_status_t status) {
  if (status)
    fail(rnnrt_status_message(status));
}

/// The functions of a shared library, which stays loaded. A failure ends the program.
class Exports {
public:
  explicit Exports(const std::string &path) : path(path) {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      fail(dlerror());
    table = static_cast<const rnnrt_exports_t *>(dlsym(handle, "rnn_exports"));
    if (!table)
      fail(path + " exports no `rnn_exports`; was it made by rnn-compile?");
  }

  const rnnrt_function_t *find(const std::string &name) const {
    for (int32_t index = 0; index < table->num_functions; ++index)
      if (name == table->functions[index]->name)
        return table->functions[index];
    fail(path + " has no function `" + name + "`");
  }

private:
  std::string path;
  const rnnrt_exports_t *table;
};

} // namespace worker

#endif // RNN_BENCHMARKS_HOST_EXPORTS_H
