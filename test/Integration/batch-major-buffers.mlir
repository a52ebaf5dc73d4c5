// Sequences between batch-major layers are time-major in memory: the results have the bits of time-major layers, with static
// and dynamic sizes, for layers that share a function, on any number of threads. The transposes are in functions of their
// own: canonicalization would fold them into the layers.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/xf32/xbf16/g' %s > %t/bf16.mlir
// DEFINE: %{module} = %s
// DEFINE: %{seeds} = --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5 --input=random:6
// DEFINE: %{sizes} = --input=random:1:9x8x32 --input=random:2:8x32 --input=random:3:64x128 --input=random:4:32 --input=random:5:128 --input=random:6:9x8x32
// DEFINE: %{out} = --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy
// DEFINE: %{expected} = --expected-output=@%t/0.npy --expected-output=@%t/1.npy --expected-output=@%t/2.npy --expected-output=@%t/3.npy
// DEFINE: %{run} = rnn-run %{module} --lowering=fused
// DEFINE: %{check} = %{run} --threads=1 %{seeds} --function=layers %{out} && \
// DEFINE:   %{run} --threads=1 %{seeds} --function=layers_batch_major %{expected} && \
// DEFINE:   %{run} --threads=3 %{seeds} --function=layers_batch_major %{expected} && \
// DEFINE:   %{run} --threads=2 %{sizes} --function=layers_batch_major_dynamic %{expected}
// RUN: %{check}
// REDEFINE: %{module} = %t/bf16.mlir
// RUN: %{check}

func.func @layers(%x: tensor<9x8x32xf32>, %s: tensor<8x32xf32>, %w: tensor<64x128xf32>, %p: tensor<32xf32>, %b: tensor<128xf32>, %g: tensor<9x8x32xf32>) -> (tensor<9x8x32xf32>, tensor<9x8x32xf32>, tensor<64x128xf32>, tensor<128xf32>) {
  %i0, %c0, %f0, %o0, %ci0, %co0, %h0 = rnn.block_lstm icfo x(%x : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>)
  %i1, %c1, %f1, %o1, %ci1, %co1, %h1 = rnn.block_lstm icfo x(%h0 : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>)
  %i2, %c2, %f2, %o2, %ci2, %co2, %h2 = rnn.block_lstm icfo x(%h1 : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>)
  %dx2, %ds2, %dh2, %dw2, %p2, %q2, %r2, %db2 = rnn.block_lstm_grad icfo x(%h1 : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i2, %c2, %f2, %o2, %ci2, %co2, %h2 : tensor<9x8x32xf32>) grads(%g, %g : tensor<9x8x32xf32>)
  %dx1, %ds1, %dh1, %dw1, %p1, %q1, %r1, %db1 = rnn.block_lstm_grad icfo x(%h0 : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i1, %c1, %f1, %o1, %ci1, %co1, %h1 : tensor<9x8x32xf32>) grads(%dx2, %dx2 : tensor<9x8x32xf32>)
  %dx0, %ds0, %dh0, %dw0, %p0, %q0, %r0, %db0 = rnn.block_lstm_grad icfo x(%x : tensor<9x8x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i0, %c0, %f0, %o0, %ci0, %co0, %h0 : tensor<9x8x32xf32>) grads(%dx1, %dx1 : tensor<9x8x32xf32>)
  return %h2, %dx0, %dw1, %db1 : tensor<9x8x32xf32>, tensor<9x8x32xf32>, tensor<64x128xf32>, tensor<128xf32>
}

func.func @layers_batch_major(%x: tensor<9x8x32xf32>, %s: tensor<8x32xf32>, %w: tensor<64x128xf32>, %p: tensor<32xf32>, %b: tensor<128xf32>, %g: tensor<9x8x32xf32>) -> (tensor<9x8x32xf32>, tensor<9x8x32xf32>, tensor<64x128xf32>, tensor<128xf32>) {
  %xb = call @to_batch_major(%x) : (tensor<9x8x32xf32>) -> tensor<8x9x32xf32>
  %gb = call @to_batch_major(%g) : (tensor<9x8x32xf32>) -> tensor<8x9x32xf32>
  %i0, %c0, %f0, %o0, %ci0, %co0, %h0 = rnn.block_lstm icfo x(%xb : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) {batch_major}
  %i1, %c1, %f1, %o1, %ci1, %co1, %h1 = rnn.block_lstm icfo x(%h0 : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) {batch_major}
  %i2, %c2, %f2, %o2, %ci2, %co2, %h2 = rnn.block_lstm icfo x(%h1 : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) {batch_major}
  %dx2, %ds2, %dh2, %dw2, %p2, %q2, %r2, %db2 = rnn.block_lstm_grad icfo x(%h1 : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i2, %c2, %f2, %o2, %ci2, %co2, %h2 : tensor<8x9x32xf32>) grads(%gb, %gb : tensor<8x9x32xf32>) {batch_major}
  %dx1, %ds1, %dh1, %dw1, %p1, %q1, %r1, %db1 = rnn.block_lstm_grad icfo x(%h0 : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i1, %c1, %f1, %o1, %ci1, %co1, %h1 : tensor<8x9x32xf32>) grads(%dx2, %dx2 : tensor<8x9x32xf32>) {batch_major}
  %dx0, %ds0, %dh0, %dw0, %p0, %q0, %r0, %db0 = rnn.block_lstm_grad icfo x(%xb : tensor<8x9x32xf32>) state(%s, %s : tensor<8x32xf32>) weights(%w : tensor<64x128xf32>)
      peephole(%p, %p, %p : tensor<32xf32>) bias(%b : tensor<128xf32>) saved(%i0, %c0, %f0, %o0, %ci0, %co0, %h0 : tensor<8x9x32xf32>) grads(%dx1, %dx1 : tensor<8x9x32xf32>) {batch_major}
  %y = call @to_time_major(%h2) : (tensor<8x9x32xf32>) -> tensor<9x8x32xf32>
  %dx = call @to_time_major(%dx0) : (tensor<8x9x32xf32>) -> tensor<9x8x32xf32>
  return %y, %dx, %dw1, %db1 : tensor<9x8x32xf32>, tensor<9x8x32xf32>, tensor<64x128xf32>, tensor<128xf32>
}

func.func @layers_batch_major_dynamic(%x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>, %b: tensor<?xf32>, %g: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %xb = call @swap_dynamic(%x) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %gb = call @swap_dynamic(%g) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %i0, %c0, %f0, %o0, %ci0, %co0, %h0 = rnn.block_lstm icfo x(%xb : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) {batch_major}
  %i1, %c1, %f1, %o1, %ci1, %co1, %h1 = rnn.block_lstm icfo x(%h0 : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) {batch_major}
  %i2, %c2, %f2, %o2, %ci2, %co2, %h2 = rnn.block_lstm icfo x(%h1 : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) {batch_major}
  %dx2, %ds2, %dh2, %dw2, %p2, %q2, %r2, %db2 = rnn.block_lstm_grad icfo x(%h1 : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) saved(%i2, %c2, %f2, %o2, %ci2, %co2, %h2 : tensor<?x?x?xf32>) grads(%gb, %gb : tensor<?x?x?xf32>) {batch_major}
  %dx1, %ds1, %dh1, %dw1, %p1, %q1, %r1, %db1 = rnn.block_lstm_grad icfo x(%h0 : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) saved(%i1, %c1, %f1, %o1, %ci1, %co1, %h1 : tensor<?x?x?xf32>) grads(%dx2, %dx2 : tensor<?x?x?xf32>) {batch_major}
  %dx0, %ds0, %dh0, %dw0, %p0, %q0, %r0, %db0 = rnn.block_lstm_grad icfo x(%xb : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) saved(%i0, %c0, %f0, %o0, %ci0, %co0, %h0 : tensor<?x?x?xf32>) grads(%dx1, %dx1 : tensor<?x?x?xf32>) {batch_major}
  %y = call @swap_dynamic(%h2) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %dx = call @swap_dynamic(%dx0) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y, %dx, %dw1, %db1 : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

func.func private @to_batch_major(%x: tensor<9x8x32xf32>) -> tensor<8x9x32xf32> {
  %empty = tensor.empty() : tensor<8x9x32xf32>
  %y = linalg.transpose ins(%x : tensor<9x8x32xf32>) outs(%empty : tensor<8x9x32xf32>) permutation = [1, 0, 2]
  return %y : tensor<8x9x32xf32>
}

func.func private @to_time_major(%x: tensor<8x9x32xf32>) -> tensor<9x8x32xf32> {
  %empty = tensor.empty() : tensor<9x8x32xf32>
  %y = linalg.transpose ins(%x : tensor<8x9x32xf32>) outs(%empty : tensor<9x8x32xf32>) permutation = [1, 0, 2]
  return %y : tensor<9x8x32xf32>
}

func.func private @swap_dynamic(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%d1, %d0, %d2) : tensor<?x?x?xf32>
  %y = linalg.transpose ins(%x : tensor<?x?x?xf32>) outs(%empty : tensor<?x?x?xf32>) permutation = [1, 0, 2]
  return %y : tensor<?x?x?xf32>
}
