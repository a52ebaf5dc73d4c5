//===- Vectors.cpp - vector registers of the processor that code is made for -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectors.h"
#include "rnn/Target/Processors.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::rnn;

llvm::CodeGenOptLevel mlir::rnn::getCodeGenLevel(const PipelineOptions &options, unsigned level) {
  return static_cast<llvm::CodeGenOptLevel>(options.bf16Gemm == BF16Gemm::AMX ? std::max(level, 1u) : level);
}

llvm::Expected<PipelineOptions> mlir::rnn::withVectorsOf(const llvm::TargetMachine &machine, PipelineOptions options) {
  options.processor = machine.getTargetCPU().str();
  const HostProcessor processor =
      getHostProcessor(machine.getTargetTriple(), options.processor, [&](llvm::StringRef feature) {
        return machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
      });
  if ((options.bf16Gemm == BF16Gemm::AVX512 && !processor.hasAVX512BF16) ||
      (options.bf16Gemm == BF16Gemm::NEON && !processor.hasBFDOT) ||
      (options.bf16Gemm == BF16Gemm::AMX && !processor.hasAMXBF16))
    return llvm::createStringError("--bf16-gemm=" + stringifyBF16Gemm(options.bf16Gemm).str() +
                                   " requires instructions that the processor `" + options.processor +
                                   "` does not have");
  if (options.bf16Gemm == BF16Gemm::Auto) {
    options.bf16Gemm = processor.bf16Gemm;
    options.bf16GemmOneRow = processor.bf16GemmOneRow;
  } else if (!machine.getTargetTriple().isLittleEndian()) {
    options.bf16Gemm = BF16Gemm::F32; // VNNI packing assumes little endian
  }
  if (options.vectorBits == 0)
    options.vectorBits = processor.vectorBits;
  else if (options.vectorBits != 128 && options.vectorBits != 256 && options.vectorBits != 512)
    return llvm::createStringError("--vector-bits expects 128, 256 or 512, but got " +
                                   std::to_string(options.vectorBits));
  else if (options.vectorBits > processor.maxVectorBits)
    return llvm::createStringError(
        llvm::formatv(
            "--vector-bits={0} requires vector registers of {0} bits, but those of the processor `{1}` have {2}",
            options.vectorBits, options.processor, processor.maxVectorBits)
            .str());
  options.vectorRegisters = processor.vectorRegisters;
  return options;
}
