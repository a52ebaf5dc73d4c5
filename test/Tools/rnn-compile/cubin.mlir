// Machine code of kernels.
// REQUIRES: nvptx, ptxas, rnn-compile
// RUN: rnn-compile %S/kernels.mlir --target=cuda --lowering=fused --chip=sm_90a -o %t.cubin
// RUN: llvm-readelf --symbols %t.cubin | FileCheck %s
// CHECK: FUNC GLOBAL {{.*}} block_lstm_step
