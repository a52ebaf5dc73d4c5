/* Require.h - the call of a test program, and its checks.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#ifndef RNN_TEST_INTEGRATION_AOT_REQUIRE_H
#define RNN_TEST_INTEGRATION_AOT_REQUIRE_H

#include "rnn_runtime/api.h"
#include <stdio.h>
#include <stdlib.h>

static rnnrt_call_t *call;

/* Prints `what` and the status of the call, and ends the program unless `truth` holds. */
static void require(int truth, const char *what) {
  if (truth)
    return;
  printf("wrong: %s: %s\n", what, rnnrt_status_message(rnnrt_call_status(call)));
  exit(1);
}

#endif
