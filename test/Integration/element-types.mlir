// Every element type through the whole compiler: a GRU stack with its gradient and a block LSTM with its gradient, in each
// type on inputs that the narrow types hold exactly, against the f64 run, as plans and as loops. Tolerances are twice the
// measured worst relative error of any element (plans f32 1.7e-7, loops f32 4.2e-7, f16 5.0e-4, bf16 3.1e-3). GEMMs of bf16
// operands, which round the gate gradients too, are in bf16-gemm-host.test.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --input=4x2x3xf64=0.5 --input=2x2x4xf64=0.25 --input=228xf64=0.125
// DEFINE: %{expected} = --expected-output=@%t/y.npy --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy --expected-output=@%t/h.npy --expected-output=@%t/dw.npy
// RUN: rm -rf %t && mkdir %t
// RUN: %{run} --lowering=runtime --function=f64 --output=@%t/y.npy --output=@%t/dx.npy --output=@%t/dp.npy --output=@%t/h.npy --output=@%t/dw.npy
// RUN: %{run} --lowering=runtime --function=f32 %{expected} --rtol=4e-7
// RUN: %{run} --lowering=runtime --function=f16 %{expected} --rtol=1e-3
// RUN: %{run} --lowering=runtime --function=bf16 %{expected} --rtol=6e-3
// RUN: %{run} --lowering=fused --function=f64 %{expected} --rtol=1e-14
// RUN: %{run} --lowering=fused --function=f32 %{expected} --rtol=8e-7
// RUN: %{run} --lowering=fused --function=f16 %{expected} --rtol=1e-3
// RUN: %{run} --lowering=fused --bf16-gemm=f32 --function=bf16 %{expected} --rtol=6e-3

func.func @f64(%x64: tensor<4x2x3xf64>, %h64: tensor<2x2x4xf64>, %p64: tensor<228xf64>)
    -> (tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x64 : tensor<4x2x3xf64>) state(%h64 : tensor<2x2x4xf64>) params(%p64 : tensor<228xf64>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x64 : tensor<4x2x3xf64>) state(%h64 : tensor<2x2x4xf64>) params(%p64 : tensor<228xf64>)
      output(%y, %hn : tensor<4x2x4xf64>, tensor<2x2x4xf64>) grads(%y, %hn : tensor<4x2x4xf64>, tensor<2x2x4xf64>) reserve(%r : tensor<?xi8>)
  %s = tensor.extract_slice %h64[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xf64> to tensor<2x4xf64>
  %w0 = tensor.extract_slice %p64[0] [112] [1] : tensor<228xf64> to tensor<112xf64>
  %w = tensor.expand_shape %w0 [[0, 1]] output_shape [7, 16] : tensor<112xf64> into tensor<7x16xf64>
  %k = tensor.extract_slice %p64[0] [4] [1] : tensor<228xf64> to tensor<4xf64>
  %b = tensor.extract_slice %p64[4] [16] [1] : tensor<228xf64> to tensor<16xf64>
  %a:7 = rnn.block_lstm ifco x(%x64 : tensor<4x2x3xf64>) state(%s, %s : tensor<2x4xf64>) weights(%w : tensor<7x16xf64>)
      peephole(%k, %k, %k : tensor<4xf64>) bias(%b : tensor<16xf64>) {use_peephole, cell_clip = 3.0}
  %g:8 = rnn.block_lstm_grad ifco x(%x64 : tensor<4x2x3xf64>) state(%s, %s : tensor<2x4xf64>) weights(%w : tensor<7x16xf64>)
      peephole(%k, %k, %k : tensor<4xf64>) bias(%b : tensor<16xf64>)
      saved(%a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6 : tensor<4x2x4xf64>) grads(%a#1, %a#6 : tensor<4x2x4xf64>) {use_peephole}
  return %y, %dx, %dp, %a#6, %g#3 : tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>
}

func.func @f32(%x64: tensor<4x2x3xf64>, %h64: tensor<2x2x4xf64>, %p64: tensor<228xf64>)
    -> (tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>) {
  %x = arith.truncf %x64 : tensor<4x2x3xf64> to tensor<4x2x3xf32>
  %h = arith.truncf %h64 : tensor<2x2x4xf64> to tensor<2x2x4xf32>
  %p = arith.truncf %p64 : tensor<228xf64> to tensor<228xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<4x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<228xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<4x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<228xf32>)
      output(%y, %hn : tensor<4x2x4xf32>, tensor<2x2x4xf32>) grads(%y, %hn : tensor<4x2x4xf32>, tensor<2x2x4xf32>) reserve(%r : tensor<?xi8>)
  %s = tensor.extract_slice %h[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xf32> to tensor<2x4xf32>
  %w0 = tensor.extract_slice %p[0] [112] [1] : tensor<228xf32> to tensor<112xf32>
  %w = tensor.expand_shape %w0 [[0, 1]] output_shape [7, 16] : tensor<112xf32> into tensor<7x16xf32>
  %k = tensor.extract_slice %p[0] [4] [1] : tensor<228xf32> to tensor<4xf32>
  %b = tensor.extract_slice %p[4] [16] [1] : tensor<228xf32> to tensor<16xf32>
  %a:7 = rnn.block_lstm ifco x(%x : tensor<4x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%k, %k, %k : tensor<4xf32>) bias(%b : tensor<16xf32>) {use_peephole, cell_clip = 3.0}
  %g:8 = rnn.block_lstm_grad ifco x(%x : tensor<4x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%k, %k, %k : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6 : tensor<4x2x4xf32>) grads(%a#1, %a#6 : tensor<4x2x4xf32>) {use_peephole}
  %y_64 = arith.extf %y : tensor<4x2x4xf32> to tensor<4x2x4xf64>
  %dx_64 = arith.extf %dx : tensor<4x2x3xf32> to tensor<4x2x3xf64>
  %dp_64 = arith.extf %dp : tensor<228xf32> to tensor<228xf64>
  %hh_64 = arith.extf %a#6 : tensor<4x2x4xf32> to tensor<4x2x4xf64>
  %dw_64 = arith.extf %g#3 : tensor<7x16xf32> to tensor<7x16xf64>
  return %y_64, %dx_64, %dp_64, %hh_64, %dw_64 : tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>
}

func.func @f16(%x64: tensor<4x2x3xf64>, %h64: tensor<2x2x4xf64>, %p64: tensor<228xf64>)
    -> (tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>) {
  %x = arith.truncf %x64 : tensor<4x2x3xf64> to tensor<4x2x3xf16>
  %h = arith.truncf %h64 : tensor<2x2x4xf64> to tensor<2x2x4xf16>
  %p = arith.truncf %p64 : tensor<228xf64> to tensor<228xf16>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<4x2x3xf16>) state(%h : tensor<2x2x4xf16>) params(%p : tensor<228xf16>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<4x2x3xf16>) state(%h : tensor<2x2x4xf16>) params(%p : tensor<228xf16>)
      output(%y, %hn : tensor<4x2x4xf16>, tensor<2x2x4xf16>) grads(%y, %hn : tensor<4x2x4xf16>, tensor<2x2x4xf16>) reserve(%r : tensor<?xi8>)
  %s = tensor.extract_slice %h[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xf16> to tensor<2x4xf16>
  %w0 = tensor.extract_slice %p[0] [112] [1] : tensor<228xf16> to tensor<112xf16>
  %w = tensor.expand_shape %w0 [[0, 1]] output_shape [7, 16] : tensor<112xf16> into tensor<7x16xf16>
  %k = tensor.extract_slice %p[0] [4] [1] : tensor<228xf16> to tensor<4xf16>
  %b = tensor.extract_slice %p[4] [16] [1] : tensor<228xf16> to tensor<16xf16>
  %a:7 = rnn.block_lstm ifco x(%x : tensor<4x2x3xf16>) state(%s, %s : tensor<2x4xf16>) weights(%w : tensor<7x16xf16>)
      peephole(%k, %k, %k : tensor<4xf16>) bias(%b : tensor<16xf16>) {use_peephole, cell_clip = 3.0}
  %g:8 = rnn.block_lstm_grad ifco x(%x : tensor<4x2x3xf16>) state(%s, %s : tensor<2x4xf16>) weights(%w : tensor<7x16xf16>)
      peephole(%k, %k, %k : tensor<4xf16>) bias(%b : tensor<16xf16>)
      saved(%a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6 : tensor<4x2x4xf16>) grads(%a#1, %a#6 : tensor<4x2x4xf16>) {use_peephole}
  %y_64 = arith.extf %y : tensor<4x2x4xf16> to tensor<4x2x4xf64>
  %dx_64 = arith.extf %dx : tensor<4x2x3xf16> to tensor<4x2x3xf64>
  %dp_64 = arith.extf %dp : tensor<228xf16> to tensor<228xf64>
  %hh_64 = arith.extf %a#6 : tensor<4x2x4xf16> to tensor<4x2x4xf64>
  %dw_64 = arith.extf %g#3 : tensor<7x16xf16> to tensor<7x16xf64>
  return %y_64, %dx_64, %dp_64, %hh_64, %dw_64 : tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>
}

func.func @bf16(%x64: tensor<4x2x3xf64>, %h64: tensor<2x2x4xf64>, %p64: tensor<228xf64>)
    -> (tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>) {
  %x = arith.truncf %x64 : tensor<4x2x3xf64> to tensor<4x2x3xbf16>
  %h = arith.truncf %h64 : tensor<2x2x4xf64> to tensor<2x2x4xbf16>
  %p = arith.truncf %p64 : tensor<228xf64> to tensor<228xbf16>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<4x2x3xbf16>) state(%h : tensor<2x2x4xbf16>) params(%p : tensor<228xbf16>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<4x2x3xbf16>) state(%h : tensor<2x2x4xbf16>) params(%p : tensor<228xbf16>)
      output(%y, %hn : tensor<4x2x4xbf16>, tensor<2x2x4xbf16>) grads(%y, %hn : tensor<4x2x4xbf16>, tensor<2x2x4xbf16>) reserve(%r : tensor<?xi8>)
  %s = tensor.extract_slice %h[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xbf16> to tensor<2x4xbf16>
  %w0 = tensor.extract_slice %p[0] [112] [1] : tensor<228xbf16> to tensor<112xbf16>
  %w = tensor.expand_shape %w0 [[0, 1]] output_shape [7, 16] : tensor<112xbf16> into tensor<7x16xbf16>
  %k = tensor.extract_slice %p[0] [4] [1] : tensor<228xbf16> to tensor<4xbf16>
  %b = tensor.extract_slice %p[4] [16] [1] : tensor<228xbf16> to tensor<16xbf16>
  %a:7 = rnn.block_lstm ifco x(%x : tensor<4x2x3xbf16>) state(%s, %s : tensor<2x4xbf16>) weights(%w : tensor<7x16xbf16>)
      peephole(%k, %k, %k : tensor<4xbf16>) bias(%b : tensor<16xbf16>) {use_peephole, cell_clip = 3.0}
  %g:8 = rnn.block_lstm_grad ifco x(%x : tensor<4x2x3xbf16>) state(%s, %s : tensor<2x4xbf16>) weights(%w : tensor<7x16xbf16>)
      peephole(%k, %k, %k : tensor<4xbf16>) bias(%b : tensor<16xbf16>)
      saved(%a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6 : tensor<4x2x4xbf16>) grads(%a#1, %a#6 : tensor<4x2x4xbf16>) {use_peephole}
  %y_64 = arith.extf %y : tensor<4x2x4xbf16> to tensor<4x2x4xf64>
  %dx_64 = arith.extf %dx : tensor<4x2x3xbf16> to tensor<4x2x3xf64>
  %dp_64 = arith.extf %dp : tensor<228xbf16> to tensor<228xf64>
  %hh_64 = arith.extf %a#6 : tensor<4x2x4xbf16> to tensor<4x2x4xf64>
  %dw_64 = arith.extf %g#3 : tensor<7x16xbf16> to tensor<7x16xf64>
  return %y_64, %dx_64, %dp_64, %hh_64, %dw_64 : tensor<4x2x4xf64>, tensor<4x2x3xf64>, tensor<228xf64>, tensor<4x2x4xf64>, tensor<7x16xf64>
}

