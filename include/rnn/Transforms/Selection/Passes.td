//===- Passes.td - passes that select how rnn ops run -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_SELECTION_PASSES_TD
#define RNN_TRANSFORMS_SELECTION_PASSES_TD

include "mlir/Pass/PassBase.td"

// Options of both passes.
defvar RNN_SelectionOptions = [
  Option<"prefer", "prefer", "::mlir::rnn::LoweringPreference", "::mlir::rnn::LoweringPreference::Auto",
         "Lowering of ops without the attribute">,
  Option<"fusedKernel", "fused-kernel", "::mlir::rnn::KernelPreference", "::mlir::rnn::KernelPreference::Auto",
         "GPU kernels of fused ops without the attribute">,
  Option<"tuningRecords", "tuning-records", "std::string", "\"\"",
         "File of tuning records, as rnn-run --autotune writes it">,
  Option<"device", "device", "std::string", "\"\"", "Name of the device whose tuning records are used (default: any)">
];

def RNNSelectLoweringPass : Pass<"rnn-select-lowering"> {
  let summary = "Decide how each rnn op is executed";
  let description = [{
    Writes `lowering` (`#rnn.lowering`) on every rnn op: `runtime`, a call of a plan of the runtime library, or `fused`,
    compiled code. On targets `cuda` and `simt`, a fused layer also gets its `kernel` and, if that is `persistent`, the
    `cluster` size. Whether a persistent kernel fits is decided here and nowhere else. Facts about the target come from the
    module's `rnn.target`.

    The first rule that applies decides:

    1. Explicit attribute: the op's `lowering` is kept; it is an error if the target cannot execute it. A missing `kernel` or
       `cluster` is added by the rules below.
    2. Legality: the only candidate, or the lowering that a shared buffer requires. On target `cuda`, cuDNN and fused kernels
       have different layouts of parameters and reserve spaces, so cudnn ops that share such a buffer get one lowering. If a
       buffer has any other producer or user (an argument, a result, a region, arithmetic), they get `runtime`.
    3. Pipeline option: `prefer` for the lowering, `fused-kernel` for the kernels. A layer without a persistent kernel gets
       per-step kernels, and a missed remark has the reason.
    4. Target `simt`: plans, or per-step kernels if `fused` is requested, because times of the emulator do not predict those
       of a GPU.
    5. Tuning record: the fastest candidate of the file `tuning-records`, if it has the op.
    6. Cost model: the fastest estimate (docs/Selection.md).

    One remark of category `rnn-select-lowering` per op states the rule and, for rules 5 and 6, the times of all candidates.
  }];
  let options = RNN_SelectionOptions;
}

def RNNBlockToCudnnPass : Pass<"rnn-block-to-cudnn"> {
  let summary = "Rewrite block LSTM ops to cudnn ops where they compute the same";
  let description = [{
    For target `cuda`, whose runtime has plans for the cudnn ops only. The matrix `w` is split into the canonical matrices of
    the gates and packed into opaque parameters, the forget bias is added to its bias, and the gradients are unpacked again.

    A forward is rewritten if it has no peephole, no clip and no `seq_len_max`, if I and H are static, and if neither its
    gates nor its cells before the last step are used. For a gradient, the forward that produced its saved values must
    also be in the same function (cuDNN needs its reserve space, so it runs as a cudnn op too), and `cs_grad` must be zero
    except at the last step. Results differ from those of the block ops in rounding only. Dynamic sizes of `w` and `b` are
    cast to static ones, which `rnn-check-casts` checks at run time.

    An op with lowering `fused` (its own, or else `prefer`) stays. With `auto`, so does an op that fused kernels execute
    faster, by tuning records (under the block op's key, with candidate `runtime`), else by the cost model, as in
    `rnn-select-lowering`. A gradient's time includes its forward's. The cudnn ops get the lowering `runtime`. A remark of
    category `rnn-block-to-cudnn` per op states whether it was rewritten, and the reason.
  }];
  let options = RNN_SelectionOptions;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::rnn::RNNDialect"];
}

#endif // RNN_TRANSFORMS_SELECTION_PASSES_TD
