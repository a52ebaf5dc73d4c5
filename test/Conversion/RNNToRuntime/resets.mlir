// resets.mlir - each pass of a plan gets the resets of its op.
// RUN: rnn-opt %s --convert-rnn-to-runtime | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --convert-rnn-to-runtime --rnn-thread-runtime-call --convert-rnn-runtime-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @backprop
// CHECK: rnnrt.set_resets %[[CALL:.*]], %[[RESETS:.*]] to <initial> : memref<?x2xi1>
// CHECK: rnnrt.rnn_backward_data
// CHECK: rnnrt.set_resets %[[CALL]], %[[RESETS]] to <initial> : memref<?x2xi1>
// CHECK: rnnrt.rnn_backward_weights
// LLVM: %[[TO:.*]] = llvm.mlir.constant(1 : i32) : i32
// LLVM: llvm.call @rnnrt_abi_set_resets(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, !llvm.ptr) -> ()
func.func @backprop(%x: memref<?x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<?x2x4xf32>,
    %r: memref<?xi8>, %m: memref<?x2xi1>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop gru input(%x : memref<?x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<?x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<?x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) resets(%m : memref<?x2xi1>) outs(params_backprop = %dp : memref<?xf32>)
      {lowering = #rnn.lowering<runtime>, reset_to = #rnn.reset_to<initial>}
  return
}

// A strided mask is copied.
// CHECK-LABEL: func.func @block
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<5x2xi1>
// CHECK: memref.copy %{{.*}}, %[[COPY]]
// CHECK: rnnrt.set_resets %{{.*}}, %[[COPY]] to <zero> : memref<5x2xi1>
// CHECK-NEXT: rnnrt.block_lstm_forward
func.func @block(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
    %m: memref<5x2xi1, strided<[4, 2]>>, %h: memref<5x2x4xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) resets(%m : memref<5x2xi1, strided<[4, 2]>>)
      outs(h = %h : memref<5x2x4xf32>) {lowering = #rnn.lowering<runtime>}
  return
}
