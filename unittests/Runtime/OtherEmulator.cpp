// OtherEmulator.cpp - an emulator of another version than the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Interface.h"

extern "C" const rnnrt_emulator_t *rnnrt_emulator_get(void) {
  static const rnnrt_emulator_t emulator = {RNNRT_EMULATOR_VERSION + 1, nullptr, nullptr, 0};
  return &emulator;
}
