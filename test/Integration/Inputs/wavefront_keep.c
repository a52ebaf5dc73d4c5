// wavefront_keep.c - the switches of wavefront_mutants.py, for `wavefront_keep` in MLIR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <stdlib.h>

int64_t _mlir_ciface_wavefront_keep(int64_t number);
int64_t _mlir_ciface_wavefront_keep(int64_t number) {
  const char *removed = getenv("WAVEFRONT_MUTANT");
  return !removed || number != atoll(removed);
}
