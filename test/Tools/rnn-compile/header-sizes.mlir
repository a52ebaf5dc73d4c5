// The header names dynamic sizes that must be equal.
// REQUIRES: rnn-compile
// DEFINE: %{how} = --lowering=runtime
// DEFINE: %{header} = rnn-compile %s -o %t.o -O0 %{how} --emit-header=- | FileCheck %s
// RUN: %{header}
// REDEFINE: %{how} = --lowering=fused
// RUN: %{header}

// T and B from x, H from the state; 4 * H is a group of its own.
// CHECK: /* `layer`
// CHECK-NEXT: in  x: f32 [?1, ?2, 3]
// CHECK-NEXT: in  s: f32 [?2, ?3]
// CHECK-NEXT: in  w: f32 [?, ?4]
// CHECK-NEXT: in  p: f32 [?3]
// CHECK-NEXT: in  b: f32 [?4]
// CHECK-NEXT: in  other: f32 [?, 2]
// CHECK-NEXT: out result0: f32 [?1, ?2, ?3]
func.func @layer(%x: tensor<?x?x3xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>, %b: tensor<?xf32>,
                 %other: tensor<?x2xf32>) -> tensor<?x?x?xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<?x?x3xf32>) state(%s, %s : tensor<?x?xf32>)
      weights(%w : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>)
  return %r#6 : tensor<?x?x?xf32>
}

// Without a check, sizes are independent. A result has the size of its argument.
// CHECK: /* `same`
// CHECK-NEXT: in  x: f32 [?, ?1]
// CHECK-NEXT: in  y: f32 [?]
// CHECK-NEXT: out r: f32 [4, ?1]
func.func @same(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %r = tensor.splat %zero[%size] : tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
