// Weights of the state that a few steps with few rows use are not packed. How many steps depends on the size of the weights.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host='vector-bits=512 vector-registers=32 bf16-gemm=f32' -canonicalize -cse | FileCheck %s

// Two steps of one row do so for any size, unless later calls use packed weights.
// CHECK-LABEL: func @two_steps
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[IS_SCRATCH:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[IS_SCRATCH]] {
// CHECK-NEXT: } else {
// CHECK-COUNT-2: pack_transposed
// CHECK: scf.if %[[IS_SCRATCH]] {
// CHECK: call @rnn_host_row_dots_f32({{.*}}, %c64, {{.*}}, %c2) :
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 {
// CHECK: scf.if %[[IS_SCRATCH]] {
// CHECK: call @rnn_host_row_dots_f32({{.*}}, %c64, {{.*}}, %c1) :
// CHECK-NEXT: } else {
// CHECK: call @rnn_host_gemm
// CHECK: return
func.func @two_steps(%x: memref<2x1x64xf32>, %h: memref<1x1x64xf32>, %p: memref<?xf32>, %y: memref<2x1x64xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<2x1x64xf32>) state(%h : memref<1x1x64xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<2x1x64xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Dot products: odd steps traverse the two panels backward. L2 still has the rows that the step before read last.
// CHECK-LABEL: func @two_panels
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[PARITY:.*]] = arith.andi %[[STEP]], %c1
// CHECK: %[[IS_ODD:.*]] = arith.cmpi ne, %[[PARITY]], %c0
// CHECK: scf.for %[[NUMBER:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[FROM_END:.*]] = arith.subi %c1, %[[NUMBER]]
// CHECK: %[[PANEL:.*]] = arith.select %[[IS_ODD]], %[[FROM_END]], %[[NUMBER]]
// CHECK: %[[ROW:.*]] = arith.muli %[[PANEL]], %c64
// CHECK: call @rnn_host_row_dots_f32(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[ROW]], %c0, %{{[^,]*}}, %c128, {{.*}}, %c1) :
// CHECK-COUNT-2: call @rnn_host_row_dots_f32({{.*}}, %c128, {{.*}}, %c1) :
// CHECK: return
func.func @two_panels(%x: memref<2x1x128xf32>, %h: memref<1x1x128xf32>, %p: memref<?xf32>, %y: memref<2x1x128xf32>) {
  rnn.cudnn_forward gru input(%x : memref<2x1x128xf32>) state(%h : memref<1x1x128xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<2x1x128xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of each step before the last reads them.
// CHECK-LABEL: func @gradient
// CHECK: %[[KIND:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[IS_SCRATCH:.*]] = arith.cmpi eq, %[[KIND]], %c3_i64
// CHECK: scf.if %[[IS_SCRATCH]] {
// CHECK-NEXT: } else {
// CHECK: pack_columns
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[HAS_NEXT:.*]] = arith.cmpi ne, %[[STEP]], %c0
// CHECK: %[[IN_PLACE:.*]] = arith.andi %[[HAS_NEXT]], %[[IS_SCRATCH]]
// CHECK: scf.if %[[IN_PLACE]] {
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c64, %c64, {{.*}}, %c1) :
// CHECK: scf.if
// CHECK: call @rnn_host_gemm
// CHECK: scf.if %[[IS_SCRATCH]] {
// CHECK: call @rnn_host_row_sums_f32({{.*}}, %c64, %c64, {{.*}}, %c1) :
// CHECK: return
func.func @gradient(%x: memref<2x1x64xf32>, %h: memref<1x1x64xf32>, %p: memref<?xf32>, %y: memref<2x1x64xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<2x1x64xf32>) state(%h : memref<1x1x64xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<2x1x64xf32>, memref<1x1x64xf32>) grads(%y, %h : memref<2x1x64xf32>, memref<1x1x64xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %h : memref<1x1x64xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Three steps, or two of two rows, do not, if the weights are small.
// CHECK-LABEL: func @three_steps
// CHECK-NOT: row_dots{{.*}}, %c1) :
// CHECK: return
func.func @three_steps(%x: memref<3x1x64xf32>, %h: memref<1x1x64xf32>, %p: memref<?xf32>, %y: memref<3x1x64xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<3x1x64xf32>) state(%h : memref<1x1x64xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<3x1x64xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// CHECK-LABEL: func @two_rows
// CHECK-NOT: row_dots{{.*}}, %c2) :
// CHECK: return
func.func @two_rows(%x: memref<2x2x64xf32>, %h: memref<1x2x64xf32>, %p: memref<?xf32>, %y: memref<2x2x64xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<2x2x64xf32>) state(%h : memref<1x2x64xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<2x2x64xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Weights of 4 MiB: sums for five products of a row.
// CHECK-LABEL: func @five_sums
// CHECK: llvm.func internal @rnn_host_part
// CHECK: row_sums{{.*}} %c512, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @five_sums(%x: memref<5x1x8xf32>, %s: memref<1x512xf32>, %w: memref<520x2048xf32>, %b: memref<2048xf32>, %p: memref<512xf32>, %y: memref<5x1x512xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x1x8xf32>) state(%s, %s : memref<1x512xf32>) weights(%w : memref<520x2048xf32>)
      peephole(%p, %p, %p : memref<512xf32>) bias(%b : memref<2048xf32>) outs(h = %y : memref<5x1x512xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @six_sums
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: row_sums{{.*}} %c512, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @six_sums(%x: memref<6x1x8xf32>, %s: memref<1x512xf32>, %w: memref<520x2048xf32>, %b: memref<2048xf32>, %p: memref<512xf32>, %y: memref<6x1x512xf32>) {
  rnn.block_lstm icfo x(%x : memref<6x1x8xf32>) state(%s, %s : memref<1x512xf32>) weights(%w : memref<520x2048xf32>)
      peephole(%p, %p, %p : memref<512xf32>) bias(%b : memref<2048xf32>) outs(h = %y : memref<6x1x512xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Dot products for nine.
// CHECK-LABEL: func @nine_dots
// CHECK: llvm.func internal @rnn_host_part
// CHECK: row_dots{{.*}} %c512, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @nine_dots(%x: memref<9x1x8xf32>, %h: memref<1x1x512xf32>, %p: memref<?xf32>, %y: memref<9x1x512xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<9x1x8xf32>) state(%h, %h : memref<1x1x512xf32>, memref<1x1x512xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<9x1x512xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @ten_dots
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: row_dots{{.*}} %c512, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @ten_dots(%x: memref<10x1x8xf32>, %h: memref<1x1x512xf32>, %p: memref<?xf32>, %y: memref<10x1x512xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<10x1x8xf32>) state(%h, %h : memref<1x1x512xf32>, memref<1x1x512xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<10x1x512xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Weights of 64 MiB: sums for at most eight products.
// CHECK-LABEL: func @eight_large_sums
// CHECK: llvm.func internal @rnn_host_part
// CHECK: row_sums{{.*}} %c2048, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @eight_large_sums(%x: memref<8x1x8xf32>, %s: memref<1x2048xf32>, %w: memref<2056x8192xf32>, %b: memref<8192xf32>, %p: memref<2048xf32>, %y: memref<8x1x2048xf32>) {
  rnn.block_lstm icfo x(%x : memref<8x1x8xf32>) state(%s, %s : memref<1x2048xf32>) weights(%w : memref<2056x8192xf32>)
      peephole(%p, %p, %p : memref<2048xf32>) bias(%b : memref<8192xf32>) outs(h = %y : memref<8x1x2048xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @nine_large_sums
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: row_sums{{.*}} %c2048, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @nine_large_sums(%x: memref<9x1x8xf32>, %s: memref<1x2048xf32>, %w: memref<2056x8192xf32>, %b: memref<8192xf32>, %p: memref<2048xf32>, %y: memref<9x1x2048xf32>) {
  rnn.block_lstm icfo x(%x : memref<9x1x8xf32>) state(%s, %s : memref<1x2048xf32>) weights(%w : memref<2056x8192xf32>)
      peephole(%p, %p, %p : memref<2048xf32>) bias(%b : memref<8192xf32>) outs(h = %y : memref<9x1x2048xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Dot products for at most sixteen.
// CHECK-LABEL: func @sixteen_large_dots
// CHECK: llvm.func internal @rnn_host_part
// CHECK: row_dots{{.*}} %c2048, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @sixteen_large_dots(%x: memref<16x1x8xf32>, %h: memref<1x1x2048xf32>, %p: memref<?xf32>, %y: memref<16x1x2048xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<16x1x8xf32>) state(%h, %h : memref<1x1x2048xf32>, memref<1x1x2048xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<16x1x2048xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @seventeen_large_dots
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: row_dots{{.*}} %c2048, {{.*}}, %c1) :
// CHECK: llvm.return
func.func @seventeen_large_dots(%x: memref<17x1x8xf32>, %h: memref<1x1x2048xf32>, %p: memref<?xf32>, %y: memref<17x1x2048xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<17x1x8xf32>) state(%h, %h : memref<1x1x2048xf32>, memref<1x1x2048xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<17x1x2048xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Packed bf16 weights would be f32, which two rows read at half the rate.
// CHECK-LABEL: func @large_bf16
// CHECK: llvm.func internal @rnn_host_part
// CHECK: row_sums{{.*}} %c1024, {{.*}}, %c2) :
// CHECK: llvm.return
func.func @large_bf16(%x: memref<17x2x8xbf16>, %s: memref<2x1024xbf16>, %w: memref<1032x4096xbf16>, %b: memref<4096xbf16>, %p: memref<1024xbf16>, %y: memref<17x2x1024xbf16>) {
  rnn.block_lstm icfo x(%x : memref<17x2x8xbf16>) state(%s, %s : memref<2x1024xbf16>) weights(%w : memref<1032x4096xbf16>)
      peephole(%p, %p, %p : memref<1024xbf16>) bias(%b : memref<4096xbf16>) outs(h = %y : memref<17x2x1024xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @three_rows_bf16
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: row_sums{{.*}} %c1024, {{.*}}, %c3) :
// CHECK: llvm.return
func.func @three_rows_bf16(%x: memref<17x3x8xbf16>, %s: memref<3x1024xbf16>, %w: memref<1032x4096xbf16>, %b: memref<4096xbf16>, %p: memref<1024xbf16>, %y: memref<17x3x1024xbf16>) {
  rnn.block_lstm icfo x(%x : memref<17x3x8xbf16>) state(%s, %s : memref<3x1024xbf16>) weights(%w : memref<1032x4096xbf16>)
      peephole(%p, %p, %p : memref<1024xbf16>) bias(%b : memref<4096xbf16>) outs(h = %y : memref<17x3x1024xbf16>) {lowering = #rnn.lowering<fused>}
  return
}
