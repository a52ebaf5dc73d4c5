// Batch-major layers have the bits of time-major ones in compiled loops of the host, on any number of threads; with lengths,
// resets, dropout, peepholes and steps that do not run. The transposes are in functions of their own: canonicalization
// would fold them into the layers.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/xf32/xbf16/g' %s > %t/bf16.mlir
// DEFINE: %{module} = %s
// DEFINE: %{options} =
// DEFINE: %{in} = --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5
// DEFINE: %{out} = --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy --output=@%t/4.npy
// DEFINE: %{expected} = --expected-output=@%t/0.npy --expected-output=@%t/1.npy --expected-output=@%t/2.npy --expected-output=@%t/3.npy --expected-output=@%t/4.npy
// DEFINE: %{stack} = rnn-run %{module} --lowering=fused %{options} %{in}
// DEFINE: %{check} = env RNNRT_DROPOUT_DRAW=4 RNNRT_THREADS=1 %{stack} --function=stack %{out} && \
// DEFINE:   env RNNRT_DROPOUT_DRAW=4 RNNRT_THREADS=1 %{stack} --function=stack_batch_major %{expected} && \
// DEFINE:   env RNNRT_DROPOUT_DRAW=4 RNNRT_THREADS=3 %{stack} --function=stack_batch_major %{expected} && \
// DEFINE:   rnn-run %{module} --lowering=fused %{options} %{in} --input=random:6 --function=block %{out} --output=@%t/5.npy --output=@%t/6.npy && \
// DEFINE:   rnn-run %{module} --lowering=fused %{options} %{in} --input=random:6 --function=block_batch_major %{expected} \
// DEFINE:     --expected-output=@%t/5.npy --expected-output=@%t/6.npy
// RUN: %{check}
// REDEFINE: %{module} = %t/bf16.mlir
// RUN: %{check}
// REDEFINE: %{options} = --bf16-gemm=f32
// RUN: %{check}
// REDEFINE: %{options} = --bf16-gemm=vnni
// RUN: %{check}

func.func @stack(%x: tensor<9x8x40xf32>, %h: tensor<4x8x64xf32>, %p: tensor<115200xf32>, %dy: tensor<9x8x128xf32>, %dh: tensor<4x8x64xf32>) -> (tensor<9x8x128xf32>, tensor<4x8x64xf32>, tensor<9x8x40xf32>, tensor<4x8x64xf32>, tensor<115200xf32>) {
  %cuts = arith.constant dense<[true, false, false, true, true, false, true, false, false]> : tensor<9xi1>
  %me = tensor.empty() : tensor<9x8xi1>
  %m = linalg.broadcast ins(%cuts : tensor<9xi1>) outs(%me : tensor<9x8xi1>) dimensions = [1]
  %lengths = arith.constant dense<[9, 0, 4, 9, 7, 1, 9, 3]> : tensor<8xi32>
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<9x8x40xf32>) state(%h : tensor<4x8x64xf32>) params(%p : tensor<115200xf32>)
      lengths(%lengths : tensor<8xi32>) resets(%m : tensor<9x8xi1>) {dropout = 0.25, reset_to = #rnn.reset_to<initial>, seed = 3 : i64}
  %dx, %dh0, %dp = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<9x8x40xf32>) state(%h : tensor<4x8x64xf32>) params(%p : tensor<115200xf32>)
      lengths(%lengths : tensor<8xi32>) output(%y, %hn : tensor<9x8x128xf32>, tensor<4x8x64xf32>) grads(%dy, %dh : tensor<9x8x128xf32>, tensor<4x8x64xf32>)
      reserve(%r : tensor<?xi8>) resets(%m : tensor<9x8xi1>) {dropout = 0.25, reset_to = #rnn.reset_to<initial>, seed = 3 : i64}
  return %y, %hn, %dx, %dh0, %dp : tensor<9x8x128xf32>, tensor<4x8x64xf32>, tensor<9x8x40xf32>, tensor<4x8x64xf32>, tensor<115200xf32>
}

func.func @stack_batch_major(%x: tensor<9x8x40xf32>, %h: tensor<4x8x64xf32>, %p: tensor<115200xf32>, %dy: tensor<9x8x128xf32>, %dh: tensor<4x8x64xf32>) -> (tensor<9x8x128xf32>, tensor<4x8x64xf32>, tensor<9x8x40xf32>, tensor<4x8x64xf32>, tensor<115200xf32>) {
  %xb = call @x_to_batch_major(%x) : (tensor<9x8x40xf32>) -> tensor<8x9x40xf32>
  %dyb = call @y_to_batch_major(%dy) : (tensor<9x8x128xf32>) -> tensor<8x9x128xf32>
  %cuts = arith.constant dense<[true, false, false, true, true, false, true, false, false]> : tensor<9xi1>
  %me = tensor.empty() : tensor<8x9xi1>
  %m = linalg.broadcast ins(%cuts : tensor<9xi1>) outs(%me : tensor<8x9xi1>) dimensions = [0]
  %lengths = arith.constant dense<[9, 0, 4, 9, 7, 1, 9, 3]> : tensor<8xi32>
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%xb : tensor<8x9x40xf32>) state(%h : tensor<4x8x64xf32>) params(%p : tensor<115200xf32>)
      lengths(%lengths : tensor<8xi32>) resets(%m : tensor<8x9xi1>) {batch_major, dropout = 0.25, reset_to = #rnn.reset_to<initial>, seed = 3 : i64}
  %dx, %dh0, %dp = rnn.cudnn_backprop gru, bidirectional input(%xb : tensor<8x9x40xf32>) state(%h : tensor<4x8x64xf32>) params(%p : tensor<115200xf32>)
      lengths(%lengths : tensor<8xi32>) output(%y, %hn : tensor<8x9x128xf32>, tensor<4x8x64xf32>) grads(%dyb, %dh : tensor<8x9x128xf32>, tensor<4x8x64xf32>)
      reserve(%r : tensor<?xi8>) resets(%m : tensor<8x9xi1>) {batch_major, dropout = 0.25, reset_to = #rnn.reset_to<initial>, seed = 3 : i64}
  %yt = call @y_to_time_major(%y) : (tensor<8x9x128xf32>) -> tensor<9x8x128xf32>
  %dxt = call @x_to_time_major(%dx) : (tensor<8x9x40xf32>) -> tensor<9x8x40xf32>
  return %yt, %hn, %dxt, %dh0, %dp : tensor<9x8x128xf32>, tensor<4x8x64xf32>, tensor<9x8x40xf32>, tensor<4x8x64xf32>, tensor<115200xf32>
}

func.func @block(%x: tensor<9x8x40xf32>, %s: tensor<8x64xf32>, %w: tensor<104x256xf32>, %q: tensor<64xf32>, %b: tensor<256xf32>, %g: tensor<9x8x64xf32>) -> (tensor<9x8x64xf32>, tensor<9x8x64xf32>, tensor<9x8x40xf32>, tensor<8x64xf32>, tensor<104x256xf32>, tensor<64xf32>, tensor<256xf32>) {
  %n = arith.constant 7 : i64
  %i, %cs, %f, %o, %ci, %co, %hs = rnn.block_lstm icfo x(%x : tensor<9x8x40xf32>) state(%s, %s : tensor<8x64xf32>) weights(%w : tensor<104x256xf32>)
      peephole(%q, %q, %q : tensor<64xf32>) bias(%b : tensor<256xf32>) seq_len_max(%n) {cell_clip = 0.5, use_peephole}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<9x8x40xf32>) state(%s, %s : tensor<8x64xf32>) weights(%w : tensor<104x256xf32>)
      peephole(%q, %q, %q : tensor<64xf32>) bias(%b : tensor<256xf32>) seq_len_max(%n)
      saved(%i, %cs, %f, %o, %ci, %co, %hs : tensor<9x8x64xf32>) grads(%g, %g : tensor<9x8x64xf32>) {use_peephole}
  return %cs, %hs, %dx, %dh, %dw, %dwco, %db : tensor<9x8x64xf32>, tensor<9x8x64xf32>, tensor<9x8x40xf32>, tensor<8x64xf32>, tensor<104x256xf32>, tensor<64xf32>, tensor<256xf32>
}

func.func @block_batch_major(%x: tensor<9x8x40xf32>, %s: tensor<8x64xf32>, %w: tensor<104x256xf32>, %q: tensor<64xf32>, %b: tensor<256xf32>, %g: tensor<9x8x64xf32>) -> (tensor<9x8x64xf32>, tensor<9x8x64xf32>, tensor<9x8x40xf32>, tensor<8x64xf32>, tensor<104x256xf32>, tensor<64xf32>, tensor<256xf32>) {
  %xb = call @x_to_batch_major(%x) : (tensor<9x8x40xf32>) -> tensor<8x9x40xf32>
  %gb = call @v_to_batch_major(%g) : (tensor<9x8x64xf32>) -> tensor<8x9x64xf32>
  %n = arith.constant 7 : i64
  %i, %cs, %f, %o, %ci, %co, %hs = rnn.block_lstm icfo x(%xb : tensor<8x9x40xf32>) state(%s, %s : tensor<8x64xf32>) weights(%w : tensor<104x256xf32>)
      peephole(%q, %q, %q : tensor<64xf32>) bias(%b : tensor<256xf32>) seq_len_max(%n) {batch_major, cell_clip = 0.5, use_peephole}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%xb : tensor<8x9x40xf32>) state(%s, %s : tensor<8x64xf32>) weights(%w : tensor<104x256xf32>)
      peephole(%q, %q, %q : tensor<64xf32>) bias(%b : tensor<256xf32>) seq_len_max(%n)
      saved(%i, %cs, %f, %o, %ci, %co, %hs : tensor<8x9x64xf32>) grads(%gb, %gb : tensor<8x9x64xf32>) {batch_major, use_peephole}
  %cst = call @v_to_time_major(%cs) : (tensor<8x9x64xf32>) -> tensor<9x8x64xf32>
  %hst = call @v_to_time_major(%hs) : (tensor<8x9x64xf32>) -> tensor<9x8x64xf32>
  %dxt = call @x_to_time_major(%dx) : (tensor<8x9x40xf32>) -> tensor<9x8x40xf32>
  return %cst, %hst, %dxt, %dh, %dw, %dwco, %db : tensor<9x8x64xf32>, tensor<9x8x64xf32>, tensor<9x8x40xf32>, tensor<8x64xf32>, tensor<104x256xf32>, tensor<64xf32>, tensor<256xf32>
}

func.func private @x_to_batch_major(%x: tensor<9x8x40xf32>) -> tensor<8x9x40xf32> {
  %empty = tensor.empty() : tensor<8x9x40xf32>
  %y = linalg.transpose ins(%x : tensor<9x8x40xf32>) outs(%empty : tensor<8x9x40xf32>) permutation = [1, 0, 2]
  return %y : tensor<8x9x40xf32>
}

func.func private @x_to_time_major(%x: tensor<8x9x40xf32>) -> tensor<9x8x40xf32> {
  %empty = tensor.empty() : tensor<9x8x40xf32>
  %y = linalg.transpose ins(%x : tensor<8x9x40xf32>) outs(%empty : tensor<9x8x40xf32>) permutation = [1, 0, 2]
  return %y : tensor<9x8x40xf32>
}

func.func private @y_to_batch_major(%x: tensor<9x8x128xf32>) -> tensor<8x9x128xf32> {
  %empty = tensor.empty() : tensor<8x9x128xf32>
  %y = linalg.transpose ins(%x : tensor<9x8x128xf32>) outs(%empty : tensor<8x9x128xf32>) permutation = [1, 0, 2]
  return %y : tensor<8x9x128xf32>
}

func.func private @y_to_time_major(%x: tensor<8x9x128xf32>) -> tensor<9x8x128xf32> {
  %empty = tensor.empty() : tensor<9x8x128xf32>
  %y = linalg.transpose ins(%x : tensor<8x9x128xf32>) outs(%empty : tensor<9x8x128xf32>) permutation = [1, 0, 2]
  return %y : tensor<9x8x128xf32>
}

func.func private @v_to_batch_major(%x: tensor<9x8x64xf32>) -> tensor<8x9x64xf32> {
  %empty = tensor.empty() : tensor<8x9x64xf32>
  %y = linalg.transpose ins(%x : tensor<9x8x64xf32>) outs(%empty : tensor<8x9x64xf32>) permutation = [1, 0, 2]
  return %y : tensor<8x9x64xf32>
}

func.func private @v_to_time_major(%x: tensor<8x9x64xf32>) -> tensor<9x8x64xf32> {
  %empty = tensor.empty() : tensor<9x8x64xf32>
  %y = linalg.transpose ins(%x : tensor<8x9x64xf32>) outs(%empty : tensor<9x8x64xf32>) permutation = [1, 0, 2]
  return %y : tensor<9x8x64xf32>
}
