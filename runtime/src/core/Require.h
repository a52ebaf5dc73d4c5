// Require.h - the check of a required operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_REQUIRE_H
#define RNNRT_CORE_REQUIRE_H

#include "core/Status.h"

#define RNNRT_REQUIRE(pointer, name)                                                                                   \
  do {                                                                                                                 \
    if (!(pointer))                                                                                                    \
      return ::rnnrt::invalidArgument("expects `%s`, but got a null pointer", name);                                   \
  } while (false)

#endif // RNNRT_CORE_REQUIRE_H
