// Weights that one GEMM uses are packed in parts, each before its GEMM and at the same offset, unless later calls use them.
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
// CHECK-NEXT: memref.reinterpret_cast
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[X:[^,]*]], %c0, %c512) :
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[X]], %c0, %c512,
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: call @rnn_host_pack_transposed_f32({{.*}}, %[[H:[^,]*]], %c0, %c768) :
// CHECK: call @rnn_host_gemm_6_rows_f32({{.*}}, %[[H]], %c0, %c768,
// CHECK: } else {
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[X]], %c0, %c512,
// CHECK: scf.for %[[Q:.*]] = %c0 to %c3 step %c1 {
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
// CHECK: %[[PANEL:.*]] = arith.muli %[[Q]], %c768
// CHECK: call @rnn_host_gemm_6_rows_f32({{.*}}, %[[H]], %[[PANEL]], %c2304,
// CHECK: return
func.func @one_step(%x: memref<1x6x24xf32>, %h: memref<1x6x40xf32>, %p: memref<?xf32>, %y: memref<1x6x40xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x6x24xf32>) state(%h : memref<1x6x40xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<1x6x40xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// A few rows are multiplied by the rows of the matrix, which are not packed.
// CHECK-LABEL: func @few_rows
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK-COUNT-2: pack_transposed
// CHECK: scf.if %[[LATE]] {
// CHECK: scf.for %[[Q:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[COLUMN:.*]] = arith.muli %[[Q]], %c16
// CHECK: call @rnn_host_row_dots_f32(%{{.*}}, %c0, %c32, %{{.*}}, %[[COLUMN]], %c0, %{{.*}}, %c24, %{{.*}}, %{{.*}}, %c16, %c2) :
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: call @rnn_host_row_dots_f32({{.*}}, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %c2) :
// CHECK: } else {
// CHECK: gemm
// CHECK: scf.for
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
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

// The gradient of one step multiplies by the state's weights only for that of the initial state. Their rows have the columns
// of the result.
// CHECK-LABEL: func @gradient_of_one_step
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
// CHECK: pack
// CHECK: scf.if %[[LATE]] {
// CHECK-NOT: pack
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c40, %c40, %{{[^,]*}}, %c0, %c16, %c32, %c2) :
// CHECK: } else {
// CHECK: gemm
// CHECK: return
func.func @gradient_of_one_step(%x: memref<1x2x24xf32>, %h: memref<1x2x40xf32>, %p: memref<?xf32>, %y: memref<1x2x40xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<1x2x24xf32>) state(%h : memref<1x2x40xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<1x2x40xf32>, memref<1x2x40xf32>) grads(%y, %h : memref<1x2x40xf32>, memref<1x2x40xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %h : memref<1x2x40xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// More rows: parts of the weights are packed before their product. The three panels are one part.
// CHECK-LABEL: func @gradient_of_more_rows
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[LATE:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[LATE]] {
// CHECK-NEXT: } else {
// CHECK: pack
// CHECK: scf.if %[[LATE]] {
// CHECK-NOT: scf.for
// CHECK: call @rnn_host_pack_columns_f32({{.*}}, %[[R:[^,]*]], %c0, %c768) :
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[R]], %c0, %c768, {{.*}}, %c3, %c3, %c8, %c3, %c1872, %c0, %c0, %false)
// CHECK: } else {
// CHECK-NOT: pack
// CHECK: gemm
// CHECK: return
func.func @gradient_of_more_rows(%x: memref<1x25x24xf32>, %h: memref<1x25x40xf32>, %p: memref<?xf32>, %y: memref<1x25x40xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<1x25x24xf32>) state(%h : memref<1x25x40xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<1x25x40xf32>, memref<1x25x40xf32>) grads(%y, %h : memref<1x25x40xf32>, memref<1x25x40xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %h : memref<1x25x40xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Parts of 256 columns (16 panels) and 256 rows of the state's weights.
// CHECK-LABEL: func @gradient_in_parts
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: rnnrt.team_wait
// CHECK: scf.if
// CHECK: scf.for %[[Q:.*]] = %c0 to %[[OWN:.*]] step %c16 {
// CHECK: %[[LEFT:.*]] = arith.subi %[[OWN]], %[[Q]]
// CHECK: %[[PANELS:.*]] = arith.minsi %[[LEFT]], %c16
// CHECK: scf.for %[[PART:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[ROW:.*]] = arith.muli %[[PART]], %c256
// CHECK: %[[LEFT:.*]] = arith.subi %c300, %[[ROW]]
// CHECK: %[[ROWS:.*]] = arith.minsi %[[LEFT]], %c256
// CHECK: call @rnn_host_pack_columns_f32(%{{.*}}, %[[ROW]], %[[ROWS]], %{{.*}}, %{{.*}}, %[[R:[^,]*]], %[[OFFSET:[^,]*]], %c4096) :
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[R]], %[[OFFSET]], %c4096, {{.*}}, %[[PANELS]],
// CHECK: } else {
// CHECK-NOT: pack
// CHECK: llvm.return
func.func @gradient_in_parts(%x: memref<1x25x24xf32>, %h: memref<1x25x300xf32>, %p: memref<?xf32>, %y: memref<1x25x300xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<1x25x24xf32>) state(%h : memref<1x25x300xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<1x25x300xf32>, memref<1x25x300xf32>) grads(%y, %h : memref<1x25x300xf32>, memref<1x25x300xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %h : memref<1x25x300xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of the input of several steps, if they are few rows. Three blocks of gates have their own rows.
// CHECK-LABEL: func @gradient_of_input
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: llvm.load {{.*}} -> i64
// CHECK: scf.if
// CHECK-NOT: pack
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c24, %c40, %{{[^,]*}}, %c0, %c16, %c160, %c10) :
// CHECK-COUNT-2: call @rnn_host_row_sums_f32
// CHECK: } else {
// CHECK: pack_columns
// CHECK: gemm
// CHECK: return
func.func @gradient_of_input(%x: memref<5x2x24xf32>, %h: memref<1x2x40xf32>, %p: memref<?xf32>, %y: memref<5x2x40xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop gru input(%x : memref<5x2x24xf32>) state(%h : memref<1x2x40xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x40xf32>, memref<1x2x40xf32>) grads(%y, %h : memref<5x2x40xf32>, memref<1x2x40xf32>)
      reserve(%r : memref<?xi8>) outs(input_backprop = %x : memref<5x2x24xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The weights of block ops have a column for each gate and unit: sums of rows forward.
// CHECK-LABEL: func @block
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c0, %c0, %c40, %c24, %{{[^,]*}}, %{{[^,]*}}, %c16, %{{[^,]*}}, %c2) :
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c0, %c40, %c40, %c24, %{{[^,]*}}, %{{[^,]*}}, %c16, %{{[^,]*}}, %c2) :
// CHECK-COUNT-2: call @rnn_host_row_sums_f32({{.*}}, %c40, %c24, %{{[^,]*}}, %{{[^,]*}}, %c16, %{{[^,]*}}, %c2) :
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c24, %c0, %c40, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %{{[^,]*}}, %c2) :
// CHECK-COUNT-3: call @rnn_host_row_sums_f32({{.*}}, %c24, %{{[^,]*}}, %c40, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %{{[^,]*}}, %c2) :
// CHECK-NOT: call @rnn_host_row_sums
// CHECK: return
func.func @block(%x: memref<1x2x24xf32>, %s: memref<2x40xf32>, %w: memref<64x160xf32>, %b: memref<160xf32>, %p: memref<40xf32>, %y: memref<1x2x40xf32>) {
  rnn.block_lstm ifco x(%x : memref<1x2x24xf32>) state(%s, %s : memref<2x40xf32>) weights(%w : memref<64x160xf32>)
      peephole(%p, %p, %p : memref<40xf32>) bias(%b : memref<160xf32>) outs(h = %y : memref<1x2x40xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// And dot products backward.
// CHECK-LABEL: func @block_gradient
// CHECK-COUNT-4: call @rnn_host_row_dots_f32({{.*}}, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %c2) :
// CHECK: gemm
// CHECK-COUNT-4: call @rnn_host_row_dots_f32({{.*}}, %c40, %{{[^,]*}}, %{{[^,]*}}, %c16, %c2) :
// CHECK-NOT: call @rnn_host_row_dots
// CHECK: return
func.func @block_gradient(%x: memref<1x2x24xf32>, %s: memref<2x40xf32>, %w: memref<64x160xf32>, %b: memref<160xf32>, %p: memref<40xf32>, %y: memref<1x2x40xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<1x2x24xf32>) state(%s, %s : memref<2x40xf32>) weights(%w : memref<64x160xf32>)
      peephole(%p, %p, %p : memref<40xf32>) bias(%b : memref<160xf32>)
      saved(%y, %y, %y, %y, %y, %y, %y : memref<1x2x40xf32>) grads(%y, %y : memref<1x2x40xf32>)
      outs(x_grad = %x, h_prev_grad = %s : memref<1x2x24xf32>, memref<2x40xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of the weights of a few rows (T*B) is written row by row: for each gate those of the input, then of the state.
// CHECK-LABEL: func @block_weights
// CHECK: call @rnn_host_pack_rows_f32
// CHECK-COUNT-4: call @rnn_host_outer_products_f32({{.*}}, %c0, %{{[^,]*}}, %c0, %c24, %c40, %c4) :
// CHECK-COUNT-2: call @rnn_host_pack_rows_f32
// CHECK-COUNT-4: call @rnn_host_outer_products_f32({{.*}}, %c24, %{{[^,]*}}, %c0, %c40, %c40, %c4) :
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @block_weights(%x: memref<2x2x24xf32>, %s: memref<2x40xf32>, %w: memref<64x160xf32>, %b: memref<160xf32>, %p: memref<40xf32>, %y: memref<2x2x40xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<2x2x24xf32>) state(%s, %s : memref<2x40xf32>) weights(%w : memref<64x160xf32>)
      peephole(%p, %p, %p : memref<40xf32>) bias(%b : memref<160xf32>)
      saved(%y, %y, %y, %y, %y, %y, %y : memref<2x2x40xf32>) grads(%y, %y : memref<2x2x40xf32>)
      outs(w_grad = %w : memref<64x160xf32>) {lowering = #rnn.lowering<fused>}
  return
}
