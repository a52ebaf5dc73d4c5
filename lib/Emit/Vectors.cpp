//===- Vectors.cpp - vector registers of the processor that code is made for -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectors.h"
#include "rnn/Target/Processors.h"
#include "rnn/Tuning/TuningRecords.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::rnn;

llvm::CodeGenOptLevel mlir::rnn::getCodeGenLevel(const PipelineOptions &options, unsigned level) {
  const bool usesAMX = options.bf16Gemm == BF16Gemm::AMX || options.bf16GemmOneRow == BF16Gemm::AMX;
  return static_cast<llvm::CodeGenOptLevel>(usesAMX ? std::max(level, 1u) : level);
}

/// Gives options without a value that of a tuning record for this processor, if it can execute that.
static llvm::Error readRecordedOptions(PipelineOptions &options, const HostProcessor &processor) {
  if (options.target != TargetKind::Host || options.tuningRecords.empty())
    return llvm::Error::success();
  llvm::Expected<TuningRecords> records = TuningRecords::read(options.tuningRecords);
  if (!records)
    return records.takeError();
  auto find = [&](llvm::StringRef option, llvm::function_ref<bool(llvm::StringRef)> isAvailable) {
    const OptionRecord *record =
        records->findOption({option, stringifyTargetKind(options.target), options.processor, options.device});
    return record ? record->getChoice(isAvailable) : llvm::StringRef();
  };
  if (options.vectorBits == 0) {
    llvm::StringRef bits = find("vector-bits", [&](llvm::StringRef value) {
      unsigned number;
      return !value.getAsInteger(10, number) && number <= processor.maxVectorBits;
    });
    (void)bits.getAsInteger(10, options.vectorBits);
  }
  auto isAvailable = [&](llvm::StringRef value) {
    std::optional<BF16Gemm> gemm = symbolizeBF16Gemm(value);
    return gemm && processor.has(*gemm);
  };
  if (options.bf16Gemm == BF16Gemm::Auto)
    for (auto [name, member] : {std::pair{"bf16-gemm", &PipelineOptions::bf16Gemm},
                                std::pair{"bf16-gemm-one-row", &PipelineOptions::bf16GemmOneRow}})
      options.*member = symbolizeBF16Gemm(find(name, isAvailable)).value_or(BF16Gemm::Auto);
  return llvm::Error::success();
}

llvm::Expected<PipelineOptions> mlir::rnn::withVectorsOf(const llvm::TargetMachine &machine, PipelineOptions options) {
  options.processor = machine.getTargetCPU().str();
  const HostProcessor processor =
      getHostProcessor(machine.getTargetTriple(), options.processor, [&](llvm::StringRef feature) {
        return machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
      });
  if (!processor.has(options.bf16Gemm))
    return llvm::createStringError("--bf16-gemm=" + stringifyBF16Gemm(options.bf16Gemm).str() +
                                   " requires instructions that the processor `" + options.processor +
                                   "` does not have");
  const bool isGiven = options.bf16Gemm != BF16Gemm::Auto;
  if (llvm::Error error = readRecordedOptions(options, processor))
    return std::move(error);
  if (!machine.getTargetTriple().isLittleEndian())
    options.bf16Gemm = options.bf16GemmOneRow = BF16Gemm::F32; // VNNI packing assumes little endian
  if (!isGiven && options.bf16GemmOneRow == BF16Gemm::Auto)
    options.bf16GemmOneRow = processor.bf16GemmOneRow;
  if (options.bf16Gemm == BF16Gemm::Auto)
    options.bf16Gemm = processor.bf16Gemm;
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
  // Measured with the vectors of the processor: with narrower ones, the same depth is a smaller block.
  if (options.vectorBits == processor.vectorBits)
    options.blockDepth = processor.blockDepth, options.fmaUnits = processor.fmaUnits;
  return options;
}
