// Preload.cpp - emulates AMX in a process that loads this library by LD_PRELOAD.
//
// A processor without AMX raises SIGILL for its instructions. The handler emulates them and continues behind them. The
// library also replaces the entry of the runtime by which compiled code requests AMX. On a processor that has AMX it
// does nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instruction.h"
#include "Tiles.h"

#include <cpuid.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <immintrin.h>
#include <ucontext.h>
#include <unistd.h>

using namespace amx;

/// A new thread has no configuration here. On a processor, Linux gives it that of the thread that created it, so a
/// missing configuration may go unnoticed there. This TLS model allocates nothing in a signal handler.
static thread_local Tiles tiles __attribute__((tls_model("initial-exec")));
static thread_local int64_t count __attribute__((tls_model("initial-exec"))) = 0;

static bool isActive() {
  static const bool result = [] {
    unsigned a, b, c, d;
    const bool hasAMX = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1) && (d >> 22 & 1);
    return !hasAMX && __builtin_cpu_supports("avx512f");
  }();
  return result;
}

[[noreturn]] static void fail(const char *reason, const Instruction &i, const uint8_t *code) {
  char text[512];
  int size = std::snprintf(text, sizeof text, "AMX emulator: %s (tiles %d, %d, %d) at %p: %s; configuration:", i.name,
                           i.reg, i.source1, i.source2, static_cast<const void *>(code), reason);
  for (int tile = 0; tile < numTiles; ++tile)
    size += std::snprintf(text + size, sizeof text - size, " %dx%d", tiles.getConfig().rows[tile],
                          tiles.getConfig().rowBytes[tile]);
  text[size++] = '\n';
  if (write(STDERR_FILENO, text, size) < 0)
    std::perror("AMX emulator");
  std::abort();
}

/// Returns the reason if a processor would raise an exception.
static const char *execute(const Instruction &i) {
  char *memory = reinterpret_cast<char *>(i.address);
  switch (i.opcode) {
  case Opcode::LoadConfig:
    return tiles.configure(memory);
  case Opcode::StoreConfig:
    tiles.storeConfig(memory);
    return nullptr;
  case Opcode::Release:
    tiles.release();
    return nullptr;
  case Opcode::Zero:
    return tiles.zero(i.reg);
  case Opcode::Load:
    return tiles.load(i.reg, memory, i.stride);
  case Opcode::Store:
    return tiles.store(i.reg, memory, i.stride);
  case Opcode::Multiply:
    return tiles.multiply(i.reg, i.source1, i.source2);
  case Opcode::Lea:
    return nullptr;
  }
  return nullptr;
}

static void handle(int, siginfo_t *, void *context) {
  static constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  greg_t *saved = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  Registers registers;
  for (int k = 0; k < 16; ++k)
    registers[k] = static_cast<uint64_t>(saved[order[k]]);
  const auto *start = reinterpret_cast<const uint8_t *>(saved[REG_RIP]), *code = start;
  // For Tiles::multiply. The kernel restores the register of the interrupted code.
  _mm_setcsr(0x1f80 | 0x8040);
  // A signal takes longer than an instruction here: one signal emulates all up to the next instruction of another kind.
  // Inner loops have `lea` between tile instructions.
  for (Instruction i; decode(code, registers, i); code += i.length) {
    if (const char *reason = execute(i))
      fail(reason, i, code);
    if (i.opcode == Opcode::Lea)
      registers[i.reg] = i.address, saved[order[i.reg]] = static_cast<greg_t>(i.address);
    else
      ++count;
  }
  saved[REG_RIP] = reinterpret_cast<greg_t>(code);
  // Another invalid instruction: it is executed again and ends the process.
  if (code == start)
    std::signal(SIGILL, SIG_DFL);
}

__attribute__((constructor)) static void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  if (isActive() && sigaction(SIGILL, &action, nullptr) != 0)
    std::abort();
}

static auto *lookup(const char *name) {
  auto *function = reinterpret_cast<void *(*)(void *)>(dlsym(RTLD_NEXT, name));
  if (!function)
    std::abort();
  return function;
}

/// The number of instructions that were emulated on this thread, or -1 if the processor has AMX.
extern "C" __attribute__((visibility("default"))) int64_t rnn_amx_emulated_instructions() {
  return isActive() ? count : -1;
}

/// Replaces the entry of the runtime (rnn_runtime/abi.def).
extern "C" __attribute__((visibility("default"))) int64_t rnnrt_abi_enable_amx(void *call) {
  if (!isActive())
    return reinterpret_cast<int64_t>(lookup("rnnrt_abi_enable_amx")(call));
  // Entries do nothing if the call has failed.
  return call && !lookup("rnnrt_call_status")(call);
}
