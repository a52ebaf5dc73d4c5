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
           "Implementation of GEMMs over all steps on a GPU">
  ];
  let dependentDialects = ["::mlir::rnn::RNNDialect"];
}

def RNNVerifyContractPass : Pass<"rnn-verify-contract"> {
  let summary = "Check the contract of a pipeline stage";
  let description = [{
    | stage | contract |
    |---|---|
    | import | no op `tf.CudnnRNN*` or `tf.BlockLSTM*` |
    | simplify | the same, and no input mode `auto_select` |
    | select | every rnn op has `lowering`; on a GPU, a fused layer has `kernel` and a persistent one `cluster` |
    | bufferize | no tensors |
    | lower | no tensors and no rnn ops |
    | emit, run | only the LLVM dialect, `builtin.module`, and launches of compiled `gpu.binary` kernels |
  }];
  let options = [Option<"stage", "stage", "::mlir::rnn::Stage", "::mlir::rnn::Stage::Run", "Stage whose contract is checked">];
}

#endif // RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD
