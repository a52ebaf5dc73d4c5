// tf-batch-major.mlir - time_major = false is time_major = true between transposes, forward and backward.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// The differences of all results are zero, and the output itself is not.
// RUN: rnn-run %s --function=main \
// RUN:   --expected-output=2x3x4xf64=0.0 --expected-output=2x2x2xf64=0.0 --expected-output=2x2x2xf64=0.0 \
// RUN:   --expected-output=2x3x2xf64=0.0 --expected-output=2x2x2xf64=0.0 --expected-output=2x2x2xf64=0.0 \
// RUN:   --expected-output=96xf64=0.0
// RUN: not rnn-run %s --function=trivial --expected-output=2x3x4xf64=0.0 2>&1 | FileCheck %s --check-prefix=TRIVIAL
// TRIVIAL: result 0: 20 of 24 elements (2x3x4xf64) differ

!x = tensor<2x3x2xf64>
!xt = tensor<3x2x2xf64>
!s = tensor<2x2x2xf64>
!y = tensor<2x3x4xf64>
!yt = tensor<3x2x4xf64>
!p = tensor<96xf64>

// Values between -0.6 and 0.6 that are different after every transposition.
func.func private @number(%i: index, %step: index) -> f64 {
  %seven = arith.constant 13 : index
  %product = arith.muli %i, %step : index
  %rest = arith.remui %product, %seven : index
  %int = arith.index_cast %rest : index to i64
  %float = arith.sitofp %int : i64 to f64
  %half = arith.constant 6.0 : f64
  %centred = arith.subf %float, %half : f64
  %tenth = arith.constant 0.1 : f64
  %value = arith.mulf %centred, %tenth : f64
  return %value : f64
}

func.func private @x() -> !x {
  %0 = tensor.generate {
  ^bb0(%b: index, %t: index, %i: index):
    %c6 = arith.constant 6 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %row = arith.muli %b, %c6 : index
    %column = arith.muli %t, %c2 : index
    %sum = arith.addi %row, %column : index
    %at = arith.addi %sum, %i : index
    %v = func.call @number(%at, %c5) : (index, index) -> f64
    tensor.yield %v : f64
  } : !x
  return %0 : !x
}

func.func private @state(%step: index) -> !s {
  %0 = tensor.generate {
  ^bb0(%b: index, %l: index, %i: index):
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %row = arith.muli %b, %c4 : index
    %column = arith.muli %l, %c2 : index
    %sum = arith.addi %row, %column : index
    %at = arith.addi %sum, %i : index
    %v = func.call @number(%at, %step) : (index, index) -> f64
    tensor.yield %v : f64
  } : !s
  return %0 : !s
}

func.func private @params() -> !p {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %c7 = arith.constant 7 : index
    %v = func.call @number(%i, %c7) : (index, index) -> f64
    tensor.yield %v : f64
  } : !p
  return %0 : !p
}

// Forward and backward of one bidirectional layer on batch-major operands; the output's gradient is the output.
func.func private @batch_major(%x: !x, %h: !s, %c: !s, %p: !p) -> (!y, !s, !s, !x, !s, !s, !p) {
  %lengths = arith.constant dense<[3, 2]> : tensor<2xi32>
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%x, %h, %c, %p, %lengths) {direction = "bidirectional", time_major = false}
      : (!x, !s, !s, !p, tensor<2xi32>) -> (!y, !s, !s, tensor<?xf64>, tensor<i8>)
  %dx, %dh, %dc, %dp = "tf.CudnnRNNBackpropV3"(%x, %h, %c, %p, %lengths, %y, %hn, %cn, %y, %c, %h, %r, %a)
      {direction = "bidirectional", time_major = false}
      : (!x, !s, !s, !p, tensor<2xi32>, !y, !s, !s, !y, !s, !s, tensor<?xf64>, tensor<i8>) -> (!x, !s, !s, !p)
  return %y, %hn, %cn, %dx, %dh, %dc, %dp : !y, !s, !s, !x, !s, !s, !p
}

func.func private @swap_s(%v: !s) -> !s {
  %e = tensor.empty() : !s
  %0 = linalg.transpose ins(%v : !s) outs(%e : !s) permutation = [1, 0, 2]
  return %0 : !s
}

// The same on time-major operands, transposed by hand.
func.func private @time_major(%x: !x, %h: !s, %c: !s, %p: !p) -> (!y, !s, !s, !x, !s, !s, !p) {
  %lengths = arith.constant dense<[3, 2]> : tensor<2xi32>
  %e0 = tensor.empty() : !xt
  %xt = linalg.transpose ins(%x : !x) outs(%e0 : !xt) permutation = [1, 0, 2]
  %ht = call @swap_s(%h) : (!s) -> !s
  %ct = call @swap_s(%c) : (!s) -> !s
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%xt, %ht, %ct, %p, %lengths) {direction = "bidirectional"}
      : (!xt, !s, !s, !p, tensor<2xi32>) -> (!yt, !s, !s, tensor<?xf64>, tensor<i8>)
  %dx, %dh, %dc, %dp = "tf.CudnnRNNBackpropV3"(%xt, %ht, %ct, %p, %lengths, %y, %hn, %cn, %y, %ct, %ht, %r, %a)
      {direction = "bidirectional"}
      : (!xt, !s, !s, !p, tensor<2xi32>, !yt, !s, !s, !yt, !s, !s, tensor<?xf64>, tensor<i8>) -> (!xt, !s, !s, !p)
  %e1 = tensor.empty() : !y
  %yt = linalg.transpose ins(%y : !yt) outs(%e1 : !y) permutation = [1, 0, 2]
  %e2 = tensor.empty() : !x
  %dxt = linalg.transpose ins(%dx : !xt) outs(%e2 : !x) permutation = [1, 0, 2]
  %hnt = call @swap_s(%hn) : (!s) -> !s
  %cnt = call @swap_s(%cn) : (!s) -> !s
  %dht = call @swap_s(%dh) : (!s) -> !s
  %dct = call @swap_s(%dc) : (!s) -> !s
  return %yt, %hnt, %cnt, %dxt, %dht, %dct, %dp : !y, !s, !s, !x, !s, !s, !p
}

func.func @main() -> (!y, !s, !s, !x, !s, !s, !p) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = call @x() : () -> !x
  %h = call @state(%c3) : (index) -> !s
  %c = call @state(%c4) : (index) -> !s
  %p = call @params() : () -> !p
  %0:7 = call @batch_major(%x, %h, %c, %p) : (!x, !s, !s, !p) -> (!y, !s, !s, !x, !s, !s, !p)
  %1:7 = call @time_major(%x, %h, %c, %p) : (!x, !s, !s, !p) -> (!y, !s, !s, !x, !s, !s, !p)
  %y = arith.subf %0#0, %1#0 : !y
  %hn = arith.subf %0#1, %1#1 : !s
  %cn = arith.subf %0#2, %1#2 : !s
  %dx = arith.subf %0#3, %1#3 : !x
  %dh = arith.subf %0#4, %1#4 : !s
  %dc = arith.subf %0#5, %1#5 : !s
  %dp = arith.subf %0#6, %1#6 : !p
  return %y, %hn, %cn, %dx, %dh, %dc, %dp : !y, !s, !s, !x, !s, !s, !p
}

// The output that is compared above.
func.func @trivial() -> !y {
  %c3 = arith.constant 3 : index
  %x = call @x() : () -> !x
  %h = call @state(%c3) : (index) -> !s
  %p = call @params() : () -> !p
  %0:7 = call @batch_major(%x, %h, %h, %p) : (!x, !s, !s, !p) -> (!y, !s, !s, !x, !s, !s, !p)
  return %0#0 : !y
}
