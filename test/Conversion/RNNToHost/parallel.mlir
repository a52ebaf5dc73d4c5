// Time loops and the GEMMs after them run in parallel if there is enough work for two threads; otherwise the code is sequential.
// RUN: rnn-opt %s -convert-rnn-to-host=vector-bits=256 -cse -split-input-file | FileCheck %s
// RUN: rnn-opt %s -convert-rnn-to-host="vector-bits=256 bf16-gemm=dot" -cse -split-input-file | FileCheck %s --check-prefix=DOTS

// A step has 128 x 512 multiply-adds, which is the minimum, and dX 64 times as many. dX has two parallel loops, of which one
// runs: for weights whose packed form later calls use, and for other weights.
// CHECK-LABEL: func @both_are_shared
// CHECK-DAG: %[[PANELS:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 65536 : index
// CHECK: rnnrt.parallel %{{.*}} max_parts %[[PANELS]] work %[[STEP]]
// CHECK: %[[DX:.*]] = arith.constant 4194304 : index
// CHECK-COUNT-2: rnnrt.parallel %{{.*}} max_parts %[[PANELS]] work %[[DX]]
// CHECK-NOT: rnnrt.parallel
// CHECK: return
// CHECK: rnnrt.team_wait
func.func @both_are_shared(%x: memref<64x1x128xf32>, %s: memref<1x128xf32>, %w: memref<256x512xf32>, %p: memref<128xf32>,
    %b: memref<512xf32>, %g: memref<64x1x128xf32>, %dx: memref<64x1x128xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<64x1x128xf32>) state(%s, %s : memref<1x128xf32>) weights(%w : memref<256x512xf32>)
      peephole(%p, %p, %p : memref<128xf32>) bias(%b : memref<512xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<64x1x128xf32>) grads(%g, %g : memref<64x1x128xf32>)
      outs(x_grad = %dx : memref<64x1x128xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// A step of 64 x 256 multiply-adds is sequential.
// CHECK-LABEL: func @products_are_shared
// CHECK: %[[DX:.*]] = arith.constant 1048576 : index
// CHECK-COUNT-2: rnnrt.parallel %{{.*}} work %[[DX]]
// CHECK-NOT: rnnrt.parallel
// CHECK-NOT: rnnrt.team_wait
func.func @products_are_shared(%x: memref<64x1x64xf32>, %s: memref<1x64xf32>, %w: memref<128x256xf32>, %p: memref<64xf32>,
    %b: memref<256xf32>, %g: memref<64x1x64xf32>, %dx: memref<64x1x64xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<64x1x64xf32>) state(%s, %s : memref<1x64xf32>) weights(%w : memref<128x256xf32>)
      peephole(%p, %p, %p : memref<64xf32>) bias(%b : memref<256xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<64x1x64xf32>) grads(%g, %g : memref<64x1x64xf32>)
      outs(x_grad = %dx : memref<64x1x64xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @one_thread
// CHECK-NOT: rnnrt.parallel
// CHECK-NOT: rnnrt.team_wait
func.func @one_thread(%x: memref<2x1x64xf32>, %s: memref<1x64xf32>, %w: memref<128x256xf32>, %p: memref<64xf32>,
    %b: memref<256xf32>, %g: memref<2x1x64xf32>, %dx: memref<2x1x64xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<2x1x64xf32>) state(%s, %s : memref<1x64xf32>) weights(%w : memref<128x256xf32>)
      peephole(%p, %p, %p : memref<64xf32>) bias(%b : memref<256xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<2x1x64xf32>) grads(%g, %g : memref<2x1x64xf32>)
      outs(x_grad = %dx : memref<2x1x64xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// VNNI packing of the gradients of the gates: 32 panels of 128 rows of 16 elements.
// CHECK-LABEL: func @pairs_are_shared
// DOTS-LABEL: func @pairs_are_shared
// DOTS: %[[PAIRS:.*]] = arith.constant 65536 : index
// DOTS: rnnrt.parallel %{{.*}} max_parts %{{.*}} work %[[PAIRS]]
// DOTS: %[[GATES:.*]] = arith.constant 32 : index
// DOTS: rnnrt.parallel %{{.*}} max_parts %[[GATES]] work %[[PAIRS]]
// DOTS: return
// DOTS: func.call @rnn_host_pack_vnni_bf16_bf16
func.func @pairs_are_shared(%x: memref<128x1x128xbf16>, %s: memref<1x128xbf16>, %w: memref<256x512xbf16>, %p: memref<128xbf16>,
    %b: memref<512xbf16>, %g: memref<128x1x128xbf16>) {
  rnn.block_lstm_grad ifco x(%x : memref<128x1x128xbf16>) state(%s, %s : memref<1x128xbf16>) weights(%w : memref<256x512xbf16>)
      peephole(%p, %p, %p : memref<128xbf16>) bias(%b : memref<512xbf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<128x1x128xbf16>) grads(%g, %g : memref<128x1x128xbf16>)
      outs(w_grad = %w : memref<256x512xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Steps of 16 rows with weights that fit in an L2 cache: threads divide units of 4 rows, without barriers between steps.
// CHECK-LABEL: func @rows_are_shared
// CHECK-DAG: %[[UNITS:.*]] = arith.constant 4 : index
// CHECK: rnnrt.parallel %{{.*}} max_parts %[[UNITS]] work %{{.*}}
// CHECK: llvm.func internal @rnn_host_part
// CHECK: rnnrt.team_wait
// CHECK: scf.for
// CHECK-NOT: rnnrt.team_wait
// CHECK: llvm.return
func.func @rows_are_shared(%x: memref<64x16x128xf32>, %s: memref<16x128xf32>, %w: memref<256x512xf32>, %p: memref<128xf32>,
    %b: memref<512xf32>, %g: memref<64x16x128xf32>) {
  rnn.block_lstm ifco x(%x : memref<64x16x128xf32>) state(%s, %s : memref<16x128xf32>) weights(%w : memref<256x512xf32>)
      peephole(%p, %p, %p : memref<128xf32>) bias(%b : memref<512xf32>)
      outs(h = %g : memref<64x16x128xf32>) {lowering = #rnn.lowering<fused>}
  return
}
