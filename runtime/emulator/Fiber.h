// Fiber.h - cooperative threads of one OS thread. Each GPU thread is a fiber; only one fiber runs at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_EMULATOR_FIBER_H
#define RNNRT_EMULATOR_FIBER_H

#include <cstddef>
#include <vector>

// On x86-64 a switch is fifteen instructions. Elsewhere it is the C library's ucontext, which makes a system call for
// the signal mask. Measured per switch on a Zen core: 4.5 ns here, 6.5 ns with Boost.Context 1.74, 266 ns with
// ucontext.
#if !defined(__x86_64__) && !defined(RNNRT_EMULATOR_UCONTEXT)
#define RNNRT_EMULATOR_UCONTEXT
#endif
#ifdef RNNRT_EMULATOR_UCONTEXT
#include <ucontext.h>
#endif

namespace rnnrt::simt {

/// A suspended context, or storage for the running one. Does not own its stack.
class Fiber {
public:
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;
  ~Fiber();

  /// Runs on the fiber's stack at the first switch to it. It must not return: its last action is a switch to another
  /// fiber.
  using Entry = void (*)(void *argument);

  /// Makes the next switch to this fiber call `entry(argument)` on [stack, stack + bytes). A previous context of the
  /// fiber is discarded without running destructors.
  void start(void *stack, size_t bytes, Entry entry, void *argument);

  /// Announces that the next switch leaves this fiber for ever, so that sanitizers free their state of it.
  void end() { isEnded = true; }

  /// Saves the running context in `from` and resumes `to`. Returns when another fiber switches to `from`.
  static void switchTo(Fiber &from, Fiber &to);

private:
  static void begin();
  static void finishSwitch(void *saved);
  void destroyState();

#ifdef RNNRT_EMULATOR_UCONTEXT
  ucontext_t context;
#else
  void *stackPointer = nullptr;
#endif
  Entry entry = nullptr;
  void *argument = nullptr;
  // For the address sanitizer: the bounds of the stack. For the fiber of the OS thread the sanitizer reports them.
  const void *stackBottom = nullptr;
  size_t stackBytes = 0;
  /// For the thread sanitizer: its state of this context. `ownsState` is false for the fiber of the OS thread.
  void *sanitizerState = nullptr;
  bool ownsState = false;
  bool isEnded = false;
};

/// Stacks of fibers with a guard page below each. They are reused by later launches.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  ~StackPool();

  /// A stack of getStackBytes() usable bytes, or null if there is no memory. All stacks in use have the size of the
  /// last reset.
  void *take();
  size_t getStackBytes() const { return stackBytes; }

  /// Returns all stacks to the pool. Later ones have at least `bytes` bytes.
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
