// Exit.h - how compiled code is left if it cannot continue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_EXIT_H
#define RNNRT_CORE_EXIT_H

#include "rnn_runtime/status.h"

#include <csetjmp>

struct rnnrt_team;

namespace rnnrt {

class Invocation;

/// Where a thread continues if compiled code cannot. Compiled code has no error branches, so a failed allocation
/// leaves it by longjmp. Frames of the runtime between an exit and compiled code must have no destructors to run.
class Exit {
public:
  /// Becomes the exit of this thread, until its destruction. `team` is null for the exported function itself.
  Exit(Invocation *invocation, rnnrt_team *team);
  Exit(const Exit &) = delete;
  ~Exit();

  /// Null outside of exported functions, and while the thread runs code on other stacks.
  static Exit *current();
  /// The same also on other stacks: the invocation that owns the memory of emulated kernels. Null outside of exported
  /// functions.
  static Exit *innermost();
  /// Ends a kernel with a failure, which it owns. Does not return.
  using EndKernel = void (*)(rnnrt_status_t failure);
  /// Emulated kernels run on other stacks, which longjmp cannot leave: `end` ends them. Null after the kernel.
  static void setKernel(EndKernel end);
  static EndKernel kernel();
  /// Leaves compiled code. Other parts of the team leave at their next barrier.
  [[noreturn]] void leave();

  Invocation *const invocation;
  rnnrt_team *const team;
  /// Of _setjmp, by the owner of this object.
  jmp_buf point;

private:
  Exit *const outer;
};

} // namespace rnnrt

#endif // RNNRT_CORE_EXIT_H
