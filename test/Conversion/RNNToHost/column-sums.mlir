// With 32 vector registers, weights whose rows are contiguous are not packed for a GEMM of 9 to 32 rows (two vectors), which
// become lanes. Threads may share the rows, so their number is not constant.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host="vector-bits=512 vector-registers=32" -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func @one_step
// CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS:.*]], %c32
// CHECK: scf.if %[[FEW]] {
// CHECK: call @rnn_host_column_sums_f32({{.*}}, %c0, %{{[^,]*}}, %c64, %{{[^,]*}}, %{{[^,]*}}, %c64, %c1280, %[[ROWS]], %[[X:[^,]*]], %{{[^,]*}}) :
// CHECK: } else {
// CHECK-NOT: column_sums
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[X]], %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: scf.if
// CHECK: call @rnn_host_column_sums_f32({{.*}}, %c0, %{{[^,]*}}, %c64, %{{[^,]*}}, %{{[^,]*}}, %c64, %c1280, %{{[^,]*}}, %[[H:[^,]*]], %{{[^,]*}}) :
// CHECK: } else {
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[H]], %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: column_sums
// CHECK: return

// The products begin with the elements of c.
// CHECK-LABEL: func private @rnn_host_column_sums_f32
// CHECK: scf.if
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-16: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: return
func.func @one_step(%x: memref<1x20x64xf32>, %h: memref<1x20x64xf32>, %p: memref<?xf32>, %y: memref<1x20x64xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x20x64xf32>) state(%h : memref<1x20x64xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<1x20x64xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Elements that must be converted.
// CHECK-LABEL: func @f16
// CHECK-NOT: column_sums
// CHECK: return
func.func @f16(%x: memref<1x20x24xf16>, %h: memref<1x20x40xf16>, %p: memref<?xf16>, %y: memref<1x20x40xf16>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x20x24xf16>) state(%h : memref<1x20x40xf16>) params(%p : memref<?xf16>)
      outs(output = %y : memref<1x20x40xf16>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Gradients of block ops: the columns of the matrix belong to the gates.
// CHECK-LABEL: func @block_gradient
// CHECK-COUNT-4: call @rnn_host_column_sums_f32({{.*}}, %c64, %c64, %{{[^,]*}}, %c0, %c64, %c1280, %c20, %{{[^,]*}}, %c0) :
// CHECK-NOT: column_sums
// CHECK: return
func.func @block_gradient(%x: memref<1x20x64xf32>, %s: memref<20x64xf32>, %w: memref<128x256xf32>, %b: memref<256xf32>, %p: memref<64xf32>, %y: memref<1x20x64xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<1x20x64xf32>) state(%s, %s : memref<20x64xf32>) weights(%w : memref<128x256xf32>)
      peephole(%p, %p, %p : memref<64xf32>) bias(%b : memref<256xf32>)
      saved(%y, %y, %y, %y, %y, %y, %y : memref<1x20x64xf32>) grads(%y, %y : memref<1x20x64xf32>)
      outs(x_grad = %x, h_prev_grad = %s : memref<1x20x64xf32>, memref<20x64xf32>) {lowering = #rnn.lowering<fused>}
  return
}
