// Forms of the input: a file, standard input, bytecode, which has no names of values.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o net.o --emit-header=- | FileCheck %s --check-prefixes=BOTH,NAMED
// RUN: rnn-compile -o net.o --emit-header=- < %s | FileCheck %s --check-prefixes=BOTH,NAMED
// RUN: rnn-opt %s --emit-bytecode -o net.mlirbc
// RUN: rnn-compile net.mlirbc -o net.o --emit-header=- | FileCheck %s --check-prefixes=BOTH,BYTECODE
// RUN: rnn-compile %s -o libnet.so -O0 && rnn-compile %s -o libnet.so -O1

// The attribute rnn.name overrides the name in the text. A value with several results has no name.
// BOTH: /* `f`
// NAMED-NEXT: in x: f32 [4]
// BYTECODE-NEXT: in arg0: f32 [4]
// BOTH-NEXT: in given: f32 [4]
// NAMED-NEXT: out sum: f32 [4]
// BYTECODE-NEXT: out result0: f32 [4]
// BOTH-NEXT: out result1: f32 [4]
// BOTH-NEXT: out product: f32 [4] */
// BOTH: net_f(
module @named {
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32> {rnn.name = "given"})
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {rnn.name = "product"}) {
    %sum = arith.addf %x, %y : tensor<4xf32>
    %pair:2 = func.call @two(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %p = arith.mulf %pair#0, %y : tensor<4xf32>
    return %sum, %pair#1, %p : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = arith.addf %x, %x : tensor<4xf32>
    %1 = arith.mulf %x, %x : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
