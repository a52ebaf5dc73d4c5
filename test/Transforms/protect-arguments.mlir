// RUN: rnn-opt %s -rnn-protect-arguments | FileCheck %s
// RUN: rnn-run %s --function=written --input=2xf32=[1,2] --benchmark=5 --expected-output=2xf32=[2,4] --expected-output=2xf32=[1,2]
// REQUIRES: rnn-run

// The destination is an argument, so without protection the caller's tensor would be overwritten, and a second call would
// read other values.
// CHECK-LABEL: func @written(%{{.*}}: tensor<2xf32> {bufferization.writable = false})
func.func @written(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
  return %r, %x : tensor<2xf32>, tensor<2xf32>
}

// An explicit attribute is kept. Private functions and scalars need no protection.
// CHECK-LABEL: func @asked(%{{.*}}: tensor<2xf32> {bufferization.writable = true}, %{{.*}}: f32)
func.func @asked(%x: tensor<2xf32> {bufferization.writable = true}, %s: f32) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// CHECK-LABEL: func private @inner(%{{.*}}: tensor<2xf32>)
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
