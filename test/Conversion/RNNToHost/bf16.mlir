// GEMMs of bf16: weights in VNNI packing where few rows of a step read many of them, both operands for dot products.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=bf16-gemm=f32 | FileCheck %s --check-prefixes=CHECK,F32
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=bf16-gemm=dot | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: rnn-opt %s -split-input-file "-convert-rnn-to-host=bf16-gemm=avx512 vector-bits=512 vector-registers=32" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: rnn-opt %s -split-input-file "-convert-rnn-to-host=bf16-gemm=avx512" | FileCheck %s --check-prefix=AVX256
// RUN: rnn-opt %s -split-input-file "-convert-rnn-to-host=bf16-gemm=neon vector-bits=128 vector-registers=32" | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: not rnn-opt %s -split-input-file -convert-rnn-to-host=bf16-gemm=half 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: unknown value `half`; expected auto, f32, vnni, dot, avx512, neon or amx

// One example and 4 * 512 * 512 weights: they stay bf16. The GEMMs over all steps have f32 operands.
// PAIRS-DAG: call @rnn_host_pack_transposed_bf16_bf16(
// PAIRS-DAG: call @rnn_host_gemm_bf16_bf16({{.*}} : (memref<?xf32>, index, index, memref<?xbf16>, index, index, memref<?xf32>
// PAIRS-DAG: call @rnn_host_transposed_gemm_bf16({{.*}} : (memref<?xf32>, memref<?xf32>
// DOTS-DAG: call @rnn_host_gemm_bf16_bf16_bf16({{.*}} : (memref<?xbf16>, index, index, memref<?xbf16>, index, index, memref<?xf32>
// The gradients of the gates are in VNNI packing for the reductions over T*B.
// DOTS-DAG: call @rnn_host_pack_vnni_bf16_bf16
// DOTS-DAG: call @rnn_host_transposed_gemm_bf16_bf16_bf16({{.*}} : (memref<?xbf16>, memref<?xbf16>
// F32-DAG: call @rnn_host_gemm_bf16({{.*}} : (memref<?xf32>, index, index, memref<?xf32>, index, index, memref<?xf32>

// The lower half of each word is the first element of a pair.
// PAIRS-LABEL: func private @rnn_host_gemm_bf16_bf16(
// PAIRS: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<16xbf16> to vector<8xi32>
// PAIRS: arith.shli %[[WORDS]]
// PAIRS: arith.andi
// DOTS-LABEL: func private @rnn_host_gemm_bf16_bf16_bf16(
// DOTS: arith.shli
// AVX512-LABEL: func private @rnn_host_gemm_bf16_bf16_bf16(
// AVX512: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// AVX256: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.256"
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"({{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
func.func @one_example(%x: memref<20x1x3xbf16>, %s: memref<1x512xbf16>, %w: memref<515x2048xbf16>, %p: memref<512xbf16>, %b: memref<2048xbf16>, %y: memref<20x1x512xbf16>) {
  rnn.block_lstm_grad icfo x(%x : memref<20x1x3xbf16>) state(%s, %s : memref<1x512xbf16>) weights(%w : memref<515x2048xbf16>)
      peephole(%p, %p, %p : memref<512xbf16>) bias(%b : memref<2048xbf16>) saved(%y, %y, %y, %y, %y, %y, %y : memref<20x1x512xbf16>)
      grads(%y, %y : memref<20x1x512xbf16>) outs(w_grad = %w : memref<515x2048xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// A batch of 16 would widen each weight three times.
// CHECK-LABEL: func @batch
// PAIRS-NOT: memref<?xbf16>
// F32-NOT: memref<?xbf16>
// DOTS: memref<?xbf16>
// AVX512: memref<?xbf16>
func.func @batch(%x: memref<5x16x3xbf16>, %s: memref<16x512xbf16>, %w: memref<515x2048xbf16>, %p: memref<512xbf16>, %b: memref<2048xbf16>, %y: memref<5x16x512xbf16>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x16x3xbf16>) state(%s, %s : memref<16x512xbf16>) weights(%w : memref<515x2048xbf16>)
      peephole(%p, %p, %p : memref<512xbf16>) bias(%b : memref<2048xbf16>) saved(%y, %y, %y, %y, %y, %y, %y : memref<5x16x512xbf16>)
      grads(%y, %y : memref<5x16x512xbf16>) outs(w_grad = %w : memref<515x2048xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Without a rounding instruction, integer arithmetic rounds: LLVM would call a function for each element.
// CHECK-LABEL: func @rounding
// PAIRS: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi16>
// PAIRS: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xbf16>
// PAIRS-NOT: arith.truncf %{{.*}} : vector
// AVX512: arith.truncf %{{.*}} : vector<16xf32> to vector<16xbf16>
// NEON: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
func.func @rounding(%x: memref<5x2x3xbf16>, %h: memref<1x2x8xbf16>, %p: memref<?xbf16>, %y: memref<5x2x8xbf16>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xbf16>) state(%h : memref<1x2x8xbf16>) params(%p : memref<?xbf16>)
      outs(output = %y : memref<5x2x8xbf16>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
