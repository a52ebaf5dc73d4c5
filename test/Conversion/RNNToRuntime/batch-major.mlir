// batch-major.mlir - plans of batch-major layers. The sequences are passed as they are.
// RUN: rnn-opt %s --convert-rnn-to-runtime | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --convert-rnn-to-runtime --rnn-thread-runtime-call --convert-rnn-runtime-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @forward
// CHECK-DAG: %[[B:.*]] = memref.dim %{{.*}}, %c0
// CHECK-DAG: %[[T:.*]] = memref.dim %{{.*}}, %c1
// CHECK: rnnrt.rnn_plan %{{.*}} f32 steps %[[T]] batch %[[B]] {{.*}}batch_major
// CHECK-NOT: memref.copy
// CHECK: rnnrt.rnn_forward
// LLVM: llvm.call @rnnrt_abi_rnn_plan({{.*}}) : (!llvm.ptr, i32, i32, i32, i32, i32, i32, f64, i64, i64, i64, i64, i64, i64, i64, i64) -> !llvm.ptr
func.func @forward(%x: memref<?x?x3xf32>, %h: memref<1x?x4xf32>, %p: memref<?xf32>, %y: memref<?x?x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<?x?x3xf32>) state(%h : memref<1x?x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<?x?x4xf32>) {batch_major, is_training = false, lowering = #rnn.lowering<runtime>}
  return
}

// CHECK-LABEL: func.func @block
// CHECK: rnnrt.block_lstm_plan {{.*}}batch_major
// CHECK-NOT: memref.copy
// CHECK: rnnrt.block_lstm_forward
// LLVM: llvm.call @rnnrt_abi_block_lstm_plan({{.*}}) : (!llvm.ptr, i32, i32, i32, i32, f64, f64, i64, i64, i64, i64) -> !llvm.ptr
func.func @block(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
    %h: memref<2x5x4xf32>) {
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<runtime>}
  return
}
