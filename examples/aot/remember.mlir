// remember.mlir - one training step of a GRU that learns to remember the first bit of a sequence.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!x = tensor<8x16x1xf32>     // [T, B, I]: 16 sequences of 8 bits, each -1 or 1
!y = tensor<8x16x8xf32>     // [T, B, H]: the state of the 8 units after each bit
!state = tensor<1x16x8xf32> // [L*D, B, H]
!params = tensor<264xf32>   // 3*H*(I + H) weights and 2*3*H biases

// The loss is the mean squared difference between unit 0 after the last bit and the first bit. Gradient descent with step
// size `rate`.
func.func @train_step(%bits: !x, %params: !params, %rate: f32) -> (!params, f32) {
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant dense<0.0> : !state
  %silence = arith.constant dense<0.0> : !y
  %y, %last, %reserve = rnn.cudnn_forward gru input(%bits : !x) state(%nothing : !state) params(%params : !params)

  %said = tensor.extract_slice %last[0, 0, 0] [1, 16, 1] [1, 1, 1] : !state to tensor<16xf32>
  %first = tensor.extract_slice %bits[0, 0, 0] [1, 16, 1] [1, 1, 1] : !x to tensor<16xf32>
  %error = arith.subf %said, %first : tensor<16xf32>
  %batch = arith.constant 16.0 : f32
  %none = tensor.from_elements %zero : tensor<f32>
  %sum = linalg.dot ins(%error, %error : tensor<16xf32>, tensor<16xf32>) outs(%none : tensor<f32>) -> tensor<f32>
  %square = tensor.extract %sum[] : tensor<f32>
  %loss = arith.divf %square, %batch : f32

  %two_over_batch = arith.constant dense<0.125> : tensor<16xf32>
  %derror = arith.mulf %error, %two_over_batch : tensor<16xf32>
  %dlast = tensor.insert_slice %derror into %nothing[0, 0, 0] [1, 16, 1] [1, 1, 1] : tensor<16xf32> into !state
  %dbits, %dstate, %gradient = rnn.cudnn_backprop gru input(%bits : !x) state(%nothing : !state)
      params(%params : !params) output(%y, %last : !y, !state) grads(%silence, %dlast : !y, !state)
      reserve(%reserve : tensor<?xi8>)

  %rates = tensor.splat %rate : !params
  %step = arith.mulf %gradient, %rates : !params
  %trained = arith.subf %params, %step : !params
  return %trained, %loss : !params, f32
}
