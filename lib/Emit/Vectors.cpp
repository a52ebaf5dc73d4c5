//===- Vectors.cpp - vector registers of the processor that code is made for -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectors.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::rnn;

llvm::Expected<PipelineOptions> mlir::rnn::withVectorsOf(const llvm::TargetMachine &machine, PipelineOptions options) {
  options.processor = machine.getTargetCPU().str();
  options.vectorBits = 128;
  auto has = [&](const char *feature) { return machine.getMCSubtargetInfo()->checkFeatures(feature); };
  llvm::Triple::ArchType arch = machine.getTargetTriple().getArch();
  const bool hasAvx512 = arch == llvm::Triple::x86_64 && has("+avx512bf16") && has("+avx512vl");
  const bool hasNeon = arch == llvm::Triple::aarch64 && has("+bf16");
  if ((options.bf16Gemm == BF16Gemm::AVX512 && !hasAvx512) || (options.bf16Gemm == BF16Gemm::NEON && !hasNeon))
    return llvm::createStringError("--bf16-gemm=" + stringifyBF16Gemm(options.bf16Gemm).str() +
                                   " requires instructions that the processor `" + options.processor + "` does not have");
  if (!machine.getTargetTriple().isLittleEndian())
    options.bf16Gemm = BF16Gemm::F32; // VNNI packing assumes little endian
  else if (options.bf16Gemm == BF16Gemm::Auto)
    options.bf16Gemm = hasAvx512 ? BF16Gemm::AVX512 : hasNeon ? BF16Gemm::NEON : BF16Gemm::VNNI;
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
