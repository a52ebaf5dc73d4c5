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
           "Implementation of GEMMs over all steps on a GPU">,
    Option<"wavefrontChunk", "wavefront-chunk", "int", "-1",
           "Time steps of a chunk of the wavefront of a stack on a GPU; 0: none, -1: chosen by the lowering">
  ];
  let dependentDialects = ["::mlir::rnn::RNNDialect"];
}

def RNNDetachTargetPass : Pass<"rnn-detach-target", "::mlir::ModuleOp"> {
  let summary = "Remove the target from a module";
  let description = [{
    Removes the attribute `rnn.target`. At the end of the pipeline, so that tools without the rnn dialect, such as
    `mlir-translate`, read the module.
  }];
}

def RNNDecomposePass : Pass<"rnn-decompose"> {
  let summary = "Decompose rnn ops into scf, tensor and linalg ops";
  let description = [{
    For compilers that have lowerings of their own and none of rnn ops. A layer becomes one `scf.for` over its steps, with
    one contraction for its input and one per step for its state, as `linalg.generic`; all layers above the first share one
    `scf.for`. All modes, directions, input modes, lengths, projections, element types and dynamic sizes are supported, and
    the results are those of [Semantics](../../Semantics.md). Sizes are not checked at run time.

    Only the value form has a decomposition. The gradient computes the forward pass again; CSE, which the pass runs, merges
    it with the forward op of the same operands if there is no dropout. A forward op that draws dropout masks requires
    `dropout-draw`, or the attribute `rnn.dropout_draw` on the op: the number of the draw, or the name of a function
    `() -> i64` that returns it. The masks are those that the runtime draws. The reserve space has 64 bytes and contains the
    draw.

    The ops implement linalg's `AggregatedOpInterface`; `transform.rnn.decompose` decomposes single ops.
  }];
  let options = [Option<"dropoutDraw", "dropout-draw", "std::string", "\"\"",
                        "Draw of dropout masks: a number, or the name of a function () -> i64">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
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
