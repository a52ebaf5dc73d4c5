// Fiber.cpp - context switches and the allocation of stacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Fiber.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define RNNRT_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define RNNRT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RNNRT_ASAN 1
#elif __has_feature(thread_sanitizer)
#define RNNRT_TSAN 1
#endif
#endif
#ifdef RNNRT_ASAN
extern "C" {
void __sanitizer_start_switch_fiber(void **saved, const void *bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void *saved, const void **oldBottom, size_t *oldBytes);
void __asan_unpoison_memory_region(const volatile void *address, size_t bytes);
}
#endif
#ifdef RNNRT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

using namespace rnnrt::simt;

//===-- Switching ------------------------------------------------------------------------------------------------===//

// The fibers of the last switch: after it, code runs on another stack and cannot read local variables of the caller.
static thread_local Fiber *left = nullptr, *entered = nullptr;

#ifndef RNNRT_EMULATOR_UCONTEXT
// Callee-saved in the System V ABI are six registers and the stack pointer. The control words of x87 and SSE are
// callee-saved too, but kernels cannot change them.
asm(R"(
.text
.p2align 4
.type rnnrt_simt_switch, @function
.local rnnrt_simt_switch
rnnrt_simt_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size rnnrt_simt_switch, .-rnnrt_simt_switch
)");
extern "C" void rnnrt_simt_switch(void **from, void *to);
#endif

void Fiber::finishSwitch([[maybe_unused]] void *saved) {
#ifdef RNNRT_ASAN
  const void *bottom;
  size_t bytes;
  __sanitizer_finish_switch_fiber(saved, &bottom, &bytes);
  if (!left->stackBottom) {
    left->stackBottom = bottom;
    left->stackBytes = bytes;
  }
#endif
#ifdef RNNRT_TSAN
  if (left->isEnded)
    left->destroyState();
#endif
}

void Fiber::begin() {
  finishSwitch(nullptr);
  entered->entry(entered->argument);
  __builtin_trap();
}

void Fiber::destroyState() {
#ifdef RNNRT_TSAN
  if (ownsState)
    __tsan_destroy_fiber(sanitizerState);
  ownsState = false;
#endif
}

Fiber::~Fiber() {
  destroyState();
}

void Fiber::start(void *stack, size_t bytes, Entry entry, void *argument) {
  this->entry = entry;
  this->argument = argument;
  stackBottom = stack;
  stackBytes = bytes;
  isEnded = false;
#ifdef RNNRT_ASAN
  // Unpoison the frames of an abandoned context.
  __asan_unpoison_memory_region(stack, bytes);
#endif
#ifdef RNNRT_TSAN
  // A new state: that of an abandoned context still has the calls of its stack.
  destroyState();
  sanitizerState = __tsan_create_fiber(0);
  ownsState = true;
#endif
#ifdef RNNRT_EMULATOR_UCONTEXT
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  makecontext(&context, &Fiber::begin, 0);
#else
  // The stack as after a call of begin(): a return address (null, where debuggers stop) at an address 16n + 8, below it
  // the address to which the switch returns, then the six registers.
  auto **top = reinterpret_cast<void **>((reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15));
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(&Fiber::begin);
  for (int saved = 0; saved < 6; ++saved)
    *--top = nullptr;
  stackPointer = top;
#endif
}

void Fiber::switchTo(Fiber &from, Fiber &to) {
  left = &from;
  entered = &to;
  void *saved = nullptr;
#ifdef RNNRT_ASAN
  __sanitizer_start_switch_fiber(from.isEnded ? nullptr : &saved, to.stackBottom, to.stackBytes);
#endif
#ifdef RNNRT_TSAN
  if (!from.ownsState)
    from.sanitizerState = __tsan_get_current_fiber();
  // Orders the code before the switch before the code after it, as on one thread.
  __tsan_switch_to_fiber(to.sanitizerState, 0);
#endif
#ifdef RNNRT_EMULATOR_UCONTEXT
  swapcontext(&from.context, &to.context);
#else
  rnnrt_simt_switch(&from.stackPointer, to.stackPointer);
#endif
  finishSwitch(saved);
}

//===-- Stacks ---------------------------------------------------------------------------------------------------===//

static constexpr size_t pageBytes = 4096, stacksPerSlab = 32;
/// Stacks that an OS thread keeps between launches: those of eight blocks of 256 threads.
static constexpr size_t keptSlabs = 64;

StackPool::~StackPool() {
  release(0);
}

void StackPool::release(size_t first) {
  for (size_t index = first; index < slabs.size(); ++index) {
#ifdef RNNRT_ASAN
    __asan_unpoison_memory_region(slabs[index].memory, slabs[index].bytes);
#endif
    munmap(slabs[index].memory, slabs[index].bytes);
  }
  if (slabs.size() > first)
    slabs.resize(first);
}

void StackPool::reset(size_t bytes) {
  used = 0;
  bytes = (bytes + pageBytes - 1) / pageBytes * pageBytes;
  release(bytes > stackBytes ? 0 : keptSlabs);
  if (bytes > stackBytes)
    stackBytes = bytes;
}

void *StackPool::take() {
  size_t stride = stackBytes + pageBytes;
  if (used == slabs.size() * stacksPerSlab) {
    size_t bytes = stride * stacksPerSlab;
    void *memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    try {
      slabs.push_back({static_cast<char *>(memory), bytes});
    } catch (const std::bad_alloc &) {
      munmap(memory, bytes);
      return nullptr;
    }
    // Very large launches exceed the limit of mappings of a process (65530): their last stacks have no guard page.
    for (size_t index = 0; index < stacksPerSlab; ++index)
      mprotect(static_cast<char *>(memory) + index * stride, pageBytes, PROT_NONE);
  }
  char *stack = slabs[used / stacksPerSlab].memory + used % stacksPerSlab * stride + pageBytes;
  ++used;
  return stack;
}
