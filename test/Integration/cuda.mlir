// rnn-run on device cuda, with fakes of driver and cuDNN: arguments are copied to the device and results back.
// REQUIRES: rnn-run, fake-cuda
// RUN: rnn-run %s --input=5x2x3xf32=0.5 --input=1x2x4xf32=0.25 --input=108xf32=0.125 --output=@%t.y.npy --output=@%t.dp.npy
// RUN: env RNNRT_CUDA_PATH=%fake_cuda RNNRT_CUDNN_PATH=%fake_cuda rnn-run %s --target=cuda --input=5x2x3xf32=0.5 --input=1x2x4xf32=0.25 --input=108xf32=0.125 --expected-output=@%t.y.npy --expected-output=@%t.dp.npy --rtol=1e-6
// RUN: env RNNRT_CUDA_PATH=%fake_cuda RNNRT_CUDNN_PATH=%fake_cuda not rnn-run %s --target=cuda --input=5x2x3xf32=0.5 --input=1x2x4xf32=0.25 --input=10xf32=0.125 2>&1 | FileCheck %s
// CHECK: INVALID_ARGUMENT: {{.*}}params{{.*}}gru l1_t5_b2_i3_h4_d1 dtype=f32
func.func @main(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<?xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %y, %dp : tensor<5x2x4xf32>, tensor<?xf32>
}
