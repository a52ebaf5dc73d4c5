// RUN: rnn-opt %s --rnn-decompose --split-input-file | FileCheck %s --implicit-check-not='rnn.cudnn' --implicit-check-not='rnn.block'

// One loop over the steps for the forward pass, which the gradient shares, and one for the gradient.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    (%[[X:.*]]: tensor<3x2x4xf32>, %[[H:.*]]: tensor<1x2x5xf32>, %[[P:.*]]: tensor<165xf32>,
// CHECK:         %[[WS:.*]] = tensor.extract_slice %[[P]][0] [60] [1] : tensor<165xf32> to tensor<60xf32>
// CHECK:         %[[W:.*]] = tensor.expand_shape %[[WS]] {{.*}} output_shape [15, 4]
// CHECK:         %[[XW:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<3x2x4xf32>, tensor<15x4xf32>)
// CHECK:         scf.for %{{.*}} = %c0 to %c3
// CHECK-COUNT-1:   math.tanh
// CHECK:           scf.yield
// CHECK:         scf.for %{{.*}} = %c0 to %c3
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @train(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>, %dy: tensor<3x2x5xf32>,
                 %dh: tensor<1x2x5xf32>) -> (tensor<3x2x5xf32>, tensor<165xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<165xf32>)
  %dx, %dh0, %dp = rnn.cudnn_backprop gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<165xf32>) output(%y, %hn : tensor<3x2x5xf32>, tensor<1x2x5xf32>)
      grads(%dy, %dh : tensor<3x2x5xf32>, tensor<1x2x5xf32>) reserve(%r : tensor<?xi8>)
  return %y, %dp : tensor<3x2x5xf32>, tensor<165xf32>
}

// -----

// All layers above the first one share a loop; inference keeps the states of one layer.
// CHECK-LABEL: func.func @layers
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:         scf.for %[[LAYER:.*]] = %c1{{.*}} to
// CHECK:           scf.for
// CHECK:           scf.for
// CHECK-NOT:     scf.for
// CHECK-NOT:     tensor.empty{{.*}} tensor<?x3x2x10xf32>
func.func @layers(%x: tensor<3x2x4xf16>, %h: tensor<?x2x5xf16>, %p: tensor<?xf16>) -> tensor<3x2x10xf16> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<3x2x4xf16>)
      state(%h, %h : tensor<?x2x5xf16>) params(%p : tensor<?xf16>) {is_training = false}
  return %y : tensor<3x2x10xf16>
}

// -----

// The number of gates' columns is known at run time only, so both forms exist.
// CHECK-LABEL: func.func @projection
// CHECK:         %[[DIFFERS:.*]] = arith.cmpi ne, %{{.*}}, %c3
// CHECK:         scf.if %[[DIFFERS]]
// CHECK:         } else {
func.func @projection(%x: tensor<3x2x4xf32>, %h: tensor<1x2x3xf32>, %c: tensor<1x2x?xf32>, %p: tensor<?xf32>)
    -> tensor<3x2x3xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<3x2x4xf32>)
      state(%h, %c : tensor<1x2x3xf32>, tensor<1x2x?xf32>) params(%p : tensor<?xf32>) {num_proj = 3, is_training = false}
  return %y : tensor<3x2x3xf32>
}

// -----

// Results without uses are not computed; the loop runs seq_len_max steps.
// CHECK-LABEL: func.func @block
// CHECK-SAME:    %[[N:[^ :]*]]: i64
// CHECK:         %[[STEPS:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[STEPS]] step %c1{{.*}} iter_args({{.*}}) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2x4xf32>)
func.func @block(%n: i64, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                 %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>)
      state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>)
      bias(%b : tensor<16xf32>) seq_len_max(%n) {cell_clip = 3.0, forget_bias = 1.0, use_peephole}
  return %h : tensor<5x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @sizes
// CHECK:         arith.muli
// CHECK:         %[[BYTES:.*]] = arith.constant 64 : index
// CHECK:         return %{{.*}}, %[[BYTES]]
func.func @sizes(%l: index, %h: index, %i: index) -> (index, index) {
  %n = rnn.cudnn_params_size lstm, bidirectional sizes(%l, %h, %i) {element_type = f32}
  %r = rnn.cudnn_reserve_size gru sizes(%l, %h, %i) extent(%l, %h) {element_type = f16}
  return %n, %r : index, index
}

// -----

// CHECK-LABEL: func.func @pack
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.insert_slice {{.*}}[0] [12] [1]
// CHECK:         tensor.insert_slice {{.*}}[12] [16] [1]
// CHECK:         tensor.insert_slice {{.*}}[28] [4] [1]
// CHECK:         tensor.insert_slice {{.*}}[32] [4] [1]
func.func @pack(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %b : tensor<4xf32>, tensor<4xf32>)
  return %p : tensor<?xf32>
}

// -----

// H is static behind the cast: only the form with projection matrices is emitted.
// CHECK-LABEL: func.func @hidden_behind_cast
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @hidden_behind_cast(%x: tensor<2x1x3xf32>, %h: tensor<1x1x2xf32>, %c: tensor<1x1x3xf32>, %p: tensor<?xf32>) -> tensor<2x1x2xf32> {
  %d = tensor.cast %c : tensor<1x1x3xf32> to tensor<1x1x?xf32>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<2x1x3xf32>) state(%h, %d : tensor<1x1x2xf32>, tensor<1x1x?xf32>)
      params(%p : tensor<?xf32>) {num_proj = 2 : i64, is_training = false}
      -> output(tensor<2x1x2xf32>) output_h(tensor<1x1x2xf32>) output_c(tensor<1x1x?xf32>) reserve_space(tensor<0xi8>)
  return %y : tensor<2x1x2xf32>
}
