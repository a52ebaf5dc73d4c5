// long-sums-host.mlir - sums of many f32 numbers: the error of adding them one after the other would be more than 1e-4.
// REQUIRES: rnn-run
// RUN: rnn-run %s --function=columns --input=200000x4xf32=0.1 --expected-output=4xf32=20000 --rtol=1e-6
// RUN: rnn-run %s --function=columns_static --input=200000x4xf32=0.1 --expected-output=4xf32=20000 --rtol=1e-6
// RUN: rnn-run %s --function=columns_of_two --input=500x400x3xf32=0.1 --expected-output=3xf32=20000 --rtol=1e-6
// RUN: rnn-run %s --function=rows --input=2x3000000xf32=0.1 --expected-output=2xf32=300000 --rtol=1e-6
// RUN: rnn-run %s --function=all --input=2x3000000xf32=0.1 --expected-output=f32=600000 --rtol=1e-6
// Negative zeros stay.
// RUN: rnn-run %s --function=columns --input=2000x4xf32=-0.0 | FileCheck %s
// CHECK: 4xf32=[0, 0, 0, 0]

#in2 = affine_map<(d0, d1) -> (d0, d1)>
#out1 = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
#in3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#out3 = affine_map<(d0, d1, d2) -> (d2)>

func.func @columns(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#in2, #out1], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @columns_static(%x: tensor<200000x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#in2, #out1], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<200000x4xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @columns_of_two(%x: tensor<500x400x3xf32>) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#in3, #out3], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<500x400x3xf32>) outs(%zero : tensor<3xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @rows(%x: tensor<2x?xf32>) -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#in2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x?xf32>) outs(%zero : tensor<2xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @all(%x: tensor<2x3000000xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %y = linalg.generic {indexing_maps = [#in2, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<2x3000000xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
