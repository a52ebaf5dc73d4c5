//===- Passes.td - passes over IR that mixes dialects -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_PASSES_TD
#define RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNProtectArgumentsPass : Pass<"rnn-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Keep bufferization from writing into the arguments of public functions";
  let description = [{
    One-shot bufferization lets a function overwrite its tensor arguments unless they carry
    `bufferization.writable = false`. Callers of a compiled function pass values and expect to find them unchanged, so this
    pass sets the attribute on every tensor argument of a public function that does not carry it. A module that wants an
    argument updated in place says `bufferization.writable = true` itself.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

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
