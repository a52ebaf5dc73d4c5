//===- Options.td - enumerations of the pipeline's options -*- tablegen -*-===//
//
// The one definition that the pipeline, its passes, the tools' flags and the target attribute share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TARGET_OPTIONS_TD
#define RNN_TARGET_OPTIONS_TD

include "mlir/IR/EnumAttr.td"

class RNN_OptionEnum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::rnn";
  let genSpecializedAttr = 0;
}

def RNN_TargetKind : RNN_OptionEnum<"TargetKind", "a target", [
  I32EnumAttrCase<"Host", 0, "host">,
  I32EnumAttrCase<"Cuda", 1, "cuda">,
  I32EnumAttrCase<"Simt", 2, "simt">
]>;

def RNN_Stage : RNN_OptionEnum<"Stage", "a stage of the pipeline; `run` follows all pipelines", [
  I32EnumAttrCase<"Import", 0, "import">,
  I32EnumAttrCase<"Simplify", 1, "simplify">,
  I32EnumAttrCase<"Select", 2, "select">,
  I32EnumAttrCase<"Bufferize", 3, "bufferize">,
  I32EnumAttrCase<"Lower", 4, "lower">,
  I32EnumAttrCase<"Emit", 5, "emit">,
  I32EnumAttrCase<"Run", 6, "run">
]>;

def RNN_LoweringPreference : RNN_OptionEnum<"LoweringPreference", "lowering of ops without the attribute", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Runtime", 1, "runtime">,
  I32EnumAttrCase<"Fused", 2, "fused">
]>;

def RNN_KernelPreference : RNN_OptionEnum<"KernelPreference", "GPU kernels of fused ops that do not name theirs", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"PerStep", 1, "per_step">,
  I32EnumAttrCase<"Persistent", 2, "persistent">
]>;

// `auto`: the device's library (cuBLASLt) if it is available and the GEMM is large. `library`: whenever it is available.
def RNN_LargeGemms : RNN_OptionEnum<"LargeGemms", "what computes GEMMs over all steps on a GPU", [
  I32EnumAttrCase<"Kernel", 0, "kernel">,
  I32EnumAttrCase<"Auto", 1, "auto">,
  I32EnumAttrCase<"Library", 2, "library">
]>;

// All accumulate in f32. `f32`: packing converts both operands to f32. `vnni`: weights stay bf16 in VNNI packing and are
// widened to f32 in registers, with the same results; requires a little-endian processor. `dot`: both operands stay bf16
// (computed ones are rounded), and f32 arithmetic multiplies them. `avx512`: as dot, by VDPBF16PS of AVX512-BF16, which
// flushes denormals to zero. `neon`: as dot, by BFDOT of AArch64. `amx`: as avx512, by AMX tiles for more than one row;
// requires the permission of the operating system at run time. `auto`: by instructions of the processor if they are faster
// than f32 arithmetic (lib/Target/Processors.def), else vnni.
def RNN_BF16Gemm : RNN_OptionEnum<"BF16Gemm", "how the host multiplies bf16 matrices", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"F32", 1, "f32">,
  I32EnumAttrCase<"VNNI", 2, "vnni">,
  I32EnumAttrCase<"Dot", 3, "dot">,
  I32EnumAttrCase<"AVX512", 4, "avx512">,
  I32EnumAttrCase<"NEON", 5, "neon">,
  I32EnumAttrCase<"AMX", 6, "amx">
]>;

#endif // RNN_TARGET_OPTIONS_TD
