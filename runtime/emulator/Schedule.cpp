// Schedule.cpp - the text form of schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Schedule.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::simt;

Status Schedule::parse(const char *text, Schedule &schedule) {
  schedule = Schedule();
  if (!std::strcmp(text, "fifo"))
    return Status();
  if (!std::strcmp(text, "reverse")) {
    schedule.order = Order::Reverse;
    return Status();
  }
  if (!std::strcmp(text, "random") || !std::strncmp(text, "random:", 7)) {
    schedule.order = Order::Random;
    if (!text[6])
      return Status();
    const char *number = text + 7;
    char *end = nullptr;
    errno = 0;
    schedule.seed = std::strtoull(number, &end, 10);
    if (*number >= '0' && *number <= '9' && !*end && !errno)
      return Status();
  }
  schedule = Schedule();
  return invalidArgument("unknown schedule `%.64s`; expected fifo, reverse, random or random:SEED with a whole number",
                         text);
}

std::string Schedule::toString() const {
  return order == Order::Fifo ? "fifo" : order == Order::Reverse ? "reverse" : "random:" + std::to_string(seed);
}
