// Exit.cpp - the exits of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Exit.h"
#include "core/ThreadPool.h"

using namespace rnnrt;

static thread_local Exit *currentExit = nullptr;
static thread_local Exit::EndKernel endKernel = nullptr;

Exit::Exit(Invocation *invocation, rnnrt_team *team) : invocation(invocation), team(team), outer(currentExit) {
  currentExit = this;
}
Exit::~Exit() {
  currentExit = outer;
}
Exit *Exit::current() {
  return endKernel ? nullptr : currentExit;
}
Exit *Exit::innermost() {
  return currentExit;
}
void Exit::setKernel(EndKernel end) {
  endKernel = end;
}
Exit::EndKernel Exit::kernel() {
  return endKernel;
}

void Exit::leave() {
  if (team)
    team->abort();
  // Unlike longjmp, does not restore the signal mask, which costs a system call.
  _longjmp(point, 1);
}
