// functions.mlir - the function that runs without --function, and results that are printed in parts.
// REQUIRES: rnn-run
// RUN: split-file %s %t
// RUN: rnn-run %t/one.mlir --input=40x50xf32=1 | FileCheck %s --check-prefix=ONE
// RUN: rnn-run %t/one.mlir --input=40x50xf32=1 --output=- --output=- | FileCheck %s --check-prefix=ALL --implicit-check-not=...
// RUN: rnn-run %t/several.mlir | FileCheck %s --check-prefix=MAIN
// RUN: sed s/main/other/ %t/several.mlir > %t/without.mlir
// RUN: not rnn-run %t/without.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: rnn-run %t/without.mlir --function=other | FileCheck %s --check-prefix=MAIN
// RUN: not rnn-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// ONE: 40x50xf32={{\[\[}}1, 1, 1, ..., 1, 1, 1], [1, 1, 1, ..., 1, 1, 1], [1, 1, 1, ..., 1, 1, 1], ..., [1, 1, 1, ..., 1, 1, 1], [1, 1, 1, ..., 1, 1, 1], [1, 1, 1, ..., 1, 1, 1{{\]\]}}
// ONE-NEXT: 3xf32=[2, 2, 2]
// ALL: 40x50xf32={{\[\[(1, ){49}1\]}}
// ALL-NEXT: 3xf32=[2, 2, 2]
// MAIN: i32=2
// SEVERAL: rnn-run: error: the module has 2 public functions (`first`, `other`) and none of them is `main`; select one with --function
// NONE: rnn-run: error: the module has no public function `main` with tensors and scalars as arguments and results; it has none

//--- one.mlir
func.func @step(%x: tensor<40x50xf32>) -> (tensor<40x50xf32>, tensor<3xf32>) {
  %y = call @helper() : () -> tensor<3xf32>
  return %x, %y : tensor<40x50xf32>, tensor<3xf32>
}
func.func private @helper() -> tensor<3xf32> {
  %y = arith.constant dense<2.0> : tensor<3xf32>
  return %y : tensor<3xf32>
}
//--- several.mlir
func.func @first() -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func @main() -> i32 {
  %c = arith.constant 2 : i32
  return %c : i32
}
//--- none.mlir
func.func private @helper() -> i32 {
  %c = arith.constant 2 : i32
  return %c : i32
}
