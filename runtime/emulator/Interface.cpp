// Interface.cpp - the functions that librnn_emulator exports to librnn_runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Interface.h"
#include "emulator/Schedule.h"
#include "rnn_runtime/emulator.h"

#include <iterator>

using namespace rnnrt;

static rnnrt_status_t checkSchedule(const char *text) {
  return guarded([&] {
           simt::Schedule schedule;
           return simt::Schedule::parse(text, schedule);
         })
      .take();
}

static const rnnrt_abi_symbol_t entries[] = {
#define RNNRT_ENTRY(result, name, parameters) {#name, reinterpret_cast<void *>(&name)},
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
};

extern "C" const rnnrt_emulator_t *rnnrt_emulator_get(void) {
  static const rnnrt_emulator_t emulator = {RNNRT_EMULATOR_VERSION, checkSchedule, entries, std::size(entries)};
  return &emulator;
}
