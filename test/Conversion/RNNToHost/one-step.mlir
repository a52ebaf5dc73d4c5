// Weights that one GEMM uses are packed panel by panel before it, always at the same offset, unless later calls use them.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// One step: the panels of both matrices. 40 columns are three panels of 16; the thread packs at offset 0.
// CHECK-LABEL: func @one_step
// CHECK: rnnrt.pack_begin
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
// CHECK: pack_transposed
// CHECK: pack_transposed
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[X:[^,]*]], %c0, %c512) :
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[X]], %c0, %c512,
// CHECK: } else {
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[X]], %c0, %c512,
// CHECK: scf.for %[[Q:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT: scf.if %[[LATE]] {
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[H:[^,]*]], %c0, %c768) :
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[H]], %c0, %c768,
// CHECK: } else {
// CHECK: %[[PANEL:.*]] = arith.muli %[[Q]], %c768
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[H]], %[[PANEL]], %c2304,
// CHECK: return
func.func @one_step(%x: memref<1x6x24xf32>, %h: memref<1x6x40xf32>, %p: memref<?xf32>, %y: memref<1x6x40xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x6x24xf32>) state(%h : memref<1x6x40xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<1x6x40xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// At most four rows are multiplied by the rows of the matrix, which are not packed.
// CHECK-LABEL: func @few_rows
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK-COUNT-2: pack_transposed
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: call @rnn_host_row_dots_f32(%{{.*}}, %c0, %c32, %{{.*}}, %{{.*}}, %{{.*}}, %c24, %{{.*}}, %{{.*}}, %c16, %c2) :
// CHECK: } else {
// CHECK: gemm
// CHECK: scf.for
// CHECK: scf.if %[[LATE]] {
// CHECK: call @rnn_host_row_dots_f32({{.*}}, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %c2) :
// CHECK: } else {
// CHECK: gemm
// CHECK: return
func.func @few_rows(%x: memref<1x2x24xf32>, %h: memref<1x2x40xf32>, %p: memref<?xf32>, %y: memref<1x2x40xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x2x24xf32>) state(%h : memref<1x2x40xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<1x2x40xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Many steps: the state's weights are packed once, and those of the input for each of several chunks.
// CHECK-LABEL: func @many_steps
// CHECK-COUNT-2: pack_transposed
// CHECK-NOT: pack_transposed
// CHECK: return
func.func @many_steps(%x: memref<100x2x24xf32>, %h: memref<1x2x40xf32>, %p: memref<?xf32>, %y: memref<100x2x40xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<100x2x24xf32>) state(%h : memref<1x2x40xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<100x2x40xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of one step multiplies by the state's weights only for that of the initial state.
// CHECK-LABEL: func @gradient_of_one_step
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
// CHECK: pack
// CHECK: scf.if %[[LATE]] {
// CHECK: scf.for
// CHECK: call @rnn_host_pack_columns_f32(
// CHECK: call @rnn_host_gemm_f32(
// CHECK: } else {
// CHECK-NOT: pack
// CHECK: gemm
// CHECK: return
func.func @gradient_of_one_step(%x: memref<1x2x24xf32>, %h: memref<1x2x40xf32>, %p: memref<?xf32>, %y: memref<1x2x40xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<1x2x24xf32>) state(%h : memref<1x2x40xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<1x2x40xf32>, memref<1x2x40xf32>) grads(%y, %h : memref<1x2x40xf32>, memref<1x2x40xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %h : memref<1x2x40xf32>) {lowering = #rnn.lowering<fused>}
  return
}
