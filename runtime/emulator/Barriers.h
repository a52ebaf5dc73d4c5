// Barriers.h - the sixteen barriers of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_BARRIERS_H
#define RNNRT_EMULATOR_BARRIERS_H

#include "emulator/Emulator.h"

namespace rnnrt::simt {

/// Waits at barrier `id` until `count` threads (0: all of the block) have arrived. Counts `predicate`: afterwards the
/// barrier's lastTrue and lastTotal are those of this round.
void waitAtBarrier(Thread &thread, uint32_t id, uint32_t count, bool predicate, const char *site);

/// Arrives without waiting.
void passBarrier(Thread &thread, uint32_t id, uint32_t count, const char *site);

/// The number of threads of the block other than `thread` that can still arrive at barrier `id` in this round.
uint32_t countPending(const Thread &thread, uint32_t id);

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_BARRIERS_H
