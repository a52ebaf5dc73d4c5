//===- RNNTransformOps.td - ops of the transform dialect for rnn ops -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_TD
#define RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TransformDecomposeOp : Op<Transform_Dialect, "rnn.decompose", [
    DeclareOpInterfaceMethods<TransformOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ReportTrackingListenerFailuresOpTrait]> {
  let cppNamespace = "::mlir::rnn";
  let summary = "decomposes rnn ops into scf, tensor and linalg ops";
  let description = [{
    Replaces each op of the handle as the pass `rnn-decompose` does, and consumes the handle. Upstream's
    `transform.structured.decompose_interface` accepts only ops whose decomposition defines as many values as it has results.

    An op in memref form, and a forward op that draws dropout masks without the attribute `rnn.dropout_draw`, are definite
    failures. To select a lowering instead, set the attribute `lowering` by `transform.annotate`.

    Example:
    ```mlir
    module attributes {transform.with_named_sequence} {
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %layers = transform.structured.match ops{["rnn.cudnn_forward"]} in %root : (!transform.any_op) -> !transform.any_op
        transform.rnn.decompose %layers : !transform.any_op
        transform.yield
      }
    }
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

#endif // RNN_DIALECT_RNN_TRANSFORMOPS_RNNTRANSFORMOPS_TD
