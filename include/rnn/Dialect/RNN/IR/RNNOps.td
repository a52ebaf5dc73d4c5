//===- RNNOps.td - the ops of the rnn dialect -*- tablegen -*-===//
//
// Base class, the cudnn family (whole stacks, opaque parameters), the block family (one LSTM layer, explicit matrices).
// Why they are as they are: docs/Dialects/RNN/Rationale.md. Labels such as (C3) name the same rule here, in the
// verifier and in test/Dialect/RNN/invalid-*.mlir.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNOPS_TD
#define RNN_DIALECT_RNN_IR_RNNOPS_TD

include "rnn/Dialect/RNN/IR/RNNAttrs.td"
include "rnn/Dialect/RNN/IR/RNNDialect.td"
include "rnn/Dialect/RNN/IR/RNNInterfaces.td"
include "rnn/Dialect/RNN/IR/RNNTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Order of a definition: arguments, results, then what differs. The assembly, the verifier, type inference and memory
// effects of every op are the shared code of RNNAssembly.cpp, RNNShapes.cpp and RNNOps.cpp over the op's signature.
class RNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<RNN_Dialect, mnemonic, traits # [
        DeclareOpInterfaceMethods<RNN_LayerOpInterface, ["getSignature", "collectShapeRules", "verifyAttributes",
                                                               "verifySizes"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

// A layer or its gradient: results follow from operands and attributes.
class RNN_LayerOp<string mnemonic, list<Trait> traits = []>
    : RNN_Op<mnemonic, traits # [
        AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
}

//===----------------------------------------------------------------------===//
// The cudnn family
//===----------------------------------------------------------------------===//

defvar RNN_CudnnConfig = (ins
  RNN_CellModeAttr:$mode,
  DefaultValuedAttr<RNN_DirectionAttr, "::mlir::rnn::Direction::Unidirectional">:$direction,
  DefaultValuedAttr<RNN_InputModeAttr, "::mlir::rnn::InputMode::LinearInput">:$input_mode);

defvar RNN_CudnnLayerConfig = (ins
  DefaultValuedAttr<F64Attr, "0.0">:$dropout,
  DefaultValuedAttr<I64Attr, "0">:$seed,
  DefaultValuedAttr<I64Attr, "0">:$seed2,
  DefaultValuedAttr<I64Attr, "0">:$num_proj,
  OptionalAttr<RNN_LoweringAttr>:$lowering);

def RNN_CudnnForwardOp : RNN_LayerOp<"cudnn_forward", [AttrSizedResultSegments]> {
  let summary = "forward pass of a stack of recurrent layers with opaque parameters";
  let description = [{
    Runs `L` layers of the cell `mode` over `T` steps; models `CudnnRNN`, and `CudnnRNNV3` with `sequence_lengths`.
    Per layer and direction, with `x` the layer's input at a step and `h`, `c` the state before it (double bias):

        rnn_*  h' = max(a, 0) | tanh(a)            a = W x + R h + bW + bR
        lstm   c' = f * c + i * g                  i, f, o = sigmoid(W x + R h + bW + bR), g = tanh(the same)
               h' = o * tanh(c')                   with num_proj: the state is r = Wr h'
        gru    h' = (1 - z) * n + z * h            r, z = sigmoid(W x + R h + bW + bR)
                                                   n = tanh(Wn x + bWn + r * (Rn h + bRn))

    The input of layer `k + 1` is the concatenation of the directions' outputs of layer `k`, dropped with probability
    `dropout` and scaled by `1 / (1 - dropout)` when `is_training`. With `skip_input`, `W x` of the first layer is `x`
    itself for every gate, while its biases stay. A row past its sequence length keeps its state and outputs zero.

    `params` holds all matrices in layer order (per layer and direction: W by gate, R by gate, projection), then all
    biases (bW by gate, bR by gate); gates in the order `i f g o` and `r z n`. `reserve_space` is opaque and must reach
    the gradient unchanged. Dropout draws from the runtime's counter-based generator, keyed by both seeds; that is the
    only side effect of the value form. Summation order inside products is left open; accumulation is in f32 (f64 for
    f64).

    Constraints:
    - (C1) all floating-point operands and results have one element type.
    - (C2) every operand and result has the rank of its shape below, and less than 2^63 bytes.
    - (C3) `input` is `[T, B, I]` with `T, B, I > 0`.
    - (C4) `input_h` is `[L*D, B, P]` with `L, P > 0`.
    - (C5) `input_c` is present for `lstm` only, and is `[L*D, B, H]`.
    - (C6) `num_proj` is 0, or for `lstm` at least 1 and at most `H`; then `P = num_proj`, otherwise `P = H`. As in
      cuDNN there is no projection matrix where `P = H`.
    - (C7) `params` is one-dimensional and holds at least the elements of all matrices and biases.
    - (C8) `skip_input` needs `I = H`; `auto_select` needs static `I` and `H`.
    - (C9) `dropout` is in `[0, 1]`.
    - (C10) `seed` and `seed2` fit in 32 bits.
    - (C11) `sequence_lengths` is `[B]`; a constant one has values in `[0, T]`.
    - (C12) `output` is `[T, B, D*P]`, `output_h` like `input_h`, `output_c` like `input_c`.
    - (C13) `reserve_space` is one-dimensional, and empty unless `is_training`.
    - (C14) value form: all results, no `outs`; memref form: no results, and the wanted `outs`.

    Example:
    ```mlir
    func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>, %p: tensor<?xf32>)
        -> tensor<5x2x4xf32> {
      %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<2x2x4xf32>)
          params(%p : tensor<?xf32>) {dropout = 0.5, seed = 7 : i64}
      return %y : tensor<5x2x4xf32>
    }
    ```
  }];
  let arguments = !con((ins
    RNN_Float:$input /*C3*/, RNN_Float:$input_h /*C4*/, Optional<RNN_Float>:$input_c /*C5*/,
    RNN_Float:$params /*C7*/, Optional<RNN_Lengths>:$sequence_lengths /*C11*/,
    Optional<RNN_Float>:$output_out, Optional<RNN_Float>:$output_h_out, Optional<RNN_Float>:$output_c_out,
    Optional<RNN_Reserve>:$reserve_space_out), RNN_CudnnConfig, RNN_CudnnLayerConfig,
    (ins DefaultValuedAttr<BoolAttr, "true">:$is_training));
  let results = (outs Optional<RNN_Float>:$output /*C12*/, Optional<RNN_Float>:$output_h /*C12*/,
    Optional<RNN_Float>:$output_c /*C12*/, Optional<RNN_Reserve>:$reserve_space /*C13*/);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// True when this op draws random numbers, the only case in which its value form is not pure: in training, with a
    /// dropout other than 0, and unless there is just one layer, since dropout sits between layers.
    bool drawsDropout();
  }];
}

def RNN_CudnnBackpropOp : RNN_LayerOp<"cudnn_backprop", [AttrSizedResultSegments]> {
  let summary = "gradient of a stack of recurrent layers with opaque parameters";
  let description = [{
    Computes the gradients of `sum(output * output_backprop) + sum(output_h * output_h_backprop)` (and the same for
    `output_c` with `lstm`) by `input`, `input_h`, `input_c` and `params`; models `CudnnRNNBackprop`, and V3 with
    `sequence_lengths`. Results are overwritten, never accumulated. `reserve_space` must come from the forward op on the
    same operands with the same attributes; the op reads *and writes* it, so in value form it consumes the value, and
    bufferization copies it when it has another reader. With lowering `fused` it is only read, and never copied. A result
    without uses is not computed.

    Constraints:
    - (C1) to (C11) of `rnn.cudnn_forward`.
    - (C12) `output` and `output_backprop` are `[T, B, D*P]`; `output_h` and `output_h_backprop` are like `input_h`;
      `output_c` and `output_c_backprop` are like `input_c` and present for `lstm` only.
    - (C13) `reserve_space` is one-dimensional.
    - (C14) value form: all results, no `outs`; memref form: no results, and the wanted `outs`.
    - (C15) `input_backprop`, `input_h_backprop`, `input_c_backprop`, `params_backprop` are shaped like the operands.

    Example:
    ```mlir
    func.func @backprop(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
                        %hn: tensor<1x2x4xf32>, %dy: tensor<5x2x4xf32>, %dhn: tensor<1x2x4xf32>, %r: tensor<?xi8>)
        -> tensor<?xf32> {
      %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
          params(%p : tensor<?xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
          grads(%dy, %dhn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>)
      return %dp : tensor<?xf32>
    }
    ```
  }];
  let arguments = !con((ins
    RNN_Float:$input /*C3*/, RNN_Float:$input_h /*C4*/, Optional<RNN_Float>:$input_c /*C5*/,
    RNN_Float:$params /*C7*/, Optional<RNN_Lengths>:$sequence_lengths /*C11*/,
    RNN_Float:$output /*C12*/, RNN_Float:$output_h /*C12*/, Optional<RNN_Float>:$output_c /*C12*/,
    RNN_Float:$output_backprop /*C12*/, RNN_Float:$output_h_backprop /*C12*/,
    Optional<RNN_Float>:$output_c_backprop /*C12*/, RNN_Reserve:$reserve_space /*C13*/,
    Optional<RNN_Float>:$input_backprop_out, Optional<RNN_Float>:$input_h_backprop_out,
    Optional<RNN_Float>:$input_c_backprop_out, Optional<RNN_Float>:$params_backprop_out),
    RNN_CudnnConfig, RNN_CudnnLayerConfig);
  let results = (outs Optional<RNN_Float>:$input_backprop, Optional<RNN_Float>:$input_h_backprop,
    Optional<RNN_Float>:$input_c_backprop, Optional<RNN_Float>:$params_backprop);
  let hasCanonicalizer = 1;
}

// Sizes as index values; they are operands because a program may compute them.
defvar RNN_CudnnSizes = (ins Index:$layers, Index:$units, Index:$input_size);

class RNN_CudnnSizeOp<string mnemonic, list<Trait> traits = []>
    : RNN_Op<mnemonic, traits # [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let results = (outs Index:$size);
}

def RNN_CudnnParamsSizeOp : RNN_CudnnSizeOp<"cudnn_params_size"> {
  let summary = "number of elements in the opaque parameters of a stack of recurrent layers";
  let description = [{
    Gives the elements (not bytes) of `params` for `layers` layers of `units` hidden units over an input of
    `input_size`; models `CudnnRNNParamsSize`. The device decides the layout, so the op is folded only where a
    lowering is known. It works on scalars, so one form serves tensors and memrefs.

    Constraints:
    - (S1) constant sizes are positive, and 64 bits can count the parameters that they make.
    - (S2) `skip_input` needs `input_size = units`; `auto_select` needs constant sizes.
    - (S3) `num_proj` is 0, or for `lstm` at least 1 and at most `units`.
    - (S6) `element_type` is `f16`, `bf16`, `f32` or `f64`.

    Example:
    ```mlir
    func.func @size(%layers: index, %units: index, %inputs: index) -> index {
      %n = rnn.cudnn_params_size lstm, bidirectional sizes(%layers, %units, %inputs) {element_type = f32}
      return %n : index
    }
    ```
  }];
  let arguments = !con(RNN_CudnnSizes, RNN_CudnnConfig, (ins DefaultValuedAttr<I64Attr, "0">:$num_proj,
    TypeAttr:$element_type, OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

def RNN_CudnnReserveSizeOp : RNN_CudnnSizeOp<"cudnn_reserve_size"> {
  let summary = "bytes of the reserve space that a training forward writes";
  let description = [{
    Gives the size of `reserve_space` of `rnn.cudnn_forward` with the same attributes and sizes. The device decides it;
    bufferization creates this op to allocate the buffer, and shape reification to name the dimension.

    Constraints:
    - (S1), (S2), (S3), (S6) of `rnn.cudnn_params_size`; `extent` is among the sizes.
    - (C9), (C10) of `rnn.cudnn_forward`.

    Example:
    ```mlir
    func.func @bytes(%t: index, %b: index, %l: index, %h: index, %i: index) -> index {
      %n = rnn.cudnn_reserve_size gru sizes(%l, %h, %i) extent(%t, %b) {element_type = f16}
      return %n : index
    }
    ```
  }];
  let arguments = !con(RNN_CudnnSizes, (ins Index:$steps, Index:$batch), RNN_CudnnConfig, (ins
    DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<I64Attr, "0">:$seed2, DefaultValuedAttr<I64Attr, "0">:$num_proj, TypeAttr:$element_type,
    OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

def RNN_CudnnCanonicalToParamsOp : RNN_LayerOp<"cudnn_canonical_to_params"> {
  let summary = "opaque parameters from the matrices and biases of every gate";
  let description = [{
    Writes canonical weights and biases into one opaque buffer; models `CudnnRNNCanonicalToParams(V2)`. Per layer and
    direction (layer major, forward first): the input matrices `[H, I]` (`[H, D*P]` above the first layer) by gate, the
    recurrent matrices `[H, P]` by gate, the projection `[P, H]` if there is one; biases `[H]` likewise. Tensors may
    have any shape with the right number of elements. With `skip_input` the first layer's input matrices have none.

    Constraints:
    - (S1), (S2), (S3) of `rnn.cudnn_params_size`, and (C1), (C2) of `rnn.cudnn_forward`.
    - (S4) there are `L*D*k` weights and `L*D*m` biases, `m` = 8 (lstm), 6 (gru), 2 (rnn_*), and `k = m`, or `m + 1`
      with a projection to a size other than `units`.
    - (S5) every weight and bias has the number of elements that its place asks for.
    - (C7) `params` is one-dimensional and holds at least the elements of all matrices and biases.
    - (C14) value form: the result, no `outs`; memref form: no result, and `outs`.

    Example:
    ```mlir
    func.func @pack(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %bw: tensor<4xf32>, %br: tensor<4xf32>)
        -> tensor<?xf32> {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3)
          weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%bw, %br : tensor<4xf32>)
      return %p : tensor<?xf32>
    }
    ```
  }];
  let arguments = !con(RNN_CudnnSizes, (ins Variadic<RNN_Float>:$weights, Variadic<RNN_Float>:$biases,
    Optional<RNN_Float>:$params_out), RNN_CudnnConfig, (ins DefaultValuedAttr<I64Attr, "0">:$num_proj,
    OptionalAttr<RNN_LoweringAttr>:$lowering));
  let results = (outs Optional<RNN_Float>:$params);
  let hasCanonicalizer = 1;
}

// Its results are written out, because their number is a matter of a value (`layers`).
def RNN_CudnnParamsToCanonicalOp : RNN_Op<"cudnn_params_to_canonical", [AttrSizedOperandSegments,
    AttrSizedResultSegments, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "the matrices and biases of every gate from opaque parameters";
  let description = [{
    The inverse of `rnn.cudnn_canonical_to_params`; models `CudnnRNNParamsToCanonical(V2)`. Weights are rank 2, biases
    rank 1, in the same order.

    Constraints:
    - (S1), (S2), (S3) of `rnn.cudnn_params_size`, (C1), (C2) and (C7) of `rnn.cudnn_forward`.
    - (S4) of `rnn.cudnn_canonical_to_params` for the results.
    - (S5) every result or out has the shape that its place asks for.
    - (C14) value form: all results, no `outs`; memref form: no results, and all `outs`.

    Example:
    ```mlir
    func.func @unpack(%p: tensor<36xf32>) -> tensor<4x3xf32> {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %w, %r, %bw, %br = rnn.cudnn_params_to_canonical rnn_relu sizes(%c1, %c4, %c3) params(%p : tensor<36xf32>)
          -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
      return %w : tensor<4x3xf32>
    }
    ```
  }];
  let arguments = !con(RNN_CudnnSizes, (ins RNN_Float:$params, Variadic<RNN_Float>:$weights_out,
    Variadic<RNN_Float>:$biases_out), RNN_CudnnConfig, (ins DefaultValuedAttr<I64Attr, "0">:$num_proj,
    OptionalAttr<RNN_LoweringAttr>:$lowering));
  let results = (outs Variadic<RNN_Float>:$weights, Variadic<RNN_Float>:$biases);
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// The block family
//===----------------------------------------------------------------------===//

defvar RNN_BlockOperands = (ins
  RNN_Float:$x /*B3*/, RNN_Float:$cs_prev /*B4*/, RNN_Float:$h_prev /*B4*/, RNN_Float:$w /*B5*/,
  RNN_Float:$wci /*B6*/, RNN_Float:$wcf /*B6*/, RNN_Float:$wco /*B6*/, RNN_Float:$b /*B6*/,
  Optional<I64>:$seq_len_max /*B7*/);

defvar RNN_BlockConfig = (ins RNN_GateLayoutAttr:$layout, UnitAttr:$use_peephole);

def RNN_BlockLSTMOp : RNN_LayerOp<"block_lstm", [AttrSizedResultSegments]> {
  let summary = "forward pass of one LSTM layer with explicit matrices";
  let description = [{
    Runs `seq_len_max` of `T` steps; models `BlockLSTM` (`icfo`) and `BlockLSTMV2` (`ifco`). Terms in brackets need
    `use_peephole`:

        G  = [x, h] w + b                      split by `layout` into Gi Gc Gf Go
        i  = sigmoid(Gi [+ c * wci])           ci = tanh(Gc)
        f  = sigmoid(Gf + forget_bias [+ c * wcf])
        cs = i * ci + f * c                    clipped to [-cell_clip, cell_clip] if cell_clip > 0
        o  = sigmoid(Go [+ cs * wco])          co = tanh(cs)         h = o * co

    All gates are stored after their activation, `cs` after the clip. Every result is zero at steps from `seq_len_max`
    on. Without `seq_len_max` all `T` steps run.

    Constraints:
    - (B1) all floating-point operands and results have one element type.
    - (B2) every operand and result has the rank of its shape below, and less than 2^63 bytes.
    - (B3) `x` is `[T, B, I]`.
    - (B4) `cs_prev` and `h_prev` are `[B, H]` with `H > 0`.
    - (B5) `w` is `[I + H, 4*H]`.
    - (B6) `wci`, `wcf`, `wco` are `[H]` and `b` is `[4*H]`.
    - (B7) a constant `seq_len_max` is in `[0, T]`.
    - (B8) all results are `[T, B, H]`.
    - (B10) `forget_bias` and `cell_clip` are not NaN.
    - (B11) value form: all results, no `outs`; memref form: no results, and the wanted `outs`.

    Example:
    ```mlir
    func.func @block(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                     %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
      %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>)
          state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>)
          bias(%b : tensor<16xf32>) {cell_clip = 3.0, forget_bias = 1.0, use_peephole}
      return %h : tensor<5x2x4xf32>
    }
    ```
  }];
  let arguments = !con(RNN_BlockOperands, (ins
    Optional<RNN_Float>:$i_out, Optional<RNN_Float>:$cs_out, Optional<RNN_Float>:$f_out, Optional<RNN_Float>:$o_out,
    Optional<RNN_Float>:$ci_out, Optional<RNN_Float>:$co_out, Optional<RNN_Float>:$h_out), RNN_BlockConfig, (ins
    DefaultValuedAttr<F64Attr, "0.0">:$forget_bias, DefaultValuedAttr<F64Attr, "0.0">:$cell_clip,
    OptionalAttr<RNN_LoweringAttr>:$lowering));
  let results = (outs Optional<RNN_Float>:$i, Optional<RNN_Float>:$cs, Optional<RNN_Float>:$f, Optional<RNN_Float>:$o,
    Optional<RNN_Float>:$ci, Optional<RNN_Float>:$co, Optional<RNN_Float>:$h /*B8*/);
  let hasCanonicalizer = 1;
}

def RNN_BlockLSTMGradOp : RNN_LayerOp<"block_lstm_grad", [AttrSizedResultSegments]> {
  let summary = "gradient of one LSTM layer with explicit matrices";
  let description = [{
    The gradient of `rnn.block_lstm` from its stored results; models `BlockLSTMGrad` (`icfo`) and `BlockLSTMGradV2`
    (`ifco`). For t = seq_len_max - 1 down to 0, with `Kc`, `Kh` carried back from zero:

        gc  = Kc + cs_grad[t]                       gh  = Kh + h_grad[t]
        do  = o (1 - o) gh co                       dcs = (1 - co^2) gh o + gc [+ do wco]
        dci = (1 - ci^2) dcs i      df = f (1 - f) dcs c      di = i (1 - i) dcs ci
        dG  = {di, dci, df, do} by `layout`         Kc  = dcs f [+ di wci + df wcf]
        [x_grad[t], Kh] = dG w^T    w_grad += [x, h]^T dG     b_grad += sum over the batch of dG

    `cs_prev_grad = Kc`, `h_prev_grad = Kh`, `x_grad` is zero from `seq_len_max` on, and nothing at those steps is
    read. Without `use_peephole` the peephole gradients are zero. A clip in the forward is ignored, as in TensorFlow: it
    counts as having slope 1. A result without uses is not computed.

    Constraints:
    - (B1) to (B7) of `rnn.block_lstm`.
    - (B8) `i`, `cs`, `f`, `o`, `ci`, `co`, `h`, `cs_grad` and `h_grad` are `[T, B, H]`.
    - (B9) results are shaped like `x`, `cs_prev`, `h_prev`, `w`, `wci`, `wcf`, `wco` and `b`.
    - (B11) value form: all results, no `outs`; memref form: no results, and the wanted `outs`.

    Example:
    ```mlir
    func.func @grad(%n: i64, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) -> tensor<7x16xf32> {
      %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>)
          state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>)
          bias(%b : tensor<16xf32>) seq_len_max(%n) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>)
          grads(%g, %g : tensor<5x2x4xf32>)
      return %dw : tensor<7x16xf32>
    }
    ```
  }];
  let arguments = !con(RNN_BlockOperands, (ins
    RNN_Float:$i /*B8*/, RNN_Float:$cs /*B8*/, RNN_Float:$f /*B8*/, RNN_Float:$o /*B8*/, RNN_Float:$ci /*B8*/,
    RNN_Float:$co /*B8*/, RNN_Float:$h /*B8*/, RNN_Float:$cs_grad /*B8*/, RNN_Float:$h_grad /*B8*/,
    Optional<RNN_Float>:$x_grad_out, Optional<RNN_Float>:$cs_prev_grad_out, Optional<RNN_Float>:$h_prev_grad_out,
    Optional<RNN_Float>:$w_grad_out, Optional<RNN_Float>:$wci_grad_out, Optional<RNN_Float>:$wcf_grad_out,
    Optional<RNN_Float>:$wco_grad_out, Optional<RNN_Float>:$b_grad_out), RNN_BlockConfig,
    (ins OptionalAttr<RNN_LoweringAttr>:$lowering));
  let results = (outs Optional<RNN_Float>:$x_grad, Optional<RNN_Float>:$cs_prev_grad,
    Optional<RNN_Float>:$h_prev_grad, Optional<RNN_Float>:$w_grad, Optional<RNN_Float>:$wci_grad,
    Optional<RNN_Float>:$wcf_grad, Optional<RNN_Float>:$wco_grad, Optional<RNN_Float>:$b_grad /*B9*/);
  let hasCanonicalizer = 1;
}

#endif // RNN_DIALECT_RNN_IR_RNNOPS_TD
