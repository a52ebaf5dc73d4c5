//===- Passes.td - passes from rnn to rnn -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD
#define RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNAttachTargetPass : Pass<"rnn-attach-target", "::mlir::ModuleOp"> {
  let summary = "Write the target into a module";
  let description = [{
    Sets the attribute `rnn.target` (`#rnn.target`) of the module and replaces an existing one. Later passes read facts
    about the target from it.
  }];
  let options = [
    Option<"target", "target", "::mlir::rnn::TargetKind", "::mlir::rnn::TargetKind::Host", "Target">,
    Option<"chip", "chip", "std::string", "\"\"",
           "Target cuda: the GPU, as sm_90a; target host: the processor, by LLVM's name">,
    Option<"tf32", "tf32", "bool", "false", "Fused GPU kernels may round operands of f32 GEMMs to tf32">,
    Option<"largeGemms", "large-gemms", "::mlir::rnn::LargeGemms", "::mlir::rnn::LargeGemms::Kernel",
           "What computes GEMMs over all steps on a GPU">
  ];
  let dependentDialects = ["::mlir::rnn::RNNDialect"];
}

def RNNVerifyContractPass : Pass<"rnn-verify-contract"> {
  let summary = "Check the contract of a pipeline stage";
  let description = [{
    | stage | contract |
    |---|---|
    | import | no TensorFlow op of the modelled families is left |
    | simplify | the same, and every input mode is decided |
    | select | every rnn op carries `lowering`; on a GPU, a fused layer has `kernel` and a persistent one `cluster` |
    | bufferize | no tensor is left |
    | lower | no rnn op is left, and no op that only a later lowering of ours could remove |
    | emit, run | LLVM dialect only |
  }];
  let options = [Option<"stage", "stage", "::mlir::rnn::Stage", "::mlir::rnn::Stage::Run", "Stage whose contract is checked">];
}

#endif // RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD
