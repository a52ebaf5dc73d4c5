// AMXTest.cpp - tests AMX instructions: the emulator, or the processor if it has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tiles.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <immintrin.h>
#include <limits>
#include <random>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define AMX __attribute__((target("amx-tile,amx-bf16"), noinline))

using amx::TileConfig;

/// The emulator's count of instructions, or null if the program runs without it.
static auto *const getCount = reinterpret_cast<int64_t (*)()>(dlsym(RTLD_DEFAULT, "rnn_amx_emulated_instructions"));

static bool isEmulated() {
  return getCount && getCount() >= 0;
}

/// What a failing instruction prints: the emulator has messages, a processor raises a signal.
static std::string ifEmulated(const std::string &message) {
  return isEmulated() ? message : "";
}

static TileConfig makeConfig(std::initializer_list<std::pair<int, int>> shapes) {
  TileConfig config = {};
  config.palette = 1;
  int tile = 0;
  for (auto [rows, bytes] : shapes)
    config.rows[tile] = rows, config.rowBytes[tile++] = bytes;
  return config;
}

AMX static void configure(const TileConfig &config) {
  asm volatile("ldtilecfg %0" ::"m"(config));
}
AMX static void release() {
  asm volatile("tilerelease");
}
AMX static void load(const void *memory, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(memory), "r"(stride) : "memory");
}
AMX static void store(void *memory, int64_t stride) {
  asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(memory), "r"(stride) : "memory");
}
AMX static void zero() {
  asm volatile("tilezero %tmm0");
}
AMX static void multiply() {
  asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
}

class AMXTest : public ::testing::Test {
protected:
  void SetUp() override {
    // ARCH_REQ_XCOMP_PERM of the tile data: succeeds on a processor with AMX only.
    if (!isEmulated() && syscall(SYS_arch_prctl, 0x1023, 18) != 0)
      GTEST_SKIP() << "neither AMX nor its emulator (LD_PRELOAD), which requires AVX-512";
  }
  void TearDown() override {
    if (!IsSkipped())
      release();
  }
};

//===-- Configuration and memory ---------------------------------------------------------------------------------===//

AMX static void storeConfig(TileConfig &config) {
  asm volatile("sttilecfg %0" : "=m"(config));
}

TEST_F(AMXTest, ConfigurationIsStored) {
  int64_t before = isEmulated() ? getCount() : 0;
  TileConfig given = makeConfig({{16, 64}, {3, 20}, {1, 1}}), read, zeros = {};
  configure(given);
  storeConfig(read);
  EXPECT_EQ(std::memcmp(&given, &read, sizeof read), 0);
  release();
  storeConfig(read);
  EXPECT_EQ(std::memcmp(&zeros, &read, sizeof read), 0);
  // Palette 0 releases the tiles.
  configure(given);
  configure(zeros);
  storeConfig(read);
  EXPECT_EQ(std::memcmp(&zeros, &read, sizeof read), 0);
  if (isEmulated()) {
    EXPECT_EQ(getCount() - before, 7);
  }
}

TEST_F(AMXTest, LoadsAndStoresUseStrides) {
  std::vector<uint8_t> source(4096), result(4096), expected(4096);
  for (size_t k = 0; k < source.size(); ++k)
    source[k] = k * 7 + k / 256;
  for (auto [rows, bytes] : {std::pair{16, 64}, {3, 20}, {1, 64}, {16, 4}, {7, 60}})
    for (int64_t from : {64, 100, -64, 0})
      for (int64_t to : {64, 101, -80}) {
        configure(makeConfig({{rows, bytes}}));
        std::fill(result.begin(), result.end(), 0xee);
        expected = result;
        load(source.data() + 2000, from);
        store(result.data() + 2000, to);
        for (int row = 0; row < rows; ++row)
          std::memcpy(expected.data() + 2000 + row * to, source.data() + 2000 + row * from, bytes);
        EXPECT_EQ(result, expected) << rows << " x " << bytes << ", strides " << from << " and " << to;
      }
}

TEST_F(AMXTest, ZeroAndConfigureClear) {
  const std::vector<uint8_t> ones(1024, 1), zeros(1024, 0);
  std::vector<uint8_t> result(1024);
  auto read = [&] {
    result = ones;
    store(result.data(), 64);
    return result;
  };
  configure(makeConfig({{16, 64}}));
  EXPECT_EQ(read(), zeros);
  load(ones.data(), 64);
  EXPECT_EQ(read(), ones);
  zero();
  EXPECT_EQ(read(), zeros);
  load(ones.data(), 64);
  configure(makeConfig({{16, 64}}));
  EXPECT_EQ(read(), zeros);
}

//===-- Encodings ------------------------------------------------------------------------------------------------===//

// BASE and INDEX are registers in the asm statement. They are exchanged with operands, so that every register can be
// one of them: rsp as the base is the stack of a signal too.
#define COPY_ROW(NAME, BASE, INDEX, SCALE, OFFSET, TILE)                                                               \
  AMX static void NAME(const char *from, char *to, uint64_t stride) {                                                  \
    asm volatile("xchgq %0, %%" BASE "; movq %2, %%" INDEX "\n\t"                                                      \
                 "tileloadd " OFFSET "(%%" BASE ",%%" INDEX "," SCALE "), %%" TILE "\n\t"                              \
                 "xchgq %0, %%" BASE "; xchgq %1, %%" BASE "\n\t"                                                      \
                 "tilestored %%" TILE ", " OFFSET "(%%" BASE ",%%" INDEX "," SCALE ")\n\t"                             \
                 "xchgq %1, %%" BASE "\n\t"                                                                            \
                 : "+a"(from), "+b"(to)                                                                                \
                 : "d"(stride)                                                                                         \
                 : INDEX, "memory");                                                                                   \
  }
COPY_ROW(copyByRsp, "rsp", "rcx", "1", "0", "tmm1")
COPY_ROW(copyByRbp, "rbp", "rsi", "2", "0", "tmm2")
COPY_ROW(copyByRdi, "rdi", "r8", "4", "127", "tmm3")
COPY_ROW(copyByR9, "r9", "r10", "8", "-128", "tmm4")
COPY_ROW(copyByR11, "r11", "r12", "1", "0x1234", "tmm5")
COPY_ROW(copyByR12, "r12", "r13", "2", "-0x1234", "tmm6")
COPY_ROW(copyByR13, "r13", "r14", "4", "0", "tmm7")
COPY_ROW(copyByR14, "r14", "r15", "8", "1", "tmm0")
COPY_ROW(copyByR15, "r15", "r11", "1", "-1", "tmm1")

TEST_F(AMXTest, RegistersAndDisplacements) {
  struct Copy {
    const char *name;
    void (*function)(const char *, char *, uint64_t);
    int scale, offset;
  };
  TileConfig config = makeConfig({{5, 48}, {5, 48}, {5, 48}, {5, 48}, {5, 48}, {5, 48}, {5, 48}, {5, 48}});
  configure(config);
  // The frame of a signal is below the address in rsp.
  const int64_t space = 256 << 10, stride = 192;
  std::vector<char> from(space + 65536), to(space + 65536);
  for (size_t k = 0; k < from.size(); ++k)
    from[k] = static_cast<char>(k * 13 + k / 251);
  for (auto [name, copy, scale, offset] : {Copy{"rsp", copyByRsp, 1, 0},
                                           {"rbp", copyByRbp, 2, 0},
                                           {"rdi", copyByRdi, 4, 127},
                                           {"r9", copyByR9, 8, -128},
                                           {"r11", copyByR11, 1, 0x1234},
                                           {"r12", copyByR12, 2, -0x1234},
                                           {"r13", copyByR13, 4, 0},
                                           {"r14", copyByR14, 8, 1},
                                           {"r15", copyByR15, 1, -1}}) {
    copy(from.data() + space, to.data() + space, stride / scale);
    for (int row = 0; row < 5; ++row) {
      const int64_t at = space + offset + row * stride;
      EXPECT_EQ(std::memcmp(from.data() + at, to.data() + at, 48), 0) << name << ", row " << row;
      EXPECT_NE(std::memcmp(from.data() + at, to.data() + at, 49), 0) << name << ", row " << row;
    }
    std::fill(to.begin() + space - 8192, to.end(), 0);
  }
}

AMX static void loadAbsolute(uint64_t stride) {
  asm volatile("tileloadd 0x20000040(,%0,1), %%tmm0" ::"r"(stride) : "memory");
}
AMX static void loadStreamed(const void *memory, uint64_t stride) {
  asm volatile("tileloaddt1 (%0,%1,1), %%tmm0" ::"r"(memory), "r"(stride) : "memory");
}
/// Without an index the stride is 0.
AMX static void loadOneRow(const void *memory) {
  asm volatile(".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x20 # tileloadd (%%rax), %%tmm0" ::"a"(memory) : "memory");
}
/// Addresses with an index, without a base and relative to rip.
AMX static void configureByIndex(const TileConfig *config, uint64_t index) {
  asm volatile("ldtilecfg 8(%0,%1,4)" ::"r"(config), "r"(index) : "memory");
}
static TileConfig globalConfig;
AMX static void configureGlobal() {
  asm volatile("ldtilecfg %0" ::"m"(globalConfig));
}

TEST_F(AMXTest, OtherAddresses) {
  const char text[] = "The quick brown fox jumps over the lazy dog.";
  char result[2][64] = {};
  void *memory = mmap(reinterpret_cast<void *>(0x20000000), 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(memory, reinterpret_cast<void *>(0x20000000));
  std::memcpy(static_cast<char *>(memory) + 64, text, sizeof text);
  configure(makeConfig({{2, 16}}));
  auto expect = [&](int second) {
    store(result, 64);
    EXPECT_EQ(std::string(result[0], 16), std::string(text, 16));
    EXPECT_EQ(std::string(result[1], 16), std::string(text + second, 16));
    std::memset(result, 0, sizeof result);
  };
  loadAbsolute(5);
  expect(5);
  munmap(memory, 4096);
  loadStreamed(text, 7);
  expect(7);
  loadOneRow(text);
  expect(0);
  TileConfig read, expected = globalConfig = makeConfig({{9, 12}}), two[2] = {{}, expected};
  configureGlobal();
  storeConfig(read);
  EXPECT_EQ(std::memcmp(&read, &expected, sizeof read), 0);
  release();
  configureByIndex(two, (sizeof(TileConfig) - 8) / 4); // the second one
  storeConfig(read);
  EXPECT_EQ(std::memcmp(&read, &expected, sizeof read), 0);
}

/// The emulator executes `lea` between tile instructions.
AMX static void calculate(uint64_t (&r)[5], uint64_t a, uint64_t b) {
  asm volatile("tilezero %%tmm0\n\t"
               "leaq 5(%5,%6,4), %0\n\t"
               "leaq -0x12345(,%6,8), %1\n\t"
               "leaq (%0), %%r13\n\t"
               "leaq 0(%%r13,%1), %2\n\t"
               "leaq 0(%%rip), %3\n\t"
               "tilezero %%tmm0\n\t"
               "leaq 0(%%rip), %4\n\t"
               "nop"
               : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4])
               : "r"(a), "r"(b)
               : "r13");
}

TEST_F(AMXTest, AddressesBetweenTileInstructions) {
  configure(makeConfig({{16, 64}}));
  uint64_t r[5];
  calculate(r, 1000, 1ull << 40);
  EXPECT_EQ(r[0], 1005 + (4ull << 40));
  EXPECT_EQ(r[1], (8ull << 40) - 0x12345);
  EXPECT_EQ(r[2], r[0] + r[1]);
  EXPECT_EQ(r[4] - r[3], 12u); // tilezero has 5 bytes, lea 7
}

//===-- tdpbf16ps ------------------------------------------------------------------------------------------------===//

/// Denormals as zeros.
static float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// The sum of a product and c, with flush to zero. A result is tiny if it is below the least normal number after
/// rounding to 24 bits (Intel SDM, volume 1, 4.9.1.5). In double precision, products are exact.
static float multiplyAdd(float a, float b, float c) {
  const double sum = static_cast<double>(a) * b + c, tiny = std::ldexp(1 - std::ldexp(1.0, -25), -126);
  const float result = std::fma(a, b, c);
  return std::fabs(sum) < tiny ? std::copysign(0.0f, result) : result;
}

static float fromBF16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return flush(value);
}

static uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >> 16;
}

/// c (rows x columns) += a (rows x pairs) b (pairs x columns), with stride 16 elements or pairs.
struct Operands {
  float c[16][16] = {};
  uint16_t a[16][16][2] = {}, b[16][16][2] = {};

  /// The Intel SDM, volume 2, TDPBF16PS.
  void expect(int rows, int columns, int pairs) {
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < columns; ++n) {
        float sums[2] = {0, 0};
        for (int k = 0; k < pairs; ++k)
          for (int odd : {0, 1})
            sums[odd] = multiplyAdd(fromBF16(a[m][k][odd]), fromBF16(b[k][n][odd]), sums[odd]);
        c[m][n] = multiplyAdd(1, flush(c[m][n]), multiplyAdd(1, sums[0], sums[1]));
      }
  }
};

/// c += a b with the tiles of these numbers.
template <int c, int a, int b> AMX static void multiplyTiles(Operands &o) {
  uint64_t stride = 64;
  asm volatile("tileloadd (%0,%3,1), %%tmm%c4; tileloadd (%1,%3,1), %%tmm%c5; tileloadd (%2,%3,1), %%tmm%c6\n\t"
               "tdpbf16ps %%tmm%c6, %%tmm%c5, %%tmm%c4\n\t"
               "tilestored %%tmm%c4, (%0,%3,1)" ::"r"(o.c),
               "r"(o.a), "r"(o.b), "r"(stride), "i"(c), "i"(a), "i"(b)
               : "memory");
}

static void checkProduct(const Operands &given, int rows, int columns, int pairs) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(pairs) + " pairs");
  Operands expected = given;
  expected.expect(rows, columns, pairs);
  std::pair<int, int> c = {rows, 4 * columns}, a = {rows, 4 * pairs}, b = {pairs, 4 * columns};
  configure(makeConfig({c, a, b, a, b, {1, 4}, {1, 4}, c}));
  for (auto *multiply : {multiplyTiles<0, 1, 2>, multiplyTiles<7, 3, 4>}) {
    Operands actual = given;
    multiply(actual);
    int different = 0;
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 16; ++n) {
        if (std::isnan(expected.c[m][n]))
          different += !std::isnan(actual.c[m][n]);
        else
          different += std::memcmp(&expected.c[m][n], &actual.c[m][n], 4) != 0;
      }
    EXPECT_EQ(different, 0);
  }
}

static constexpr int shapes[][3] = {{16, 16, 16}, {3, 5, 7}, {1, 1, 1}, {16, 3, 16}, {5, 16, 2}, {1, 16, 16}};

TEST_F(AMXTest, ProductsMatchReference) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (auto [rows, columns, pairs] : shapes)
    for (int repeat = 0; repeat < 20; ++repeat) {
      Operands o;
      for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 16; ++n) {
          o.c[m][n] = normal(random);
          for (int odd : {0, 1})
            o.a[m][n][odd] = toBF16(normal(random)), o.b[m][n][odd] = toBF16(normal(random));
        }
      checkProduct(o, rows, columns, pairs);
    }
}

TEST_F(AMXTest, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity(), least = std::numeric_limits<float>::min();
  const float values[] = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.5f,
                          infinity,
                          -infinity,
                          std::nanf(""),
                          least,
                          -least,
                          least / 2,
                          -least / 4,
                          least / 128,
                          std::ldexp(1.0f, -63),
                          std::ldexp(-1.0f, -64),
                          3e38f,
                          -3e38f};
  std::mt19937 random(2);
  auto pick = [&](int kinds) { return values[random() % kinds]; };
  // Without and with infinities, NaN and overflows, in which few other results remain.
  for (auto [rows, columns, pairs] : shapes)
    for (int repeat = 0; repeat < 200; ++repeat) {
      Operands o;
      auto next = [&] {
        float value = pick(16);
        return repeat % 4 != 0 && !(std::fabs(value) < 1e38f) ? std::ldexp(1.0f, -126 + random() % 64) : value;
      };
      for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 16; ++n) {
          o.c[m][n] = repeat % 3 == 0 ? next() : 0.0f;
          for (int odd : {0, 1})
            o.a[m][n][odd] = toBF16(next()), o.b[m][n][odd] = toBF16(next());
        }
      checkProduct(o, rows, columns, pairs);
    }
}

TEST_F(AMXTest, DenormalsAreZeros) {
  // Inputs, products, sums and c.
  auto multiply = [&](float a, float b, float c) {
    Operands o;
    o.a[0][0][0] = toBF16(a), o.b[0][0][0] = toBF16(b), o.c[0][0] = c;
    configure(makeConfig({{1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}}));
    multiplyTiles<0, 1, 2>(o);
    return o.c[0][0];
  };
  const float least = std::numeric_limits<float>::min();
  EXPECT_EQ(multiply(least / 2, 4, 0), 0);
  EXPECT_EQ(multiply(4, least / 2, 1), 1);
  EXPECT_EQ(multiply(least, 0.5f, 0), 0);
  EXPECT_EQ(multiply(least, 1, 0), least);
  EXPECT_EQ(multiply(0, 0, least / 2), 0);
  EXPECT_EQ(multiply(least, 1.5f, -least), 0);
}

//===-- The state of a thread ------------------------------------------------------------------------------------===//

/// Registers that a signal handler may change are the same after an instruction.
AMX static bool keepsVectorsAndFlags() {
  alignas(64) float before[16], after[16];
  for (int k = 0; k < 16; ++k)
    before[k] = k + 0.5f;
  uint8_t carry;
  asm volatile("vmovups %1, %%ymm9; stc; tilezero %%tmm0; setc %0; vmovups %%ymm9, %2"
               : "=r"(carry)
               : "m"(before), "m"(after)
               : "xmm9", "cc", "memory");
  return carry == 1 && std::memcmp(before, after, 32) == 0;
}

TEST_F(AMXTest, KeepsRegisters) {
  Operands o, expected;
  for (int k = 0; k < 16; ++k)
    o.a[0][k][0] = toBF16(1.0f + k / 128.0f), o.b[k][0][0] = toBF16(k % 2 ? 1e-5f : 3.0f), o.c[0][0] = 1e4f;
  expected = o;
  expected.expect(1, 1, 16);
  configure(makeConfig({{1, 4}, {1, 64}, {16, 4}}));
  EXPECT_TRUE(keepsVectorsAndFlags());
  // Neither consulted nor updated: round up, no flush to zero, exceptions pending.
  const unsigned saved = _mm_getcsr(), odd = 0x5f80 | 0x3f;
  _mm_setcsr(odd);
  multiplyTiles<0, 1, 2>(o);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(after, odd);
  EXPECT_EQ(o.c[0][0], expected.c[0][0]);
}

TEST_F(AMXTest, ThreadsHaveTilesOfTheirOwn) {
  configure(makeConfig({{16, 64}}));
  std::vector<uint8_t> ones(1024, 1), result(1024);
  load(ones.data(), 64);
  std::thread([] {
    configure(makeConfig({{1, 4}}));
    zero();
    release();
  }).join();
  store(result.data(), 64);
  EXPECT_EQ(result, ones);
}

//===-- Errors ---------------------------------------------------------------------------------------------------===//

using AMXDeathTest = AMXTest;

TEST_F(AMXDeathTest, InvalidConfigurations) {
  auto check = [](auto change, const char *message) {
    TileConfig config = makeConfig({{16, 64}});
    change(config);
    EXPECT_DEATH(configure(config), ifEmulated(message));
  };
  check([](TileConfig &c) { c.palette = 2; }, "#GP: the palette");
  check([](TileConfig &c) { c.reserved1[0] = 1; }, "#GP: reserved bytes");
  check([](TileConfig &c) { c.reserved2[15] = 1; }, "#GP: reserved bytes");
  check([](TileConfig &c) { c.reserved3[7] = 1; }, "#GP: reserved bytes");
  check([](TileConfig &c) { c.rows[0] = 17; }, "#GP: a tile has more than 16 rows");
  check([](TileConfig &c) { c.rowBytes[0] = 65; }, "#GP: a tile has more than 64 bytes");
  check([](TileConfig &c) { c.rows[7] = 1; }, "#GP: a tile has rows of 0 bytes");
  check([](TileConfig &c) { c.rowBytes[7] = 4; }, "#GP: a tile has rows of 0 bytes");
}

TEST_F(AMXDeathTest, TilesOutsideTheConfiguration) {
  char memory[1024] = {};
  EXPECT_DEATH(zero(), ifEmulated("tilezero .*#UD: tiles are not configured"));
  EXPECT_DEATH(load(memory, 64), ifEmulated("tileloadd .*#UD: tiles are not configured"));
  EXPECT_DEATH(store(memory, 64), ifEmulated("tilestored .*#UD: tiles are not configured"));
  EXPECT_DEATH(multiply(), ifEmulated("tdpbf16ps .*#UD: tiles are not configured"));
  configure(makeConfig({{0, 0}, {16, 64}, {16, 64}}));
  EXPECT_DEATH(zero(), ifEmulated("#UD: a tile is not part of the configuration"));
  EXPECT_DEATH(load(memory, 64), ifEmulated("#UD: a tile is not part"));
  EXPECT_DEATH(store(memory, 64), ifEmulated("#UD: a tile is not part"));
  EXPECT_DEATH(multiply(), ifEmulated("#UD: a tile is not part.*configuration: 0x0 16x64 16x64"));
  configure(makeConfig({{16, 64}, {16, 64}, {16, 64}}));
  release();
  EXPECT_DEATH(multiply(), ifEmulated("#UD: tiles are not configured"));
}

TEST_F(AMXDeathTest, RowsOfPartsOfWords) {
  char memory[1024] = {};
  for (int bytes : {1, 62, 63}) {
    configure(makeConfig({{16, bytes}}));
    zero();
    EXPECT_DEATH(load(memory, 64), ifEmulated("tileloadd .*#UD: .* no multiple of 4")) << bytes;
    EXPECT_DEATH(store(memory, 64), ifEmulated("tilestored .*#UD: .* no multiple of 4")) << bytes;
  }
}

TEST_F(AMXDeathTest, ShapesOfProducts) {
  auto check = [](std::initializer_list<std::pair<int, int>> shapes, const char *message) {
    configure(makeConfig(shapes));
    EXPECT_DEATH(multiply(), ifEmulated(message));
  };
  check({{15, 64}, {16, 64}, {16, 64}}, "#UD: .* different numbers of rows");
  check({{16, 60}, {16, 64}, {16, 64}}, "#UD: .* different bytes per row");
  check({{16, 64}, {16, 60}, {16, 64}}, "#UD: .* not one row for each pair");
  check({{16, 62}, {16, 64}, {16, 62}}, "#UD: .* no multiple of 4");
}

AMX static void multiplySameTile() {
  asm volatile(".byte 0xc4, 0xe2, 0x72, 0x5c, 0xc1 # tdpbf16ps %tmm1, %tmm1, %tmm0");
}

TEST_F(AMXDeathTest, OtherInstructionsEndTheProcess) {
  EXPECT_EXIT(asm volatile("ud2"), ::testing::KilledBySignal(SIGILL), "");
  configure(makeConfig({{16, 64}, {16, 64}, {16, 64}}));
  EXPECT_DEATH(multiplySameTile(), ifEmulated("#UD: two operands are the same tile"));
  // An invalid address is an error of the program.
  EXPECT_DEATH(load(nullptr, 64), "");
}
