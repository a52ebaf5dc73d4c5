// Tensor core ops against plain sums. Fragment layouts come from upstream: convert-vector-to-gpu distributes the operands
// of a product over the lanes for mma.sync and ldmatrix, so the emulator's idea of them is compared with another one.
// REQUIRES: rnn-run
// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(gpu.func(convert-vector-to-gpu{use-nvgpu=true})))' -o %t.mlir
// RUN: rnn-run %t.mlir --target=simt --function=f16_f32 --expected_output=16x8xf32=-1 > %t.txt; FileCheck %s < %t.txt
