// convert-tensor-selects.mlir - selections of tensors of unknown sizes.
// RUN: rnn-opt %s --rnn-convert-tensor-selects | FileCheck %s

// CHECK-LABEL: func @unknown
// CHECK: %[[R:.*]] = scf.if %arg0 -> (tensor<?xf32>) {
// CHECK-NEXT: scf.yield %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg2
// CHECK: return %[[R]]
func.func @unknown(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.select %c, %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @kept
// CHECK-COUNT-3: arith.select
// CHECK-NOT: scf.if
func.func @kept(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<?xi1>, %z: tensor<?xf32>, %i: index)
    -> (tensor<4xf32>, tensor<?xf32>, index) {
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  %1 = arith.select %d, %z, %z : tensor<?xi1>, tensor<?xf32>
  %2 = arith.select %c, %i, %i : index
  return %0, %1, %2 : tensor<4xf32>, tensor<?xf32>, index
}

// CHECK-LABEL: func @switch
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %arg0, %[[ZERO]]
// CHECK: %[[R:.*]] = scf.if %[[FIRST]] -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq, %arg0, %[[SEVEN]]
// CHECK-NEXT: %[[REST:.*]] = scf.if %[[SECOND]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[X:.*]] = math.sin %arg1
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Y:.*]] = math.cos %arg1
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[REST]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @switch(%i: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.index_switch %i -> tensor<4xf32>
  case 0 {
    scf.yield %x : tensor<4xf32>
  }
  case 7 {
    %1 = math.sin %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  default {
    %1 = math.cos %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @switch_without_cases
// CHECK-NEXT: %[[Y:.*]] = math.cos %arg1
// CHECK-NEXT: return %[[Y]], %arg1
func.func @switch_without_cases(%i: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.index_switch %i -> tensor<4xf32>, tensor<4xf32>
  default {
    %1 = math.cos %x : tensor<4xf32>
    scf.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @switch_of_numbers
// CHECK: scf.index_switch
func.func @switch_of_numbers(%i: index, %x: f32) -> f32 {
  %0 = scf.index_switch %i -> f32
  case 0 {
    scf.yield %x : f32
  }
  default {
    %1 = math.cos %x : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}
