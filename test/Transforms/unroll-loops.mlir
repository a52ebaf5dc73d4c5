// unroll-loops.mlir - short loops of elementwise ops that are unrolled, and loops that are not.
// RUN: rnn-opt %s --rnn-unroll-loops | FileCheck %s
// RUN: rnn-opt %s --rnn-unroll-loops --rnn-fuse-elementwise --rnn-merge-elementwise | FileCheck %s --check-prefix=FUSED

// The shift counts are constants of the iterations.
// CHECK-LABEL: func @rounds
// CHECK-NOT: scf.for
// CHECK-NOT: tensor.extract_slice
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
// FUSED-LABEL: func @rounds
// FUSED-COUNT-1: linalg.generic
// FUSED: arith.shli %{{.*}}, %c13_i32
// FUSED: arith.shli %{{.*}}, %c17_i32
// FUSED: arith.shli %{{.*}}, %c13_i32
// FUSED-NOT: linalg.generic
func.func @rounds(%x: tensor<300xi32>) -> tensor<300xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %even = arith.constant dense<[13, 15]> : tensor<2xi32>
  %odd = arith.constant dense<[17, 29]> : tensor<2xi32>
  %0:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %counts = %even, %others = %odd) -> (tensor<300xi32>, tensor<2xi32>, tensor<2xi32>) : i32 {
    %count = tensor.extract_slice %counts[0] [1] [1] : tensor<2xi32> to tensor<i32>
    %empty = tensor.empty() : tensor<300xi32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a, %count : tensor<300xi32>, tensor<i32>) outs(%empty : tensor<300xi32>) {
    ^bb0(%in: i32, %shift: i32, %out: i32):
      %2 = arith.shli %in, %shift : i32
      %3 = arith.xori %2, %in : i32
      linalg.yield %3 : i32
    } -> tensor<300xi32>
    scf.yield %1, %others, %counts : tensor<300xi32>, tensor<2xi32>, tensor<2xi32>
  }
  return %0#0 : tensor<300xi32>
}

// 9 iterations, an unknown number, a product, and an inner loop.
// CHECK-LABEL: func @others
// CHECK-COUNT-5: scf.for
// CHECK-NOT: scf.for
func.func @others(%x: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> tensor<4x4xf32> {
    %4 = math.sin %a : tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4x4xf32> {
    %4 = math.sin %a : tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<4x4xf32> {
    %4 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  %3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<4x4xf32> {
    %4 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<4x4xf32> {
      %5 = math.sin %b : tensor<4x4xf32>
      scf.yield %5 : tensor<4x4xf32>
    }
    scf.yield %4 : tensor<4x4xf32>
  }
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
