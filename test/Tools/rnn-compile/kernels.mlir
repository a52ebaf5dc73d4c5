// Kernels as PTX and machine code files.
// REQUIRES: nvptx, rnn-compile
// RUN: rm -rf %t && mkdir %t
// RUN: rnn-compile %s --target=cuda --lowering=fused -o %t/any.ptx
// RUN: FileCheck %s --check-prefixes=PTX,ANY < %t/any.ptx
// RUN: rnn-compile %s --target=cuda --lowering=fused --chip=sm_90a -o %t/one.ptx
// RUN: FileCheck %s --check-prefixes=PTX,ONE < %t/one.ptx
// RUN: not rnn-compile %s --lowering=fused -o %t/host.ptx 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not rnn-compile %s --target=cuda --lowering=fused -o %t/any.cubin 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not env PATH=%t CUDA_HOME=%t %rnn_compile %s --target=cuda --lowering=fused --chip=sm_90a -o %t/one.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: echo 'func.func @none() { return }' | not rnn-compile - --target=cuda -o %t/none.ptx 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not rnn-compile %s --target=cuda --lowering=fused -o %t/any.ptx --emit-header=%t/h.h 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: not ls %t/h.h %t/one.cubin

// ANY: .target sm_80
// ONE: .target sm_90a
// PTX: .entry block_lstm_step
// HOST: rnn-compile: error: the output `{{.*}}host.ptx` holds GPU kernels, which require --target=cuda, but the target is `host`
// CHIP: rnn-compile: error: the output `{{.*}}any.cubin` is machine code of one GPU; name it, as --chip=sm_90a
// PTXAS: rnn-compile: error: the output `{{.*}}one.cubin` requires ptxas, which is neither on the path nor in the CUDA toolkit (CUDA_HOME); use -o FILE.ptx
// NONE: rnn-compile: error: the module has no kernels: every rnn op runs as a plan (--remarks prints the reasons); use --lowering=fused
// HEADER: rnn-compile: error: --emit-header describes compiled functions
func.func @forward(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {lowering = #rnn.lowering<fused, kernel = per_step>}
  return %r#6 : tensor<5x2x4xf32>
}
