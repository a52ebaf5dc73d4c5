// Fused loops and host plans with all sizes dynamic, with dropout, with a projection that may be absent, and with passes of
// different lowerings. Both report the same errors for invalid lengths, parameters and reserve spaces.
// REQUIRES: rnn-run
// RUN: rm -rf %t && split-file %s %t
// Each function is compiled alone.
// RUN: cat %t/numbers %t/dropped > %t/dropped.mlir
// RUN: cat %t/numbers %t/projected > %t/projected.mlir
// RUN: cat %t/numbers %t/operands %t/forward > %t/forward.mlir
// RUN: cat %t/numbers %t/operands %t/backward > %t/backward.mlir
// RUN: cat %t/numbers %t/operands %t/params > %t/params.mlir
// Sizes are T, B, I, H, L.
// DEFINE: %{sizes} = --input=5 --input=3 --input=7 --input=9 --input=3
// DEFINE: %{out} = --output=@%t/y.npy --output=@%t/hn.npy --output=@%t/dx.npy --output=@%t/dh.npy --output=@%t/dp.npy
// DEFINE: %{expected} = --expected-output=@%t/y.npy --expected-output=@%t/hn.npy --expected-output=@%t/dx.npy --expected-output=@%t/dh.npy --expected-output=@%t/dp.npy --atol=1e-12 --rtol=1e-12
// RUN: rnn-run %t/dropped.mlir --function=dropped --lowering=runtime %{sizes} %{out}
// RUN: rnn-run %t/dropped.mlir --function=dropped --lowering=fused %{sizes} %{expected}
// RUN: rnn-run %t/dropped.mlir --function=dropped --lowering=runtime --input=4 --input=2 --input=20 --input=5 --input=1 %{out}
// RUN: rnn-run %t/dropped.mlir --function=dropped --lowering=fused --input=4 --input=2 --input=20 --input=5 --input=1 %{expected}
// RUN: rnn-run %t/projected.mlir --function=projected --lowering=runtime %{sizes} %{out}
// RUN: rnn-run %t/projected.mlir --function=projected --lowering=fused %{sizes} %{expected}
// RUN: rnn-run %t/projected.mlir --function=projected --lowering=runtime --input=3 --input=2 --input=3 --input=4 --input=2 %{out}
// RUN: rnn-run %t/projected.mlir --function=projected --lowering=fused --input=3 --input=2 --input=3 --input=4 --input=2 %{expected}

// Each pass by another lowering, through a file.
// DEFINE: %{saved} = --output=@%t/y.npy --output=@%t/hn.npy --output=@%t/r.npy
// DEFINE: %{pass} = --input=@%t/y.npy --input=@%t/hn.npy --input=@%t/r.npy
// RUN: rnn-run %t/forward.mlir --function=forward --lowering=runtime --input=2xi32=3 %{saved}
// RUN: rnn-run %t/backward.mlir --function=backward --lowering=runtime --input=2xi32=3 %{pass} --output=@%t/dx.npy --output=@%t/dp.npy
// RUN: rnn-run %t/backward.mlir --function=backward --lowering=fused --input=2xi32=3 %{pass} --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy --atol=1e-12 --rtol=1e-12
// RUN: rnn-run %t/forward.mlir --function=forward --lowering=fused --input=2xi32=3 %{saved}
// RUN: rnn-run %t/backward.mlir --function=backward --lowering=runtime --input=2xi32=3 %{pass} --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy --atol=1e-12 --rtol=1e-12
// The same messages for a reserve space of other lengths, an empty one, lengths greater than T, and too few parameters.
// DEFINE: %{bad-lengths} = not rnn-run %t/backward.mlir --function=backward --input=2xi32=2 %{pass}
// RUN: %{bad-lengths} --lowering=runtime 2>&1 | FileCheck %s --check-prefix=LENGTHS
// RUN: %{bad-lengths} --lowering=fused 2>&1 | FileCheck %s --check-prefix=LENGTHS
// LENGTHS: error: FAILED_PRECONDITION: `reserve` was written by a forward pass with other `lengths` or `resets`
// DEFINE: %{bad-size} = not rnn-run %t/backward.mlir --function=backward --input=2xi32=3 --input=@%t/y.npy --input=@%t/hn.npy --input=10xi8=0
// RUN: %{bad-size} --lowering=runtime 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %{bad-size} --lowering=fused 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: INVALID_ARGUMENT: expects `reserve` to have {{[0-9]+}} bytes, but got 10
// DEFINE: %{bad-range} = not rnn-run %t/forward.mlir --function=forward --input=2xi32=6
// RUN: %{bad-range} --lowering=runtime 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %{bad-range} --lowering=fused 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: INVALID_ARGUMENT: expects element 0 of `lengths` to be in [0, T = 5], but got 6
// DEFINE: %{bad-params} = not rnn-run %t/params.mlir --function=params --input=100
// RUN: %{bad-params} --lowering=runtime 2>&1 | FileCheck %s --check-prefix=PARAMS
// RUN: %{bad-params} --lowering=fused 2>&1 | FileCheck %s --check-prefix=PARAMS
// PARAMS: error: INVALID_ARGUMENT: expects `params` to have 144 elements, but got 100

//--- numbers
func.func private @numbers3(%a: index, %b: index, %c: index, %seed: f64) -> tensor<?x?x?xf64> {
  %e = tensor.generate %a, %b, %c {
  ^bb0(%i: index, %j: index, %k: index):
    %i1 = arith.muli %i, %b : index
    %i2 = arith.addi %i1, %j : index
    %i3 = arith.muli %i2, %c : index
    %i4 = arith.addi %i3, %k : index
    %m = arith.index_cast %i4 : index to i64
    %f = arith.sitofp %m : i64 to f64
    %s = arith.mulf %f, %seed : f64
    %v = math.sin %s : f64
    %half = arith.constant 0.5 : f64
    %r = arith.mulf %v, %half : f64
    tensor.yield %r : f64
  } : tensor<?x?x?xf64>
  return %e : tensor<?x?x?xf64>
}

func.func private @numbers1(%a: index, %seed: f64) -> tensor<?xf64> {
  %one = arith.constant 1 : index
  %n = call @numbers3(%one, %one, %a, %seed) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %r = tensor.collapse_shape %n [[0, 1, 2]] : tensor<?x?x?xf64> into tensor<?xf64>
  return %r : tensor<?xf64>
}

//--- dropped
func.func @dropped(%T: index, %B: index, %I: index, %H: index, %L: index)
    -> (tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?xf64>) {
  %s0 = arith.constant 1.3 : f64
  %s1 = arith.constant 1.7 : f64
  %s2 = arith.constant 2.1 : f64
  %c2 = arith.constant 2 : index
  %rows = arith.muli %L, %c2 : index
  %width = arith.muli %H, %c2 : index
  %n = rnn.cudnn_params_size gru, bidirectional sizes(%L, %H, %I) {element_type = f64}
  %x = call @numbers3(%T, %B, %I, %s0) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %h = call @numbers3(%rows, %B, %H, %s1) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %p = call @numbers1(%n, %s2) : (index, f64) -> tensor<?xf64>
  %dy = call @numbers3(%T, %B, %width, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<?x?x?xf64>) state(%h : tensor<?x?x?xf64>)
      params(%p : tensor<?xf64>) {dropout = 0.4, seed = 7 : i64}
  %dx, %dh, %dp = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<?x?x?xf64>) state(%h : tensor<?x?x?xf64>)
      params(%p : tensor<?xf64>) output(%y, %hn : tensor<?x?x?xf64>, tensor<?x?x?xf64>)
      grads(%dy, %h : tensor<?x?x?xf64>, tensor<?x?x?xf64>) reserve(%r : tensor<?xi8>) {dropout = 0.4, seed = 7 : i64}
  return %y, %hn, %dx, %dh, %dp
      : tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?x?x?xf64>, tensor<?xf64>
}

//--- projected
// There is a projection unless H is 4.
func.func @projected(%T: index, %B: index, %I: index, %H: index, %L: index)
    -> (tensor<?x?x4xf64>, tensor<?x?x4xf64>, tensor<?x?x?xf64>, tensor<?x?x4xf64>, tensor<?xf64>) {
  %s0 = arith.constant 1.3 : f64
  %s1 = arith.constant 1.7 : f64
  %s2 = arith.constant 2.1 : f64
  %c4 = arith.constant 4 : index
  %n = rnn.cudnn_params_size lstm sizes(%L, %H, %I) {element_type = f64, num_proj = 4}
  %x = call @numbers3(%T, %B, %I, %s0) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %ha = call @numbers3(%L, %B, %c4, %s1) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %h = tensor.cast %ha : tensor<?x?x?xf64> to tensor<?x?x4xf64>
  %c = call @numbers3(%L, %B, %H, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %p = call @numbers1(%n, %s2) : (index, f64) -> tensor<?xf64>
  %da = call @numbers3(%T, %B, %c4, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %dy = tensor.cast %da : tensor<?x?x?xf64> to tensor<?x?x4xf64>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<?x?x?xf64>) state(%h, %c : tensor<?x?x4xf64>, tensor<?x?x?xf64>)
      params(%p : tensor<?xf64>) {num_proj = 4}
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%x : tensor<?x?x?xf64>)
      state(%h, %c : tensor<?x?x4xf64>, tensor<?x?x?xf64>) params(%p : tensor<?xf64>)
      output(%y, %hn, %cn : tensor<?x?x4xf64>, tensor<?x?x4xf64>, tensor<?x?x?xf64>)
      grads(%dy, %h, %c : tensor<?x?x4xf64>, tensor<?x?x4xf64>, tensor<?x?x?xf64>) reserve(%r : tensor<?xi8>) {num_proj = 4}
  return %y, %hn, %dx, %dh, %dp
      : tensor<?x?x4xf64>, tensor<?x?x4xf64>, tensor<?x?x?xf64>, tensor<?x?x4xf64>, tensor<?xf64>
}

//--- operands
func.func private @operands() -> (tensor<5x2x3xf64>, tensor<4x2x4xf64>, tensor<?xf64>, tensor<5x2x8xf64>) {
  %s0 = arith.constant 1.3 : f64
  %s1 = arith.constant 1.7 : f64
  %s2 = arith.constant 2.1 : f64
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %n = rnn.cudnn_params_size gru, bidirectional sizes(%c2, %c4, %c3) {element_type = f64}
  %x = call @numbers3(%c5, %c2, %c3, %s0) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %h = call @numbers3(%c4, %c2, %c4, %s1) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %p = call @numbers1(%n, %s2) : (index, f64) -> tensor<?xf64>
  %dy = call @numbers3(%c5, %c2, %c8, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %xs0 = tensor.cast %x : tensor<?x?x?xf64> to tensor<5x2x3xf64>
  %hs = tensor.cast %h : tensor<?x?x?xf64> to tensor<4x2x4xf64>
  %dys0 = tensor.cast %dy : tensor<?x?x?xf64> to tensor<5x2x8xf64>
  // Steps after the third are not read.
  %xn = arith.constant dense<0x7FF8000000000000> : tensor<2x2x3xf64>
  %dyn = arith.constant dense<0x7FF8000000000000> : tensor<2x2x8xf64>
  %xs = tensor.insert_slice %xn into %xs0[3, 0, 0] [2, 2, 3] [1, 1, 1] : tensor<2x2x3xf64> into tensor<5x2x3xf64>
  %dys = tensor.insert_slice %dyn into %dys0[3, 0, 0] [2, 2, 8] [1, 1, 1] : tensor<2x2x8xf64> into tensor<5x2x8xf64>
  return %xs, %hs, %p, %dys : tensor<5x2x3xf64>, tensor<4x2x4xf64>, tensor<?xf64>, tensor<5x2x8xf64>
}

//--- forward
func.func @forward(%lengths: tensor<2xi32>) -> (tensor<5x2x8xf64>, tensor<4x2x4xf64>, tensor<?xi8>) {
  %x, %h, %p, %dy = call @operands() : () -> (tensor<5x2x3xf64>, tensor<4x2x4xf64>, tensor<?xf64>, tensor<5x2x8xf64>)
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf64>) state(%h : tensor<4x2x4xf64>)
      params(%p : tensor<?xf64>) lengths(%lengths : tensor<2xi32>) {dropout = 0.25, seed2 = 3 : i64}
  return %y, %hn, %r : tensor<5x2x8xf64>, tensor<4x2x4xf64>, tensor<?xi8>
}

//--- backward
func.func @backward(%lengths: tensor<2xi32>, %y: tensor<5x2x8xf64>, %hn: tensor<4x2x4xf64>, %r: tensor<?xi8>)
    -> (tensor<5x2x3xf64>, tensor<?xf64>) {
  %x, %h, %p, %dy = call @operands() : () -> (tensor<5x2x3xf64>, tensor<4x2x4xf64>, tensor<?xf64>, tensor<5x2x8xf64>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<5x2x3xf64>) state(%h : tensor<4x2x4xf64>)
      params(%p : tensor<?xf64>) lengths(%lengths : tensor<2xi32>)
      output(%y, %hn : tensor<5x2x8xf64>, tensor<4x2x4xf64>) grads(%dy, %h : tensor<5x2x8xf64>, tensor<4x2x4xf64>)
      reserve(%r : tensor<?xi8>) {dropout = 0.25, seed2 = 3 : i64}
  return %dx, %dp : tensor<5x2x3xf64>, tensor<?xf64>
}

//--- params
func.func @params(%n: index) -> tensor<5x2x4xf64> {
  %s0 = arith.constant 1.3 : f64
  %x, %h, %p, %dy = call @operands() : () -> (tensor<5x2x3xf64>, tensor<4x2x4xf64>, tensor<?xf64>, tensor<5x2x8xf64>)
  %s = tensor.extract_slice %h[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<4x2x4xf64> to tensor<1x2x4xf64>
  %q = call @numbers1(%n, %s0) : (index, f64) -> tensor<?xf64>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf64>) state(%s, %s : tensor<1x2x4xf64>) params(%q : tensor<?xf64>)
  return %y : tensor<5x2x4xf64>
}
