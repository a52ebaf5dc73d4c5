// A function that returns its argument of unknown rank copies it at run time, by JIT and compiled ahead of time.
// REQUIRES: rnn-run, rnn-compile
// RUN: rnn-run %s --function=identity --input=2x3xf32=[[1,2,3],[4,5,6]] --output=- | FileCheck %s
// RUN: rnn-run %s --function=main --input=2xf32=1 --output=- | FileCheck %s --check-prefix=MAIN
// RUN: rnn-compile %s -o %t.so --emit-header=%t.h
// CHECK: 2x3xf32={{\[\[1, 2, 3\], \[4, 5, 6\]\]}}
// MAIN: 2xf32=[2, 2]
func.func @identity(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
