// Barriers.h - the sixteen barriers of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_BARRIERS_H
#define RNNRT_EMULATOR_BARRIERS_H

#include "emulator/Emulator.h"

namespace rnnrt::simt {

/// Waits at barrier `id` until `count` threads (0: all of the block) have come. `predicate` is counted: afterwards the
/// barrier's lastTrue and lastTotal hold for all.
void waitAtBarrier(Thread &thread, uint32_t id, uint32_t count, bool predicate, const char *site);

/// Arrives without waiting.
void passBarrier(Thread &thread, uint32_t id, uint32_t count, const char *site);

/// How many threads of the block, `thread` aside, may still come to barrier `id` in this round.
uint32_t countPending(const Thread &thread, uint32_t id);

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_BARRIERS_H
