// What forbids to split a layer over processes.
// RUN: rnn-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))'

// Steps depend on each other.
shard.grid @g(shape = 4)

func.func @steps(%x: tensor<8x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<8x8x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<8x8x3xf32>
  // expected-error@+2 {{cannot be split along T: every step needs the states of the step before; expected a split along B only, with all other dimensions whole}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%xs : tensor<8x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<36xf32>)
  return %y : tensor<8x8x4xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @inputs(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %s = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<5x8x3xf32>
  // expected-error@+2 {{cannot be split along I: every hidden unit needs all inputs of a step; expected a split along B only}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<36xf32>)
  return %y : tensor<5x8x4xf32>
}

// -----

// A batch that does not divide.
shard.grid @g(shape = 4)

func.func @uneven(%x: tensor<5x10x3xf32>, %h: tensor<1x10x4xf32>, %p: tensor<36xf32>) -> tensor<5x10x4xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<5x10x3xf32>
  // expected-error@+2 {{cannot split a batch of 10 rows (dim 1 of `input`) over 4 processes evenly; pad the batch to 12 rows whose gradients are zero}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x10x3xf32>) state(%h : tensor<1x10x4xf32>)
      params(%p : tensor<36xf32>)
  return %y : tensor<5x10x4xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @dropout(%x: tensor<5x8x3xf32>, %h: tensor<2x8x4xf32>, %p: tensor<76xf32>) -> tensor<5x8x4xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<5x8x3xf32>
  // expected-error@+2 {{draws dropout masks by the position in the batch, and every process would draw the same masks for its rows; expected `dropout = 0` with a split batch}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x8x3xf32>) state(%h : tensor<2x8x4xf32>)
      params(%p : tensor<76xf32>) {dropout = 0.5}
  return %y : tensor<5x8x4xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @axis(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %s = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<5x8x3xf32>
  // expected-error@+2 {{is split along axis 1 of the grid @g, which has rank 1}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<36xf32>)
  return %y : tensor<5x8x4xf32>
}

// -----

// The output is required to be split along the hidden units.
shard.grid @g(shape = 4)

func.func @hidden(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  // expected-error@+2 {{cannot be split along H: every step needs all hidden units of the step before}}
  // expected-error@+1 {{fail to get sharding option.}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<36xf32>)
  %s = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  %ys = shard.shard %y to %s : tensor<5x8x4xf32>
  return %ys : tensor<5x8x4xf32>
}
