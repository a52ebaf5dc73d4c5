// Backend.cpp - the table of backends. A new kind of device is one line here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Backend.h"
#include "host/HostBackend.h"

#include <cstring>

using namespace rnnrt;

namespace {

struct Row {
  const char *name;
  /// Null: the kind is known, but not part of this build; `missing` then says what it would need.
  Status (*create)(const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);
  const char *missing;
};

const Row table[] = {
    {"host", createHostBackend, nullptr},
    {"cuda", nullptr, "libcuda.so.1 and libcudnn.so.9 through the CUDA backend, which this build does not have"},
};

} // namespace

Status rnnrt::createBackend(const char *name, const rnnrt_device_options_t &options,
                            std::unique_ptr<Backend> &backend) {
  // "simt:random:7" names the schedule too.
  if (!std::strncmp(name, "simt", 4) && (!name[4] || name[4] == ':'))
    return createSimtBackend(name[4] ? name + 5 : nullptr, options, backend);
  for (const Row &row : table) {
    if (std::strcmp(row.name, name))
      continue;
    if (row.create)
      return row.create(options, backend);
    return unavailable("device `%s` is not available: it needs %s; use `host`", name, row.missing);
  }
  return invalidArgument("there is no device `%.64s`, expected `host`, `simt` or `cuda`", name);
}
