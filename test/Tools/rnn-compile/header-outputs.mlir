// The C header states which arguments a function writes to.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s -o %t.o --emit-header=%t.h
// RUN: FileCheck %s --input-file=%t.h
// RUN: %cc -fsyntax-only -x c -include %t.h /dev/null

// CHECK: The function only reads arguments marked `in`
// CHECK-LABEL: /* `step`
// CHECK-NEXT:   in  x: f32 [5, 2, 3]
// CHECK-NEXT:   in  h: f32 [1, 2, 4]
// CHECK-NEXT:   in  p: f32 [36]
// CHECK-NEXT:   output y: f32 [5, 2, 4]
// CHECK-NEXT:   inout count: i32 [] */
func.func @step(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<36xf32>, %y: memref<5x2x4xf32>,
                %count: memref<i32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<36xf32>)
      outs(output = %y : memref<5x2x4xf32>) {is_training = false}
  %c1 = arith.constant 1 : i32
  %n = memref.load %count[] : memref<i32>
  %next = arith.addi %n, %c1 : i32
  memref.store %next, %count[] : memref<i32>
  return
}
