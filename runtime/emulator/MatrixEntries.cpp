// MatrixEntries.cpp - the tensor core instructions: ldmatrix, stmatrix, mma.sync and wmma.
//
// Fragment layouts of ldmatrix, stmatrix and mma.sync are those of the PTX ISA (section "matrix multiply-accumulate
// operation using mma instruction"): lane = 4 * group + member. Sums are computed in f64 and
// rounded once. The rounding order of the hardware is not documented.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/Checker.h"
#include "host/Convert.h"
#include "rnn_runtime/emulator.h"

#include <cmath>
#include <cstring>

using namespace rnnrt;
using namespace rnnrt::simt;

/// NVVM's MMATypes.
enum MatrixType : int32_t { typeF16 = 0, typeF32 = 1, typeTF32 = 2, typeBF16 = 9, typeF64 = 10 };

static uint32_t getBytes(int32_t type) {
  return type == typeF64 ? 8 : type == typeF32 || type == typeTF32 ? 4 : 2;
}

template <typename T> static T readAs(const void *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

/// Element `index` of registers or memory.
static double getElement(const void *data, size_t index, int32_t type) {
  const char *place = static_cast<const char *>(data) + index * getBytes(type);
  switch (type) {
  case typeF16:
    return f16ToFloat(readAs<uint16_t>(place));
  case typeBF16:
    return bf16ToFloat(readAs<uint16_t>(place));
  case typeTF32: {
    // Tensor cores ignore the low 13 bits.
    uint32_t bits = readAs<uint32_t>(place) & 0xffffe000;
    return readAs<float>(&bits);
  }
  case typeF32:
    return readAs<float>(place);
  default:
    return readAs<double>(place);
  }
}

static void setElement(void *data, size_t index, int32_t type, double value) {
  char *place = static_cast<char *>(data) + index * getBytes(type);
  float single = float(value);
  uint16_t half;
  switch (type) {
  case typeF64:
    std::memcpy(place, &value, 8);
    return;
  case typeF32:
  case typeTF32:
    std::memcpy(place, &single, 4);
    return;
  case typeF16:
    half = floatToF16(single);
    break;
  default:
    half = floatToBf16(single);
    break;
  }
  std::memcpy(place, &half, 2);
}

/// The operands of the largest shapes: 32x8x16, 16x16x16.
struct Operands {
  double a[512], b[512], c[512];
};

/// c[m,n] += a[m,k] * b[k,n].
static void multiply(Operands &operands, uint32_t m, uint32_t n, uint32_t k, int32_t type) {
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t inner = 0; inner < k; ++inner) {
      double factor = operands.a[row * k + inner];
      double *sums = operands.c + row * n, *values = operands.b + inner * n;
      if (type == typeF64)
        for (uint32_t column = 0; column < n; ++column)
          sums[column] = std::fma(factor, values[column], sums[column]);
      else
        // Products of 11-bit significands are exact.
        for (uint32_t column = 0; column < n; ++column)
          sums[column] += factor * values[column];
    }
}

//===-- mma.sync -------------------------------------------------------------------------------------------------===//

namespace {

struct Position {
  uint32_t row, column;
};

struct MmaArgument {
  uint32_t m, n, k;
  int32_t type, sumType;
  const void *a, *b, *c;
  void *d;
};

} // namespace

/// Row and column of element `index` of a lane's fragment of A.
static Position positionInA(int32_t type, uint32_t lane, uint32_t index) {
  uint32_t group = lane / 4, member = lane % 4;
  if (type == typeF64)
    return {group, member};
  if (type == typeTF32)
    return {group + 8 * (index & 1), member + 4 * (index >> 1)};
  return {group + 8 * (index >> 1 & 1), 2 * member + (index & 1) + 8 * (index >> 2)};
}

static Position positionInB(int32_t type, uint32_t lane, uint32_t index) {
  uint32_t group = lane / 4, member = lane % 4;
  if (type == typeF64 || type == typeTF32)
    return {member + 4 * index, group};
  return {2 * member + (index & 1) + 8 * (index >> 1), group};
}

static Position positionInC(uint32_t lane, uint32_t index) {
  return {lane / 4 + 8 * (index >> 1), 2 * (lane % 4) + (index & 1)};
}

static void runMma(Warp &, uint32_t mask, void *const *arguments) {
  const auto &shape = *static_cast<MmaArgument *>(arguments[0]);
  Operands operands;
  uint32_t m = shape.m, n = shape.n, k = shape.k;
  forEachLane(mask, [&](uint32_t lane) {
    const auto &argument = *static_cast<MmaArgument *>(arguments[lane]);
    for (uint32_t index = 0; index < m * k / warpSize; ++index) {
      Position at = positionInA(shape.type, lane, index);
      operands.a[at.row * k + at.column] = getElement(argument.a, index, shape.type);
    }
    for (uint32_t index = 0; index < k * n / warpSize; ++index) {
      Position at = positionInB(shape.type, lane, index);
      operands.b[at.row * n + at.column] = getElement(argument.b, index, shape.type);
    }
    for (uint32_t index = 0; index < m * n / warpSize; ++index) {
      Position at = positionInC(lane, index);
      operands.c[at.row * n + at.column] = getElement(argument.c, index, shape.sumType);
    }
  });
  multiply(operands, m, n, k, shape.type);
  forEachLane(mask, [&](uint32_t lane) {
    const auto &argument = *static_cast<MmaArgument *>(arguments[lane]);
    for (uint32_t index = 0; index < m * n / warpSize; ++index) {
      Position at = positionInC(lane, index);
      setElement(argument.d, index, shape.sumType, operands.c[at.row * n + at.column]);
    }
  });
}

//===-- wmma -----------------------------------------------------------------------------------------------------===//

namespace {

struct WmmaArgument {
  uint32_t m, n, k;
  int32_t layoutA, layoutB, type, sumType;
  const void *a, *b, *c;
  void *d;
};

struct WmmaMemoryArgument {
  char *matrix;
  int64_t stride;
  uint32_t m, n, k;
  int32_t part, layout, type;
  void *registers;
};

/// PTX does not define which elements of a wmma fragment a lane holds. Here it is a permutation that depends on the
/// operand, its layout and the seed. A program that relies on a certain one, or that loads with one layout and
/// multiplies with another, computes wrong results.
struct FragmentLayout {
  uint32_t rows, columns, perLane, key;

  FragmentLayout(uint32_t m, uint32_t n, uint32_t k, int32_t part, int32_t layout, int32_t type) {
    rows = part == 1 ? k : m;
    columns = part == 0 ? k : n;
    // Fragments of A and B in f16 have 16 elements in every shape, so several lanes hold the same element.
    perLane = part != 2 && type == typeF16 ? 16 : rows * columns / warpSize;
    uint64_t seed = emulator().getSchedule().seed * 8 + uint64_t(part) * 2 + uint64_t(part == 2 ? 0 : layout);
    key = uint32_t(Random(seed).next() % (rows * columns));
  }

  Position operator()(uint32_t lane, uint32_t index) const {
    uint32_t place = (lane * perLane + index) % (rows * columns) ^ key;
    return {place / columns, place % columns};
  }
};

} // namespace

/// Calls `body(lane, index, address)` for all elements that the lanes of a warp load or store.
template <typename Body>
static void forEachElement(Warp &warp, uint32_t mask, void *const *arguments, bool write, Body &&body) {
  const auto &shape = *static_cast<WmmaMemoryArgument *>(arguments[0]);
  FragmentLayout layout(shape.m, shape.n, shape.k, shape.part, shape.layout, shape.type);
  uint32_t bytes = getBytes(shape.type);
  Checker *checker = emulator().getChecker();
  forEachLane(mask, [&](uint32_t lane) {
    const auto &argument = *static_cast<WmmaMemoryArgument *>(arguments[lane]);
    Thread &thread = warp.lanes[lane];
    if (argument.matrix != shape.matrix || argument.stride != shape.stride)
      fault("misused collective", thread, thread.site, "lanes of one warp pass different matrices to wmma");
    for (uint32_t index = 0; index < layout.perLane; ++index) {
      Position at = layout(lane, index);
      int64_t element = argument.layout ? at.column * argument.stride + at.row : at.row * argument.stride + at.column;
      char *address = argument.matrix + element * bytes;
      if (checker)
        checker->access(thread, address, bytes, write ? accessWrite : 0, thread.site);
      body(argument, index, address);
    }
  });
}

static void runWmmaLoad(Warp &warp, uint32_t mask, void *const *arguments) {
  forEachElement(warp, mask, arguments, /*write=*/false,
                 [](const WmmaMemoryArgument &argument, uint32_t index, const char *address) {
                   uint32_t bytes = getBytes(argument.type);
                   std::memcpy(static_cast<char *>(argument.registers) + index * bytes, address, bytes);
                 });
}

static void runWmmaStore(Warp &warp, uint32_t mask, void *const *arguments) {
  forEachElement(warp, mask, arguments, /*write=*/true,
                 [](const WmmaMemoryArgument &argument, uint32_t index, char *address) {
                   uint32_t bytes = getBytes(argument.type);
                   std::memcpy(address, static_cast<char *>(argument.registers) + index * bytes, bytes);
                 });
}

static void runWmmaMma(Warp &, uint32_t mask, void *const *arguments) {
  const auto &shape = *static_cast<WmmaArgument *>(arguments[0]);
  FragmentLayout layoutA(shape.m, shape.n, shape.k, 0, shape.layoutA, shape.type);
  FragmentLayout layoutB(shape.m, shape.n, shape.k, 1, shape.layoutB, shape.type);
  FragmentLayout layoutC(shape.m, shape.n, shape.k, 2, 0, shape.sumType);
  Operands operands;
  auto gather = [](double *matrix, const FragmentLayout &layout, uint32_t lane, const void *registers, int32_t type) {
    for (uint32_t index = 0; index < layout.perLane; ++index) {
      Position at = layout(lane, index);
      matrix[at.row * layout.columns + at.column] = getElement(registers, index, type);
    }
  };
  forEachLane(mask, [&](uint32_t lane) {
    const auto &argument = *static_cast<WmmaArgument *>(arguments[lane]);
    gather(operands.a, layoutA, lane, argument.a, shape.type);
    gather(operands.b, layoutB, lane, argument.b, shape.type);
    gather(operands.c, layoutC, lane, argument.c, shape.sumType);
  });
  multiply(operands, shape.m, shape.n, shape.k, shape.type);
  forEachLane(mask, [&](uint32_t lane) {
    const auto &argument = *static_cast<WmmaArgument *>(arguments[lane]);
    for (uint32_t index = 0; index < layoutC.perLane; ++index) {
      Position at = layoutC(lane, index);
      setElement(argument.d, index, shape.sumType, operands.c[at.row * layoutC.columns + at.column]);
    }
  });
}

//===-- ldmatrix and stmatrix ------------------------------------------------------------------------------------===//

namespace {
struct TileArgument {
  char *row;
  uint32_t count;
  bool transposed;
  int32_t *registers;
};
} // namespace

/// The eight rows of tile `tile`; their addresses are those of the lanes from 8 * tile on.
static void getRows(Warp &warp, void *const *arguments, uint32_t tile, bool write, char *rows[8]) {
  for (uint32_t row = 0; row < 8; ++row) {
    Thread &thread = warp.lanes[8 * tile + row];
    rows[row] = static_cast<TileArgument *>(arguments[thread.lane])->row;
    if (reinterpret_cast<uintptr_t>(rows[row]) % 16)
      fault("misaligned access", thread, thread.site, "the address of row %u of tile %u is not a multiple of 16", row,
            tile);
    int64_t offset = rows[row] - warp.block->shared;
    if (offset < 0 || offset + 16 > emulator().getSharedBytes())
      fault("out of bounds", thread, thread.site,
            "row %u of tile %u is at offset %lld of the block's %lld bytes of shared memory", row, tile,
            (long long)offset, (long long)emulator().getSharedBytes());
    if (Checker *checker = emulator().getChecker())
      checker->access(thread, rows[row], 16, accessShared | (write ? accessWrite : 0), thread.site);
  }
}

/// Calls `body(half of the register, element in memory)`; a register holds two adjacent elements of a row.
template <typename Body>
static void forEachHalf(Warp &warp, uint32_t mask, void *const *arguments, bool write, Body &&body) {
  uint32_t count = static_cast<TileArgument *>(arguments[0])->count;
  for (uint32_t tile = 0; tile < count; ++tile) {
    char *rows[8];
    getRows(warp, arguments, tile, write, rows);
    forEachLane(mask, [&](uint32_t lane) {
      auto &argument = *static_cast<TileArgument *>(arguments[lane]);
      for (uint32_t half = 0; half < 2; ++half) {
        uint32_t row = lane / 4, column = lane % 4 * 2 + half;
        if (argument.transposed)
          std::swap(row, column);
        body(reinterpret_cast<char *>(argument.registers + tile) + 2 * half, rows[row] + 2 * column);
      }
    });
  }
}

static void runLoadMatrix(Warp &warp, uint32_t mask, void *const *arguments) {
  forEachHalf(warp, mask, arguments, /*write=*/false,
              [](char *registers, char *memory) { std::memcpy(registers, memory, 2); });
}

static void runStoreMatrix(Warp &warp, uint32_t mask, void *const *arguments) {
  forEachHalf(warp, mask, arguments, /*write=*/true,
              [](char *registers, char *memory) { std::memcpy(memory, registers, 2); });
}

extern "C" {

void rnnrt_abi_simt_load_matrix(const void *row, int32_t count, int32_t transposed, int32_t *out, const char *site) {
  TileArgument argument{static_cast<char *>(const_cast<void *>(row)), uint32_t(count), transposed != 0, out};
  collective(runLoadMatrix, "ldmatrix", ~0u, &argument, site, /*whole=*/true);
}

void rnnrt_abi_simt_store_matrix(void *row, int32_t count, int32_t transposed, const int32_t *values,
                                 const char *site) {
  TileArgument argument{static_cast<char *>(row), uint32_t(count), transposed != 0, const_cast<int32_t *>(values)};
  collective(runStoreMatrix, "stmatrix", ~0u, &argument, site, /*whole=*/true);
}

void rnnrt_abi_simt_mma(int32_t m, int32_t n, int32_t k, int32_t type, int32_t sum_type, const void *a, const void *b,
                        const void *c, void *d, const char *site) {
  MmaArgument argument{uint32_t(m), uint32_t(n), uint32_t(k), type, sum_type, a, b, c, d};
  collective(runMma, "mma.sync", ~0u, &argument, site, /*whole=*/true);
}

void rnnrt_abi_simt_wmma_load(const void *matrix, int32_t stride, int32_t m, int32_t n, int32_t k, int32_t part,
                              int32_t layout, int32_t type, void *out, const char *site) {
  WmmaMemoryArgument argument{static_cast<char *>(const_cast<void *>(matrix)),
                              stride,
                              uint32_t(m),
                              uint32_t(n),
                              uint32_t(k),
                              part,
                              layout,
                              type,
                              out};
  collective(runWmmaLoad, "wmma.load", ~0u, &argument, site, /*whole=*/true);
}

void rnnrt_abi_simt_wmma_store(void *matrix, int32_t stride, int32_t m, int32_t n, int32_t k, int32_t layout,
                               int32_t type, const void *values, const char *site) {
  WmmaMemoryArgument argument{
      static_cast<char *>(matrix), stride, uint32_t(m), uint32_t(n), uint32_t(k), 2, layout, type,
      const_cast<void *>(values)};
  collective(runWmmaStore, "wmma.store", ~0u, &argument, site, /*whole=*/true);
}

void rnnrt_abi_simt_wmma_mma(int32_t m, int32_t n, int32_t k, int32_t layout_a, int32_t layout_b, int32_t type,
                             int32_t sum_type, const void *a, const void *b, const void *c, void *d, const char *site) {
  WmmaArgument argument{uint32_t(m), uint32_t(n), uint32_t(k), layout_a, layout_b, type, sum_type, a, b, c, d};
  collective(runWmmaMma, "wmma.mma", ~0u, &argument, site, /*whole=*/true);
}

} // extern "C"
