//===- Targets.cpp - restrict the static compiler to three processors ---------===//
//
// LLVM's archives contain some twenty targets, and LLVM, MLIR and lld initialize all of them. These definitions replace
// the functions of all targets but X86, AArch64 and NVPTX: the linker then takes no object of the others' archives,
// which are more than half of the result.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

#define RNN_SKIPPED_TARGETS(X)                                                                                         \
  X(AMDGPU)                                                                                                            \
  X(ARM)                                                                                                               \
  X(AVR)                                                                                                               \
  X(BPF)                                                                                                               \
  X(Hexagon)                                                                                                           \
  X(Lanai)                                                                                                             \
  X(LoongArch)                                                                                                         \
  X(M68k)                                                                                                              \
  X(MSP430)                                                                                                            \
  X(Mips)                                                                                                              \
  X(PowerPC)                                                                                                           \
  X(RISCV)                                                                                                             \
  X(SPIRV)                                                                                                             \
  X(Sparc)                                                                                                             \
  X(SystemZ)                                                                                                           \
  X(VE)                                                                                                                \
  X(WebAssembly)                                                                                                       \
  X(XCore)                                                                                                             \
  X(Xtensa)

#define RNN_SKIP(target)                                                                                               \
  extern "C" void LLVMInitialize##target##TargetInfo() {}                                                              \
  extern "C" void LLVMInitialize##target##Target() {}                                                                  \
  extern "C" void LLVMInitialize##target##TargetMC() {}                                                                \
  extern "C" void LLVMInitialize##target##TargetMCA() {}                                                               \
  extern "C" void LLVMInitialize##target##AsmPrinter() {}                                                              \
  extern "C" void LLVMInitialize##target##AsmParser() {}                                                               \
  extern "C" void LLVMInitialize##target##Disassembler() {}
RNN_SKIPPED_TARGETS(RNN_SKIP)

// Debian's LLVM has the extension Polly, and its packages lack the archive. The link-time optimization of lld refers to
// it.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}, nullptr};
}
