// abi.h - what compiled code may call: the prototypes of abi.def and the version of that promise. Includable from C and
// from the compiler, which reads names and types here without linking the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_ABI_H
#define RNN_RUNTIME_ABI_H

#include "rnn_runtime/function.h"

/// Changes whenever a line of abi.def changes. Compiled code that carries another number must not be run.
#define RNNRT_ABI_VERSION 8

#ifdef __cplusplus
extern "C" {
#endif

/// Multiply-adds of each part between two waits, at least, of work that several threads share: about a microsecond.
#define RNNRT_LEAST_WORK (1 << 15)

/// What a thread of a team runs: part `part` of `parts`.
typedef void (*rnnrt_part_t)(void *context, void *team, int64_t part, int64_t parts);

#define RNNRT_ENTRY(result, name, parameters) RNNRT_API result name parameters;
#include "rnn_runtime/abi.def"
#undef RNNRT_ENTRY

/// One entry for a JIT: its name and where it is.
typedef struct rnnrt_abi_symbol {
  const char *name;
  void *address;
} rnnrt_abi_symbol_t;

/// All entries in the order of abi.def. Static memory; `out_count` gets their number.
RNNRT_API const rnnrt_abi_symbol_t *rnnrt_abi_symbols(size_t *out_count);

/// RNNRT_ABI_VERSION of the library that is loaded, which may be another than that of this header.
RNNRT_API int32_t rnnrt_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_ABI_H
