// RUN: rnn-opt %s -rnn-make-call-current | FileCheck %s

// One op at the start of a function, however many launches it has.
// CHECK-LABEL: func @launches
// CHECK-NEXT: %[[CALL:.*]] = rnnrt.current_call
// CHECK-NEXT: rnnrt.make_current %[[CALL]]
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-NOT: rnnrt.make_current
// CHECK: return
func.func @launches(%size: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %size, %gy = %size, %gz = %size)
             threads(%tx, %ty, %tz) in (%sx = %size, %sy = %size, %sz = %size) {
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %size, %gy = %size, %gz = %size)
             threads(%tx, %ty, %tz) in (%sx = %size, %sy = %size, %sz = %size) {
    gpu.terminator
  }
  return
}

// Any op of the gpu dialect counts, also in a nested region.
// CHECK-LABEL: func @nested
// CHECK-NEXT: %[[CALL:.*]] = rnnrt.current_call
// CHECK-NEXT: rnnrt.make_current %[[CALL]]
// CHECK: scf.if
// CHECK-NOT: rnnrt.make_current
// CHECK: gpu.wait
func.func @nested(%condition: i1) {
  scf.if %condition {
    gpu.wait
  }
  return
}

// A function without such ops, a declaration and the kernels themselves do not change.
// CHECK-LABEL: func @host
// CHECK-NEXT: return
func.func @host() {
  return
}

// CHECK-LABEL: func private @declared
func.func private @declared()

// CHECK-LABEL: gpu.module @kernels
// CHECK-NOT: rnnrt
gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.barrier
    gpu.return
  }
}
