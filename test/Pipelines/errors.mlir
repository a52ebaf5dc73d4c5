// errors.mlir - modules that a stage or a conversion refuses.
// RUN: rnn-opt %s --split-input-file --allow-unregistered-dialect --rnn-pipeline='target=host lowering=runtime' -verify-diagnostics
// RUN: rnn-opt %s --split-input-file --allow-unregistered-dialect --rnn-pipeline='target=host lowering=fused' -verify-diagnostics
// RUN: rnn-opt %s --split-input-file --allow-unregistered-dialect --rnn-pipeline='target=cuda lowering=fused' -verify-diagnostics

// All ops that no pass converts, in one message, with the programs that convert them.
// expected-note @below {{rnn-import-tf runs TensorFlow's own passes, which convert the ops around the layers}}
module {
func.func @left(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  // expected-error @below {{ops are left after stage import that no pass converts: 'tf.Neg' (2 times), 'tf.Add', 'other.op'; convert them to linalg, tensor or arith ops before, or remove them}}
  %0 = "tf.Neg"(%x) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  %1 = "tf.Neg"(%0) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'tf.Add' is here}}
  %2 = "tf.Add"(%1, %1) : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'other.op' is here}}
  %3 = "other.op"(%2) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  return %3 : tensor<5x2xf32>
}
}

// -----

// expected-note @below {{rnn-import-stablehlo converts StableHLO, of JAX for example, and reads its bytecode}}
// expected-note @below {{torch-mlir's passes convert PyTorch's and ONNX's ops, after convert-torch-to-rnn or convert-onnx-to-rnn has converted the layers; examples/import/torch_to_linalg.sh runs both}}
// expected-note @below {{only globals, global_load, global_load_const and global_store are converted}}
module {
func.func @frameworks(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  // expected-error @below {{ops are left after stage import that no pass converts: 'stablehlo.negate', 'vhlo.neg_v1', 'torch.aten.neg', 'onnx.Neg', 'onnx.Abs', 'ml_program.token'; convert them}}
  %0 = "stablehlo.negate"(%x) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'vhlo.neg_v1' is here}}
  %1 = "vhlo.neg_v1"(%0) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'torch.aten.neg' is here}}
  %2 = "torch.aten.neg"(%1) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'onnx.Neg' is here}}
  %3 = "onnx.Neg"(%2) : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'onnx.Abs' is here}}
  %4 = "torch.operator"(%3) {name = "onnx.Abs"} : (tensor<5x2xf32>) -> tensor<5x2xf32>
  // expected-note @below {{the first 'ml_program.token' is here}}
  %5 = ml_program.token
  // Constants and conversions do not hide the others.
  %6 = "torch.constant.int"() {value = 1 : i64} : () -> !torch.int
  %7 = "torch_c.from_builtin_tensor"(%4) : (tensor<5x2xf32>) -> !torch.vtensor<[5,2],f32>
  return %4 : tensor<5x2xf32>
}
}

// -----

func.func @gradient_of_inference(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>, %dy: tensor<5x2x4xf32>)
    -> tensor<108xf32> {
  // expected-note @below {{the forward op is here}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>) {is_training = false}
  // expected-error @below {{'rnn.cudnn_backprop' op expects `reserve_space` of a training pass, but it comes from a forward op with is_training = false, which saves nothing; set is_training = true [C13]}}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%dy, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<0xi8>)
  return %dp : tensor<108xf32>
}

// -----

// The dense layout has 108 elements. Only a layer that cuDNN runs may need more.
func.func @params(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<120xf32>) -> tensor<5x2x4xf32> {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params` to have 108 elements (all matrices and biases), but got 120; only a layer that cuDNN runs may need more [C7]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<120xf32>)
  return %y : tensor<5x2x4xf32>
}
