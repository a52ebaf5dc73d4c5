// Stacks of GRU layers: the new gate has two blocks, since the reset gate multiplies the state's part only.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// Three blocks of the input and three of the state are packed, of four panels of pre-activations (10 rows of 16 columns).
// The state's part of the new gate is stored before the gates.
// CHECK-LABEL: func @training
// CHECK: %[[GATES:.*]] = memref.reinterpret_cast {{.*}} sizes: [10, 24]
// CHECK: %[[LINEAR:.*]] = memref.reinterpret_cast {{.*}} offset: [240], sizes: [10, 8]
// CHECK-COUNT-6: call @rnn_host_pack_transposed_f32(
// CHECK-NOT: gemm
// CHECK-COUNT-3: call @rnn_host_pack_transposed_f32(
// CHECK-NOT: pack_transposed
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c16, %c160, %c10, %c1, %c1, %c3, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c16, %c160, %c2, %c3, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: vector.store %{{.*}}, %[[LINEAR]]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c0]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c8]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c16]
// CHECK-NOT: arith.divf
// CHECK: return
func.func @training(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y, reserve_space = %r : memref<5x2x8xf32>, memref<?xi8>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Backward: a step's GEMM reduces over three blocks of the state; the gradient of the previous state also has a term of the
// cell. The stored gates need no exponentials.
// CHECK-LABEL: func @backward
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c1, %c3, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: arith.divf
// dW and dR have three blocks each, which few rows (T*B) write without scratch. The left operand of dR has the initial state
// and the states of four steps.
// CHECK: call @rnn_host_pack_rows_f32
// CHECK-COUNT-3: call @rnn_host_outer_products_f32
// CHECK-COUNT-2: call @rnn_host_pack_rows_f32
// CHECK-COUNT-3: call @rnn_host_outer_products_f32
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @backward(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x8xf32>, memref<1x2x8xf32>) grads(%y, %h : memref<5x2x8xf32>, memref<1x2x8xf32>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %p : memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// More rows (66 with two vectors in a panel) are summed by blocks, which are stored transposed.
// CHECK-LABEL: func @backward_of_many_rows
// CHECK: call @rnn_host_transposed_gemm_f32
// CHECK-COUNT-3: call @rnn_host_store_transposed_f32
// CHECK: call @rnn_host_transposed_gemm_f32
// CHECK-COUNT-3: call @rnn_host_store_transposed_f32
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @backward_of_many_rows(%x: memref<33x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<33x2x8xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop gru input(%x : memref<33x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<33x2x8xf32>, memref<1x2x8xf32>) grads(%y, %h : memref<33x2x8xf32>, memref<1x2x8xf32>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %p : memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}
