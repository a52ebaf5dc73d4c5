// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(convert-rnngpu-to-nvvm))' | FileCheck %s

// The launch properties of kernels become the offloading handler of their module.
// CHECK: gpu.module @kernels{{ ?}}<#rnngpu.launch<cooperative = ["both"], programmatic = ["step", "both"], resident_clusters = {many = 8 : i32}>> {
// CHECK:   llvm.func @step() attributes {gpu.kernel, nvvm.minctasm = 1 : i32}
// CHECK:   llvm.func @both() attributes {gpu.kernel, nvvm.minctasm = 1 : i32}
// CHECK:   llvm.func @plain() attributes {gpu.kernel}
// CHECK:   llvm.func @many() attributes {gpu.kernel, nvvm.minctasm = 1 : i32}
gpu.module @kernels {
  llvm.func @step() attributes {gpu.kernel, rnngpu.programmatic} { llvm.return }
  llvm.func @both() attributes {gpu.kernel, rnngpu.cooperative, rnngpu.programmatic} { llvm.return }
  llvm.func @plain() attributes {gpu.kernel} { llvm.return }
  llvm.func @many() attributes {gpu.kernel, rnngpu.resident_clusters = 8 : i32} { llvm.return }
}

// CHECK: gpu.module @nothing{{ ?}}<#rnngpu.launch> {
gpu.module @nothing {
}

// CHECK: gpu.module @chosen{{ ?}}<#gpu.select_object> {
gpu.module @chosen <#gpu.select_object> {
}
