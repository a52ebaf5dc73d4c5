// EmulatorLibrary.cpp - finds and loads librnn_emulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simt/EmulatorLibrary.h"

#include <dlfcn.h>

using namespace rnnrt;

/// The directory of the file that this code was loaded from; empty if the loader does not report it.
static std::string getOwnDirectory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&getOwnDirectory), &info) || !info.dli_fname)
    return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

Status EmulatorLibrary::load(std::shared_ptr<const EmulatorLibrary> &library) {
  LibraryQuery query;
  query.what = "the emulator of GPU kernels (target simt)";
  query.variable = "RNNRT_EMULATOR_PATH";
  query.names = {"librnn_emulator.so"};
  if (std::string directory = getOwnDirectory(); !directory.empty())
    query.directories = {directory};
  return LoadedLibrary::load(query, library);
}

Status EmulatorLibrary::start() {
  emulator = api().get();
  if (emulator->version != RNNRT_EMULATOR_VERSION)
    return unavailable(
        "the emulator `%s` has version %d of the interface with the runtime, but this runtime has version "
        "%d; install both of one release",
        path().c_str(), int(emulator->version), RNNRT_EMULATOR_VERSION);
  return Status();
}
