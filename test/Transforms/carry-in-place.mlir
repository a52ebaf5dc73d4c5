// carry-in-place.mlir - small tensors that loops write to the buffer of the value before.
// RUN: rnn-opt %s --rnn-carry-in-place | FileCheck %s

// CHECK-LABEL: func @next
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0)
// CHECK: %[[NEXT:.*]] = linalg.generic
// CHECK: %[[WRITTEN:.*]] = tensor.insert_slice %[[NEXT]] into %[[A]][0] [4] [1]
// CHECK-NEXT: scf.yield %[[WRITTEN]]
func.func @next(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = math.sin %in : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Both are read before one is written. Each empty tensor is one buffer.
// CHECK-LABEL: func @exchanged
// CHECK: %[[EMPTY0:.*]] = tensor.empty
// CHECK: %[[EMPTY1:.*]] = tensor.empty
// CHECK: scf.while (%{{.*}} = %c0, %{{.*}} = %[[EMPTY1]], %{{.*}} = %[[EMPTY0]])
// CHECK: ^bb0(%{{.*}}: index, %[[A:.*]]: tensor<2xi32>, %[[B:.*]]: tensor<2xi32>):
// CHECK: %[[OLD_B:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK: %[[OLD_A:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: %[[NEW_A:.*]] = tensor.insert_slice %[[OLD_B]] into %[[A]][0] [2] [1]
// CHECK: %[[NEW_B:.*]] = tensor.insert_slice %[[OLD_A]] into %[[B]][0] [2] [1]
// CHECK: scf.yield %{{.*}}, %[[NEW_A]], %[[NEW_B]]
func.func @exchanged(%n: index) -> (tensor<2xi32>, tensor<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<2xi32>
  %0:3 = scf.while (%i = %c0, %a = %empty, %b = %empty) : (index, tensor<2xi32>, tensor<2xi32>) -> (index, tensor<2xi32>, tensor<2xi32>) {
    %1 = arith.cmpi slt, %i, %n : index
    scf.condition(%1) %i, %a, %b : index, tensor<2xi32>, tensor<2xi32>
  } do {
  ^bb0(%i: index, %a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = arith.addi %i, %c1 : index
    scf.yield %1, %b, %a : index, tensor<2xi32>, tensor<2xi32>
  }
  return %0#1, %0#2 : tensor<2xi32>, tensor<2xi32>
}

// What a branch returns could be the memory of each of them, so the branches get a copy.
// CHECK-LABEL: func @chosen
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0, %[[B:.*]] = %arg1)
// CHECK: %[[OLD_B:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK: %[[OLD_A:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: %[[CHOSEN:.*]] = scf.if
// CHECK-NEXT: scf.yield %[[OLD_A]]
// CHECK: scf.yield %[[OLD_B]]
// CHECK: %[[NEW_A:.*]] = bufferization.alloc_tensor() copy(%[[CHOSEN]])
// CHECK: %[[NEW_B:.*]] = bufferization.alloc_tensor() copy(%[[OLD_A]])
// CHECK: tensor.insert_slice %[[NEW_A]] into %[[A]]
// CHECK: tensor.insert_slice %[[NEW_B]] into %[[B]]
func.func @chosen(%x: tensor<f32>, %y: tensor<f32>, %which: i1, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<f32>, tensor<f32>) {
    %1 = scf.if %which -> tensor<f32> {
      scf.yield %a : tensor<f32>
    } else {
      scf.yield %b : tensor<f32>
    }
    scf.yield %1, %a : tensor<f32>, tensor<f32>
  }
  return %0#0 : tensor<f32>
}

// Each branch updates in place, or does nothing.
// CHECK-LABEL: func @updated
// CHECK-NOT: tensor.insert_slice
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
func.func @updated(%x: tensor<4xf32>, %v: f32, %which: i1, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = scf.if %which -> tensor<4xf32> {
      %2 = tensor.insert %v into %a[%i] : tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Larger than 8 KiB, of a size that may change, and without elements.
// CHECK-LABEL: func @others
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @others(%x: tensor<2049xf32>, %y: tensor<?xf32>, %z: tensor<0xf32>, %n: index) -> (tensor<2049xf32>, tensor<?xf32>, tensor<0xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<2049xf32>, tensor<?xf32>, tensor<0xf32>) {
    %1 = math.sin %a : tensor<2049xf32>
    %2 = math.sin %b : tensor<?xf32>
    %3 = math.sin %c : tensor<0xf32>
    scf.yield %1, %2, %3 : tensor<2049xf32>, tensor<?xf32>, tensor<0xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<2049xf32>, tensor<?xf32>, tensor<0xf32>
}

// A size that is not known, but stays the same.
// CHECK-LABEL: func @kept
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<?x64xf32>)
// CHECK: %[[NEXT:.*]] = linalg.tanh ins(%[[A]]
// CHECK: tensor.insert_slice %[[NEXT]] into %[[A]][0, 0] [%{{.*}}, 64] [1, 1]
func.func @kept(%x: tensor<?x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%size) : tensor<?x64xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x64xf32> {
    %1 = linalg.tanh ins(%a : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    scf.yield %1 : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// 16 rows would take more than 8 KiB.
// CHECK-LABEL: func @wide
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @wide(%x: tensor<?x129xf32>, %n: index) -> tensor<?x129xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?x129xf32>
  %e = tensor.empty(%size) : tensor<?x129xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x129xf32> {
    %1 = linalg.tanh ins(%a : tensor<?x129xf32>) outs(%e : tensor<?x129xf32>) -> tensor<?x129xf32>
    scf.yield %1 : tensor<?x129xf32>
  }
  return %0 : tensor<?x129xf32>
}
