// Fiber.h - a stack and a place in a program: what a GPU thread is to the emulator. Fibers of one OS thread hand the
// processor to each other; nothing happens at the same time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_FIBER_H
#define RNNRT_EMULATOR_FIBER_H

#include <cstddef>
#include <vector>

// On x86-64 a switch is fifteen instructions, elsewhere the C library's ucontext, which calls the kernel for the signal
// mask each time. Measured on one Zen core, per switch: 4.5 ns ours, 6.5 ns Boost.Context 1.74, 266 ns ucontext.
#if !defined(__x86_64__) && !defined(RNNRT_EMULATOR_UCONTEXT)
#define RNNRT_EMULATOR_UCONTEXT
#endif
#ifdef RNNRT_EMULATOR_UCONTEXT
#include <ucontext.h>
#endif

namespace rnnrt::simt {

/// A suspended program, or room for the one that runs now. Does not own its stack.
class Fiber {
public:
  /// Runs on the fiber's stack at the first switch to it. It must not return: it ends by switching away for good.
  using Entry = void (*)(void *argument);

  /// Makes the next switch to this fiber begin `entry(argument)` on [stack, stack + bytes). What the fiber did before,
  /// if anything, is forgotten: no destructors run.
  void start(void *stack, size_t bytes, Entry entry, void *argument);

  /// Stores the running program in `from` and goes on with `to`; returns when somebody switches to `from`.
  static void switchTo(Fiber &from, Fiber &to);

private:
  static void begin();

#ifdef RNNRT_EMULATOR_UCONTEXT
  ucontext_t context;
#else
  void *stackPointer = nullptr;
#endif
  Entry entry = nullptr;
  void *argument = nullptr;
  // The address sanitizer wants to know where stacks are; for the fiber of the OS thread it says so itself.
  const void *stackBottom = nullptr;
  size_t stackBytes = 0;
};

/// Stacks for fibers, each with an inaccessible page below, kept for the next launch.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  ~StackPool();

  /// A stack of at least `bytes` usable bytes, or null when there is no memory. All stacks in use have the size of the
  /// last reset.
  void *take();
  size_t getStackBytes() const { return stackBytes; }

  /// Takes all stacks back, and makes later ones at least `bytes` long.
  void reset(size_t bytes);

private:
  struct Slab {
    char *memory;
    size_t bytes;
  };
  void release(size_t first);

  std::vector<Slab> slabs;
  size_t stackBytes = 0, used = 0;
};

} // namespace rnnrt::simt

#endif // RNNRT_EMULATOR_FIBER_H
