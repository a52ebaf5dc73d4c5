// Annotations by hand that shard-partition cannot use.
// RUN: rnn-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(shard-partition))'

shard.grid @g(shape = 4)
shard.grid @other(shape = 4)

func.func @different(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %sx = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sh = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sp = shard.sharding @g split_axes = [[]] : !shard.sharding
  %sy = shard.sharding @g split_axes = [[], []] : !shard.sharding
  %sr = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %sx : tensor<5x8x3xf32>
  %x1 = shard.shard %x0 to %sx annotate_for_users : tensor<5x8x3xf32>
  %h0 = shard.shard %h to %sh : tensor<1x8x4xf32>
  %h1 = shard.shard %h0 to %sh annotate_for_users : tensor<1x8x4xf32>
  %p0 = shard.shard %p to %sp : tensor<36xf32>
  %p1 = shard.shard %p0 to %sp annotate_for_users : tensor<36xf32>
  // expected-error@+1 {{expects all values to be split along B in the same way, but `input_h` and `output` differ}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x1 : tensor<5x8x3xf32>) state(%h1 : tensor<1x8x4xf32>)
      params(%p1 : tensor<36xf32>) -> output(tensor<5x8x4xf32>) output_h(tensor<1x8x4xf32>)
      reserve_space(tensor<?xi8>)
  %y1 = shard.shard %y to %sy : tensor<5x8x4xf32>
  %hn1 = shard.shard %hn to %sh : tensor<1x8x4xf32>
  %r1 = shard.shard %r to %sr : tensor<?xi8>
  %y2 = shard.shard %y1 to %sy annotate_for_users : tensor<5x8x4xf32>
  return %y2 : tensor<5x8x4xf32>
}

// -----

shard.grid @g(shape = 4)
shard.grid @other(shape = 4)

func.func @unsplittable(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %sx = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sh = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sp = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %sy = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sr = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %sx : tensor<5x8x3xf32>
  %x1 = shard.shard %x0 to %sx annotate_for_users : tensor<5x8x3xf32>
  %h0 = shard.shard %h to %sh : tensor<1x8x4xf32>
  %h1 = shard.shard %h0 to %sh annotate_for_users : tensor<1x8x4xf32>
  %p0 = shard.shard %p to %sp : tensor<36xf32>
  %p1 = shard.shard %p0 to %sp annotate_for_users : tensor<36xf32>
  // expected-error@+1 {{cannot be split along dim 0 of `params`: the layout of the data is that of the whole op; expected a split along B only, with all other dimensions whole; dim 0 of `params` is split}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x1 : tensor<5x8x3xf32>) state(%h1 : tensor<1x8x4xf32>)
      params(%p1 : tensor<36xf32>) -> output(tensor<5x8x4xf32>) output_h(tensor<1x8x4xf32>)
      reserve_space(tensor<?xi8>)
  %y1 = shard.shard %y to %sy : tensor<5x8x4xf32>
  %hn1 = shard.shard %hn to %sh : tensor<1x8x4xf32>
  %r1 = shard.shard %r to %sr : tensor<?xi8>
  %y2 = shard.shard %y1 to %sy annotate_for_users : tensor<5x8x4xf32>
  return %y2 : tensor<5x8x4xf32>
}

// -----

shard.grid @g(shape = 4)
shard.grid @other(shape = 4)

func.func @grids(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %sx = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sh = shard.sharding @other split_axes = [[], [0]] : !shard.sharding
  %sp = shard.sharding @g split_axes = [[]] : !shard.sharding
  %sy = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sr = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %sx : tensor<5x8x3xf32>
  %x1 = shard.shard %x0 to %sx annotate_for_users : tensor<5x8x3xf32>
  %h0 = shard.shard %h to %sh : tensor<1x8x4xf32>
  %h1 = shard.shard %h0 to %sh annotate_for_users : tensor<1x8x4xf32>
  %p0 = shard.shard %p to %sp : tensor<36xf32>
  %p1 = shard.shard %p0 to %sp annotate_for_users : tensor<36xf32>
  // expected-error@+1 {{expects one grid for all values, but `input_h` is on the grid @other and other values are on @g}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x1 : tensor<5x8x3xf32>) state(%h1 : tensor<1x8x4xf32>)
      params(%p1 : tensor<36xf32>) -> output(tensor<5x8x4xf32>) output_h(tensor<1x8x4xf32>)
      reserve_space(tensor<?xi8>)
  %y1 = shard.shard %y to %sy : tensor<5x8x4xf32>
  %hn1 = shard.shard %hn to %sh : tensor<1x8x4xf32>
  %r1 = shard.shard %r to %sr : tensor<?xi8>
  %y2 = shard.shard %y1 to %sy annotate_for_users : tensor<5x8x4xf32>
  return %y2 : tensor<5x8x4xf32>
}

// -----

shard.grid @g(shape = 4)
shard.grid @other(shape = 4)

func.func @halo(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %sx = shard.sharding @g split_axes = [[], [0]] halo_sizes = [1, 1] : !shard.sharding
  %sh = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sp = shard.sharding @g split_axes = [[]] : !shard.sharding
  %sy = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sr = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %sx : tensor<5x8x3xf32>
  %x1 = shard.shard %x0 to %sx annotate_for_users : tensor<5x8x3xf32>
  %h0 = shard.shard %h to %sh : tensor<1x8x4xf32>
  %h1 = shard.shard %h0 to %sh annotate_for_users : tensor<1x8x4xf32>
  %p0 = shard.shard %p to %sp : tensor<36xf32>
  %p1 = shard.shard %p0 to %sp annotate_for_users : tensor<36xf32>
  // expected-error@+1 {{does not support offsets and halos, but `input` has them; expected an even split along B}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x1 : tensor<5x8x3xf32>) state(%h1 : tensor<1x8x4xf32>)
      params(%p1 : tensor<36xf32>) -> output(tensor<5x8x4xf32>) output_h(tensor<1x8x4xf32>)
      reserve_space(tensor<?xi8>)
  %y1 = shard.shard %y to %sy : tensor<5x8x4xf32>
  %hn1 = shard.shard %hn to %sh : tensor<1x8x4xf32>
  %r1 = shard.shard %r to %sr : tensor<?xi8>
  %y2 = shard.shard %y1 to %sy annotate_for_users : tensor<5x8x4xf32>
  return %y2 : tensor<5x8x4xf32>
}

// -----

shard.grid @g(shape = 4)
shard.grid @other(shape = 4)

func.func @reserve(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<5x8x4xf32> {
  %sx = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sh = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sp = shard.sharding @g split_axes = [[]] : !shard.sharding
  %sy = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %sr = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %x0 = shard.shard %x to %sx : tensor<5x8x3xf32>
  %x1 = shard.shard %x0 to %sx annotate_for_users : tensor<5x8x3xf32>
  %h0 = shard.shard %h to %sh : tensor<1x8x4xf32>
  %h1 = shard.shard %h0 to %sh annotate_for_users : tensor<1x8x4xf32>
  %p0 = shard.shard %p to %sp : tensor<36xf32>
  %p1 = shard.shard %p0 to %sp annotate_for_users : tensor<36xf32>
  // expected-error@+1 {{with a split batch expects a reserve space of type tensor<?xi8>, but got 'tensor<64xi8>', which is that of the whole batch}}
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x1 : tensor<5x8x3xf32>) state(%h1 : tensor<1x8x4xf32>)
      params(%p1 : tensor<36xf32>) -> output(tensor<5x8x4xf32>) output_h(tensor<1x8x4xf32>)
      reserve_space(tensor<64xi8>)
  %y1 = shard.shard %y to %sy : tensor<5x8x4xf32>
  %hn1 = shard.shard %hn to %sh : tensor<1x8x4xf32>
  %r1 = shard.shard %r to %sr : tensor<64xi8>
  %y2 = shard.shard %y1 to %sy annotate_for_users : tensor<5x8x4xf32>
  return %y2 : tensor<5x8x4xf32>
}
