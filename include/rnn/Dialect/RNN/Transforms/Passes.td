//===- Passes.td - passes from rnn to rnn -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD
#define RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNVerifyContractPass : Pass<"rnn-verify-contract"> {
  let summary = "Check that the IR is what a stage of the pipeline promises";
  let description = [{
    | stage | promise |
    |---|---|
    | import | no TensorFlow op of the modelled families is left |
    | simplify | the same, and every input mode is decided |
    | select | every rnn op carries `lowering`, and a gradient has the lowering of the forward that made its reserve |
    | bufferize | no tensor is left |
    | lower | no rnn op is left, and no op that only a later lowering of ours could remove |
    | emit | LLVM dialect only |
  }];
  let options = [Option<"stage", "stage", "std::string", "\"\"", "Stage whose contract is checked">];
}

#endif // RNN_DIALECT_RNN_TRANSFORMS_PASSES_TD
