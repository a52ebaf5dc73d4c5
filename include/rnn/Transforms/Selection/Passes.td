//===- Passes.td - passes that select how rnn ops run -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_SELECTION_PASSES_TD
#define RNN_TRANSFORMS_SELECTION_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNSelectLoweringPass : Pass<"rnn-select-lowering"> {
  let summary = "Decide for each rnn op how it will run";
  let description = [{
    Writes `lowering` on every op of the rnn dialect that does not carry it yet: `runtime`, a call of a plan of the
    runtime library, or `fused`, a compiled kernel. What the target offers is read off `TargetInfo`; an explicit
    attribute on an op is kept if the target offers it and is an error otherwise.

    With `auto`, the faster candidate is taken: by the measurements of a file that `rnn-run --autotune` has written
    (`tuning-records`), else by the cost model (docs/Selection.md). On target `simt` plans are taken, since times of the emulator mean
    nothing. On target `cuda`, cuDNN and fused kernels lay out parameters and reserve spaces each in their own way, so cudnn
    ops that share such a buffer get one lowering; where a buffer comes from or goes to something other than these ops
    (an argument, a result, a region, arithmetic), that is `runtime`.

    On target `cuda`, a fused op that has kernels of steps and of clusters gets the attribute `rnn.kernel_family` by the same
    rules, unless it, or an op around it, carries one.

    Remarks of category `rnn-select-lowering` say what was chosen, what each alternative would have cost, and whether that
    was estimated or measured.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"", "Target to select for: host, cuda or simt">,
    Option<"prefer", "prefer", "std::string", "\"auto\"", "Lowering wanted for all ops: auto, runtime or fused">,
    Option<"kernelFamily", "kernel-family", "std::string", "\"auto\"",
           "Family of GPU kernels wanted for all fused ops: auto, step or cluster">,
    Option<"chip", "chip", "std::string", "\"\"",
           "What code is made for: a GPU as sm_90a, or on target host a processor, by LLVM's name">,
    Option<"tf32", "tf32", "bool", "false", "Fused GPU kernels may round factors of f32 products to tf32">,
    Option<"tuningRecords", "tuning-records", "std::string", "\"\"", "File of tuning records, as rnn-run --autotune writes it">,
    Option<"device", "device", "std::string", "\"\"", "Device whose measurements count, by its name; default: any">
  ];
}

def RNNBlockToCudnnPass : Pass<"rnn-block-to-cudnn"> {
  let summary = "Rewrite block LSTM ops to cudnn ops where they compute the same";
  let description = [{
    For targets whose runtime has plans for the cudnn ops alone. The matrix `w` is cut into the canonical matrices of the
    gates and packed into opaque parameters, the forget bias is added to its bias, and the gradients are unpacked again.

    A forward is rewritten if it has no peephole, no clip and no `seq_len_max`, and gives no gates and no cell but the
    last. A gradient is rewritten if moreover the forward that made its saved values is in sight (cuDNN needs a reserve
    space, so that forward runs as a cudnn op too) and `cs_grad` is zero, or zero but for the last step. A remark of category
    `rnn-block-to-cudnn` says which op was rewritten, or why one was not. Results differ from those of the block ops
    in rounding only.

    An op that is to run as a fused kernel (its `lowering`, or `prefer` where it has none) stays. With `auto`, so does one that
    kernels run faster: by the measurements of a file (`tuning-records`), which has them under the block op's key as `runtime` and as
    kernels, else by the cost model, as in rnn-select-lowering. With a gradient, its forward is weighed as well. The cudnn ops
    carry the lowering `runtime`.
  }];
  let options = [
    Option<"prefer", "prefer", "std::string", "\"auto\"", "Lowering wanted for all ops: auto, runtime or fused">,
    Option<"kernelFamily", "kernel-family", "std::string", "\"auto\"",
           "Family of GPU kernels wanted for all fused ops: auto, step or cluster">,
    Option<"chip", "chip", "std::string", "\"\"", "GPU that code is made for, as sm_90a">,
    Option<"tf32", "tf32", "bool", "false", "Fused GPU kernels may round factors of f32 products to tf32">,
    Option<"tuningRecords", "tuning-records", "std::string", "\"\"", "File of tuning records, as rnn-run --autotune writes it">,
    Option<"device", "device", "std::string", "\"\"", "Device whose measurements count, by its name; default: any">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::rnn::RNNDialect"];
}

#endif // RNN_TRANSFORMS_SELECTION_PASSES_TD
