//===- Peak.cpp - arithmetic rates of this processor --------------------------===//
//
// Measures the rate of each multiply-add instruction that the processor has: independent instructions on registers,
// written by hand, so that no compiler chooses their width. Operands are random: the clock of some processors depends
// on them.
//
//   rnn-host-peak [--threads=N]                    prints every rate in GFLOP/s, the best of five runs
//   rnn-host-peak --type=f32|bf16 [--threads=N]    prints the highest rate of instructions on this type that accumulate
//                                                  in f32, from one run each, for host.py
//   rnn-host-peak --exchange                       prints the nanoseconds that a cache line takes from one processor to
//                                                  another and back: the median of 51 runs
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace {

/// 4 KB of random operands, in the type of an instruction.
alignas(64) unsigned char operands[4096];

enum class Type { F32, BF16, F16 };

void fillOperands(Type type) {
  uint32_t state = 1;
  for (size_t index = 0; index < sizeof(operands) / 2; ++index) {
    state = state * 1664525 + 1013904223;
    // Values in [0.5, 1) or their negatives: sign, a fixed exponent, random fraction.
    uint16_t sign = state >> 16 & 0x8000, fraction = state >> 8;
    uint16_t value = type == Type::F16 ? sign | 0x3800 | (fraction & 0x3ff) : sign | 0x3f00 | (fraction & 0x7f);
    // The upper half of an f32 is a bf16.
    if (type == Type::F32 && index % 2 == 0)
      value = fraction;
    std::memcpy(operands + 2 * index, &value, 2);
  }
}

/// An instruction: `run` executes `turns` times `count` of them, each with `flops` floating-point operations.
struct Instruction {
  const char *name;
  Type type;
  bool accumulatesInF32;
  bool (*isAvailable)();
  void (*run)(int64_t turns);
  int count;
  double flops;
};

//===----------------------------------------------------------------------===//
// x86-64
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

#define TWELVE(I, R) I(R, 0) I(R, 1) I(R, 2) I(R, 3) I(R, 4) I(R, 5) I(R, 6) I(R, 7) I(R, 8) I(R, 9) I(R, 10) I(R, 11)
#define TWENTY_FOUR(I, R)                                                                                              \
  TWELVE(I, R)                                                                                                         \
  I(R, 12) I(R, 13) I(R, 14) I(R, 15) I(R, 16) I(R, 17) I(R, 18) I(R, 19) I(R, 20) I(R, 21) I(R, 22) I(R, 23)

/// Registers 0 to 11 accumulate; a processor starts at most two FMAs per cycle with a latency of at most six.
#define CLEAR_VEX(R, n) "vxorps %%" R #n ", %%" R #n ", %%" R #n "\n"
#define FMA_VEX(R, n) "vfmadd231ps %%" R "14, %%" R "15, %%" R #n "\n"
#define RUN_VEX(R)                                                                                                     \
  asm volatile("vmovups (%1), %%" R "14\n vmovups 64(%1), %%" R                                                        \
               "15\n" TWELVE(CLEAR_VEX, R) "1:\n" TWELVE(FMA_VEX, R) "dec %0\n jnz 1b\n vzeroupper\n"                  \
               : "+r"(turns)                                                                                           \
               : "r"(operands)                                                                                         \
               : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
                 "xmm10", "xmm11", "xmm14", "xmm15")
void fma128(int64_t turns) {
  RUN_VEX("xmm");
}
void fma256(int64_t turns) {
  RUN_VEX("ymm");
}

#define CLEAR_EVEX(R, n) "vpxord %%" R #n ", %%" R #n ", %%" R #n "\n"
#define FMA_EVEX(R, n) "vfmadd231ps %%" R "30, %%" R "31, %%" R #n "\n"
#define FMA_F16(R, n) "vfmadd231ph %%" R "30, %%" R "31, %%" R #n "\n"
#define DOT_BF16(R, n) "vdpbf16ps %%" R "30, %%" R "31, %%" R #n "\n"
#define RUN_EVEX(R, I)                                                                                                 \
  asm volatile("vmovups (%1), %%" R "30\n vmovups 64(%1), %%" R                                                        \
               "31\n" TWENTY_FOUR(CLEAR_EVEX, R) "1:\n" TWENTY_FOUR(I, R) "dec %0\n jnz 1b\n vzeroupper\n"             \
               : "+r"(turns)                                                                                           \
               : "r"(operands)                                                                                         \
               : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
                 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",    \
                 "xmm21", "xmm22", "xmm23", "xmm30", "xmm31")
__attribute__((target("avx512f"))) void fma512(int64_t turns) {
  RUN_EVEX("zmm", FMA_EVEX);
}

/// A step of a GEMM with tiles of 6 rows and 4 vectors, whose operands are in L1. Some processors lower their clock for
/// such loads beside FMAs, so that no GEMM has the rate of FMAs on registers.
#define FMA_ROW(offset, s0, s1, s2, s3)                                                                                \
  "vbroadcastss " #offset "(%1), %%zmm28\n vfmadd231ps %%zmm28, %%zmm24, %%zmm" #s0                                    \
  "\n vfmadd231ps %%zmm28, %%zmm25, %%zmm" #s1 "\n vfmadd231ps %%zmm28, %%zmm26, %%zmm" #s2                            \
  "\n vfmadd231ps %%zmm28, %%zmm27, %%zmm" #s3 "\n"
__attribute__((target("avx512f"))) void loadedFMA512(int64_t turns) {
  asm volatile(TWENTY_FOUR(CLEAR_EVEX, "zmm") //
               "1:\n vmovups (%1), %%zmm24\n vmovups 64(%1), %%zmm25\n vmovups 128(%1), %%zmm26\n"
               "vmovups 192(%1), %%zmm27\n" FMA_ROW(1024, 0, 1, 2, 3) FMA_ROW(1280, 4, 5, 6, 7)
                   FMA_ROW(1536, 8, 9, 10, 11) FMA_ROW(1792, 12, 13, 14, 15) FMA_ROW(2048, 16, 17, 18, 19)
                       FMA_ROW(2304, 20, 21, 22, 23) "dec %0\n jnz 1b\n vzeroupper\n"
               : "+r"(turns)
               : "r"(operands)
               : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                 "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",
                 "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28");
}
__attribute__((target("avx512f"))) void fma512f16(int64_t turns) {
  RUN_EVEX("zmm", FMA_F16);
}
__attribute__((target("avx512f"))) void dot512(int64_t turns) {
  RUN_EVEX("zmm", DOT_BF16);
}
__attribute__((target("avx512f"))) void dot256(int64_t turns) {
  RUN_EVEX("ymm", DOT_BF16);
}

/// Tiles 0 to 3 accumulate, 16 rows of 64 bytes each.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t columns[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
#define LOAD_TILES                                                                                                     \
  "tileloadd (%1,%2), %%tmm4\n tileloadd 1024(%1,%2), %%tmm5\n tileloadd 2048(%1,%2), %%tmm6\n"                        \
  "tileloadd 3072(%1,%2), %%tmm7\n"
#define MULTIPLY_TILES                                                                                                 \
  "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n"           \
  "tdpbf16ps %%tmm7, %%tmm5, %%tmm3\n"
#define RUN_TILES(BEFORE, BODY)                                                                                        \
  TileConfiguration configuration;                                                                                     \
  asm volatile("ldtilecfg (%3)\n tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n tilezero %%tmm3\n" BEFORE       \
               "1:\n" BODY "dec %0\n jnz 1b\n tilerelease\n"                                                           \
               : "+r"(turns)                                                                                           \
               : "r"(operands), "r"(int64_t(64)), "r"(&configuration)                                                  \
               : "cc", "memory")
void tiles(int64_t turns) {
  RUN_TILES(LOAD_TILES, MULTIPLY_TILES);
}
void loadedTiles(int64_t turns) {
  RUN_TILES("", LOAD_TILES MULTIPLY_TILES);
}

/// Bit `bit` of register `index` (eax, ebx, ecx, edx) of CPUID leaf 7.
bool hasLeaf7(unsigned subleaf, int index, int bit) {
  unsigned registers[4] = {};
  return __get_cpuid_count(7, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]) &&
         (registers[index] >> bit & 1);
}
bool hasFMA() {
  return __builtin_cpu_supports("fma");
}
bool hasAVX512() {
  return __builtin_cpu_supports("avx512f");
}
bool hasDot() {
  return hasAVX512() && __builtin_cpu_supports("avx512vl") && hasLeaf7(1, 0, 5);
}
bool hasF16() {
  return hasAVX512() && hasLeaf7(0, 3, 23);
}
/// Linux grants the use of tile data on request.
bool hasTiles() {
  constexpr int requestPermission = 0x1023, tileData = 18;
  return hasLeaf7(0, 3, 22) && hasLeaf7(0, 3, 24) && syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

const Instruction instructions[] = {
    {"vfmadd231ps xmm (f32)", Type::F32, true, hasFMA, fma128, 12, 8},
    {"vfmadd231ps ymm (f32)", Type::F32, true, hasFMA, fma256, 12, 16},
    {"vfmadd231ps zmm (f32)", Type::F32, true, hasAVX512, fma512, 24, 32},
    {"vfmadd231ps zmm (f32), loads of a GEMM from L1", Type::F32, true, hasAVX512, loadedFMA512, 24, 32},
    {"vfmadd231ph zmm (f16, accumulates in f16)", Type::F16, false, hasF16, fma512f16, 24, 64},
    {"vdpbf16ps ymm (bf16)", Type::BF16, true, hasDot, dot256, 24, 32},
    {"vdpbf16ps zmm (bf16)", Type::BF16, true, hasDot, dot512, 24, 64},
    {"tdpbf16ps (bf16), operands in tiles", Type::BF16, true, hasTiles, tiles, 4, 16384},
    {"tdpbf16ps (bf16), operands loaded from L1", Type::BF16, true, hasTiles, loadedTiles, 4, 16384},
};

//===----------------------------------------------------------------------===//
// AArch64
//===----------------------------------------------------------------------===//

#elif defined(__aarch64__)

// clang-format 22 moves these lines further to the right each time.
// clang-format off
#define EACH(I, A, B)                                                                                                  \
  I(0, A, B) I(1, A, B) I(2, A, B) I(3, A, B) I(4, A, B) I(5, A, B) I(6, A, B) I(7, A, B) I(8, A, B) I(9, A, B)        \
  I(10, A, B) I(11, A, B) I(12, A, B) I(13, A, B) I(14, A, B) I(15, A, B) I(16, A, B) I(17, A, B) I(18, A, B)          \
  I(19, A, B) I(20, A, B) I(21, A, B) I(22, A, B) I(23, A, B)
// clang-format on
#define CLEAR(n, A, B) "movi v" #n ".4s, #0\n"
#define MULTIPLY(n, A, B) A #n ".4s, v30." B ", v31." B "\n"
#define RUN(EXTENSION, A, B)                                                                                           \
  asm volatile(EXTENSION "ldr q30, [%1]\n ldr q31, [%1, #64]\n" EACH(CLEAR, A, B) "1:\n" EACH(                         \
                   MULTIPLY, A, B) "subs %0, %0, #1\n b.ne 1b\n"                                                       \
               : "+r"(turns)                                                                                           \
               : "r"(operands)                                                                                         \
               : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",      \
                 "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31")
void fma(int64_t turns) {
  RUN("", "fmla v", "4s");
}
void dot(int64_t turns) {
  RUN(".arch_extension bf16\n", "bfdot v", "8h");
}
bool always() {
  return true;
}
bool hasDot() {
  return getauxval(AT_HWCAP2) >> 14 & 1;
} // HWCAP2_BF16

const Instruction instructions[] = {
    {"fmla v.4s (f32)", Type::F32, true, always, fma, 24, 8},
    {"bfdot v.4s (bf16)", Type::BF16, true, hasDot, dot, 24, 16},
};

#else
#error "this program has instructions of x86-64 and AArch64 only"
#endif

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

double secondsOf(const Instruction &instruction, int64_t turns) {
  auto start = std::chrono::steady_clock::now();
  instruction.run(turns);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// GFLOP/s on all threads at once.
double measure(const Instruction &instruction, int threads) {
  fillOperands(instruction.type);
  int64_t turns = 1000;
  while (secondsOf(instruction, turns) < 1e-3)
    turns *= 2;
  turns *= 5;
  std::chrono::steady_clock::time_point start;
  std::atomic<int> warm{0};
  auto work = [&](bool isFirst) {
    // A processor needs some milliseconds to leave its sleep states, and the scheduler to spread the threads.
    secondsOf(instruction, 5 * turns);
    for (++warm; warm < threads;)
      ;
    if (isFirst)
      start = std::chrono::steady_clock::now();
    secondsOf(instruction, turns);
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(work, false);
  work(true);
  for (std::thread &other : others)
    other.join();
  double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return turns * instruction.count * instruction.flops * threads / time * 1e-9;
}

void printAll(int threads) {
  std::printf("GFLOP/s on %d thread(s), best of five runs\n", threads);
  for (const Instruction &instruction : instructions) {
    if (!instruction.isAvailable())
      continue;
    double best = 0;
    for (int run = 0; run < 5; ++run)
      best = std::max(best, measure(instruction, threads));
    std::printf("%-46s %7.0f\n", instruction.name, best);
    std::fflush(stdout);
  }
}

/// The first two processors that this process may use; fewer if there are fewer.
std::vector<int> twoProcessors() {
  std::vector<int> found;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    for (int processor = 0; processor < CPU_SETSIZE && found.size() < 2; ++processor)
      if (CPU_ISSET(processor, &allowed))
        found.push_back(processor);
  return found;
}

void runOn(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

/// Nanoseconds of a round trip: two pinned threads increment a counter alternately. Pairs of processors with separate
/// L3 caches take several times as long as others, and a hypervisor may move virtual processors between them.
double measureExchange(const std::vector<int> &processors) {
  constexpr int count = 1000;
  runOn(processors[0]);
  struct alignas(128) Counter {
    std::atomic<int> value{0};
  } counter;
  std::vector<double> times;
  for (int run = 0; run < 51; ++run) {
    counter.value = -1; // until both threads run
    std::thread other([&] {
      runOn(processors[1]);
      counter.value = 0;
      for (int turn = 0; turn < count; ++turn) {
        while (counter.value.load() != 2 * turn + 1)
          ;
        counter.value.store(2 * turn + 2);
      }
    });
    while (counter.value.load() != 0)
      ;
    auto start = std::chrono::steady_clock::now();
    for (int turn = 0; turn < count; ++turn) {
      counter.value.store(2 * turn + 1);
      while (counter.value.load() != 2 * turn + 2)
        ;
    }
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count * 1e9);
    other.join();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

/// Prints the highest of one measurement of each instruction on this type.
void printHighest(Type type, int threads) {
  double highest = 0;
  for (const Instruction &instruction : instructions)
    if (instruction.type == type && instruction.accumulatesInF32 && instruction.isAvailable())
      highest = std::max(highest, measure(instruction, threads));
  // Without an instruction for bf16, f32 arithmetic is the fastest.
  if (highest == 0 && type == Type::BF16)
    return printHighest(Type::F32, threads);
  if (highest == 0)
    fail("the processor has no multiply-add instruction for f32");
  std::printf("%.3f\n", highest);
}

} // namespace

int main(int argc, char **argv) {
  int threads = 1;
  std::optional<Type> type;
  bool isExchange = false;
  for (int index = 1; index < argc; ++index) {
    std::string flag = argv[index];
    if (flag == "--type=f32" || flag == "--type=bf16")
      type = flag == "--type=f32" ? Type::F32 : Type::BF16;
    else if (flag.rfind("--threads=", 0) == 0 && std::atoi(flag.c_str() + 10) > 0)
      threads = std::atoi(flag.c_str() + 10);
    else if (flag == "--exchange")
      isExchange = true;
    else
      fail("unknown argument `" + flag + "`; expected --threads=N with N > 0, --type=f32, --type=bf16 or --exchange");
  }
  if (isExchange) {
    std::vector<int> processors = twoProcessors();
    if (processors.size() < 2)
      fail("--exchange needs two processors, but this process may use one");
    std::printf("%.0f\n", measureExchange(processors));
  } else if (type) {
    printHighest(*type, threads);
  } else {
    printAll(threads);
  }
  return 0;
}
