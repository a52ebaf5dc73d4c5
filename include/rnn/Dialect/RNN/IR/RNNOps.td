//===- RNNOps.td - the ops of the rnn dialect -*- tablegen -*-===//
//
// The cudnn ops (stacks of layers with opaque parameters) and the block ops (one LSTM layer with explicit matrices).
// docs/Dialects/RNN/Rationale.md explains the design. A label such as (C3) names the same rule in the description, in
// the verifier, in run-time checks and in test/Dialect/RNN/invalid-*.mlir.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNOPS_TD
#define RNN_DIALECT_RNN_IR_RNNOPS_TD

include "rnn/Dialect/RNN/IR/RNNAttrs.td"
include "rnn/Dialect/RNN/IR/RNNDialect.td"
include "rnn/Dialect/RNN/IR/RNNInterfaces.td"
include "rnn/Dialect/RNN/IR/RNNValues.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// The assembly, the verifier, type inference and memory effects are shared by all ops: RNNAssembly.cpp and RNNOps.cpp
// implement them over the signature. A definition lists only what differs.
class RNN_Op<RNN_Signature signature, list<Trait> traits = []>
    : Op<RNN_Dialect, signature.mnemonic, traits # [
        DeclareOpInterfaceMethods<RNN_LayerOpInterface, ["getSignature", "collectShapeRules", "verifyAttributes",
                                                               "verifySizes"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let results = signature.results;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = signature.cpp;
}

// An op whose result types follow from its operands and attributes.
class RNN_LayerOp<RNN_Signature signature, list<Trait> traits = []>
    : RNN_Op<signature, traits # [
        AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
}

//===----------------------------------------------------------------------===//
// cuDNN layers
//===----------------------------------------------------------------------===//

defvar RNN_CudnnKeywords = ["mode", "direction", "input_mode"];

defvar RNN_CudnnConfig = (ins
  RNN_CellModeAttr:$mode,
  DefaultValuedAttr<RNN_DirectionAttr, "::mlir::rnn::Direction::Unidirectional">:$direction,
  DefaultValuedAttr<RNN_InputModeAttr, "::mlir::rnn::InputMode::LinearInput">:$input_mode);

// The marks follow all other operands. `label` names the rule that checks the shape.
class RNN_ResetsGroup<string label> : RNN_Group<"resets", [
  RNN_Value<"resets", RNN_ResetsKind, ["T", "B"], label, "i1 marks: reset the states before this step", 1>]>;

// The elements of the buffer `of` at which the tensors of separate parameters begin.
class RNN_OffsetsValue<string valueName, string of> : RNN_Value<valueName, RNN_OffsetsKind, ["L*D", "5"], "C17",
  "where the tensors of each layer and direction begin in `" # of # "`, memref form only", 1>;
def RNN_ParamsOffsets : RNN_OffsetsValue<"params_offsets", "params">;
def RNN_ParamsBackpropOffsets : RNN_OffsetsValue<"params_backprop_offsets", "params_backprop">;

// The state before a step with a mark.
def RNN_ResetToConfig : DefaultValuedAttr<RNN_ResetToAttr, "::mlir::rnn::ResetTo::Zero">;

defvar RNN_CudnnLayerConfig = (ins
  DefaultValuedAttr<F64Attr, "0.0">:$dropout,
  DefaultValuedAttr<I64Attr, "0">:$seed,
  DefaultValuedAttr<I64Attr, "0">:$seed2,
  DefaultValuedAttr<I64Attr, "0">:$num_proj,
  RNN_ResetToConfig:$reset_to,
  UnitAttr:$batch_major,
  OptionalAttr<RNN_LoweringAttr>:$lowering);

defvar RNN_CudnnOperands = [
  RNN_Group<"input", [RNN_Value<"input", RNN_FloatKind, ["T", "B", "I"], "C3", "input of the first layer">]>,
  RNN_Group<"state", [
    RNN_Value<"input_h", RNN_FloatKind, ["L*D", "B", "P"], "C4", "initial hidden states">,
    RNN_Value<"input_c", RNN_FloatKind, ["L*D", "B", "H"], "C5", "initial cell states, `lstm` only", 1>]>,
  RNN_Group<"params", [RNN_Value<"params", RNN_FloatKind, ["N"], "C7", "all matrices and biases">]>,
  RNN_Group<"lengths", [
    RNN_Value<"sequence_lengths", RNN_LengthsKind, ["B"], "C11", "steps of each batch row; default `T`", 1>]>];

defvar RNN_CudnnForwardSignature = RNN_Signature<"cudnn_forward", RNN_CudnnKeywords, RNN_CudnnOperands # [
  RNN_ResetsGroup<"C16">, RNN_Group<"offsets", [RNN_ParamsOffsets]>], [
  RNN_Value<"output", RNN_FloatKind, ["T", "B", "D*P"], "C12", "hidden states of the last layer, all steps">,
  RNN_Value<"output_h", RNN_FloatKind, ["L*D", "B", "P"], "C12", "final hidden states">,
  RNN_Value<"output_c", RNN_FloatKind, ["L*D", "B", "H"], "C12", "final cell states, `lstm` only">,
  RNN_Value<"reserve_space", RNN_ReserveKind, ["bytes"], "C13", "saved values for the gradient">],
  "C1", "C2", "C14">;

def RNN_CudnnForwardOp : RNN_LayerOp<RNN_CudnnForwardSignature, [AttrSizedResultSegments]> {
  let summary = "forward pass of a stack of recurrent layers with opaque parameters";
  let description = !strconcat([{
    Runs `L` layers with cell `mode` over `T` steps. Models `CudnnRNN` and, with `sequence_lengths`, `CudnnRNNV3`. At
    each step of a layer and direction, `x` is the input of the layer and `h`, `c` are the states before the step
    ([Semantics: cuDNN layers](../../Semantics.md#cudnn-layers)):

        rnn_*  h' = max(a, 0) | tanh(a)            a = W x + R h + bW + bR
        lstm   i  = sigmoid(Wi x + Ri h + bWi + bRi)          f and o likewise
               g  = tanh(Wg x + Rg h + bWg + bRg)             c' = f * c + i * g
               h' = o * tanh(c')                              with num_proj: h' = Wr (o * tanh(c'))
        gru    r  = sigmoid(Wr x + Rr h + bWr + bRr)          z likewise
               n  = tanh(Wn x + bWn + r * (Rn h + bRn))       h' = (1 - z) * n + z * h

    The input of layer `k + 1` is the concatenated output of all directions of layer `k`. If `is_training`, dropout
    zeros each of its elements with probability `dropout` and scales the others by `1 / (1 - dropout)`. With
    `skip_input`, the first layer has no `W`: every gate uses `x` in place of `W x`, and the biases `bW` remain. From
    its sequence length on, a batch row keeps its states and its output is zero.

    If `resets[t, b]` is set, the states of batch row `b` before step `t` are zero (`reset_to = zero`), or `input_h` and
    `input_c` of the layer and direction (`initial`), in every layer. The reverse direction is cut between the same two
    steps: before its step `t - 1`. Steps past the sequence length ignore resets
    ([Resets](../../Semantics.md#resets)).

    Sequences are time-major: step `t` of all examples is contiguous. With `batch_major`, `input`, `output` and `resets`
    are `[B, T, ...]` instead of `[T, B, ...]` ([Batch-major data](../../Semantics.md#batch-major-data)). The gradient op
    must have the same value.

    `params` holds all matrices in layer order, then all biases. Each layer and direction has `W` by gate, `R` by gate
    and the projection `Wr`; the biases are `bW` by gate, then `bR` by gate. The gate order is `i f g o` or `r z n`
    ([Parameter layout](../../Semantics.md#parameter-layout)). Frameworks that keep each tensor in an array of its own
    pass `params_offsets` instead of a copy
    ([Separate parameters](../../Semantics.md#separate-parameters)). `reserve_space` is opaque: pass it to the gradient
    unchanged. Dropout draws from the counter-based generator of the runtime, with both seeds as the key
    ([Dropout](../../Semantics.md#dropout)). The draw is the only side effect of the value form. The summation order
    inside GEMMs is unspecified. Accumulation is in f32, or f64 for f64
    ([Numerics](../../Semantics.md#numerics)).
  }], RNN_CudnnForwardSignature.tables, [{
    Constraints:
    - (C1) All floating-point operands and results have the element type `E`.
    - (C2) Every operand and result has the rank in the table and less than 2^63 bytes.
    - (C3) `input` is `[T, B, I]` with `T, B, I > 0`. With `batch_major`, `T` and `B` are exchanged here, in (C12) and
      in (C16).
    - (C4) `input_h` is `[L*D, B, P]` with `L, P > 0`.
    - (C5) `input_c` is `[L*D, B, H]` for `lstm`, and absent otherwise.
    - (C6) `num_proj` is 0 or, for `lstm`, in `[1, H]`. `P` is `num_proj` if it is positive, and `H` otherwise. There
      is no projection matrix if `P = H`, as in cuDNN.
    - (C7) `params` has the elements that `rnn.cudnn_params_size` returns: those of all matrices and biases, or more if
      cuDNN runs the layer. The verifier accepts more, stage `select` only then.
    - (C8) `skip_input` requires `I = H`; `auto_select` requires static `I` and `H`.
    - (C9) `dropout` is in `[0, 1]`.
    - (C10) `seed` and `seed2` fit in 32 bits.
    - (C11) `sequence_lengths` is `[B]`; the elements of a constant are in `[0, T]`.
    - (C12) `output` is `[T, B, D*P]`; `output_h` is shaped like `input_h`, `output_c` like `input_c`.
    - (C13) `reserve_space` has rank 1, and no elements unless `is_training`.
    - (C14) The value form has all results and no `outs`. The memref form has no results, and `outs` for the requested
      results only.
    - (C16) `resets` is `[T, B]`; `reset_to` requires it.
    - (C17) `params_offsets` is `[L*D, 5]`, or has no rows: then `params` has the opaque layout. It requires lowering
      `fused`, and is for target `host`. Each row has the offsets of `W`, `R`, `Wr`, `bW` and `bR` in elements of
      `params`; tensors that the layer does not have are ignored. The tensors lie within `params`, which replaces (C7).
  }], RNN_CudnnForwardSignature.assembly, [{
    Example:
    ```mlir
    func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>, %p: tensor<?xf32>)
        -> tensor<5x2x4xf32> {
      %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<2x2x4xf32>)
          params(%p : tensor<?xf32>) {dropout = 0.5, seed = 7 : i64}
      return %y : tensor<5x2x4xf32>
    }
    ```
  }]);
  let arguments = !con(RNN_CudnnForwardSignature.arguments, RNN_CudnnConfig, RNN_CudnnLayerConfig,
    (ins DefaultValuedAttr<BoolAttr, "true">:$is_training));
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Returns true if the op draws random numbers: in training with positive dropout, unless the stack has a single
    /// layer. Only then is the value form impure.
    bool drawsDropout();
  }];
}

defvar RNN_CudnnBackpropSignature = RNN_Signature<"cudnn_backprop", RNN_CudnnKeywords, RNN_CudnnOperands # [
  RNN_Group<"output", [
    RNN_Value<"output", RNN_FloatKind, ["T", "B", "D*P"], "C12", "result of the forward op">,
    RNN_Value<"output_h", RNN_FloatKind, ["L*D", "B", "P"], "C12", "result of the forward op">,
    RNN_Value<"output_c", RNN_FloatKind, ["L*D", "B", "H"], "C12", "result of the forward op, `lstm` only", 1>]>,
  RNN_Group<"grads", [
    RNN_Value<"output_backprop", RNN_FloatKind, ["T", "B", "D*P"], "C12", "gradient of `output`">,
    RNN_Value<"output_h_backprop", RNN_FloatKind, ["L*D", "B", "P"], "C12", "gradient of `output_h`">,
    RNN_Value<"output_c_backprop", RNN_FloatKind, ["L*D", "B", "H"], "C12", "gradient of `output_c`, `lstm` only", 1>]>,
  RNN_Group<"reserve", [RNN_Value<"reserve_space", RNN_ReserveKind, ["bytes"], "C13",
                                  "saved values of the forward op, also written", 0, 0, /*isWritten=*/1>]>,
  RNN_ResetsGroup<"C16">, RNN_Group<"offsets", [RNN_ParamsOffsets, RNN_ParamsBackpropOffsets]>], [
  RNN_Value<"input_backprop", RNN_FloatKind, ["T", "B", "I"], "C15", "gradient of `input`">,
  RNN_Value<"input_h_backprop", RNN_FloatKind, ["L*D", "B", "P"], "C15", "gradient of `input_h`">,
  RNN_Value<"input_c_backprop", RNN_FloatKind, ["L*D", "B", "H"], "C15", "gradient of `input_c`, `lstm` only">,
  RNN_Value<"params_backprop", RNN_FloatKind, ["N"], "C15", "gradient of `params`">],
  "C1", "C2", "C14">;

def RNN_CudnnBackpropOp : RNN_LayerOp<RNN_CudnnBackpropSignature, [AttrSizedResultSegments]> {
  let summary = "gradient of a stack of recurrent layers with opaque parameters";
  let description = !strconcat([{
    Computes the gradients of the scalar

        sum(output * output_backprop) + sum(output_h * output_h_backprop) [+ sum(output_c * output_c_backprop)]

    with respect to `input`, `input_h`, `input_c` and `params`. Models `CudnnRNNBackprop` and, with
    `sequence_lengths`, `CudnnRNNBackpropV3`. [Semantics: cuDNN layers](../../Semantics.md#cudnn-layers) has the
    equations. The results are overwritten, not accumulated. Only results with uses are computed. `resets` must be those
    of the forward op: no gradient passes a reset to zero; a reset to the initial state adds to `input_h_backprop` and
    `input_c_backprop`. With `batch_major`, `input`, `output`, their gradients and `resets` are `[B, T, ...]`.

    With `params_offsets`, `params_backprop` has the tensors where `params_backprop_offsets` has them, or the opaque
    layout without it. No other elements of it are written.

    `reserve_space` must come from the forward op with the same operands and attributes. The op reads *and writes* it:
    the value form consumes the value, and bufferization copies the buffer if it has another reader. With lowering
    `fused` the op only reads it, and bufferization does not copy it.
  }], RNN_CudnnBackpropSignature.tables, [{
    Constraints:
    - (C1) to (C11) of `rnn.cudnn_forward`.
    - (C12) `output` and `output_backprop` are `[T, B, D*P]`. `output_h` and `output_h_backprop` are shaped like
      `input_h`. `output_c` and `output_c_backprop` are shaped like `input_c` for `lstm`, and absent otherwise.
    - (C13) `reserve_space` has rank 1.
    - (C14) The value form has all results and no `outs`. The memref form has no results, and `outs` for the requested
      results only.
    - (C15) The results are shaped like `input`, `input_h`, `input_c` and `params`.
    - (C16) of `rnn.cudnn_forward`.
    - (C17) of `rnn.cudnn_forward`, also for `params_backprop_offsets` and `params_backprop`, which replaces the size of
      `params_backprop` in (C15). `params_backprop_offsets` requires `params_offsets`.
  }], RNN_CudnnBackpropSignature.assembly, [{
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
  }]);
  let arguments = !con(RNN_CudnnBackpropSignature.arguments, RNN_CudnnConfig, RNN_CudnnLayerConfig);
  let hasCanonicalizer = 1;
}

// The sizes are operands because a program may compute them.
defvar RNN_CudnnSizes = [RNN_Group<"sizes", [
  RNN_Value<"layers", RNN_IndexKind, [], "S1", "number of layers, `L`">,
  RNN_Value<"units", RNN_IndexKind, [], "S1", "hidden size, `H`">,
  RNN_Value<"input_size", RNN_IndexKind, [], "S1", "input size, `I`">]>];

class RNN_CudnnSizeOp<RNN_Signature signature, list<Trait> traits = []>
    : RNN_Op<signature, traits # [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let results = (outs Index:$size);
}

defvar RNN_CudnnParamsSizeSignature = RNN_Signature<"cudnn_params_size", RNN_CudnnKeywords, RNN_CudnnSizes>;

def RNN_CudnnParamsSizeOp : RNN_CudnnSizeOp<RNN_CudnnParamsSizeSignature> {
  let summary = "number of elements in the opaque parameters of a stack of recurrent layers";
  let description = !strconcat([{
    Returns the number of elements (not bytes) of `params` for `layers` layers of `units` hidden units with an input
    of `input_size` features. Models `CudnnRNNParamsSize`. The device decides the layout, so the op folds only if its
    lowering is known ([Parameter layout](../../Semantics.md#parameter-layout)). All operands are scalars: the op has
    one form for tensor and memref programs.
  }], RNN_CudnnParamsSizeSignature.tables, [{
    Constraints:
    - (S1) Constant sizes are positive, and the number of parameters fits in 64 bits.
    - (S2) `skip_input` requires `input_size = units`; `auto_select` requires constant sizes.
    - (S3) `num_proj` is 0 or, for `lstm`, in `[1, units]`.
    - (S6) `element_type` is `f16`, `bf16`, `f32` or `f64`.
  }], RNN_CudnnParamsSizeSignature.assembly, [{
    Example:
    ```mlir
    func.func @size(%layers: index, %units: index, %inputs: index) -> index {
      %n = rnn.cudnn_params_size lstm, bidirectional sizes(%layers, %units, %inputs) {element_type = f32}
      return %n : index
    }
    ```
  }]);
  let arguments = !con(RNN_CudnnParamsSizeSignature.arguments, RNN_CudnnConfig, (ins
    DefaultValuedAttr<I64Attr, "0">:$num_proj, TypeAttr:$element_type, OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

defvar RNN_CudnnReserveSizeSignature = RNN_Signature<"cudnn_reserve_size", RNN_CudnnKeywords, RNN_CudnnSizes # [
  RNN_Group<"extent", [
    RNN_Value<"steps", RNN_IndexKind, [], "S1", "number of steps, `T`">,
    RNN_Value<"batch", RNN_IndexKind, [], "S1", "batch size, `B`">]>]>;

def RNN_CudnnReserveSizeOp : RNN_CudnnSizeOp<RNN_CudnnReserveSizeSignature> {
  let summary = "number of bytes in the reserve space of a training forward pass";
  let description = !strconcat([{
    Returns the size of `reserve_space` of an `rnn.cudnn_forward` with the same attributes and sizes. The device
    decides the size. Bufferization creates this op to allocate the buffer, and shape reification to express the
    dimension.
  }], RNN_CudnnReserveSizeSignature.tables, [{
    Constraints:
    - (S1), (S2), (S3), (S6) of `rnn.cudnn_params_size`; (S1) includes `steps` and `batch`.
    - (C9), (C10) of `rnn.cudnn_forward`.
  }], RNN_CudnnReserveSizeSignature.assembly, [{
    Example:
    ```mlir
    func.func @bytes(%t: index, %b: index, %l: index, %h: index, %i: index) -> index {
      %n = rnn.cudnn_reserve_size gru sizes(%l, %h, %i) extent(%t, %b) {element_type = f16}
      return %n : index
    }
    ```
  }]);
  let arguments = !con(RNN_CudnnReserveSizeSignature.arguments, RNN_CudnnConfig, (ins
    DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<I64Attr, "0">:$seed2, DefaultValuedAttr<I64Attr, "0">:$num_proj, UnitAttr:$batch_major,
    TypeAttr:$element_type, OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

defvar RNN_CudnnCanonicalToParamsSignature =
  RNN_Signature<"cudnn_canonical_to_params", RNN_CudnnKeywords, RNN_CudnnSizes # [
    RNN_Group<"weights", [
      RNN_Value<"weights", RNN_FloatKind, [], "S4, S5", "matrices in canonical order", 0, /*isVariadic=*/1>]>,
    RNN_Group<"biases", [
      RNN_Value<"biases", RNN_FloatKind, [], "S4, S5", "biases in canonical order", 0, /*isVariadic=*/1>]>],
    [RNN_Value<"params", RNN_FloatKind, ["N"], "C7", "all matrices and biases">], "C1", "C2", "C14">;

def RNN_CudnnCanonicalToParamsOp : RNN_LayerOp<RNN_CudnnCanonicalToParamsSignature> {
  let summary = "packs the matrices and biases of all gates into opaque parameters";
  let description = !strconcat([{
    Writes canonical weights and biases into one opaque buffer. Models `CudnnRNNCanonicalToParams` and its V2. In
    canonical order, each layer and direction (layer major, forward direction first) has the input matrices by gate
    (`[H, I]`, or `[H, D*P]` above the first layer), the recurrent matrices by gate (`[H, P]`) and, with a projection,
    the projection matrix (`[P, H]`). The biases (`[H]`) follow the same order. A tensor may have any shape with the
    right number of elements. With `skip_input`, the input matrices of the first layer have no elements.
  }], RNN_CudnnCanonicalToParamsSignature.tables, [{
    Constraints:
    - (S1), (S2), (S3) of `rnn.cudnn_params_size`, and (C1), (C2) of `rnn.cudnn_forward`.
    - (S4) There are `L*D*k` weights and `L*D*m` biases. `m` is 8 for `lstm`, 6 for `gru` and 2 for `rnn_*`. `k` is
      `m`, or `m + 1` with a projection to fewer than `units` elements.
    - (S5) Every weight and bias has the number of elements of its canonical matrix or bias.
    - (C7) `params` has rank 1 and the elements that `rnn.cudnn_params_size` returns, as in `rnn.cudnn_forward`.
    - (C14) The value form has the result and no `outs`. The memref form has no result, and `outs`.
  }], RNN_CudnnCanonicalToParamsSignature.assembly, [{
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
  }]);
  let arguments = !con(RNN_CudnnCanonicalToParamsSignature.arguments, RNN_CudnnConfig, (ins
    DefaultValuedAttr<I64Attr, "0">:$num_proj, OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

defvar RNN_CudnnParamsToCanonicalSignature =
  RNN_Signature<"cudnn_params_to_canonical", RNN_CudnnKeywords, RNN_CudnnSizes # [
    RNN_Group<"params", [RNN_Value<"params", RNN_FloatKind, ["N"], "C7", "all matrices and biases">]>], [
    RNN_Value<"weights", RNN_FloatKind, ["rows", "columns"], "S4, S5", "matrices in canonical order", 0,
              /*isVariadic=*/1>,
    RNN_Value<"biases", RNN_FloatKind, ["H"], "S4, S5", "biases in canonical order", 0, /*isVariadic=*/1>],
    "C1", "C2", "C14">;

// The number of results depends on the value of `layers`, so the assembly always has the result types.
def RNN_CudnnParamsToCanonicalOp : RNN_Op<RNN_CudnnParamsToCanonicalSignature, [AttrSizedOperandSegments,
    AttrSizedResultSegments, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "unpacks opaque parameters into the matrices and biases of all gates";
  let description = !strconcat([{
    The inverse of `rnn.cudnn_canonical_to_params`, with the same canonical order. Models `CudnnRNNParamsToCanonical`
    and its V2.
  }], RNN_CudnnParamsToCanonicalSignature.tables, [{
    Constraints:
    - (S1), (S2), (S3) of `rnn.cudnn_params_size`, and (C1), (C2), (C7) of `rnn.cudnn_forward`.
    - (S4) of `rnn.cudnn_canonical_to_params`, for the results.
    - (S5) Every result or `outs` buffer has the shape of its canonical matrix or bias.
    - (C14) The value form has all results and no `outs`. The memref form has no results, and `outs` for all of them.
  }], RNN_CudnnParamsToCanonicalSignature.assembly, [{
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
  }]);
  let arguments = !con(RNN_CudnnParamsToCanonicalSignature.arguments, RNN_CudnnConfig, (ins
    DefaultValuedAttr<I64Attr, "0">:$num_proj, OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Block LSTM
//===----------------------------------------------------------------------===//

defvar RNN_BlockOperands = [
  RNN_Group<"x", [RNN_Value<"x", RNN_FloatKind, ["T", "B", "I"], "B3", "layer input">]>,
  RNN_Group<"state", [
    RNN_Value<"cs_prev", RNN_FloatKind, ["B", "H"], "B4", "initial cell state">,
    RNN_Value<"h_prev", RNN_FloatKind, ["B", "H"], "B4", "initial hidden state">]>,
  RNN_Group<"weights", [RNN_Value<"w", RNN_FloatKind, ["I + H", "4*H"], "B5",
                                  "input rows, then recurrent rows; one block of `H` columns per gate">]>,
  RNN_Group<"peephole", [
    RNN_Value<"wci", RNN_FloatKind, ["H"], "B6", "peephole weights of the input gate">,
    RNN_Value<"wcf", RNN_FloatKind, ["H"], "B6", "peephole weights of the forget gate">,
    RNN_Value<"wco", RNN_FloatKind, ["H"], "B6", "peephole weights of the output gate">]>,
  RNN_Group<"bias", [RNN_Value<"b", RNN_FloatKind, ["4*H"], "B6", "bias, in the column order of `w`">]>,
  RNN_Group<"seq_len_max", [RNN_Value<"seq_len_max", RNN_I64Kind, [], "B7", "steps to run; default `T`", 1>]>];

// Results of the forward op, which its gradient reads.
defvar RNN_BlockSaved = [
  RNN_Value<"i", RNN_FloatKind, ["T", "B", "H"], "B8", "input gate">,
  RNN_Value<"cs", RNN_FloatKind, ["T", "B", "H"], "B8", "cell state, clipped">,
  RNN_Value<"f", RNN_FloatKind, ["T", "B", "H"], "B8", "forget gate">,
  RNN_Value<"o", RNN_FloatKind, ["T", "B", "H"], "B8", "output gate">,
  RNN_Value<"ci", RNN_FloatKind, ["T", "B", "H"], "B8", "cell candidate">,
  RNN_Value<"co", RNN_FloatKind, ["T", "B", "H"], "B8", "`tanh(cs)`">,
  RNN_Value<"h", RNN_FloatKind, ["T", "B", "H"], "B8", "hidden state">];

defvar RNN_BlockConfig = (ins RNN_GateLayoutAttr:$layout, UnitAttr:$use_peephole, RNN_ResetToConfig:$reset_to,
  UnitAttr:$batch_major);

defvar RNN_BlockLSTMSignature =
  RNN_Signature<"block_lstm", ["layout"], RNN_BlockOperands # [RNN_ResetsGroup<"B12">],
                RNN_BlockSaved, "B1", "B2", "B11">;

def RNN_BlockLSTMOp : RNN_LayerOp<RNN_BlockLSTMSignature, [AttrSizedResultSegments]> {
  let summary = "forward pass of one LSTM layer with explicit matrices";
  let description = !strconcat([{
    Runs the first `seq_len_max` of `T` steps. Models `BlockLSTM` (layout `icfo`) and `BlockLSTMV2` (layout `ifco`).
    The layout is the order of the gates in the `4*H` columns of `w` and `b`: `i` input gate, `c` cell candidate, `f`
    forget gate, `o` output gate. `c` and `h` are the states before the step. Terms in brackets require `use_peephole`
    ([Semantics: Block LSTM](../../Semantics.md#block-lstm)):

        G  = [x, h] w + b                      split by layout into Gi, Gc, Gf, Go
        i  = sigmoid(Gi [+ c * wci])           ci = tanh(Gc)
        f  = sigmoid(Gf + forget_bias [+ c * wcf])
        cs = i * ci + f * c                    clipped to [-cell_clip, cell_clip] if cell_clip > 0
        o  = sigmoid(Go [+ cs * wco])          co = tanh(cs)         h = o * co

    The gates are stored after their activation, `cs` after clipping. All results are zero from step `seq_len_max` on.
    If `resets[t, b]` is set, `c` and `h` of batch row `b` before step `t` are zero (`reset_to = zero`), or `cs_prev` and
    `h_prev` (`initial`) ([Resets](../../Semantics.md#resets)). With `batch_major`, every operand and result with the
    dimensions `[T, B, ...]` is `[B, T, ...]` ([Batch-major data](../../Semantics.md#batch-major-data)).
  }], RNN_BlockLSTMSignature.tables, [{
    Constraints:
    - (B1) All floating-point operands and results have the element type `E`.
    - (B2) Every operand and result has the rank in the table and less than 2^63 bytes.
    - (B3) `x` is `[T, B, I]`. With `batch_major`, `T` and `B` are exchanged here, in (B8) and in (B12).
    - (B4) `cs_prev` and `h_prev` are `[B, H]` with `H > 0`.
    - (B5) `w` is `[I + H, 4*H]`.
    - (B6) `wci`, `wcf` and `wco` are `[H]`, and `b` is `[4*H]`.
    - (B7) `seq_len_max` is in `[0, T]`: a constant at compile time, other values at run time.
    - (B8) All results are `[T, B, H]`.
    - (B10) `forget_bias` and `cell_clip` are not NaN.
    - (B11) The value form has all results and no `outs`. The memref form has no results, and `outs` for the requested
      results only.
    - (B12) `resets` is `[T, B]`; `reset_to` requires it.
  }], RNN_BlockLSTMSignature.assembly, [{
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
  }]);
  let arguments = !con(RNN_BlockLSTMSignature.arguments, RNN_BlockConfig, (ins
    DefaultValuedAttr<F64Attr, "0.0">:$forget_bias, DefaultValuedAttr<F64Attr, "0.0">:$cell_clip,
    OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

defvar RNN_BlockLSTMGradSignature = RNN_Signature<"block_lstm_grad", ["layout"], RNN_BlockOperands # [
  RNN_Group<"saved", RNN_BlockSaved>,
  RNN_Group<"grads", [
    RNN_Value<"cs_grad", RNN_FloatKind, ["T", "B", "H"], "B8", "gradient of `cs`">,
    RNN_Value<"h_grad", RNN_FloatKind, ["T", "B", "H"], "B8", "gradient of `h`">]>,
  RNN_ResetsGroup<"B12">], [
  RNN_Value<"x_grad", RNN_FloatKind, ["T", "B", "I"], "B9", "gradient of `x`">,
  RNN_Value<"cs_prev_grad", RNN_FloatKind, ["B", "H"], "B9", "gradient of `cs_prev`">,
  RNN_Value<"h_prev_grad", RNN_FloatKind, ["B", "H"], "B9", "gradient of `h_prev`">,
  RNN_Value<"w_grad", RNN_FloatKind, ["I + H", "4*H"], "B9", "gradient of `w`">,
  RNN_Value<"wci_grad", RNN_FloatKind, ["H"], "B9", "gradient of `wci`">,
  RNN_Value<"wcf_grad", RNN_FloatKind, ["H"], "B9", "gradient of `wcf`">,
  RNN_Value<"wco_grad", RNN_FloatKind, ["H"], "B9", "gradient of `wco`">,
  RNN_Value<"b_grad", RNN_FloatKind, ["4*H"], "B9", "gradient of `b`">],
  "B1", "B2", "B11">;

def RNN_BlockLSTMGradOp : RNN_LayerOp<RNN_BlockLSTMGradSignature, [AttrSizedResultSegments]> {
  let summary = "gradient of one LSTM layer with explicit matrices";
  let description = !strconcat([{
    Computes the gradient of `rnn.block_lstm` from its saved results. Models `BlockLSTMGrad` (layout `icfo`) and
    `BlockLSTMGradV2` (layout `ifco`); `rnn.block_lstm` explains the layouts. Steps run from `t = seq_len_max - 1`
    down to 0. `Kc` and `Kh` are the gradients carried from step `t + 1`, zero at first. `c` and `h` are the states
    before the step, and all saved values are those of step `t`. Terms in brackets require `use_peephole` ([Semantics:
    Block LSTM](../../Semantics.md#block-lstm)):

        gc  = Kc + cs_grad[t]                       gh  = Kh + h_grad[t]
        do  = o (1 - o) gh co                       dcs = (1 - co^2) gh o + gc [+ do wco]
        dci = (1 - ci^2) dcs i      df = f (1 - f) dcs c      di = i (1 - i) dcs ci
        dG  = {di, dci, df, do} in layout order     Kc  = dcs f [+ di wci + df wcf]
        [x_grad[t], Kh] = dG w^T    w_grad += [x, h]^T dG     b_grad += sum over the batch of dG
        [wci_grad += sum over the batch of di c     wcf_grad += that of df c     wco_grad += that of do cs]

    At the end, `cs_prev_grad` is `Kc` and `h_prev_grad` is `Kh`. From step `seq_len_max` on, `x_grad` is zero and no
    operand is read. Without `use_peephole` the peephole gradients are zero. The gradient ignores clipping in the
    forward pass, as TensorFlow does: it uses slope 1. Only results with uses are computed. `resets` must be those of the
    forward op. If `resets[t, b]` is set, step `t` uses the reset `c` and `h`, and `Kc` and `Kh` of batch row `b` are then
    zero; with `reset_to = initial` they are added to `cs_prev_grad` and `h_prev_grad`. With `batch_major`, every operand
    and result with the dimensions `[T, B, ...]` is `[B, T, ...]`.
  }], RNN_BlockLSTMGradSignature.tables, [{
    Constraints:
    - (B1) to (B7) of `rnn.block_lstm`.
    - (B8) The `saved` and `grads` operands are `[T, B, H]`.
    - (B9) Each result is shaped like the operand of which it is the gradient.
    - (B11) The value form has all results and no `outs`. The memref form has no results, and `outs` for the requested
      results only.
    - (B12) of `rnn.block_lstm`.
  }], RNN_BlockLSTMGradSignature.assembly, [{
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
  }]);
  let arguments = !con(RNN_BlockLSTMGradSignature.arguments, RNN_BlockConfig,
    (ins OptionalAttr<RNN_LoweringAttr>:$lowering));
  let hasCanonicalizer = 1;
}

#endif // RNN_DIALECT_RNN_IR_RNNOPS_TD
