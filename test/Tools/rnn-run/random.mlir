// Random arguments: reproducible by seed, of the argument's type, uniform.
// RUN: rnn-run %s --function=same --input=random:7 --output=@%t.one.npy
// RUN: rnn-run %s --function=same --input=random:7 --expected-output=%t.one.npy | FileCheck %s --check-prefix=SAME
// RUN: not rnn-run %s --function=same --input=random:8 --expected-output=@%t.one.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: rnn-run %s --function=range --input=random:1 | FileCheck %s --check-prefix=RANGE
// RUN: rnn-run %s --function=numbers --input=random:1 | FileCheck %s --check-prefix=NUMBERS
// RUN: rnn-run %s --function=open --input=random:1:2x3 | FileCheck %s --check-prefix=OPEN
// RUN: not rnn-run %s --function=open --input=random:1 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not rnn-run %s --function=open --input=random:1:2x4 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not rnn-run %s --function=open --input=random:1:2xx 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not rnn-run %s --function=same --input=random:now 2>&1 | FileCheck %s --check-prefix=SEED

// SAME: all results are as expected
// OTHER: rnn-run: error: result 0
// SIZES: rnn-run: error: --input 0: tensor<?x3xf32> has dynamic dimensions; give their sizes, as random:1:5x2x3
// SHAPE: rnn-run: error: --input 0: the shape `2x4` does not match tensor<?x3xf32>
// TEXT: rnn-run: error: --input 0: `2xx` is not a shape; expected sizes, as 5x2x3
// SEED: rnn-run: error: --input 0: expected random:SEED or random:SEED:SHAPE with an unsigned number, but got `random:now`
func.func @same(%x: tensor<4x5xf16>) -> tensor<4x5xf16> {
  return %x : tensor<4x5xf16>
}

// The mean, minimum and maximum of 4096 values; the standard deviation of the mean is 0.009.
// RANGE: f32={{-?0\.0[0-3]|-?[0-9.]+e-0[3-9]}}
// RANGE-NEXT: f32=-0.99
// RANGE-NEXT: f32=0.99
func.func @range(%x: tensor<4096xf32>) -> (f32, f32, f32) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %high = arith.constant dense<2.0> : tensor<f32>
  %low = arith.constant dense<-2.0> : tensor<f32>
  %n = arith.constant 4096.0 : f32
  %sum = linalg.reduce ins(%x : tensor<4096xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %min = linalg.reduce ins(%x : tensor<4096xf32>) outs(%high : tensor<f32>) dimensions = [0]
      (%a: f32, %b: f32) { %c = arith.minimumf %a, %b : f32 linalg.yield %c : f32 }
  %max = linalg.reduce ins(%x : tensor<4096xf32>) outs(%low : tensor<f32>) dimensions = [0]
      (%a: f32, %b: f32) { %c = arith.maximumf %a, %b : f32 linalg.yield %c : f32 }
  %s = tensor.extract %sum[] : tensor<f32>
  %mean = arith.divf %s, %n : f32
  %l = tensor.extract %min[] : tensor<f32>
  %h = tensor.extract %max[] : tensor<f32>
  return %mean, %l, %h : f32, f32, f32
}

// NUMBERS: 8xi32=[{{[0-9](, [0-9])*}}]
func.func @numbers(%x: tensor<8xi32>) -> tensor<8xi32> {
  return %x : tensor<8xi32>
}

// OPEN: 2x3xf32=
func.func @open(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}
