// What threads share: time loops and the products behind them. Where less than two parts are worth it, no code is made for that.
// RUN: rnn-opt %s -convert-rnn-to-host=vector-bits=256 -cse -split-input-file | FileCheck %s

// A step has 128 x 512 multiply-adds, which is just enough, and dX 64 times as many.
// CHECK-LABEL: func @both_are_shared
// CHECK-DAG: %[[PANELS:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 65536 : index
// CHECK: rnnrt.parallel %{{.*}} most %[[PANELS]] work %[[STEP]]
// CHECK: %[[DX:.*]] = arith.constant 4194304 : index
// CHECK: rnnrt.parallel %{{.*}} most %[[PANELS]] work %[[DX]]
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

// 64 x 256 are not.
// CHECK-LABEL: func @products_are_shared
// CHECK: %[[DX:.*]] = arith.constant 1048576 : index
// CHECK: rnnrt.parallel %{{.*}} work %[[DX]]
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
