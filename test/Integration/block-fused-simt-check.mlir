// The kernels of the block LSTM under the checker: no races, no uninitialized memory, no copies without a wait. In f16 with tensor
// cores and vectors that extend past the matrix, in f32 with FMA and unaligned vectors.
// REQUIRES: rnn-run
// RUN: rnn-run %s --target=simt --lowering=fused --simt-check --function=vectors --input=3x33x24xf16=0.5 --input=33x40xf16=0.25 \
// RUN:   --input=64x160xf16=0.0625 --input=40xf16=0.1 --input=160xf16=0.1 --input=3x33x40xf16=1 | FileCheck %s --check-prefix=VECTORS
// RUN: rnn-run %s --target=simt --lowering=fused --simt-check --simt-schedule=random:7 --function=askew --input=3x5x7xf32=0.5 \
// RUN:   --input=5x9xf32=0.25 --input=16x36xf32=0.0625 --input=9xf32=0.1 --input=36xf32=0.1 --input=3x5x9xf32=1 | FileCheck %s --check-prefix=ASKEW
// RUN: not rnn-run %s --tf32 --function=askew 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: rnn-run: error: --tf32 requires --target=cuda or --target=simt, but the target is `host`
// VECTORS: 40xf16=[11.16, 11.16,
// ASKEW: 9xf32=[1.4929235, 1.4929235,

func.func @vectors(%x: tensor<3x33x24xf16>, %s: tensor<33x40xf16>, %w: tensor<64x160xf16>, %p: tensor<40xf16>, %b: tensor<160xf16>,
    %g: tensor<3x33x40xf16>) -> (tensor<3x33x40xf16>, tensor<3x33x24xf16>, tensor<33x40xf16>, tensor<64x160xf16>, tensor<40xf16>, tensor<160xf16>) {
  %h:7 = rnn.block_lstm icfo x(%x : tensor<3x33x24xf16>) state(%s, %s : tensor<33x40xf16>) weights(%w : tensor<64x160xf16>)
      peephole(%p, %p, %p : tensor<40xf16>) bias(%b : tensor<160xf16>) {use_peephole, cell_clip = 3.0}
  %d:8 = rnn.block_lstm_grad icfo x(%x : tensor<3x33x24xf16>) state(%s, %s : tensor<33x40xf16>) weights(%w : tensor<64x160xf16>)
      peephole(%p, %p, %p : tensor<40xf16>) bias(%b : tensor<160xf16>) saved(%h#0, %h#1, %h#2, %h#3, %h#4, %h#5, %h#6 : tensor<3x33x40xf16>)
      grads(%g, %g : tensor<3x33x40xf16>) {use_peephole}
  return %h#6, %d#0, %d#2, %d#3, %d#4, %d#7 : tensor<3x33x40xf16>, tensor<3x33x24xf16>, tensor<33x40xf16>, tensor<64x160xf16>, tensor<40xf16>, tensor<160xf16>
}

func.func @askew(%x: tensor<3x5x7xf32>, %s: tensor<5x9xf32>, %w: tensor<16x36xf32>, %p: tensor<9xf32>, %b: tensor<36xf32>,
    %g: tensor<3x5x9xf32>) -> (tensor<3x5x9xf32>, tensor<3x5x7xf32>, tensor<5x9xf32>, tensor<16x36xf32>, tensor<9xf32>, tensor<36xf32>) {
  %h:7 = rnn.block_lstm icfo x(%x : tensor<3x5x7xf32>) state(%s, %s : tensor<5x9xf32>) weights(%w : tensor<16x36xf32>)
      peephole(%p, %p, %p : tensor<9xf32>) bias(%b : tensor<36xf32>) {use_peephole, cell_clip = 3.0}
  %d:8 = rnn.block_lstm_grad icfo x(%x : tensor<3x5x7xf32>) state(%s, %s : tensor<5x9xf32>) weights(%w : tensor<16x36xf32>)
      peephole(%p, %p, %p : tensor<9xf32>) bias(%b : tensor<36xf32>) saved(%h#0, %h#1, %h#2, %h#3, %h#4, %h#5, %h#6 : tensor<3x5x9xf32>)
      grads(%g, %g : tensor<3x5x9xf32>) {use_peephole}
  return %h#6, %d#0, %d#2, %d#3, %d#4, %d#7 : tensor<3x5x9xf32>, tensor<3x5x7xf32>, tensor<5x9xf32>, tensor<16x36xf32>, tensor<9xf32>, tensor<36xf32>
}
