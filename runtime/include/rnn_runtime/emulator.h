// emulator.h - librnn_emulator, which executes GPU kernels on the host: the entries that code compiled for target
// `simt` calls (simt.def).
//
// librnn_runtime loads the library with the first device `simt`, and for rnnrt_abi_target_symbols("simt", ...). It
// looks for librnn_emulator.so in what RNNRT_EMULATOR_PATH names, a file or a directory, and nowhere else if that is
// set. Else it looks among the libraries of the process, in the search path of the dynamic loader, and beside
// librnn_runtime.so. If none is found, the status is UNAVAILABLE and lists the names that were tried.
//
// A shared library that was compiled ahead of time for `simt` depends on librnn_emulator.so. A program that is linked
// with such a library links librnn_emulator too (CMake: rnn_runtime::emulator; else after -Wl,--no-as-needed, since the
// program uses none of its symbols). A program that opens one at run time creates a device `simt` first, unless the
// dynamic loader finds librnn_emulator.so by itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_EMULATOR_H
#define RNN_RUNTIME_EMULATOR_H

#include "rnn_runtime/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNNRT_ENTRY(result, name, parameters) RNNRT_API result name parameters;
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY

#ifdef __cplusplus
}
#endif

#endif // RNN_RUNTIME_EMULATOR_H
