// errors.mlir - layers that convert-onnx-to-rnn refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-onnx-to-rnn -split-input-file -verify-diagnostics

func.func @activation(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{has the activation "HardSigmoid", which has no counterpart in the rnn dialect; the supported ones are Sigmoid, Tanh and Relu}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {activations = ["HardSigmoid", "Tanh"]}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @activations(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects attribute `activations` to have 4 strings (2 for each direction), but got 2}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {direction = "bidirectional", activations = ["Sigmoid", "Tanh"]}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @direction(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects attribute `direction` to be one of "forward", "reverse", "bidirectional", but got "backward"}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {direction = "backward"}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @layout(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects attribute `layout` to be 0 or 1, but got 2}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {layout = 2 : si64}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @clip(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects attribute `clip` to be positive, but got -1.000000e+00 : f32}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {clip = -1.0 : f32}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @unknown(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{has an unknown attribute `output_sequence`; the import reads the ops of opset 7 to 22}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {output_sequence = 1 : si64}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @other_op(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{has an unknown attribute `linear_before_reset`; the import reads the ops of opset 7 to 22}}
  %1:3 = "onnx.LSTM"(%x, %w, %r, %b, %n, %0, %0, %0) {linear_before_reset = 1 : si64}
      : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, none, none, none, none, none) -> (none, none, none)
  return
}

// -----

func.func @hidden(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects attribute `hidden_size` to be 4, the last dimension of `R`, but got 5}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {hidden_size = 5 : si64}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @weights(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects `W` [D, G*H, I] to be 1x12x3, but got 'tensor<1x16x3xf32>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {}
      : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @directions(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects `W` [D, G*H, I] to be 2x12x3, but got 'tensor<1x12x3xf32>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {direction = "bidirectional"}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @biases(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: tensor<1x12xf32>, %n: none, %0: none) {
  // expected-error @below {{expects `B` [D, 2*G*H] to be 1x24, but got 'tensor<1x12xf32>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x12xf32>, none, none) -> (none, none)
  return
}

// -----

func.func @dynamic(%x: tensor<5x2x3xf32>, %w: tensor<?x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects `W` and `R` to have static sizes, but got 'tensor<?x12x3xf32>' and 'tensor<1x12x4xf32>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {}
      : (tensor<5x2x3xf32>, tensor<?x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}

// -----

func.func @lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: tensor<2xi64>, %0: none) {
  // expected-error @below {{expects `sequence_lens` to be a tensor of i32, but got 'tensor<2xi64>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, tensor<2xi64>, none) -> (none, none)
  return
}

// -----

func.func @integers(%x: tensor<5x2x3xi32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: none, %n: none, %0: none) {
  // expected-error @below {{expects `X` to be a tensor of f16, bf16, f32 or f64, but got 'tensor<5x2x3xi32>'}}
  %1:2 = "onnx.GRU"(%x, %w, %r, %b, %n, %0) {}
      : (tensor<5x2x3xi32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, none)
  return
}


// -----

// torch-mlir's importer does not know the types of values whose shapes the file lacks.
func.func @no_result_type(%x: !torch.vtensor<[5,2,3],f32>, %w: !torch.vtensor<[1,12,3],f32>, %r: !torch.vtensor<[1,12,4],f32>) -> !torch.none {
  // expected-error @below {{'onnx.GRU' op result 0 has type '!torch.none', because the file lacks its shape; run onnx.shape_inference.infer_shapes before the import}}
  %y = "torch.operator"(%x, %w, %r) <{name = "onnx.GRU"}> : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,12,3],f32>, !torch.vtensor<[1,12,4],f32>) -> !torch.none
  return %y : !torch.none
}

// -----

func.func @no_operand_type(%x: !torch.vtensor<[5,2,3],f32>, %w: !torch.vtensor<[1,12,3],f32>, %r: !torch.vtensor<[1,12,4],f32>) {
  %z = "torch.operator"(%x) <{name = "onnx.Abs"}> : (!torch.vtensor<[5,2,3],f32>) -> !torch.none
  // expected-error @below {{'onnx.GRU' op operand 0 has type '!torch.none', because the file lacks its shape}}
  %y = "torch.operator"(%z, %w, %r) <{name = "onnx.GRU"}> : (!torch.none, !torch.vtensor<[1,12,3],f32>, !torch.vtensor<[1,12,4],f32>) -> !torch.none
  return
}
