// Values on the command line, dynamic shapes, errors of the runtime, statistics.
// REQUIRES: rnn-run
// DEFINE: %{block} = rnn-run %s --function=block --input=5x2x3xf32=0.5 --input=2x4xf32=0.1 --input=7x16xf32=0.25 --input=4xf32=0 --input=16xf32=0
// RUN: %{block} --input=5 --output=- | FileCheck %s --check-prefix=BLOCK
// RUN: %{block} --input=0 | FileCheck %s --check-prefix=ZERO
// RUN: not %{block} --input=6 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not %{block} --input=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not rnn-run %s --function=block --input=5x2x3xf32=0.5 --input=2x4xf32=0.1 --input=6x16xf32=0.25 --input=4xf32=0 --input=16xf32=0 --input=5 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{block} --input=5 --lowering=runtime --benchmark=3 --print-statistics | FileCheck %s --check-prefix=STATISTICS
// RUN: rnn-run %s --function=size --input=2 --input=200 --input=100 | FileCheck %s --check-prefix=SIZE
// RUN: not rnn-run %s --function=size --input=2 --input=9223372036854775807 --input=100 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not rnn-run %s --function=size --input=0 --input=4 --input=4 2>&1 | FileCheck %s --check-prefix=LAYERS

// x = 0.5, c = h = 0.1, all weights 0.25: the gates of a step are equal, 0.25 * (3 * 0.5 + 4 * 0.1) = 0.475, so
// i = f = o = 0.616566, ci = 0.442230, cs = 0.334321, h = 0.198780 after the first step.
// BLOCK: 5x2x4xf32={{\[\[\[}}0.19877
// ZERO: 5x2x4xf32={{\[\[\[}}0, 0, 0, 0]
// LONG: rnn-run: error: INVALID_ARGUMENT: {{.*}}seq_len_max{{.*}}6
// NEGATIVE: rnn-run: error: INVALID_ARGUMENT: {{.*}}seq_len_max{{.*}}-1
// ROWS: rnn-run: error: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `w` to be I + H [B5]: expected 7, but got 6
// STATISTICS: 3 calls of block: min {{[0-9.]+}} ms, median {{[0-9.]+}} ms, max {{[0-9.]+}} ms
// STATISTICS: compile time: {{[0-9.]+}} ms
// STATISTICS: memory of compiled code: 0 bytes live, {{[1-9][0-9]*}} bytes at most
// STATISTICS: plans: {{[1-9]}} created, {{[1-9]}} reused
func.func @block(%x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>,
                 %b: tensor<?xf32>, %n: i64) -> tensor<?x?x?xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) seq_len_max(%n)
  return %r#6 : tensor<?x?x?xf32>
}

// 4 * 200 * (100 + 200 + 2) + 4 * 200 * (200 + 200 + 2)
// SIZE: index=563200
// OVERFLOW: rnn-run: error: {{(OUT_OF_RANGE|INVALID_ARGUMENT)}}:
// LAYERS: rnn-run: error: INVALID_ARGUMENT: {{.*}}layers
func.func @size(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}
