//===- RNNDialect.td - the rnn dialect and the base class of its ops -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNDIALECT_TD
#define RNN_DIALECT_RNN_IR_RNNDIALECT_TD

include "mlir/IR/OpBase.td"

def RNN_Dialect : Dialect {
  let name = "rnn";
  let cppNamespace = "::mlir::rnn";
  let summary = "recurrent layers and their gradients as whole ops";
  let description = [{
    One op is a stack of recurrent layers, or its gradient. The ops model TensorFlow's raw ops `CudnnRNN*` and
    `BlockLSTM*`. [Semantics](../../Semantics.md) has the formulas, their sources and the differences to TensorFlow. An
    op stays whole until a lowering replaces it by a runtime plan, GPU kernels or host loops.

    Every layer op has two forms. The *value form* has tensor operands and results, and no `outs`. The *memref form* has
    no results and writes to the buffers in `outs(...)`. A result without an `outs` buffer is not computed.

    Tables and constraints use these symbolic dimensions. All tensors are time major.

    | Symbol | Meaning |
    |---|---|
    | `T` | number of time steps |
    | `B` | batch size |
    | `I` | input size of the first layer |
    | `H` | hidden size |
    | `P` | size of the hidden state: `num_proj` with a projection, otherwise `H` |
    | `L` | number of layers |
    | `D` | number of directions, 1 or 2 |
    | `N` | number of elements of opaque parameters |
    | `E` | element type: `f16`, `bf16`, `f32` or `f64` |

    Gates have one-letter names. LSTM: `i` input gate, `f` forget gate, `o` output gate, and the cell candidate, which
    is `c` in block ops and `g` in cudnn ops. GRU: `r` reset gate, `z` update gate, `n` candidate. A gate order such as
    `icfo` or `ifco` lists the blocks of a matrix: `icfo` is input gate, cell candidate, forget gate, output
    gate.

    All ops share one assembly form. The description of each op lists its groups:

    ```
    op           ::= op-name keyword (`,` keyword)* group* outs? attr-dict? result-types?
    group        ::= group-name `(` value (`,` value)* (`:` types)? `)`
    outs         ::= `outs` `(` result-name `=` value (`,` result-name `=` value)* `:` types `)`
    result-types ::= `->` (result-name `(` type (`,` type)* `)`)+
    types        ::= type (`,` type)*
    keyword      ::= mode | direction | input_mode | layout
    mode         ::= `lstm` | `gru` | `rnn_relu` | `rnn_tanh`
    direction    ::= `unidirectional` | `bidirectional`
    input_mode   ::= `linear_input` | `skip_input` | `auto_select`
    layout       ::= `icfo` | `ifco`
    ```

    If all values of a group have the same type, it is written once. Values of type `index` and `i64` have no type. The
    printer omits attributes and keywords with default values, and result types that follow from the operands.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// On `rnn.cudnn_forward`: the draw of the dropout masks of its decomposition, as i64 or as a function `() -> i64`.
    static constexpr ::llvm::StringLiteral dropoutDrawAttrName = "rnn.dropout_draw";
  }];
  // Canonicalization and reification create ops of these dialects.
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif // RNN_DIALECT_RNN_IR_RNNDIALECT_TD
