//===- Passes.td - passes over IR that mixes dialects -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_PASSES_TD
#define RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNExpandStridedCopiesPass : Pass<"rnn-expand-strided-copies"> {
  let summary = "Convert memref copies with a layout to linalg";
  let description = [{
    A `memref.copy` between dense buffers becomes one memcpy in the lowering to LLVM; with a layout it would become a
    call of `memrefCopy` of MLIR's own runner library, which goes element by element through a generic index
    computation. This pass turns those into `linalg.generic`, and so into loops.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

#endif // RNN_TRANSFORMS_PASSES_TD
