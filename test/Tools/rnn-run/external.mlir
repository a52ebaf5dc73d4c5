// external.mlir - a function without a body.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --input=2xf32=1 2>&1 | FileCheck %s
// CHECK: rnn-run: error: the module declares functions without a body: `other` (symbol `_mlir_ciface_other`); give them bodies, or define the symbols in the process or among those of the JIT

func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @other(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
