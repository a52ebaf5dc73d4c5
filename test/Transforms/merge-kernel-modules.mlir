// RUN: rnn-opt %s -rnn-merge-kernel-modules -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         gpu.launch_func @a::@kernel blocks
// CHECK:         gpu.launch_func @a::@[[SECOND:.*]] blocks
// CHECK:         gpu.launch_func @a::@other blocks
// CHECK:         gpu.launch_func @ready::@kernel blocks
// CHECK:       gpu.module @a
// CHECK-DAG:     gpu.func @kernel()
// CHECK-DAG:     gpu.func @[[SECOND]](%{{.*}}: index)
// CHECK-DAG:     gpu.func @other()
// CHECK-NOT:   gpu.module @b
// CHECK-NOT:   gpu.module @c
// CHECK:       gpu.module @ready [#nvvm.target]
module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @a::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @b::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%c1 : index)
    gpu.launch_func @c::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @ready::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @a {
    gpu.func @kernel() kernel { gpu.return }
  }
  gpu.module @b {
    gpu.func @kernel(%n: index) kernel { gpu.return }
  }
  gpu.module @c {
    gpu.func @other() kernel { gpu.return }
  }
  gpu.module @ready [#nvvm.target] {
    gpu.func @kernel() kernel { gpu.return }
  }
}

// -----

// Three kernels of one name; launch properties stay with their kernel.
// CHECK-LABEL: func.func @names
// CHECK:         gpu.launch_func @a::@step blocks
// CHECK:         gpu.launch_func @a::@step_0 blocks
// CHECK:         gpu.launch_func @a::@step_1 blocks
// CHECK-DAG:     gpu.func @step() kernel {
// CHECK-DAG:     gpu.func @step_0() kernel attributes {rnngpu.programmatic} {
// CHECK-DAG:     gpu.func @step_1() kernel attributes {rnngpu.cooperative} {
module attributes {gpu.container_module} {
  func.func @names() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @a::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @b::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @c::@step blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @a {
    gpu.func @step() kernel { gpu.return }
  }
  gpu.module @b {
    gpu.func @step() kernel attributes {rnngpu.programmatic} { gpu.return }
  }
  gpu.module @c {
    gpu.func @step() kernel attributes {rnngpu.cooperative} { gpu.return }
  }
}

// -----

// CHECK-LABEL: gpu.func @buffers
// CHECK-SAME: {{workgroup.*llvm.align = 16}}
module attributes {gpu.container_module} {
  gpu.module @a {
    gpu.func @buffers() workgroup(%tile: memref<8xf16, #gpu.address_space<workgroup>>) kernel { gpu.return }
  }
}

// -----

// The cluster size, if all launches have the same one.
// CHECK-LABEL: func.func @clusters
// CHECK-DAG:     gpu.func @known() {{.*}}known_cluster_size = array<i32: 4, 1, 1>
// CHECK-DAG:     gpu.func @unknown() kernel {
// CHECK-DAG:     gpu.func @several() kernel {
// CHECK-DAG:     gpu.func @sometimes() kernel {
module attributes {gpu.container_module} {
  func.func @clusters(%size: index) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func @a::@known clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @a::@unknown clusters in (%size, %c1, %c1) blocks in (%size, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @a::@several clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @a::@several clusters in (%c1, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @a::@sometimes clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @a::@sometimes blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @a {
    gpu.func @known() kernel { gpu.return }
    gpu.func @unknown() kernel { gpu.return }
    gpu.func @several() kernel { gpu.return }
    gpu.func @sometimes() kernel { gpu.return }
  }
}
