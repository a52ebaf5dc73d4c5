// EmulatorLibrary.h - librnn_emulator, loaded at first use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_SIMT_EMULATORLIBRARY_H
#define RNNRT_SIMT_EMULATORLIBRARY_H

#include "core/LoadedLibrary.h"
#include "emulator/Interface.h"

#include <memory>

namespace rnnrt {

struct EmulatorApi {
  decltype(&rnnrt_emulator_get) get = nullptr;
  template <typename Visit> void forEach(Visit &&visit) { visit("rnnrt_emulator_get", get); }
};

class EmulatorLibrary : public LoadedLibrary<EmulatorLibrary, EmulatorApi> {
public:
  /// The library that RNNRT_EMULATOR_PATH or the search finds (rnn_runtime/emulator.h). UNAVAILABLE, with every name
  /// that was tried, if there is none or if it is of another version than this runtime. A failure is tried again.
  static Status load(std::shared_ptr<const EmulatorLibrary> &library);

  const rnnrt_emulator_t &get() const { return *emulator; }

private:
  friend LoadedLibrary;
  Status start();

  const rnnrt_emulator_t *emulator = nullptr;
};

} // namespace rnnrt

#endif // RNNRT_SIMT_EMULATORLIBRARY_H
