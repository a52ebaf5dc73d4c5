// Valid and invalid calls of exported functions from C and C++: through a library and through object files, with one module and
// with two.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o libnet.so --emit-header=net.h
// RUN: %cc -I. %S/Inputs/boundary.c -L. -lnet -Wl,-rpath,. %link_runtime -ldl -o library && ./library | FileCheck %s
// RUN: rnn-compile %s -o net.o -O0
// RUN: %cc -I. %S/Inputs/boundary.c -rdynamic net.o %link_runtime -lm -ldl -o object && ./object | FileCheck %s

// Two modules with the same function in one program, in C++.
// RUN: rnn-compile %s -o net.o --prefix=other --emit-header=other.h
// RUN: rnn-compile %s -o first.o --prefix=net
// RUN: %cxx -I. %S/Inputs/two.cpp net.o first.o %link_runtime -lm -o two && ./two

// CHECK: values ok
// CHECK-NEXT: table ok
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the tensor is missing: the function expects tensor<2x?xf32>, but got a null pointer
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the rank differs: the function expects tensor<2x?xf32>, but got tensor<2xf32>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the rank must be 0 to 8: the function expects tensor<2x?xf32>, but got rank 9
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the rank must be 0 to 8: the function expects tensor<2x?xf32>, but got rank -1
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the element type differs: the function expects tensor<2x?xf32>, but got tensor<2x3xf64>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the element type differs: the function expects tensor<2x?xf32>, but got tensor<2x3xunknown>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: dim 0 must be 2: the function expects tensor<2x?xf32>, but got tensor<3x3xf32>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: dim 1 is -3, but sizes must be at least 0: the function expects tensor<2x?xf32>, but got tensor<2x?xf32>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: its size in bytes exceeds 64 bits: the function expects tensor<2x?xf32>, but got tensor<2x4611686018427387904xf32>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the data is missing: the function expects tensor<2x?xf32>, but got tensor<2x3xf32>
// CHECK-NEXT: INVALID_ARGUMENT: argument 0 (`x`) of `mixed`: the address of the data must be a multiple of 4, the bytes of an element f32, but is 0x{{[0-9a-f]+}}; copy the tensor to aligned memory
// CHECK-NEXT: INVALID_ARGUMENT: argument 1 (`u`) of `mixed`: the rank differs: the function expects tensor<?xi32>, but got tensor<3x1xi32>
// CHECK-NEXT: INVALID_ARGUMENT: result 0 (`y`) of `mixed`: expects a tensor to fill, but got a null pointer
// CHECK-NEXT: INVALID_ARGUMENT: result 5 (`h`) of `mixed`: expects a tensor to fill, but got a null pointer
// CHECK-NEXT: INVALID_ARGUMENT: `mixed` expects 7 argument(s), but got 6
// CHECK-NEXT: INVALID_ARGUMENT: `mixed` expects 8 result(s), but got 9
// CHECK-NEXT: INVALID_ARGUMENT: `mixed` expects 7 argument(s), but their array is a null pointer
// CHECK-NEXT: INVALID_ARGUMENT: expects `call`, but got a null pointer
// CHECK-NEXT: FAILED_PRECONDITION: the module was compiled for runtime ABI version {{[0-9]+}}, but this runtime has version {{[0-9]+}}; recompile the module
// CHECK-NEXT: FAILED_PRECONDITION: `mixed` was compiled for tensors in device memory, but the call is on device `host`
// CHECK-NEXT: INVALID_ARGUMENT: the first failure stays
// CHECK-NEXT: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `w` to be I + H [B5]: expected 7, but got 6
// CHECK-NEXT: no bytes left

// The same tensor twice among the results; an empty one; every kind of scalar.
func.func @mixed(%x: tensor<2x?xf32>, %u: tensor<*xi32>, %flag: i1, %byte: i8, %n: index, %half: bf16, %d: f64)
    -> (tensor<2x?xf32>, tensor<2x?xf32>, i1, i8, index, bf16, f64, tensor<*xi32>) {
  %y = arith.addf %x, %x : tensor<2x?xf32>
  %true = arith.constant true
  %not = arith.xori %flag, %true : i1
  %b = arith.addi %byte, %byte : i8
  %m = arith.addi %n, %n : index
  %h = arith.addf %half, %half : bf16
  %e = arith.negf %d : f64
  %r = tensor.cast %u : tensor<*xi32> to tensor<?xi32>
  %s = arith.muli %r, %r : tensor<?xi32>
  %v = tensor.cast %s : tensor<?xi32> to tensor<*xi32>
  return %y, %y, %not, %b, %m, %h, %e, %v
      : tensor<2x?xf32>, tensor<2x?xf32>, i1, i8, index, bf16, f64, tensor<*xi32>
}

func.func @layer(%x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>, %b: tensor<?xf32>,
                 %n: i64) -> tensor<?x?x?xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>)
      weights(%w : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) seq_len_max(%n)
  return %r#6 : tensor<?x?x?xf32>
}
