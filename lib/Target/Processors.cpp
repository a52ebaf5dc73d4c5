//===- Processors.cpp - arithmetic units of host processors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Processors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir::rnn;

static constexpr ProcessorFamily families[] = {
#define RNN_PROCESSOR_FAMILY(names, vectorBits, fmaUnits, bf16DotRate, hasAMXBF16, blockDepth, sources)                \
  {names, vectorBits, fmaUnits, bf16DotRate, hasAMXBF16, blockDepth, sources},
#include "Processors.def"
};

llvm::ArrayRef<ProcessorFamily> mlir::rnn::getProcessorFamilies() {
  return families;
}

static const ProcessorFamily *lookupFamily(llvm::StringRef name) {
  for (const ProcessorFamily &family : families)
    if (llvm::is_contained(llvm::split(family.names, ' '), name))
      return &family;
  return nullptr;
}

llvm::StringRef mlir::rnn::resolveProcessorName(llvm::StringRef name, HasFeature hasFeature) {
  llvm::SmallVector<llvm::StringRef> named;
  const bool isKnown = llvm::X86::parseArchX86(name, /*Only64Bit=*/true) != llvm::X86::CK_None;
  if (isKnown)
    llvm::X86::getFeaturesForCPU(name, named);
  auto isMissing = [&](llvm::StringRef feature) { return hasFeature(feature) && !llvm::is_contained(named, feature); };
  // Intel's server cores since Sapphire Rapids are the first with either.
  if (isMissing("avx512fp16") || isMissing("amx-tile"))
    return "sapphirerapids";
  // Only AMD's processors have SSE4a; Zen 4 is its first with AVX-512.
  if (!isKnown && hasFeature("avx512f") && hasFeature("sse4a"))
    return "znver4";
  return name;
}

std::string mlir::rnn::getHostProcessorName() {
  llvm::StringRef name = llvm::sys::getHostCPUName();
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
    return name.str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return resolveProcessorName(name, [&](llvm::StringRef feature) { return features.lookup(feature); }).str();
}

bool HostProcessor::has(BF16Gemm gemm) const {
  switch (gemm) {
  case BF16Gemm::AVX512:
    return hasAVX512BF16;
  case BF16Gemm::NEON:
    return hasBFDOT;
  case BF16Gemm::AMX:
    return hasAMXBF16;
  case BF16Gemm::Auto:
  case BF16Gemm::F32:
  case BF16Gemm::VNNI:
  case BF16Gemm::Dot:
    return true;
  }
  llvm_unreachable("unknown bf16 GEMM");
}

HostProcessor mlir::rnn::getHostProcessor(const llvm::Triple &triple, llvm::StringRef name, HasFeature hasFeature) {
  // AArch64 and POWER; where there are fewer registers, the compiler spills.
  HostProcessor processor = {128, 128, 32, 256, 2, BF16Gemm::VNNI, BF16Gemm::VNNI, false, false, false};
  if (!triple.isLittleEndian()) {
    processor.bf16Gemm = processor.bf16GemmOneRow = BF16Gemm::F32; // VNNI packing assumes little endian
    return processor;
  }
  if (triple.getArch() != llvm::Triple::x86_64) {
    processor.hasBFDOT = triple.getArch() == llvm::Triple::aarch64 && hasFeature("bf16");
    if (processor.hasBFDOT)
      processor.bf16Gemm = processor.bf16GemmOneRow = BF16Gemm::NEON;
    return processor;
  }
  const ProcessorFamily *family = lookupFamily(resolveProcessorName(name, hasFeature));
  processor.vectorRegisters = hasFeature("avx512vl") ? 32 : 16;
  processor.maxVectorBits = hasFeature("avx512f") ? 512 : hasFeature("avx") ? 256 : 128;
  processor.vectorBits = std::min(processor.maxVectorBits, family ? family->vectorBits : 256);
  if (family)
    processor.blockDepth = family->blockDepth;
  if (family && processor.vectorBits == 512) // of 256 bits, all families start two
    processor.fmaUnits = family->fmaUnits;
  processor.hasAVX512BF16 = hasFeature("avx512bf16") && hasFeature("avx512vl");
  if (processor.hasAVX512BF16) {
    // One row reads each weight once: bf16 weights halve the bytes, and the rate of the instruction does not matter.
    processor.bf16GemmOneRow = BF16Gemm::AVX512;
    if (family && family->bf16DotRate > 1)
      processor.bf16Gemm = BF16Gemm::AVX512;
    // One row is multiplied by VDPBF16PS even so, and the reductions over all steps by tiles.
    processor.hasAMXBF16 = hasFeature("amx-bf16") && hasFeature("amx-tile");
    if (processor.hasAMXBF16)
      processor.bf16Gemm = processor.bf16GemmOneRow = BF16Gemm::AMX;
  }
  return processor;
}
