// The C header: every type, names of arguments, a function without arguments.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t
// RUN: rnn-compile %s -o %t/libnet.o --emit-header=%t/net.h
// RUN: sed -E 's/(version|!=) [0-9]+/\1 N/' %t/net.h > %t/golden.h
// RUN: diff %S/Inputs/net.h.golden %t/golden.h
// RUN: %cc -fsyntax-only -x c -include %t/net.h /dev/null
// RUN: %cxx -fsyntax-only -x c++ -include %t/net.h /dev/null

// A header for another ABI version does not compile, with a message.
// RUN: mkdir %t/rnn_runtime && cp %rnn_source/runtime/include/rnn_runtime/* %t/rnn_runtime
// RUN: sed 's/^#define RNNRT_ABI_VERSION .*/#define RNNRT_ABI_VERSION 999/' %rnn_source/runtime/include/rnn_runtime/abi.h > %t/rnn_runtime/abi.h
// RUN: not %plain_cc -I%t -fsyntax-only -x c %t/net.h 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: "this module was compiled for version {{[0-9]+}} of the interface of librnn_runtime; compile it again for this one"

// Names come from the text, from rnn.name and from locations. Names that are keywords of C or not unique are changed.
func.func @everything(%x: tensor<5x?xf32>, %int: tensor<f16>, %2: tensor<3xi1>, %count: index, %flag: i1, %half: bf16,
                      %byte: i8 {rnn.name = "x"}, %u: tensor<*xi32>, %inputs: f64)
    -> (tensor<5x?xf32>, f32, i16, i64, f64, f16, i32, tensor<*xi32>, tensor<0xbf16> {rnn.name = "no thing"}) {
  %y = arith.addf %x, %x : tensor<5x?xf32>
  %0 = arith.constant 1.5 : f32
  %short, %long = func.call @two() : () -> (i16, i64)
  %r = tensor.cast %u : tensor<*xi32> to tensor<?xi32>
  %s = arith.addi %r, %r : tensor<?xi32>
  %unranked = tensor.cast %s : tensor<?xi32> to tensor<*xi32>
  %d:2 = func.call @pair() : () -> (f16, i32)
  %empty = arith.constant dense<0.0> : tensor<0xbf16>
  return %y, %0, %short, %long, %inputs, %d#0, %d#1, %unranked, %empty
      : tensor<5x?xf32>, f32, i16, i64, f64, f16, i32, tensor<*xi32>, tensor<0xbf16>
}
func.func private @two() -> (i16, i64) {
  %0 = arith.constant 1 : i16
  %1 = arith.constant 2 : i64
  return %0, %1 : i16, i64
}
func.func private @pair() -> (f16, i32) {
  %0 = arith.constant 1.0 : f16
  %1 = arith.constant 2 : i32
  return %0, %1 : f16, i32
}

func.func @"nothing.at-all"() {
  return
}
