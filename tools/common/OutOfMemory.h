//===- OutOfMemory.h - end a tool that has no memory left -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_COMMON_OUTOFMEMORY_H
#define RNN_TOOLS_COMMON_OUTOFMEMORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mlir::rnn {

/// Without memory, LLVM aborts and asks for a bug report. Prints "TOOL: error: out of memory" instead, and exits with
/// status 1. `tool` must be a static string. Call it after InitLLVM.
inline void exitIfOutOfMemory(const char *tool) {
  // Without allocations, and without destructors, which could allocate.
  static constexpr auto print = [](const char *text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); };
  static constexpr auto leave = [](void *tool, const char *what) {
    print(static_cast<const char *>(tool));
    print(": error: ");
    print(what);
    print("\n");
    _exit(1);
  };
  void *data = const_cast<char *>(tool);
  llvm::install_bad_alloc_error_handler(
      [](void *tool, const char *, bool) {
        leave(tool, "out of memory while compiling or reading; use smaller constants or inputs");
      },
      data);
  llvm::install_fatal_error_handler(
      [](void *tool, const char *reason, bool) {
        if (llvm::StringRef(reason).starts_with("pthread_create failed"))
          leave(tool, "no thread can be created: not enough memory, or a limit on threads; pass "
                      "--mlir-disable-threading, or raise the limit");
        // As without a handler; LLVM aborts then.
        print("LLVM ERROR: ");
        print(reason);
        print("\n");
      },
      data);
}

} // namespace mlir::rnn

#endif // RNN_TOOLS_COMMON_OUTOFMEMORY_H
