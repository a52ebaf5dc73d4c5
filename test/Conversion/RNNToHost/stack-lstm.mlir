// Stacks of LSTM layers: the reserve space, sequence lengths, directions and projections.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// A training pass stores four gates and the cell. Past the end of an example the state is carried over. All steps are one
// chunk, so panels of the input weights are packed before their GEMMs if no other call uses them.
// CHECK-LABEL: func @training
// CHECK: rnnrt.rnn_begin %{{.*}} pass 1 lengths
// CHECK: scf.if
// CHECK: %[[GATES:.*]] = memref.reinterpret_cast {{.*}} sizes: [10, 32]
// CHECK: %[[CELLS:.*]] = memref.reinterpret_cast {{.*}} offset: [320], sizes: [10, 8]
// CHECK-COUNT-8: call @rnn_host_pack_transposed_f32(
// CHECK-NOT: gemm
// CHECK-COUNT-4: call @rnn_host_pack_transposed_f32(
// CHECK-NOT: pack_transposed
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c4, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: scf.for
// CHECK: %[[PADDED:.*]] = arith.cmpi sge
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c0]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c16]
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c8]
// CHECK: arith.select %[[PADDED]]
// CHECK: vector.store %{{.*}}, %[[CELLS]]
// CHECK-COUNT-2: arith.divf
// CHECK: vector.store %{{.*}}, %[[GATES]][%{{.*}}, %c24]
// CHECK: arith.select %[[PADDED]]
// CHECK: return
func.func @training(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>, %n: memref<2xi32>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %h : memref<1x2x8xf32>, memref<1x2x8xf32>) params(%p : memref<?xf32>)
      lengths(%n : memref<2xi32>) outs(output = %y, reserve_space = %r : memref<5x2x8xf32>, memref<?xi8>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Two layers in two directions share one copy of the code: loops over both, and one GEMM per step.
// CHECK-LABEL: func @layers_and_directions
// CHECK: scf.for %[[LAYER:.*]] = %c0 to %c2
// CHECK: scf.for %[[DIRECTION:.*]] = %c0 to %c2
// CHECK: arith.cmpi ne, %[[DIRECTION]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: func.call @rnn_host_gemm_f32
// CHECK-NOT: @rnn_host_gemm_
// CHECK: return
func.func @layers_and_directions(%x: memref<5x2x3xf32>, %h: memref<4x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x16xf32>) {
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %h : memref<4x2x8xf32>, memref<4x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x16xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// A projection is a second GEMM per step, whose result is the state.
// CHECK-LABEL: func @projection
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c4, %c1, %c4, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-COUNT-5: arith.divf
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c1, %c2, %c16, %c2, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: @rnn_host_gemm_
// CHECK: return
func.func @projection(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %c: memref<1x2x32xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x4xf32>, memref<1x2x32xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>) {is_training = false, num_proj = 4 : i64, lowering = #rnn.lowering<fused>}
  return
}
