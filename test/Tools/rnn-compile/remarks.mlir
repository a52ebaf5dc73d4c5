// Remarks of all passes, and of those that the expression matches: of passed and of missed optimizations.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s -o %t.mlir --stop-after=select --remarks 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: rnn-compile %s -o %t.mlir --stop-after=select --remarks=rnn-select-.* 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: rnn-compile %s -o %t.mlir --stop-after=select --remarks=rnn-block 2>&1 | count 0
// RUN: rnn-compile %s -o %t.mlir --stop-after=select 2>&1 | count 0
// RUN: rnn-compile %s -o %t.mlir --stop-after=select --target=simt --lowering=fused --fused-kernel=persistent --remarks 2>&1 | FileCheck %s --check-prefix=MISSED
// PASSED: remarks.mlir:[[#@LINE+4]]:{{[0-9]+}}: remark: [Passed] Lowering | Category:rnn-select-lowering | {{.*}}'rnn.cudnn_forward' runs as
// MISSED: remark: [Missed] {{.*}} | Category:rnn-select-lowering
func.func @main(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>) -> tensor<5x2x4xf32> {
  // The line of the remark.
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<108xf32>)
      {is_training = false}
  return %y : tensor<5x2x4xf32>
}
func.func @large(%x: tensor<2x2x1xf16>, %s: tensor<2x1000xf16>, %w: tensor<1001x4000xf16>, %p: tensor<1000xf16>, %b: tensor<4000xf16>, %y: tensor<2x2x1000xf16>) -> tensor<2x1000xf16> {
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<2x2x1xf16>) state(%s, %s : tensor<2x1000xf16>) weights(%w : tensor<1001x4000xf16>) peephole(%p, %p, %p : tensor<1000xf16>) bias(%b : tensor<4000xf16>) saved(%y, %y, %y, %y, %y, %y, %y : tensor<2x2x1000xf16>) grads(%y, %y : tensor<2x2x1000xf16>)
  return %r#1 : tensor<2x1000xf16>
}
