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
    One op is one recurrent layer stack, or its gradient. The ops model TensorFlow's raw ops `CudnnRNN*` and
    `BlockLSTM*` and stay whole until a lowering decides how they run.

    Every layer op has two forms. On tensors it is a value: it has results and no `outs`. On memrefs it has no results
    and writes to the operands in `outs(...)`; an `out` that is absent is a result that nobody wants and is not
    computed.

    Symbolic dimensions: `T` steps, `B` batch, `I` input size, `H` hidden size, `P` size of the recurrent state
    (`num_proj`, or `H` without projection), `L` layers, `D` directions (1 or 2). All tensors are time major.
    Element types are `f16`, `bf16`, `f32` and `f64`.
  }];
  let useDefaultAttributePrinterParser = 1;
  // What canonicalization and reification create; a module of rnn ops alone would not have these loaded.
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif // RNN_DIALECT_RNN_IR_RNNDIALECT_TD
