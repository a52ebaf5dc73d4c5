// RUN: rnn-opt %s -rnn-attach-target="target=cuda large-gemms=auto" -convert-rnn-to-gpu -canonicalize -split-input-file | FileCheck %s
// RUN: rnn-opt %s -convert-rnn-to-gpu -canonicalize -split-input-file | FileCheck %s --check-prefix=KERNEL --implicit-check-not=rnnrt.gemm

// The library adds a bias in the accumulator type. The kernel runs if there is no library.
// KERNEL-LABEL: func @forward
// CHECK-LABEL: func @forward
// CHECK: gpu.launch {{.*}} function(@block_lstm_bias)
// CHECK: %[[DONE:.*]] = rnnrt.gemm {{.*}} bias %{{.*}} : memref<65536xf16>, memref<524288xf16>, memref<262144xf32>, memref<1024xf32>
// CHECK: %[[YES:.*]] = arith.cmpi sgt, %[[DONE]], %{{.*}}
// CHECK: %[[NO:.*]] = arith.cmpi eq, %[[YES]], %false
// CHECK: scf.if %[[NO]]
// CHECK-NEXT: gpu.launch {{.*}} function(@block_lstm_input)
// CHECK: scf.for
// CHECK: function(@block_lstm_step)
func.func @forward(%x: memref<4x64x256xf16>, %s: memref<64x256xf16>, %w: memref<512x1024xf16>, %p: memref<256xf16>,
                   %b: memref<1024xf16>, %h: memref<4x64x256xf16>) {
  rnn.block_lstm icfo x(%x : memref<4x64x256xf16>) state(%s, %s : memref<64x256xf16>) weights(%w : memref<512x1024xf16>)
      peephole(%p, %p, %p : memref<256xf16>) bias(%b : memref<1024xf16>) outs(h = %h : memref<4x64x256xf16>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// A small GEMM does not use the library.
// KERNEL-LABEL: func @small
// CHECK-LABEL: func @small
// CHECK-NOT: rnnrt.gemm
// CHECK: function(@block_lstm_input)
func.func @small(%x: memref<4x64x4xf16>, %s: memref<64x8xf16>, %w: memref<12x32xf16>, %p: memref<8xf16>,
                 %b: memref<32xf16>, %h: memref<4x64x8xf16>) {
  rnn.block_lstm icfo x(%x : memref<4x64x4xf16>) state(%s, %s : memref<64x8xf16>) weights(%w : memref<12x32xf16>)
      peephole(%p, %p, %p : memref<8xf16>) bias(%b : memref<32xf16>) outs(h = %h : memref<4x64x8xf16>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// With dynamic sizes the choice is made at run time, at 2^26 multiply-adds. In f64 a kernel adds the bias.
// KERNEL-LABEL: func @dynamic
// CHECK-LABEL: func @dynamic
// CHECK: %[[ENOUGH:.*]] = arith.constant 67108863 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi sgt, %{{.*}}, %[[ENOUGH]]
// CHECK: %[[IF:.*]] = scf.if %[[LARGE]] -> (i1)
// CHECK: rnnrt.gemm {{.*}} : memref<?xf64>, memref<?xf64>, memref<?xf64>
// CHECK: function(@block_lstm_input_bias)
// CHECK: function(@block_lstm_input)
func.func @dynamic(%x: memref<?x?x?xf64>, %s: memref<?x?xf64>, %w: memref<?x?xf64>, %p: memref<?xf64>,
                   %b: memref<?xf64>, %h: memref<?x?x?xf64>) {
  rnn.block_lstm icfo x(%x : memref<?x?x?xf64>) state(%s, %s : memref<?x?xf64>) weights(%w : memref<?x?xf64>)
      peephole(%p, %p, %p : memref<?xf64>) bias(%b : memref<?xf64>) outs(h = %h : memref<?x?x?xf64>)
      {lowering = #rnn.lowering<fused>}
  return
}
