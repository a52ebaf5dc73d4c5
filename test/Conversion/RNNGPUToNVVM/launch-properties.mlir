// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(convert-rnngpu-to-nvvm))' | FileCheck %s

// The launch properties of kernels become the offloading handler of their module.
// CHECK: gpu.module @kernels{{ ?}}<#rnngpu.launch<cooperative = ["both"], programmatic = ["step", "both"]>> {
// CHECK:   llvm.func @step() attributes {gpu.kernel}
// CHECK:   llvm.func @both() attributes {gpu.kernel}
// CHECK:   llvm.func @plain() attributes {gpu.kernel}
gpu.module @kernels {
  llvm.func @step() attributes {gpu.kernel, rnngpu.programmatic} { llvm.return }
  llvm.func @both() attributes {gpu.kernel, rnngpu.cooperative, rnngpu.programmatic} { llvm.return }
  llvm.func @plain() attributes {gpu.kernel} { llvm.return }
}

// CHECK: gpu.module @nothing{{ ?}}<#rnngpu.launch> {
gpu.module @nothing {
}

// CHECK: gpu.module @chosen{{ ?}}<#gpu.select_object> {
gpu.module @chosen <#gpu.select_object> {
}
