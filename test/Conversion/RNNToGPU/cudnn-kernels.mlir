// The kernels of the cudnn ops use no local memory, and ptxas spills no register. Other types: cudnn-kernels-wide.test.
// REQUIRES: nvptx, ptxas, python, rnn-compile
// DEFINE: %{compile} = rnn-compile --target=cuda --lowering=fused
// DEFINE: %{assemble} = %python %S/Inputs/assemble.py %ptxas
// DEFINE: %{check} = FileCheck %s --implicit-check-not='{{[1-9][0-9]* (stack|spilled)}}'
// RUN: sed '/^func.func @gru/,/^}/d; s/ELEMENT/f16/g; s/rnn_mode/rnn_relu/' %s | %{compile} - -o %t.f16.mlir
// RUN: %{assemble} sm_80 --ptx %t.f16.ptx < %t.f16.mlir | %{check} --check-prefixes=LSTM,RELU
// RUN: FileCheck %s --check-prefix=PTX < %t.f16.ptx
// RUN: sed '/^func.func @lstm/,/^}/d; /^func.func @plain/,/^}/d; s/ELEMENT/bf16/g' %s | %{compile} - -o %t.bf16.mlir
// RUN: %{assemble} sm_80 < %t.bf16.mlir | %{check} --check-prefixes=GRU

// LSTM-DAG: cudnn_lstm_input: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_step: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_step_projection: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_dropout: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_step: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_step_projection: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_input: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_w_input: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_w_state: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_w_projection: {{.*}} 0 stack, 0 spilled
// LSTM-DAG: cudnn_lstm_grad_bias: {{.*}} 0 stack, 0 spilled
// RELU-DAG: cudnn_rnn_relu_step: {{.*}} 0 stack, 0 spilled
// RELU-DAG: cudnn_rnn_relu_grad_step: {{.*}} 0 stack, 0 spilled
// GRU-DAG: cudnn_gru_input: {{.*}} 0 stack, 0 spilled
// GRU-DAG: cudnn_gru_step: {{.*}} 0 stack, 0 spilled
// GRU-DAG: cudnn_gru_grad_step: {{.*}} 0 stack, 0 spilled
// GRU-DAG: cudnn_gru_grad_state: {{.*}} 0 stack, 0 spilled
// GRU-DAG: cudnn_gru_grad_bias: {{.*}} 0 stack, 0 spilled

// PTX-NOT: {{(ld|st)\.local}}
// PTX: .entry cudnn_{{[a-z_]+}}
// PTX-NOT: {{(ld|st)\.local}}

func.func @lstm(%x: tensor<64x32x512xELEMENT>, %h: tensor<4x32x256xELEMENT>, %c: tensor<4x32x512xELEMENT>, %p: tensor<?xELEMENT>, %n: tensor<32xi32>, %g: tensor<64x32x512xELEMENT>)
    -> (tensor<64x32x512xELEMENT>, tensor<?xELEMENT>, tensor<64x32x512xELEMENT>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<64x32x512xELEMENT>) state(%h, %c : tensor<4x32x256xELEMENT>, tensor<4x32x512xELEMENT>)
      params(%p : tensor<?xELEMENT>) lengths(%n : tensor<32xi32>) {num_proj = 256 : i64, dropout = 0.25}
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<64x32x512xELEMENT>) state(%h, %c : tensor<4x32x256xELEMENT>, tensor<4x32x512xELEMENT>)
      params(%p : tensor<?xELEMENT>) lengths(%n : tensor<32xi32>) output(%y, %hn, %cn : tensor<64x32x512xELEMENT>, tensor<4x32x256xELEMENT>, tensor<4x32x512xELEMENT>)
      grads(%g, %h, %c : tensor<64x32x512xELEMENT>, tensor<4x32x256xELEMENT>, tensor<4x32x512xELEMENT>) reserve(%r : tensor<?xi8>) {num_proj = 256 : i64, dropout = 0.25}
  return %dx, %dp, %y : tensor<64x32x512xELEMENT>, tensor<?xELEMENT>, tensor<64x32x512xELEMENT>
}
func.func @gru(%x: tensor<64x32x512xELEMENT>, %h: tensor<4x32x512xELEMENT>, %p: tensor<?xELEMENT>, %n: tensor<32xi32>, %g: tensor<64x32x1024xELEMENT>)
    -> (tensor<64x32x1024xELEMENT>, tensor<?xELEMENT>, tensor<4x32x512xELEMENT>) {
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional, skip_input input(%x : tensor<64x32x512xELEMENT>) state(%h : tensor<4x32x512xELEMENT>)
      params(%p : tensor<?xELEMENT>) lengths(%n : tensor<32xi32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru, bidirectional, skip_input input(%x : tensor<64x32x512xELEMENT>) state(%h : tensor<4x32x512xELEMENT>)
      params(%p : tensor<?xELEMENT>) lengths(%n : tensor<32xi32>) output(%y, %hn : tensor<64x32x1024xELEMENT>, tensor<4x32x512xELEMENT>)
      grads(%g, %h : tensor<64x32x1024xELEMENT>, tensor<4x32x512xELEMENT>) reserve(%r : tensor<?xi8>)
  return %y, %dp, %dh : tensor<64x32x1024xELEMENT>, tensor<?xELEMENT>, tensor<4x32x512xELEMENT>
}
func.func @plain(%x: tensor<64x32x512xELEMENT>, %h: tensor<1x32x512xELEMENT>, %p: tensor<?xELEMENT>, %g: tensor<64x32x512xELEMENT>) -> tensor<?xELEMENT> {
  %y, %hn, %r = rnn.cudnn_forward rnn_mode input(%x : tensor<64x32x512xELEMENT>) state(%h : tensor<1x32x512xELEMENT>) params(%p : tensor<?xELEMENT>)
  %dx, %dh, %dp = rnn.cudnn_backprop rnn_mode input(%x : tensor<64x32x512xELEMENT>) state(%h : tensor<1x32x512xELEMENT>) params(%p : tensor<?xELEMENT>)
      output(%y, %hn : tensor<64x32x512xELEMENT>, tensor<1x32x512xELEMENT>) grads(%g, %h : tensor<64x32x512xELEMENT>, tensor<1x32x512xELEMENT>) reserve(%r : tensor<?xi8>)
  return %dp : tensor<?xELEMENT>
}
