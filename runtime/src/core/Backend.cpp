// Backend.cpp - the table of backends. A new kind of device is one line here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Backend.h"
#include "cuda/CudaBackend.h"
#include "host/HostBackend.h"

#include <cstring>

using namespace rnnrt;

namespace {

struct Row {
  const char *name;
  /// `detail` is what follows "name:", null without that.
  Status (*create)(const char *detail, const rnnrt_device_options_t &options, std::unique_ptr<Backend> &backend);
};

const Row table[] = {
    {"host", createHostBackend},
    {"simt", createSimtBackend},
    {"cuda", createCudaBackend},
};

} // namespace

Status rnnrt::createBackend(const char *name, const rnnrt_device_options_t &options,
                            std::unique_ptr<Backend> &backend) {
  const char *colon = std::strchr(name, ':');
  const size_t length = colon ? size_t(colon - name) : std::strlen(name);
  for (const Row &row : table)
    if (length == std::strlen(row.name) && !std::strncmp(name, row.name, length))
      return row.create(colon ? colon + 1 : nullptr, options, backend);
  return invalidArgument("there is no device `%.64s`, expected `host`, `simt` or `cuda`", name);
}
