// batch-major.mlir - batch-major layers on every target: no lowering transposes.
// RUN: rnn-opt %s --rnn-attach-target=target=host --rnn-select-lowering=prefer=fused | FileCheck %s --check-prefix=KEPT
// RUN: rnn-opt %s --rnn-attach-target=target=cuda --rnn-select-lowering=prefer=runtime | FileCheck %s --check-prefix=KEPT
// RUN: rnn-opt %s --rnn-attach-target=target=simt --rnn-select-lowering=prefer=fused | FileCheck %s --check-prefix=KEPT
// RUN: rnn-opt %s --rnn-attach-target=target=cuda --rnn-select-lowering=prefer=fused | FileCheck %s --check-prefix=KEPT

// KEPT-NOT: linalg.transpose
// KEPT: rnn.cudnn_forward {{.*}} {batch_major,
// KEPT: rnn.cudnn_backprop {{.*}} {batch_major,
// KEPT-NOT: linalg.transpose
func.func @train(%x: tensor<?x?x3xf32>, %h: tensor<1x?x4xf32>, %p: tensor<?xf32>, %g: tensor<?x?x4xf32>)
    -> (tensor<?x?x4xf32>, tensor<?x?x3xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x4xf32>) params(%p : tensor<?xf32>)
      {batch_major}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<?x?x4xf32>, tensor<1x?x4xf32>) grads(%g, %hn : tensor<?x?x4xf32>, tensor<1x?x4xf32>)
      reserve(%r : tensor<?xi8>) {batch_major}
  return %y, %dx : tensor<?x?x4xf32>, tensor<?x?x3xf32>
}
