// sanitize.mlir - --sanitize=address reports accesses of compiled code beside arguments and scratch memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run, asan
// DEFINE: %{run} = env ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0 LD_PRELOAD=%asan rnn-run %s --sanitize=address
// RUN: %{run} --function=argument --input=5xf32=1 --input=4 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: f32=1
// RUN: not %{run} --function=argument --input=5xf32=1 --input=5 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %{run} --function=scratch --input=7 --input=6 | FileCheck %s --check-prefix=SCRATCH
// SCRATCH: f32=2
// RUN: not %{run} --function=scratch --input=7 --input=7 2>&1 | FileCheck %s --check-prefix=ERROR
// A large block, which is not cached and not rounded either.
// RUN: not %{run} --function=scratch --input=50001 --input=50001 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: ERROR: AddressSanitizer: heap-buffer-overflow
// ERROR-NEXT: READ of size 4

// A layer has the same results, also its kernels on the emulator.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{layer} = --function=layer --input=random:1:5x4x8 --input=random:2:1x4x17 --input=random:3:1377
// RUN: rnn-run %s --lowering=runtime %{layer} --output=@%t/y.npy
// RUN: %{run} --lowering=fused %{layer} --expected-output=@%t/y.npy --atol=1e-5
// RUN: %{run} --target=simt --lowering=fused %{layer} --expected-output=@%t/y.npy --atol=1e-5

// The grid of a kernel for an empty batch or no steps has a block nevertheless, which reads nothing.
// DEFINE: %{block} = --target=simt --lowering=fused --input=random:3:16x32 --input=random:4:8 --input=random:5:32
// RUN: %{run} %{block} --function=empty_batch --input=random:1:3x0x8 --input=random:2:0x8 --input=random:6:3x0x8 | FileCheck %s --check-prefix=EMPTY
// RUN: %{run} %{block} --function=no_steps --input=random:1:0x2x8 --input=random:2:2x8 --input=random:6:0x2x8 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 16x32xf32=

// RUN: not rnn-run %s --sanitize=address --function=argument 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: rnn-run: error: code with AddressSanitizer requires its runtime in this process: use a program that is built with it

// RUN: rnn-compile %s --sanitize=address -O0 -o %t/m.ll
// RUN: FileCheck %s --check-prefix=IR < %t/m.ll
// IR: call void @__asan_report_load4
// RUN: rnn-compile %s --sanitize=address -O0 -o %t/m.so

func.func @argument(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}

func.func @scratch(%n: index, %i: index) -> f32 {
  %m = memref.alloc(%n) : memref<?xf32>
  %c = arith.constant 2.0 : f32
  linalg.fill ins(%c : f32) outs(%m : memref<?xf32>)
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}

func.func @layer(%x: tensor<?x?x?xf32>, %h: tensor<1x?x?xf32>, %p: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x?xf32>) state(%h : tensor<1x?x?xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y : tensor<?x?x?xf32>
}

func.func @empty_batch(%w: tensor<16x32xf32>, %p: tensor<8xf32>, %b: tensor<32xf32>, %x: tensor<3x0x8xf32>, %s: tensor<0x8xf32>,
    %g: tensor<3x0x8xf32>) -> (tensor<3x0x8xf32>, tensor<3x0x8xf32>, tensor<0x8xf32>, tensor<16x32xf32>) {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<3x0x8xf32>) state(%s, %s : tensor<0x8xf32>)
      weights(%w : tensor<16x32xf32>) peephole(%p, %p, %p : tensor<8xf32>) bias(%b : tensor<32xf32>) {use_peephole}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<3x0x8xf32>)
      state(%s, %s : tensor<0x8xf32>) weights(%w : tensor<16x32xf32>) peephole(%p, %p, %p : tensor<8xf32>)
      bias(%b : tensor<32xf32>) saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<3x0x8xf32>)
      grads(%g, %g : tensor<3x0x8xf32>) {use_peephole}
  return %h, %dx, %dh, %dw : tensor<3x0x8xf32>, tensor<3x0x8xf32>, tensor<0x8xf32>, tensor<16x32xf32>
}

func.func @no_steps(%w: tensor<16x32xf32>, %p: tensor<8xf32>, %b: tensor<32xf32>, %x: tensor<0x2x8xf32>, %s: tensor<2x8xf32>,
    %g: tensor<0x2x8xf32>) -> (tensor<0x2x8xf32>, tensor<0x2x8xf32>, tensor<2x8xf32>, tensor<16x32xf32>) {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<0x2x8xf32>) state(%s, %s : tensor<2x8xf32>)
      weights(%w : tensor<16x32xf32>) peephole(%p, %p, %p : tensor<8xf32>) bias(%b : tensor<32xf32>) {use_peephole}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<0x2x8xf32>)
      state(%s, %s : tensor<2x8xf32>) weights(%w : tensor<16x32xf32>) peephole(%p, %p, %p : tensor<8xf32>)
      bias(%b : tensor<32xf32>) saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<0x2x8xf32>)
      grads(%g, %g : tensor<0x2x8xf32>) {use_peephole}
  return %h, %dx, %dh, %dw : tensor<0x2x8xf32>, tensor<0x2x8xf32>, tensor<2x8xf32>, tensor<16x32xf32>
}
