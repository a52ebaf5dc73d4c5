// RUN: rnn-opt %s -rnn-outline-kernels -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// The launch properties move to the outlined kernel; other attributes of the launch are dropped, as upstream does. Locations
// are those of the launch.
// CHECK-LABEL: func.func @main
// CHECK:         gpu.launch_func @step::@step {{.*}} loc("step")
// CHECK:         gpu.launch_func @grid::@grid
// CHECK:         gpu.launch_func @plain::@plain
// CHECK:         gpu.func @step() kernel attributes {rnngpu.programmatic}
// CHECK:           gpu.block_id {{ *}}x loc("step")
// CHECK:         } loc("step")
// CHECK:         gpu.func @grid() kernel attributes {rnngpu.cooperative, rnngpu.programmatic}
// CHECK:         gpu.func @plain() kernel {
func.func @main(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  } {function = @step, rnngpu.programmatic} loc("step")
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  } {function = @grid, rnngpu.cooperative, rnngpu.programmatic}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  } {function = @plain, other.attribute}
  return
}
