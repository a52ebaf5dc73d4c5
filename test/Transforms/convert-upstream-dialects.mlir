// convert-upstream-dialects.mlir - globals of ml_program, tosa ops and shape ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -rnn-convert-upstream-dialects -split-input-file | FileCheck %s

// CHECK-NOT: ml_program
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[W:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[N:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[D:.*]] = tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
// CHECK: return %[[W]], %[[N]], %[[D]]
// CHECK-NOT: ml_program
ml_program.global private @w(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @n(3 : i32) : i32
// No op stores to it.
ml_program.global private mutable @dynamic(dense<1.0> : tensor<4xf32>) : tensor<?xf32>
ml_program.global private mutable @unused : tensor<?xf32>
func.func @constants() -> (tensor<4xf32>, i32, tensor<?xf32>) {
  %w = ml_program.global_load_const @w : tensor<4xf32>
  %n = ml_program.global_load @n : i32
  %d = ml_program.global_load @dynamic : tensor<?xf32>
  return %w, %n, %d : tensor<4xf32>, i32, tensor<?xf32>
}

// -----

// Loads and stores copy: the loaded value stays after a store.
// CHECK: memref.global "private" @count : memref<i64> = dense<5>
// CHECK-LABEL: func.func @next
// CHECK: %[[M:.*]] = memref.get_global @count
// CHECK: %[[C:.*]] = memref.alloc() : memref<i64>
// CHECK: memref.copy %[[M]], %[[C]]
// CHECK: %[[OLD:.*]] = bufferization.to_tensor %[[C]] restrict writable
// CHECK: %[[NEW:.*]] = arith.addi %[[OLD]]
// CHECK: bufferization.materialize_in_destination %[[NEW]] in writable
// CHECK: return %[[OLD]]
ml_program.global private mutable @count(dense<5> : tensor<i64>) : tensor<i64>
func.func @next() -> tensor<i64> {
  %old = ml_program.global_load @count : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %new = arith.addi %old, %one : tensor<i64>
  ml_program.global_store @count = %new : tensor<i64>
  return %old : tensor<i64>
}

// -----

// CHECK-LABEL: func.func @tosa
// CHECK: linalg.batch_matmul
// CHECK: math.tanh
// CHECK-NOT: tosa
func.func @tosa(%x: tensor<1x4x4xf32>, %y: tensor<1x4x4xf32>) -> tensor<4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4xf32>
  %1 = tosa.tanh %0 : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %s = tosa.const_shape {values = dense<[4, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.reshape %1, %s : (tensor<1x4x4xf32>, !tosa.shape<2>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// A variable of tosa becomes a global, which becomes memory.
// CHECK: memref.global "private" @state
// CHECK-LABEL: func.func @variable
// CHECK-NOT: tosa
// CHECK-NOT: ml_program
tosa.variable @state = dense<1.0> : tensor<2xf32>
func.func @variable(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.variable_read @state : tensor<2xf32>
  %1 = tosa.add %0, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tosa.variable_write @state, %1 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Constraints become assertions.
// CHECK-LABEL: func.func @shape
// CHECK: cf.assert
// CHECK-NOT: shape.
func.func @shape(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<2xindex>, index) {
  %a = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %b = shape.shape_of %y : tensor<?x4xf32> -> tensor<2xindex>
  %w = shape.cstr_broadcastable %a, %b : tensor<2xindex>, tensor<2xindex>
  %s = shape.assuming %w -> (tensor<2xindex>) {
    %0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
    shape.assuming_yield %0 : tensor<2xindex>
  }
  %n = shape.num_elements %s : tensor<2xindex> -> index
  return %s, %n : tensor<2xindex>, index
}

// -----

// Sizes of dimensions that do not exist have no defined value.
// CHECK-LABEL: func.func @undefined_sizes
// CHECK-NOT: dim %{{.*}}, %c-1
// CHECK-NOT: dim %{{.*}}, %c2
// CHECK: tensor.dim %{{.*}}, %c1
func.func @undefined_sizes(%x: tensor<?x?xf32>, %y: memref<?xf32>) -> (index, index, index, index) {
  %c-1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.dim %x, %c-1 : tensor<?x?xf32>
  %1 = tensor.dim %x, %c2 : tensor<?x?xf32>
  %2 = memref.dim %y, %c-1 : memref<?xf32>
  %3 = tensor.dim %x, %c1 : tensor<?x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}
