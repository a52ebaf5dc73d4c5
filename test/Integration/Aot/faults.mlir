// Every allocation of a compiled function fails once, also on threads of its team: the call returns RESOURCE_EXHAUSTED, its memory
// is freed, and the next call has the right results.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s --lowering=fused -o fused.o
// RUN: %cxx -I%S/Inputs -I%S/../../../unittests/Runtime %S/Inputs/faults.cpp %S/../../../unittests/Runtime/FaultInjection.cpp -rdynamic fused.o %link_runtime -lm -ldl -lpthread -o fused
// RUN: env RNNRT_MEMORY_CACHE=0 RNNRT_THREADS=1 ./fused | FileCheck %s
// RUN: env RNNRT_MEMORY_CACHE=0 RNNRT_THREADS=3 ./fused | FileCheck %s
// RUN: rnn-compile %s --lowering=runtime -o runtime.o
// RUN: %cxx -I%S/Inputs -I%S/../../../unittests/Runtime %S/Inputs/faults.cpp %S/../../../unittests/Runtime/FaultInjection.cpp -rdynamic runtime.o %link_runtime -lm -ldl -lpthread -o runtime
// RUN: env RNNRT_MEMORY_CACHE=0 ./runtime | FileCheck %s

// CHECK: block ok
// CHECK-NEXT: block_grad ok
// CHECK-NEXT: stack_grad ok
// CHECK-NEXT: shared ok
// CHECK-NEXT: 0 bytes left

// Large enough for three threads.
func.func @block(%x: tensor<3x16x24xf32>, %h: tensor<16x40xf32>, %w: tensor<64x160xf32>, %p: tensor<40xf32>,
                 %b: tensor<160xf32>) -> (tensor<3x16x40xf32>, tensor<3x16x40xf32>) {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<3x16x24xf32>) state(%h, %h : tensor<16x40xf32>) weights(%w : tensor<64x160xf32>)
      peephole(%p, %p, %p : tensor<40xf32>) bias(%b : tensor<160xf32>)
  return %r#1, %r#6 : tensor<3x16x40xf32>, tensor<3x16x40xf32>
}

func.func @block_grad(%x: tensor<3x16x24xf32>, %h: tensor<16x40xf32>, %w: tensor<64x160xf32>, %p: tensor<40xf32>,
                      %b: tensor<160xf32>, %d: tensor<3x16x40xf32>) -> (tensor<3x16x24xf32>, tensor<64x160xf32>) {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<3x16x24xf32>) state(%h, %h : tensor<16x40xf32>) weights(%w : tensor<64x160xf32>)
      peephole(%p, %p, %p : tensor<40xf32>) bias(%b : tensor<160xf32>)
  %g:8 = rnn.block_lstm_grad ifco x(%x : tensor<3x16x24xf32>) state(%h, %h : tensor<16x40xf32>)
      weights(%w : tensor<64x160xf32>) peephole(%p, %p, %p : tensor<40xf32>) bias(%b : tensor<160xf32>)
      saved(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<3x16x40xf32>) grads(%d, %d : tensor<3x16x40xf32>)
  return %g#0, %g#3 : tensor<3x16x24xf32>, tensor<64x160xf32>
}

func.func @stack_grad(%x: tensor<3x16x24xf32>, %h: tensor<4x16x32xf32>, %w: tensor<39936xf32>,
                      %dy: tensor<3x16x64xf32>) -> (tensor<3x16x24xf32>, tensor<39936xf32>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<3x16x24xf32>)
      state(%h, %h : tensor<4x16x32xf32>, tensor<4x16x32xf32>) params(%w : tensor<39936xf32>)
  %dx, %dh, %dc, %dw = rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<3x16x24xf32>)
      state(%h, %h : tensor<4x16x32xf32>, tensor<4x16x32xf32>) params(%w : tensor<39936xf32>)
      output(%y, %hn, %cn : tensor<3x16x64xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>)
      grads(%dy, %h, %h : tensor<3x16x64xf32>, tensor<4x16x32xf32>, tensor<4x16x32xf32>)
      reserve(%r : tensor<?xi8>)
  return %dx, %dw : tensor<3x16x24xf32>, tensor<39936xf32>
}

// Two layers that share one function.
func.func @shared(%x: tensor<2x4x8xf32>, %h: tensor<4x8xf32>, %w: tensor<16x32xf32>, %p: tensor<8xf32>,
                  %b: tensor<32xf32>) -> tensor<2x4x8xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<2x4x8xf32>) state(%h, %h : tensor<4x8xf32>) weights(%w : tensor<16x32xf32>)
      peephole(%p, %p, %p : tensor<8xf32>) bias(%b : tensor<32xf32>)
  %q:7 = rnn.block_lstm ifco x(%r#6 : tensor<2x4x8xf32>) state(%h, %h : tensor<4x8xf32>) weights(%w : tensor<16x32xf32>)
      peephole(%p, %p, %p : tensor<8xf32>) bias(%b : tensor<32xf32>)
  return %q#6 : tensor<2x4x8xf32>
}
