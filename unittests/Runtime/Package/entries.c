/* entries.c - links the entries of target simt and upstream's launch names. Without a call they do nothing.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <rnn_runtime/emulator.h>

void *mgpuMemAlloc(int64_t bytes, void *stream, int32_t host_shared);

int main(void) {
  return rnnrt_abi_simt_alloc(8) || mgpuMemAlloc(8, NULL, 0);
}
