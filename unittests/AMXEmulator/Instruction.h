// Instruction.h - decodes the instructions of AMX-TILE and AMX-BF16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_UNITTESTS_AMXEMULATOR_INSTRUCTION_H
#define RNN_UNITTESTS_AMXEMULATOR_INSTRUCTION_H

#include <cstdint>

namespace amx {

enum class Opcode { LoadConfig, StoreConfig, Release, Zero, Load, Store, Multiply, Lea };

struct Instruction {
  Opcode opcode;
  const char *name;
  int length; // in bytes
  int reg;    // the destination, or the source of a store: a tile, or the register of Lea
  int source1, source2;
  uint64_t address; // of the memory operand
  uint64_t stride;  // of Load and Store, from row to row, modulo 2^64
};

/// Registers by their number in the encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
using Registers = uint64_t[16];

/// Reads an AMX instruction, or `lea` with 64 bits, at `code` and computes its address. Returns false for all others
/// and for encodings that raise #UD on every processor. Reads at most the bytes of one instruction.
bool decode(const uint8_t *code, const Registers &registers, Instruction &instruction);

} // namespace amx

#endif // RNN_UNITTESTS_AMXEMULATOR_INSTRUCTION_H
