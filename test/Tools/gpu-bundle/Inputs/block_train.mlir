// A training step in TensorFlow's form with every gradient requested, like the functions that the bundle measures.
!x = tensor<5x4x6xf32>
!y = tensor<5x4x8xf32>
!s = tensor<4x8xf32>
!w = tensor<14x32xf32>
!p = tensor<8xf32>
!b = tensor<32xf32>
func.func @train(%x: !x, %c: !s, %h: !s, %w: !w, %p: !p, %b: !b, %dy: !y) -> (!y, !x, !s, !s, !w, !b) {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%c, %h : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  %zero = arith.constant dense<0.0> : !y
  %g:8 = rnn.block_lstm_grad icfo x(%x : !x) state(%c, %h : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
      saved(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : !y) grads(%zero, %dy : !y)
  return %r#6, %g#0, %g#1, %g#2, %g#3, %g#7 : !y, !x, !s, !s, !w, !b
}
