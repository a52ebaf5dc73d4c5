// Table.cpp - the name-to-address table of abi.def, for a JIT.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn_runtime/abi.h"

#include <iterator>

static const rnnrt_abi_symbol_t symbols[] = {
#define RNNRT_ENTRY(result, name, parameters) {#name, reinterpret_cast<void *>(&name)},
#include "rnn_runtime/abi.def"
#undef RNNRT_ENTRY
};

extern "C" const rnnrt_abi_symbol_t *rnnrt_abi_symbols(size_t *out_count) {
  if (out_count)
    *out_count = std::size(symbols);
  return symbols;
}

extern "C" int32_t rnnrt_abi_version(void) {
  return RNNRT_ABI_VERSION;
}
