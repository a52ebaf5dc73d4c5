//===- Vectors.cpp - vector registers of the processor that code is made for -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectors.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::rnn;

PipelineOptions mlir::rnn::withVectorsOf(const llvm::TargetMachine &machine, PipelineOptions options) {
  options.processor = machine.getTargetCPU().str();
  options.vectorBits = 128;
  auto has = [&](const char *feature) { return machine.getMCSubtargetInfo()->checkFeatures(feature); };
  llvm::Triple::ArchType arch = machine.getTargetTriple().getArch();
  if (!machine.getTargetTriple().isLittleEndian()) {
    options.bf16Gemm = "f32"; // the halves of a word stand the other way round
  } else if (options.bf16Gemm == "auto") {
    options.bf16Gemm = "vnni";
    if (arch == llvm::Triple::x86_64 && has("+avx512bf16") && has("+avx512vl"))
      options.bf16Gemm = "avx512";
    if (arch == llvm::Triple::aarch64 && has("+bf16"))
      options.bf16Gemm = "neon";
  }
  if (arch != llvm::Triple::x86_64) {
    // AArch64 and POWER; where there are fewer, the compiler spills.
    options.vectorRegisters = 32;
    return options;
  }
  options.vectorRegisters = has("+avx512vl") ? 32 : 16;
  // LLVM splits wide vectors itself on processors that lower their clock for them.
  if (has("+avx512f") && !has("+prefer-256-bit"))
    options.vectorBits = 512;
  else if (has("+avx"))
    options.vectorBits = 256;
  return options;
}
