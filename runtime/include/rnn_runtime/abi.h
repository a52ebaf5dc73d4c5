// abi.h - the ABI of compiled code: the prototypes of abi.def and the ABI version. For C, and for the compiler, which
// reads names and types from this header without linking the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_ABI_H
#define RNN_RUNTIME_ABI_H

#include "rnn_runtime/function.h"
#include "rnn_runtime/status.h"

/// Incremented if a line of abi.def changes. The runtime rejects compiled code of another version.
#define RNNRT_ABI_VERSION 23

/// Packed weights; see rnnrt_abi_pack_begin.
typedef struct rnnrt_packed {
  void *data;        ///< aligned to a cache line
  int64_t is_packed; ///< 1, RNNRT_PACKED_SCRATCH, or another value; unless it is 1, the caller must pack them
} rnnrt_packed_t;

/// A value of `is_packed`: no other call will use this memory.
#define RNNRT_PACKED_SCRATCH 3

/// Bytes before the packed weights in memory of a module.
#define RNNRT_PACKED_HEADER 64

/// Flags of rnnrt_abi_gpu_launch.
enum {
  RNNRT_LAUNCH_COOPERATIVE = 1,  ///< all blocks are resident at the same time
  RNNRT_LAUNCH_PROGRAMMATIC = 2, ///< programmatic dependent launch
};
/// The flags from this bit on, unless they are zero, are the most items of work of a cluster: dimension x of the grid
/// has one cluster for each item. The runtime launches as many clusters as are resident together, and the kernel
/// divides the items by its grid size.
#define RNNRT_LAUNCH_ITEMS_SHIFT 8

#ifdef __cplusplus
extern "C" {
#endif

/// Least multiply-adds per thread between two barriers, for which the work is divided: about a microsecond.
#define RNNRT_LEAST_WORK (1 << 15)

/// The function that each thread of a team runs, for part `part` in [0, parts).
typedef void (*rnnrt_part_t)(void *context, void *team, int64_t part, int64_t parts);

/// The code of an exported function, between its checks and the conversion of its results: reads argument k from
/// `inputs[k]` and stores result k in `results[k]`, in the form of rnnrt_abi_enter.
typedef void (*rnnrt_body_t)(rnnrt_call_t *call, void *const *inputs, void *const *results);

#define RNNRT_ENTRY(result, name, parameters) RNNRT_API result name parameters;
#include "rnn_runtime/abi.def"
#undef RNNRT_ENTRY

/// Name and address of one entry, for a JIT.
typedef struct rnnrt_abi_symbol {
  const char *name;
  void *address;
} rnnrt_abi_symbol_t;

/// Returns all entries in the order of abi.def, in static memory, and their count in `out_count` (NULL is allowed).
RNNRT_API const rnnrt_abi_symbol_t *rnnrt_abi_symbols(size_t *out_count);

/// Returns the entries that code compiled for `target` ("host", "cuda", "simt"; a device name is allowed) calls beyond
/// those of rnnrt_abi_symbols, in static memory, and their count, which is 0 if the target needs none. UNAVAILABLE if
/// the library that has them is missing (emulator.h), INVALID_ARGUMENT for an unknown target.
RNNRT_API rnnrt_status_t rnnrt_abi_target_symbols(const char *target, const rnnrt_abi_symbol_t **out_symbols,
                                                  size_t *out_count);

/// Returns RNNRT_ABI_VERSION of the loaded library, which may differ from that of this header.
RNNRT_API int32_t rnnrt_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_ABI_H
