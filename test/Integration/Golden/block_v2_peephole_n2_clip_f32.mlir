// block_v2_peephole_n2_clip_f32.mlir - results of tensorflow (test/golden) through the whole compiler.
// Written by test/golden/generate.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{golden} = %S/../../golden/compiler/block_v2_peephole_n2_clip_f32
// DEFINE: %{forward} = rnn-run %s \
// DEFINE:   --function=forward \
// DEFINE:   --input=i64=2 \
// DEFINE:   --input=@%{golden}/x.npy \
// DEFINE:   --input=@%{golden}/cs_prev.npy \
// DEFINE:   --input=@%{golden}/h_prev.npy \
// DEFINE:   --input=@%{golden}/w.npy \
// DEFINE:   --input=@%{golden}/wci.npy \
// DEFINE:   --input=@%{golden}/wcf.npy \
// DEFINE:   --input=@%{golden}/wco.npy \
// DEFINE:   --input=@%{golden}/b.npy \
// DEFINE:   --expected-output=@%{golden}/i.npy \
// DEFINE:   --expected-output=@%{golden}/cs.npy \
// DEFINE:   --expected-output=@%{golden}/f.npy \
// DEFINE:   --expected-output=@%{golden}/o.npy \
// DEFINE:   --expected-output=@%{golden}/ci.npy \
// DEFINE:   --expected-output=@%{golden}/co.npy \
// DEFINE:   --expected-output=@%{golden}/h.npy \
// DEFINE:   --atol=7.66e-07 \
// DEFINE:   --rtol=5e-06
// RUN: %{forward} --lowering=runtime
// RUN: %{forward} --lowering=fused
// RUN: %{forward} --target=simt --lowering=fused
// DEFINE: %{backward} = rnn-run %s \
// DEFINE:   --function=backward \
// DEFINE:   --input=i64=2 \
// DEFINE:   --input=@%{golden}/x.npy \
// DEFINE:   --input=@%{golden}/cs_prev.npy \
// DEFINE:   --input=@%{golden}/h_prev.npy \
// DEFINE:   --input=@%{golden}/w.npy \
// DEFINE:   --input=@%{golden}/wci.npy \
// DEFINE:   --input=@%{golden}/wcf.npy \
// DEFINE:   --input=@%{golden}/wco.npy \
// DEFINE:   --input=@%{golden}/b.npy \
// DEFINE:   --input=@%{golden}/saved_i.npy \
// DEFINE:   --input=@%{golden}/saved_cs.npy \
// DEFINE:   --input=@%{golden}/saved_f.npy \
// DEFINE:   --input=@%{golden}/saved_o.npy \
// DEFINE:   --input=@%{golden}/saved_ci.npy \
// DEFINE:   --input=@%{golden}/saved_co.npy \
// DEFINE:   --input=@%{golden}/saved_h.npy \
// DEFINE:   --input=@%{golden}/cs_grad.npy \
// DEFINE:   --input=@%{golden}/h_grad.npy \
// DEFINE:   --expected-output=@%{golden}/dx.npy \
// DEFINE:   --expected-output=@%{golden}/dcs_prev.npy \
// DEFINE:   --expected-output=@%{golden}/dh_prev.npy \
// DEFINE:   --expected-output=@%{golden}/dw.npy \
// DEFINE:   --expected-output=@%{golden}/dwci.npy \
// DEFINE:   --expected-output=@%{golden}/dwcf.npy \
// DEFINE:   --expected-output=@%{golden}/dwco.npy \
// DEFINE:   --expected-output=@%{golden}/db.npy \
// DEFINE:   --atol=7.27e-08 \
// DEFINE:   --rtol=5e-06
// RUN: %{backward} --lowering=runtime
// RUN: %{backward} --lowering=fused
// RUN: %{backward} --target=simt --lowering=fused

func.func @forward(%n: tensor<i64>, %x: tensor<?x?x3xf32>, %cs_prev: tensor<?x5xf32>, %h_prev: tensor<?x5xf32>, %w:
    tensor<8x20xf32>, %wci: tensor<5xf32>, %wcf: tensor<5xf32>, %wco: tensor<5xf32>, %b: tensor<20xf32>) ->
    (tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
    tensor<?x?x5xf32>) {
  %r_i, %r_cs, %r_f, %r_o, %r_ci, %r_co, %r_h = "tf.BlockLSTMV2"(%n, %x, %cs_prev, %h_prev, %w, %wci, %wcf, %wco, %b)
      {cell_clip = 0.25 : f32, use_peephole = true} : (tensor<i64>, tensor<?x?x3xf32>, tensor<?x5xf32>,
      tensor<?x5xf32>, tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>) ->
      (tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
      tensor<?x?x5xf32>, tensor<?x?x5xf32>)
  return %r_i, %r_cs, %r_f, %r_o, %r_ci, %r_co, %r_h : tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
      tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>
}

func.func @backward(%n: tensor<i64>, %x: tensor<?x?x3xf32>, %cs_prev: tensor<?x5xf32>, %h_prev: tensor<?x5xf32>, %w:
    tensor<8x20xf32>, %wci: tensor<5xf32>, %wcf: tensor<5xf32>, %wco: tensor<5xf32>, %b: tensor<20xf32>, %saved_i:
    tensor<?x?x5xf32>, %saved_cs: tensor<?x?x5xf32>, %saved_f: tensor<?x?x5xf32>, %saved_o: tensor<?x?x5xf32>,
    %saved_ci: tensor<?x?x5xf32>, %saved_co: tensor<?x?x5xf32>, %saved_h: tensor<?x?x5xf32>, %cs_grad:
    tensor<?x?x5xf32>, %h_grad: tensor<?x?x5xf32>) -> (tensor<?x?x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>,
    tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>) {
  %r_dx, %r_dcs_prev, %r_dh_prev, %r_dw, %r_dwci, %r_dwcf, %r_dwco, %r_db = "tf.BlockLSTMGradV2"(%n, %x, %cs_prev,
      %h_prev, %w, %wci, %wcf, %wco, %b, %saved_i, %saved_cs, %saved_f, %saved_o, %saved_ci, %saved_co, %saved_h,
      %cs_grad, %h_grad) {use_peephole = true} : (tensor<i64>, tensor<?x?x3xf32>, tensor<?x5xf32>, tensor<?x5xf32>,
      tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>, tensor<?x?x5xf32>,
      tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
      tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>) -> (tensor<?x?x3xf32>, tensor<?x5xf32>,
      tensor<?x5xf32>, tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>)
  return %r_dx, %r_dcs_prev, %r_dh_prev, %r_dw, %r_dwci, %r_dwcf, %r_dwco, %r_db : tensor<?x?x3xf32>, tensor<?x5xf32>,
      tensor<?x5xf32>, tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>
}
