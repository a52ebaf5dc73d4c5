// The PTX of the kernels has asynchronous copies of 16 bytes, MMAs and no local memory, and ptxas spills no register.
// REQUIRES: nvptx, ptxas, python, rnn-compile
// DEFINE: %{compile} = rnn-compile --target=cuda --lowering=fused
// DEFINE: %{assemble} = %python %S/Inputs/assemble.py %ptxas
// DEFINE: %{table} = FileCheck %s --implicit-check-not='{{[1-9][0-9]* (stack|spilled)}}'
// RUN: sed 's/ELEMENT/f16/g' %s | %{compile} - -o %t.f16.mlir
// RUN: %{assemble} sm_80 --ptx %t.f16.ptx < %t.f16.mlir | %{table}
// RUN: FileCheck %s --check-prefixes=PTX,F16 < %t.f16.ptx
// RUN: sed 's/ELEMENT/bf16/g' %s | %{compile} - -o %t.bf16.mlir
// RUN: %{assemble} sm_80 --ptx %t.bf16.ptx < %t.bf16.mlir | %{table}
// RUN: FileCheck %s --check-prefixes=PTX,BF16 < %t.bf16.ptx
// RUN: sed 's/ELEMENT/f32/g' %s | %{compile} - -o %t.f32.mlir
// RUN: %{assemble} sm_80 --ptx %t.f32.ptx < %t.f32.mlir | %{table}
// RUN: %{assemble} sm_90a < %t.f32.mlir | %{table}
// RUN: FileCheck %s --check-prefixes=PTX,F32 --implicit-check-not=mma.sync < %t.f32.ptx
// RUN: sed 's/ELEMENT/f64/g' %s | %{compile} - -o %t.f64.mlir
// RUN: %{assemble} sm_80 --ptx %t.f64.ptx < %t.f64.mlir | %{table}
// RUN: %{assemble} sm_90a < %t.f64.mlir | %{table}
// RUN: FileCheck %s --check-prefixes=PTX,F64 < %t.f64.ptx

// --tf32: f32 on tensor cores.
// RUN: sed 's/ELEMENT/f32/g' %s | %{compile} --tf32 - -o %t.tf32.mlir
// RUN: %{assemble} sm_80 --ptx %t.tf32.ptx < %t.tf32.mlir | %{table}
// RUN: FileCheck %s --check-prefixes=PTX,TF32 < %t.tf32.ptx

// With a chip but without ptxas the module has PTX. Loads of the weights precede the wait for the previous step.
// RUN: rm -rf %t.toolkit && mkdir -p %t.toolkit/nvvm && ln -s %cuda_toolkit/nvvm/libdevice %t.toolkit/nvvm/libdevice
// RUN: sed 's/ELEMENT/bf16/g' %s > %t.chip.mlir
// RUN: env PATH=%t.toolkit CUDA_HOME=%t.toolkit %rnn_compile %t.chip.mlir --target=cuda --lowering=fused --chip=sm_90a -o %t.sm90.mlir
// RUN: %{assemble} sm_90a --ptx %t.sm90.ptx < %t.sm90.mlir | %{table} --check-prefix=CHAINED
// RUN: FileCheck %s --check-prefix=PDL < %t.sm90.ptx
// PDL-LABEL: .entry block_lstm_step(
// PDL-NOT: griddepcontrol
// PDL: cp.async.cg.shared.global
// PDL: griddepcontrol.wait
// PDL: griddepcontrol.launch_dependents
// PDL: cp.async.cg.shared.global
// PDL: cp.async.commit_group
// PDL-LABEL: .entry block_lstm_grad_step(
// PDL: griddepcontrol.wait
// CHAINED-DAG: block_lstm_input: {{.*}} 0 stack, 0 spilled
// CHAINED-DAG: block_lstm_step: {{.*}} 0 stack, 0 spilled
// CHAINED-DAG: block_lstm_grad_step: {{.*}} 0 stack, 0 spilled
// CHAINED-DAG: block_lstm_grad_input: {{.*}} 0 stack, 0 spilled

// CHECK-DAG: block_lstm_input: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_step: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_step: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_state: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_input: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_w_input: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_w_state_0: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_w_state: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_bias: {{.*}} 0 stack, 0 spilled
// CHECK-DAG: block_lstm_grad_peephole: {{.*}} 0 stack, 0 spilled

// The state is row-major, the weights column-major: ldmatrix with and without `trans`.
// PTX-NOT: {{(ld|st)\.local}}
// PTX-LABEL: .entry block_lstm_step(
// PTX-NOT: {{(ld|st)\.local}}
// PTX: .shared .align 16
// PTX: .shared .align 16
// PTX: cp.async.cg.shared.global {{.*}}, 16,
// PTX-DAG: cp.async.commit_group
// PTX-DAG: cp.async.wait_group 1
// F16-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// F16-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// F16-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// BF16-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// BF16-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// BF16-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// F32-DAG: fma.rn.f32
// TF32-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// F64-DAG: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// PTX-DAG: cp.async.wait_group 0
// PTX-NOT: {{(ld|st)\.local}}
// PTX-LABEL: .entry block_lstm_grad_step(
// PTX-NOT: {{(ld|st)\.local}}
// PTX: .shared .align 16
// PTX: .shared .align 16
// PTX: cp.async.cg.shared.global {{.*}}, 16,
// F16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// BF16: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// F32: fma.rn.f32
// TF32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// F64: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// PTX-NOT: {{(ld|st)\.local}}

func.func @main(%x: tensor<128x64x512xELEMENT>, %s: tensor<64x512xELEMENT>, %w: tensor<1024x2048xELEMENT>, %p: tensor<512xELEMENT>, %b: tensor<2048xELEMENT>,
    %i: tensor<128x64x512xELEMENT>, %g: tensor<128x64x512xELEMENT>)
    -> (tensor<128x64x512xELEMENT>, tensor<128x64x512xELEMENT>, tensor<64x512xELEMENT>, tensor<1024x2048xELEMENT>, tensor<512xELEMENT>, tensor<2048xELEMENT>) {
  %h:7 = rnn.block_lstm icfo x(%x : tensor<128x64x512xELEMENT>) state(%s, %s : tensor<64x512xELEMENT>) weights(%w : tensor<1024x2048xELEMENT>)
      peephole(%p, %p, %p : tensor<512xELEMENT>) bias(%b : tensor<2048xELEMENT>) {use_peephole, cell_clip = 3.0}
  %d:8 = rnn.block_lstm_grad icfo x(%x : tensor<128x64x512xELEMENT>) state(%s, %s : tensor<64x512xELEMENT>) weights(%w : tensor<1024x2048xELEMENT>)
      peephole(%p, %p, %p : tensor<512xELEMENT>) bias(%b : tensor<2048xELEMENT>) saved(%i, %i, %i, %i, %i, %i, %h#6 : tensor<128x64x512xELEMENT>)
      grads(%g, %g : tensor<128x64x512xELEMENT>) {use_peephole}
  return %h#6, %d#0, %d#2, %d#3, %d#4, %d#7 : tensor<128x64x512xELEMENT>, tensor<128x64x512xELEMENT>, tensor<64x512xELEMENT>, tensor<1024x2048xELEMENT>, tensor<512xELEMENT>, tensor<2048xELEMENT>
}

// Gradients of weights with too few columns for the largest tile.
func.func @medium(%x: tensor<2x2x384xELEMENT>, %s: tensor<2x384xELEMENT>, %w: tensor<768x1536xELEMENT>, %p: tensor<384xELEMENT>,
                  %b: tensor<1536xELEMENT>, %g: tensor<2x2x384xELEMENT>) -> tensor<768x1536xELEMENT> {
  %d:8 = rnn.block_lstm_grad icfo x(%x : tensor<2x2x384xELEMENT>) state(%s, %s : tensor<2x384xELEMENT>)
      weights(%w : tensor<768x1536xELEMENT>) peephole(%p, %p, %p : tensor<384xELEMENT>) bias(%b : tensor<1536xELEMENT>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<2x2x384xELEMENT>) grads(%g, %g : tensor<2x2x384xELEMENT>)
  return %d#3 : tensor<768x1536xELEMENT>
}
