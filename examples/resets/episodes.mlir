// episodes.mlir - one training step of a GRU on rollouts that contain several episodes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!x = tensor<24x32x1xf32>     // [T, B, I]: 32 rollouts of 24 bits, each -1 or 1
!y = tensor<24x32x8xf32>     // [T, B, H]: the state of the 8 units after each bit
!target = tensor<24x32xf32>  // [T, B]: the first bit of the episode that the step belongs to
!resets = tensor<24x32xi1>   // [T, B]: a new episode starts here
!state = tensor<1x32x8xf32>  // [L*D, B, H]
!params = tensor<264xf32>    // 3*H*(I + H) weights and 2*3*H biases

// The loss is the mean squared difference between unit 0 and the target over all steps. Gradient descent with step size
// `rate`.
func.func @train_step(%bits: !x, %targets: !target, %starts: !resets, %params: !params, %rate: f32) -> (!params, f32) {
  %nothing = arith.constant dense<0.0> : !state
  %silence = arith.constant dense<0.0> : !y
  %y, %last, %reserve = rnn.cudnn_forward gru input(%bits : !x) state(%nothing : !state) params(%params : !params)
      resets(%starts : !resets)

  %said = tensor.extract_slice %y[0, 0, 0] [24, 32, 1] [1, 1, 1] : !y to !target
  %error = arith.subf %said, %targets : !target
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(t, b) -> (t, b)>, affine_map<(t, b) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%error : !target) outs(%zero : tensor<f32>) {
  ^bb0(%e: f32, %so_far: f32):
    %square = arith.mulf %e, %e : f32
    %next = arith.addf %so_far, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %all = tensor.extract %sum[] : tensor<f32>
  %steps = arith.constant 768.0 : f32
  %loss = arith.divf %all, %steps : f32

  %two_over_steps = arith.constant dense<0.00260416667> : !target
  %derror = arith.mulf %error, %two_over_steps : !target
  %dy = tensor.insert_slice %derror into %silence[0, 0, 0] [24, 32, 1] [1, 1, 1] : !target into !y
  %dbits, %dstate, %gradient = rnn.cudnn_backprop gru input(%bits : !x) state(%nothing : !state)
      params(%params : !params) output(%y, %last : !y, !state) grads(%dy, %nothing : !y, !state)
      reserve(%reserve : tensor<?xi8>) resets(%starts : !resets)

  %rates = tensor.splat %rate : !params
  %step = arith.mulf %gradient, %rates : !params
  %trained = arith.subf %params, %step : !params
  return %trained, %loss : !params, f32
}
