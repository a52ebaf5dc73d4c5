// RUN: rnn-opt %s -rnn-parallel-loops-to-gpu=block-size=128 -split-input-file -verify-diagnostics | FileCheck %s

// One thread per iteration. The linear iteration index is split into the induction variables, with bounds and steps.
// CHECK-LABEL: func.func @two_loops
// CHECK-SAME:    (%[[X:.*]]: memref<?x?xf32>, %[[N:.*]]: index)
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : index
// CHECK:         %[[TOTAL:.*]] = arith.muli
// CHECK:         %[[TOTAL2:.*]] = arith.muli %[[TOTAL]]
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[TOTAL2]], %[[C128]]
// CHECK:         %[[AT_LEAST_ONE:.*]] = arith.maxsi %[[BLOCKS]]
// CHECK:         gpu.launch blocks(%[[BX:[^,]*]], {{.*}}) in (%[[GX:[^ ]*]] = %[[AT_LEAST_ONE]], {{.*}}) threads(%[[TX:[^,]*]], {{.*}}) in (%[[SX:[^ ]*]] = %[[C128]],
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BX]], %[[SX]]
// CHECK:           %[[ITERATION:.*]] = arith.addi %[[FIRST]], %[[TX]]
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[ITERATION]], %[[TOTAL2]]
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             %[[INDEX:.*]]:2 = affine.delinearize_index %[[ITERATION]] into (%{{.*}}, %{{.*}})
// CHECK:             %[[D0:.*]] = arith.muli %[[INDEX]]#0
// CHECK:             %[[I:.*]] = arith.addi %{{.*}}, %[[D0]]
// CHECK:             %[[D1:.*]] = arith.muli %[[INDEX]]#1
// CHECK:             %[[J:.*]] = arith.addi %{{.*}}, %[[D1]]
// CHECK:             memref.store %{{.*}}, %[[X]][%[[I]], %[[J]]]
// CHECK:           gpu.terminator
// CHECK-NOT:     scf.parallel
func.func @two_loops(%x: memref<?x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i, %j) = (%c1, %c2) to (%n, %n) step (%c1, %c2) {
    memref.store %one, %x[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// One thread runs the nested loops.
// CHECK-LABEL: func.func @nested
// CHECK:         gpu.launch
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:               memref.store
// CHECK-NOT:     scf.parallel
func.func @nested(%x: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      memref.store %one, %x[%i, %j] : memref<4x8xf32>
    }
  }
  return
}

// -----

func.func @reduction(%x: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'scf.parallel' op with a reduction cannot become a kernel; use a linalg op or an scf.for loop}}
  %sum = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%zero) -> f32 {
    %v = memref.load %x[%i] : memref<4xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}
