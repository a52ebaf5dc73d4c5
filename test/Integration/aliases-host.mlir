// aliases-host.mlir - tensors that are returned or yielded twice, and rows that a loop inserts into a tensor from outside.
// REQUIRES: rnn-run
// DEFINE: %{x} = --input=3xf32=[1,2,3]
// RUN: rnn-run %s --function=called %{x} --expected-output=3xf32=[2,4,6] --expected-output=3xf32=[9,4,6] | FileCheck %s
// RUN: rnn-run %s --function=after_loop %{x} --input=2 --expected-output=3xf32=[6,16,30] --expected-output=3xf32=[9,16,30] | FileCheck %s
// RUN: rnn-run %s --function=in_loop %{x} --input=3xf32=[4,5,6] --input=3 --expected-output=3xf32=[31,28,36] --expected-output=3xf32=[31,28,36] | FileCheck %s
// RUN: rnn-run %s --function=view --input=4xf32=[1,2,3,4] --input=2xf32=[5,6] --input=2 --expected-output=4xf32=[18,36,12,16] --expected-output=2xf32=[18,36] | FileCheck %s
// RUN: rnn-run %s --function=switch %{x} --input=1 --expected-output=3xf32=[3,6,9] --expected-output=3xf32=[9,6,9] | FileCheck %s
// RUN: rnn-run %s --function=switch %{x} --input=0 --expected-output=3xf32=[2,4,6] --expected-output=3xf32=[9,4,9] | FileCheck %s
// RUN: rnn-run %s --function=switch_of_outer %{x} --input=1 --expected-output=3xf32=[2,4,6] --expected-output=3xf32=[9,4,6] | FileCheck %s
// RUN: rnn-run %s --function=switch_of_outer %{x} --input=0 --expected-output=3xf32=[4,8,12] --expected-output=3xf32=[9,4,6] | FileCheck %s
// RUN: rnn-run %s --function=outside '--input=3x2xf32=[[1,2],[3,4],[5,6]]' --input=2 '--expected-output=3x2xf32=[[2,4],[9,9],[10,12]]' | FileCheck %s
// RUN: rnn-run %s --function=reshaped --input=4xf32=[1,2,3,4] --input=1 '--expected-output=2x2xf32=[[2,4],[6,8]]' --expected-output=4xf32=[9,4,6,8] | FileCheck %s
// RUN: rnn-run %s --function=branch %{x} --input=1 --input=1 --expected-output=3xf32=[6,8,10] --expected-output=3xf32=[9,8,10] | FileCheck %s
// RUN: rnn-run %s --function=into_branch %{x} --input=1 --expected-output=4xf32=[9,1,2,3] | FileCheck %s
// CHECK: all results are as expected

func.func private @twice(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y, %y : tensor<3xf32>, tensor<3xf32>
}

func.func @called(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 9.0 : f32
  %r:2 = call @twice(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %w = tensor.insert %k into %r#0[%c0] : tensor<3xf32>
  return %r#1, %w : tensor<3xf32>, tensor<3xf32>
}

func.func @after_loop(%x: tensor<3xf32>, %n: index) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %y = arith.addf %x, %x : tensor<3xf32>
  %z = arith.mulf %x, %x : tensor<3xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %b = %z) -> (tensor<3xf32>, tensor<3xf32>) {
    %q = arith.addf %a, %b : tensor<3xf32>
    scf.yield %q, %q : tensor<3xf32>, tensor<3xf32>
  }
  %w = tensor.insert %k into %r#0[%c0] : tensor<3xf32>
  return %r#1, %w : tensor<3xf32>, tensor<3xf32>
}

func.func @in_loop(%y0: tensor<3xf32>, %z0: tensor<3xf32>, %n: index) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y0, %b = %z0) -> (tensor<3xf32>, tensor<3xf32>) {
    %w = tensor.insert %k into %a[%c0] : tensor<3xf32>
    %q = arith.addf %w, %b : tensor<3xf32>
    scf.yield %q, %q : tensor<3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

func.func @view(%y0: tensor<4xf32>, %h0: tensor<2xf32>, %n: index) -> (tensor<4xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %y0, %h = %h0) -> (tensor<4xf32>, tensor<2xf32>) {
    %w = tensor.insert %k into %y[%c0] : tensor<4xf32>
    %v = tensor.extract %h[%c0] : tensor<2xf32>
    %w2 = tensor.insert %v into %w[%c1] : tensor<4xf32>
    %f = arith.addf %w2, %w2 : tensor<4xf32>
    %g = tensor.extract_slice %f[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.yield %f, %g : tensor<4xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xf32>
}

func.func @switch(%x: tensor<3xf32>, %p: index) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 9.0 : f32
  %y = arith.addf %x, %x : tensor<3xf32>
  %r:2 = scf.index_switch %p -> tensor<3xf32>, tensor<3xf32>
  case 1 {
    %q = arith.addf %x, %y : tensor<3xf32>
    scf.yield %q, %q : tensor<3xf32>, tensor<3xf32>
  } default {
    %q = arith.mulf %x, %x : tensor<3xf32>
    scf.yield %q, %y : tensor<3xf32>, tensor<3xf32>
  }
  %w = tensor.insert %k into %r#0[%c0] : tensor<3xf32>
  return %r#1, %w : tensor<3xf32>, tensor<3xf32>
}

// The first result may be the tensor that is updated.
func.func @switch_of_outer(%x: tensor<3xf32>, %p: index) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 9.0 : f32
  %y = arith.addf %x, %x : tensor<3xf32>
  %r = scf.index_switch %p -> tensor<3xf32>
  case 1 {
    scf.yield %y : tensor<3xf32>
  } default {
    %q = arith.addf %y, %y : tensor<3xf32>
    scf.yield %q : tensor<3xf32>
  }
  %w = tensor.insert %k into %y[%c0] : tensor<3xf32>
  return %r, %w : tensor<3xf32>, tensor<3xf32>
}

func.func @outside(%x: tensor<3x2xf32>, %n: index) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %y = arith.addf %x, %x : tensor<3x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<3x2xf32>) {
    %e = tensor.empty() : tensor<1x2xf32>
    %t = linalg.fill ins(%k : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
    %w = tensor.insert_slice %t into %y[%i, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<3x2xf32>
    scf.yield %w : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

func.func @reshaped(%x: tensor<4xf32>, %n: index) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %shape = arith.constant dense<2> : tensor<2xindex>
  %empty = tensor.empty() : tensor<2x2xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %empty) -> (tensor<4xf32>, tensor<2x2xf32>) {
    %q = arith.addf %a, %a : tensor<4xf32>
    %s = tensor.reshape %q(%shape) : (tensor<4xf32>, tensor<2xindex>) -> tensor<2x2xf32>
    scf.yield %q, %s : tensor<4xf32>, tensor<2x2xf32>
  }
  %w = tensor.insert %k into %r#0[%c0] : tensor<4xf32>
  return %r#1, %w : tensor<2x2xf32>, tensor<4xf32>
}

func.func @branch(%x: tensor<3xf32>, %n: index, %taken: i1) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9.0 : f32
  %four = arith.constant dense<4.0> : tensor<3xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<3xf32>, tensor<3xf32>) {
    %d = arith.addf %a, %b : tensor<3xf32>
    %q = arith.addf %d, %four : tensor<3xf32>
    %p = arith.mulf %a, %b : tensor<3xf32>
    %v = tensor.extract %p[%c0] : tensor<3xf32>
    %chosen = scf.if %taken -> tensor<3xf32> {
      scf.yield %q : tensor<3xf32>
    } else {
      %t = tensor.insert %v into %p[%c1] : tensor<3xf32>
      scf.yield %t : tensor<3xf32>
    }
    scf.yield %q, %chosen : tensor<3xf32>, tensor<3xf32>
  }
  %w = tensor.insert %k into %r#0[%c0] : tensor<3xf32>
  return %r#1, %w : tensor<3xf32>, tensor<3xf32>
}

// The tensor that is inserted and the one that it is inserted into are results of one branch.
func.func @into_branch(%x: tensor<3xf32>, %taken: i1) -> tensor<4xf32> {
  %k = arith.constant 9.0 : f32
  %r:2 = scf.if %taken -> (tensor<4xf32>, tensor<3xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%k : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = tensor.empty() : tensor<3xf32>
    %h = linalg.copy ins(%x : tensor<3xf32>) outs(%g : tensor<3xf32>) -> tensor<3xf32>
    scf.yield %f, %h : tensor<4xf32>, tensor<3xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%k : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f, %x : tensor<4xf32>, tensor<3xf32>
  }
  %0 = tensor.insert_slice %r#1 into %r#0[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}
