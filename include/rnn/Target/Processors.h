//===- Processors.h - arithmetic units of host processors -*- C++ -*-===//
//
// Vector widths and instructions for bf16 matrices, from the name and features of a processor and the table
// lib/Target/Processors.def.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_PROCESSORS_H
#define RNN_TARGET_PROCESSORS_H

#include "rnn/Target/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::rnn {

/// The arithmetic units of one family of x86 processors with AVX-512.
struct ProcessorFamily {
  llvm::StringRef names;   ///< LLVM's names, separated by spaces
  unsigned vectorBits;     ///< of the vectors that are generated
  unsigned fmaUnits;       ///< 512-bit FMAs that start per cycle
  double bf16DotRate;      ///< operations of VDPBF16PS per operation of the f32 FMA; 0 without the instruction
  bool hasAMXBF16;         ///< TDPBF16PS
  unsigned blockDepth;     ///< HostVectors::blockDepth with vectors of `vectorBits`
  llvm::StringRef sources; ///< of these values
};

llvm::ArrayRef<ProcessorFamily> getProcessorFamilies();

/// Whether a processor has a feature, by LLVM's name, as `avx512f`.
using HasFeature = llvm::function_ref<bool(llvm::StringRef)>;

/// LLVM's name of the x86 processor with these features. `name` itself, unless it is generic or the processor has
/// AVX512-FP16 or AMX and `name` lacks both, as on virtual machines that report another model.
llvm::StringRef resolveProcessorName(llvm::StringRef name, HasFeature hasFeature);

/// LLVM's name of this machine's processor, resolved.
std::string getHostProcessorName();

/// The vector unit of a processor and the instructions that code for it uses.
struct HostProcessor {
  unsigned vectorBits;      ///< of the vectors that are generated
  unsigned maxVectorBits;   ///< of the widest vector register
  unsigned vectorRegisters; ///< number of vector registers
  unsigned blockDepth;      ///< HostVectors::blockDepth with vectors of `vectorBits`
  unsigned fmaUnits;        ///< HostVectors::fmaUnits with vectors of `vectorBits`
  BF16Gemm bf16Gemm;        ///< the fastest for more than one row
  BF16Gemm bf16GemmOneRow;  ///< the fastest for one row, which the bandwidth of the weights limits
  bool hasAVX512BF16;       ///< VDPBF16PS on vectors of 128 to 512 bits
  bool hasAMXBF16;          ///< TDPBF16PS, and VDPBF16PS
  bool hasBFDOT;            ///< BFDOT of AArch64

  /// Whether the processor has the instructions of a bf16 GEMM.
  bool has(BF16Gemm gemm) const;
};

HostProcessor getHostProcessor(const llvm::Triple &triple, llvm::StringRef name, HasFeature hasFeature);

} // namespace mlir::rnn

#endif // RNN_TARGET_PROCESSORS_H
