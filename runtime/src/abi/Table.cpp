// Table.cpp - the name-to-address tables for a JIT: the entries of abi.def, and those of a target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Backend.h"
#include "core/Require.h"
#include "rnn_runtime/abi.h"

#include <iterator>

using namespace rnnrt;

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

extern "C" rnnrt_status_t rnnrt_abi_target_symbols(const char *target, const rnnrt_abi_symbol_t **out_symbols,
                                                   size_t *out_count) {
  return guarded([&] {
           RNNRT_REQUIRE(out_symbols, "out_symbols");
           RNNRT_REQUIRE(out_count, "out_count");
           *out_symbols = nullptr;
           *out_count = 0;
           RNNRT_REQUIRE(target, "target");
           const BackendKind *kind = nullptr;
           const char *detail = nullptr;
           RNNRT_TRY(findBackend(target, kind, detail));
           return kind->entries ? kind->entries(*out_symbols, *out_count) : Status();
         })
      .take();
}

extern "C" int32_t rnnrt_abi_version(void) {
  return RNNRT_ABI_VERSION;
}
