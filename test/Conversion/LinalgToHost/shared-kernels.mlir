// A layer and a contraction use the same kernels, unless their vectors differ.
// RUN: rnn-opt %s -convert-linalg-to-host="vector-bits=256" -convert-rnn-to-host="vector-bits=256" | FileCheck %s
// RUN: rnn-opt %s -convert-linalg-to-host="vector-bits=256" -convert-rnn-to-host="vector-bits=512" | FileCheck %s --check-prefix=OTHER

// CHECK: func private @rnn_host_gemm_f32(
// CHECK-NOT: func private @rnn_host_gemm_f32
// OTHER-DAG: func private @rnn_host_gemm_f32(
// OTHER-DAG: func private @rnn_host_gemm_f32_{{[0-9]+}}(
func.func @main(%a: memref<100x512xf32>, %m: memref<512x512xf32>, %c: memref<100x512xf32>, %x: memref<5x40x3xf32>,
                %s: memref<40x64xf32>, %w: memref<67x256xf32>, %p: memref<64xf32>, %b: memref<256xf32>,
                %y: memref<5x40x64xf32>) {
  linalg.matmul ins(%a, %m : memref<100x512xf32>, memref<512x512xf32>) outs(%c : memref<100x512xf32>)
  rnn.block_lstm_grad icfo x(%x : memref<5x40x3xf32>) state(%s, %s : memref<40x64xf32>) weights(%w : memref<67x256xf32>)
      peephole(%p, %p, %p : memref<64xf32>) bias(%b : memref<256xf32>) saved(%y, %y, %y, %y, %y, %y, %y : memref<5x40x64xf32>)
      grads(%y, %y : memref<5x40x64xf32>) outs(w_grad = %w : memref<67x256xf32>) {lowering = #rnn.lowering<fused>}
  return
}
