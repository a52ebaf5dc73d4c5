// RUN: rnn-opt %s -convert-rnn-to-runtime -canonicalize -split-input-file | FileCheck %s

// Dynamic sizes are checked before the plan is created, each against its symbolic dimension.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[X:.*]]: memref<?x?x3xf32>, %[[H:.*]]: memref<1x?x4xf32>
// CHECK: %[[CALL:.*]] = rnnrt.current_call
// CHECK: %[[B:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[BH:.*]] = memref.dim %[[H]], %c1
// CHECK: rnnrt.expect_equal %[[CALL]], %[[BH]], %[[B]], "'rnn.cudnn_forward' op expects dim 1 of `input_h` to be B [C4]\0A`input_h` is argument 1"
// CHECK: %[[PLAN:.*]] = rnnrt.rnn_plan %[[CALL]] f32 steps %{{.*}} batch %[[B]] input %c3 hidden %c4 projection %c4 layers %c1
// CHECK-SAME: mode = #rnn.mode<gru>
// CHECK-SAME: training = false
// CHECK: rnnrt.rnn_forward %[[CALL]], %[[PLAN]] x %[[X]] h0 %[[H]] params
func.func @dynamic(%x: memref<?x?x3xf32>, %h: memref<1x?x4xf32>, %p: memref<?xf32>, %y: memref<?x?x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<?x?x3xf32>) state(%h : memref<1x?x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<?x?x4xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// CHECK-LABEL: func @odd_layers
// CHECK: rnnrt.expect_equal %{{.*}}, %{{.*}}, %{{.*}}, "'rnn.cudnn_forward' op expects dim 0 of `input_h` to be 2*L [C4]\0A`input_h` is argument 1"
func.func @odd_layers(%x: memref<5x2x3xf32>, %h: memref<?x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward gru, bidirectional input(%x : memref<5x2x3xf32>) state(%h : memref<?x2x4xf32>)
      params(%p : memref<?xf32>) outs(output = %y : memref<5x2x8xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// Training with dropout requires a reserve space even if it is unused. Without dropout it is inference.
// CHECK-LABEL: func @unread_reserve
// CHECK: rnnrt.rnn_plan {{.*}} dropout = 5.000000e-01 {{.*}} training = true
// CHECK: %[[SIZE:.*]] = rnnrt.rnn_reserve_size
// CHECK: %[[R:.*]] = memref.alloc(%[[SIZE]])
// CHECK: rnnrt.rnn_forward {{.*}} reserve %[[R]][%[[SIZE]]]
// CHECK: memref.dealloc %[[R]]
func.func @unread_reserve(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>) {dropout = 0.5, lowering = #rnn.lowering<runtime>}
  return
}

// -----

// Only requested results are computed: without params_backprop there is no weights step ...
// CHECK-LABEL: func @data_only
// CHECK: rnnrt.rnn_backward_data {{.*}} dh0 %{{.*}} reserve
// CHECK-NOT: rnn_backward_weights
func.func @data_only(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                     %r: memref<?xi8>, %dh: memref<1x2x4xf32>) {
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %dh : memref<1x2x4xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// ... and without any result no runtime op.
// CHECK-LABEL: func @nothing
// CHECK-NEXT: return
func.func @nothing(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                   %r: memref<?xi8>) {
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// CHECK-LABEL: func @weights
// CHECK: rnnrt.rnn_backward_data
// CHECK: rnnrt.rnn_backward_weights {{.*}} dparams
func.func @weights(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %c: memref<1x2x4xf32>, %p: memref<144xf32>,
                   %y: memref<5x2x4xf32>, %r: memref<?xi8>, %dp: memref<144xf32>, %len: memref<2xi32>) {
  rnn.cudnn_backprop lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x4xf32>) params(%p : memref<144xf32>)
      lengths(%len : memref<2xi32>) output(%y, %h, %c : memref<5x2x4xf32>, memref<1x2x4xf32>, memref<1x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x4xf32>, memref<1x2x4xf32>, memref<1x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(params_backprop = %dp : memref<144xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// CHECK-LABEL: func @params_size
// CHECK: %[[PLAN:.*]] = rnnrt.rnn_plan
// CHECK: rnnrt.rnn_params_size %{{.*}}, %[[PLAN]]
func.func @params_size(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32, lowering = #rnn.lowering<runtime>}
  return %n : index
}

// CHECK-LABEL: func @pack
// CHECK: rnnrt.rnn_pack_params {{.*}} weights(%{{.*}}, %{{.*}}) biases(%{{.*}}, %{{.*}}) params
func.func @pack(%l: index, %h: index, %i: index, %w: memref<4x3xf32>, %r: memref<4x4xf32>, %b: memref<4xf32>,
                %p: memref<?xf32>) {
  rnn.cudnn_canonical_to_params rnn_relu sizes(%l, %h, %i) weights(%w, %r : memref<4x3xf32>, memref<4x4xf32>)
      biases(%b, %b : memref<4xf32>) outs(params = %p : memref<?xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// A contiguous slice with an offset is not copied.
// CHECK-LABEL: func @dense_slice
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<108xf32, strided<[1], offset: 40>>
// CHECK-NOT: memref.alloc
// CHECK: rnnrt.rnn_forward {{.*}} params %[[P]][
func.func @dense_slice(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<108xf32, strided<[1], offset: 40>>,
                       %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>)
      params(%p : memref<108xf32, strided<[1], offset: 40>>) outs(output = %y : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<runtime>}
  return
}
