// Instruction.cpp - decodes the instructions of AMX-TILE and AMX-BF16.
//
// Sources: Intel SDM, volume 2, the pages of the instructions, and chapter 2 for prefixes and memory operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instruction.h"

#include <cstring>

using namespace amx;

namespace {

/// The prefix (REX or VEX) and the ModRM byte of an instruction.
struct Encoding {
  int bytes; // up to the ModRM byte
  int extendsReg, extendsIndex, extendsBase;
  int mod, reg, rm;

  Encoding(int extensions, const uint8_t *code, int bytes)
      : bytes(bytes), extendsReg(extensions & 4 ? 8 : 0), extendsIndex(extensions & 2 ? 8 : 0),
        extendsBase(extensions & 1 ? 8 : 0), mod(code[bytes - 1] >> 6), reg(code[bytes - 1] >> 3 & 7),
        rm(code[bytes - 1] & 7) {}

  bool hasMemory() const { return mod != 3; }
  bool hasSib() const { return hasMemory() && rm == 4; }
};

enum class Operands { None, Memory, Tile, TileAndRows, Tiles };

struct Form {
  Opcode opcode;
  const char *name;
  uint8_t code, prefix; // prefix: 0 none, 1 66, 2 F3, 3 F2
  Operands operands;
};

constexpr Form forms[] = {{Opcode::LoadConfig, "ldtilecfg", 0x49, 0, Operands::Memory},
                          {Opcode::Release, "tilerelease", 0x49, 0, Operands::None},
                          {Opcode::StoreConfig, "sttilecfg", 0x49, 1, Operands::Memory},
                          {Opcode::Zero, "tilezero", 0x49, 3, Operands::Tile},
                          {Opcode::Load, "tileloadd", 0x4b, 3, Operands::TileAndRows},
                          {Opcode::Load, "tileloaddt1", 0x4b, 1, Operands::TileAndRows},
                          {Opcode::Store, "tilestored", 0x4b, 2, Operands::TileAndRows},
                          {Opcode::Multiply, "tdpbf16ps", 0x5c, 2, Operands::Tiles}};

} // namespace

/// Whether the operands are valid. `vvvv` is the third register.
static bool matches(Operands operands, const Encoding &e, int vvvv) {
  const bool isTile = !e.extendsReg && vvvv == 0;
  switch (operands) {
  case Operands::None:
    return !e.hasMemory() && e.reg == 0 && e.rm == 0 && vvvv == 0;
  case Operands::Memory:
    return e.hasMemory() && e.reg == 0 && vvvv == 0;
  case Operands::Tile:
    return !e.hasMemory() && e.rm == 0 && isTile;
  case Operands::TileAndRows:
    return e.hasSib() && isTile;
  case Operands::Tiles:
    return !e.hasMemory() && !e.extendsReg && !e.extendsBase && vvvv < 8;
  }
  return false;
}

/// Sets address, stride and length.
static void decodeMemory(const uint8_t *code, const Encoding &e, const Registers &registers, Instruction &i) {
  int at = e.bytes, displacementBytes = e.mod == 1 ? 1 : e.mod == 2 ? 4 : 0, base = e.rm | e.extendsBase;
  i.address = i.stride = 0;
  if (e.hasSib()) {
    const uint8_t sib = code[at++];
    base = (sib & 7) | e.extendsBase;
    const int index = (sib >> 3 & 7) | e.extendsIndex;
    if (index != 4) // no index
      i.stride = registers[index] << (sib >> 6);
  }
  // If mod is 0, base 5 or 13 (rbp or r13 otherwise) means that no register is added: the displacement is the whole
  // base, or without an SIB byte is relative to rip.
  const bool hasBase = (base & 7) != 5 || e.mod != 0;
  if (!hasBase)
    displacementBytes = 4;
  i.length = at + displacementBytes;
  if (hasBase)
    i.address = registers[base];
  else if (!e.hasSib())
    i.address = reinterpret_cast<uint64_t>(code) + i.length;
  int32_t displacement = displacementBytes == 1 ? static_cast<int8_t>(code[at]) : 0;
  if (displacementBytes == 4)
    std::memcpy(&displacement, code + at, sizeof displacement);
  i.address += static_cast<int64_t>(displacement);
  // The index is the stride of tile loads and stores, and a part of the address elsewhere.
  if (i.opcode != Opcode::Load && i.opcode != Opcode::Store)
    i.address += i.stride;
}

bool amx::decode(const uint8_t *code, const Registers &registers, Instruction &i) {
  if ((code[0] & 0xf8) == 0x48 && code[1] == 0x8d) { // REX.W
    const Encoding e(code[0], code, 3);
    i.opcode = Opcode::Lea, i.name = "lea", i.reg = e.reg | e.extendsReg;
    decodeMemory(code, e, registers, i);
    return e.hasMemory();
  }
  // VEX with map 0F38, W = 0 and 128 bits. Its register extensions are inverted.
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2 || (code[2] & 0x84) != 0)
    return false;
  const Encoding e(~code[1] >> 5, code, 5);
  const int vvvv = ~code[2] >> 3 & 15;
  for (const Form &form : forms) {
    if (form.code != code[3] || form.prefix != (code[2] & 3) || !matches(form.operands, e, vvvv))
      continue;
    i.opcode = form.opcode, i.name = form.name, i.length = e.bytes;
    i.reg = e.reg, i.source1 = e.rm, i.source2 = vvvv;
    if (e.hasMemory())
      decodeMemory(code, e, registers, i);
    return true;
  }
  return false;
}
