// TensorFlow's ops are accepted without a flag; ops of other unregistered dialects are rejected.
// RUN: rnn-opt %s -convert-tf-to-rnn | FileCheck %s
// RUN: sed 's/"tf.Other"/"other.op"/' %s | not rnn-opt 2>&1 | FileCheck %s --check-prefix=OTHER

// OTHER: error: {{.*}}unregistered dialect
// CHECK: rnn.block_lstm ifco
// CHECK: "tf.Other"
func.func @main(%n: tensor<i64>, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>)
    -> tensor<5x2x4xf32> {
  %r:7 = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b) {cell_clip = 0.0 : f32, use_peephole = false}
      : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
      -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
  %y = "tf.Other"(%r#6) : (tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}
