// same-names.mlir - two versions of a library in one program: each calls its own functions.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o first.so --prefix=model
// RUN: sed 's/addf/subf/' %s > second.mlir
// RUN: rnn-compile second.mlir -o second.so --prefix=model
// RUN: %cc -std=gnu99 %S/Inputs/same-names.c %link_runtime -ldl -o program
// RUN: ./program ./first.so ./second.so | FileCheck %s
// RUN: rnn-compile second.mlir -o third.so --prefix=model --linker=cc
// RUN: ./program ./first.so ./third.so | FileCheck %s
// CHECK: {{^}}status:{{$}}
// CHECK-NEXT: {{^}}2{{$}}
// CHECK-NEXT: {{^}}status:{{$}}
// CHECK-NEXT: {{^}}0{{$}}

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
