// errors.mlir - layers that convert-torch-to-rnn refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-torch-to-rnn -split-input-file -verify-diagnostics

func.func @flag(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `train` to be a constant (torch.constant.bool)}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %flag, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @too_few(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `params` to have 4 tensors (2 for each of 2 layers and directions), but got 2}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @no_layers(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `num_layers` to be at least 1, but got 0}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @list(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.Other"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `params` to be a torch.prim.ListConstruct, whose values are known}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @shape(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %w) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,3],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `params[1]` (the recurrent weights) to have the shape 12x4, but got 'tensor<12x3xf32>'}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @states(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `hx` to be a torch.prim.ListConstruct, whose values are known}}
  %0:3 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.lstm.input"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @element(%x: !torch.vtensor<[5,2,3],f64>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `hx` to have element type 'f64' like `input`, but got 'tensor<1x2x4xf32>'}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,2,3],f64>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @rank(%x: !torch.vtensor<[5,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `input` to have rank 3 ([T, B, I]), but got rank 2 ('tensor<5x3xf32>')}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor<[5,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @unranked(%x: !torch.vtensor, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{expects `input` to be a tensor of f16, bf16, f32 or f64, but got '!torch.vtensor'}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
      : (!torch.vtensor, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @overload(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>, %flag: !torch.bool) {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{calls 'aten::gru.other', which convert-torch-to-rnn does not support; the supported ops are lstm, gru, rnn_tanh and rnn_relu with the overloads input and data}}
  %0:2 = "torch.operator"(%x, %h, %params, %no, %layers, %zero, %no, %no, %no) <{name = "torch.aten.gru.other"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
  return
}

// -----

func.func @mkldnn(%x: !torch.vtensor<[5,2,3],f32>) {
  // expected-error @below {{calls 'aten::mkldnn_rnn_layer', which convert-torch-to-rnn does not support; the supported ops are lstm, gru, rnn_tanh and rnn_relu with the overloads input and data, _cudnn_rnn and _cudnn_rnn_backward}}
  %0 = "torch.operator"(%x) <{name = "torch.aten.mkldnn_rnn_layer"}> : (!torch.vtensor<[5,2,3],f32>) -> !torch.vtensor<[5,2,4],f32>
  return
}

// -----

func.func @cudnn_operands(%x: !torch.vtensor<[5,2,3],f32>) {
  // expected-error @below {{expects 16 operands (`input`, `weight`, `weight_stride0`, `weight_buf`, `hx`, `cx`, `mode`, `hidden_size`, `proj_size`, `num_layers`, `batch_first`, `dropout`, `train`, `bidirectional`, `batch_sizes`, `dropout_state`), but got 1}}
  %0:5 = "torch.operator"(%x) <{name = "torch.aten._cudnn_rnn"}> : (!torch.vtensor<[5,2,3],f32>)
      -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.none)
  return
}

// -----

func.func @cudnn_packed(%x: !torch.vtensor<[10,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>) {
  %weights = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %sizes = "torch.prim.ListConstruct"(%2, %2) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @below {{expects `batch_sizes` to be an empty list: packed sequences are imported from aten::lstm.data and its siblings only}}
  %4:5 = "torch.operator"(%x, %weights, %2, %none, %h, %none, %3, %2, %0, %1, %no, %zero, %no, %no, %sizes, %none) <{name = "torch.aten._cudnn_rnn"}>
      : (!torch.vtensor<[10,3],f32>, !torch.list<vtensor>, !torch.int, !torch.none, !torch.vtensor<[1,2,4],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none)
      -> (!torch.vtensor<[10,4],f32>, !torch.vtensor<[1,2,4],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.none)
  return
}

// -----

func.func @cudnn_mode(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>) {
  %weights = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %4 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %sizes = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  // expected-error @below {{expects `mode` to be 0 (ReLU), 1 (tanh), 2 (LSTM) or 3 (GRU), but got 4}}
  %5:5 = "torch.operator"(%x, %weights, %2, %none, %h, %none, %4, %2, %1, %1, %no, %zero, %no, %no, %sizes, %none) <{name = "torch.aten._cudnn_rnn"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.list<vtensor>, !torch.int, !torch.none, !torch.vtensor<[1,2,4],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none)
      -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.none)
  return
}

// -----

// cuDNN's layout of the parameters has no counterpart.
func.func @cudnn_weight_buf(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>, %r: !torch.vtensor<[12,4],f32>) -> !torch.vtensor<[84],f32> {
  %weights = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %sizes = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  // expected-error @below {{expects its result `weight_buf`, which has cuDNN's layout of the parameters, to be used by _cudnn_rnn_backward only, but 'func.return' uses it}}
  %5:5 = "torch.operator"(%x, %weights, %2, %none, %h, %none, %3, %2, %1, %1, %no, %zero, %no, %no, %sizes, %none) <{name = "torch.aten._cudnn_rnn"}>
      : (!torch.vtensor<[5,2,3],f32>, !torch.list<vtensor>, !torch.int, !torch.none, !torch.vtensor<[1,2,4],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none)
      -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.vtensor<[84],f32>)
  return %5#4 : !torch.vtensor<[84],f32>
}
