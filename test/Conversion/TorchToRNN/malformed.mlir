// malformed.mlir - sizes that contradict each other, and ops at unusual places. Nothing crashes, and no op of another
// dialect reports the error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-torch-to-rnn -verify-diagnostics

// 2^62 layers of four tensors overflow to none.
func.func @layers_overflow(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,1],f32>) -> !torch.vtensor<[5,2,1],f32> {
  %params = "torch.prim.ListConstruct"() : () -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %yes = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 4611686018427387904 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{'torch.aten.gru.input' op expects `params` to have at least 4 tensors for each of the 4611686018427387904 layers (`num_layers`), but got 0 in total}}
  %y, %hn = "torch.aten.gru.input"(%x, %h, %params, %yes, %layers, %zero, %no, %no, %no)
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[1,2,1],f32>)
  return %y : !torch.vtensor<[5,2,1],f32>
}

// -----

func.func @packed_input_size(%x: !torch.vtensor<[7,2],f32>, %b: !torch.vtensor<[4],si64>, %h: !torch.vtensor<[1,2,1],f32>, %w: !torch.vtensor<[3,3],f32>, %r: !torch.vtensor<[3,1],f32>) -> !torch.vtensor<[7,1],f32> {
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[3,3],f32>, !torch.vtensor<[3,1],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{'torch.aten.gru.data' op expects the last dimension of `data` to be 3 (I, dim 1 of `params[0]`), but got 2}}
  %y, %hn = "torch.aten.gru.data"(%x, %b, %h, %params, %no, %one, %zero, %no, %no)
      : (!torch.vtensor<[7,2],f32>, !torch.vtensor<[4],si64>, !torch.vtensor<[1,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[7,1],f32>, !torch.vtensor<[1,2,1],f32>)
  return %y : !torch.vtensor<[7,1],f32>
}

// -----

func.func @empty_projection(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,0],f32>, %c: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[16,3],f32>, %r: !torch.vtensor<[16,0],f32>, %p: !torch.vtensor<[0,4],f32>) -> !torch.vtensor<[5,2,0],f32> {
  %params = "torch.prim.ListConstruct"(%w, %r, %p) : (!torch.vtensor<[16,3],f32>, !torch.vtensor<[16,0],f32>, !torch.vtensor<[0,4],f32>) -> !torch.list<vtensor>
  %hx = "torch.prim.ListConstruct"(%h, %c) : (!torch.vtensor<[1,2,0],f32>, !torch.vtensor<[1,2,4],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  // expected-error @below {{'torch.aten.lstm.input' op expects the last dimension of `params[1]` (P, the projection) to be at least 1, but got 'tensor<16x0xf32>'}}
  %y, %hn, %cn = "torch.aten.lstm.input"(%x, %hx, %params, %no, %one, %zero, %no, %no, %no)
      : (!torch.vtensor<[5,2,3],f32>, !torch.list<vtensor>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,0],f32>, !torch.vtensor<[1,2,0],f32>, !torch.vtensor<[1,2,4],f32>)
  return %y : !torch.vtensor<[5,2,0],f32>
}

// -----

// The gradients have the types of the weights.
func.func @type_of_gradient(%x: !torch.vtensor<[4,3,2],f32>, %h: !torch.vtensor<[1,3,5],f32>, %y: !torch.vtensor<[4,3,5],f32>, %w: !torch.vtensor<[15,2],f32>, %r: !torch.vtensor<[15,5],f32>, %buf: !torch.vtensor<[0],f32>, %reserve: !torch.vtensor<[0],ui8>) -> !torch.vtensor<[15,3],f32> {
  %weight = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>) -> !torch.list<vtensor>
  %sizes = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  %none = "torch.constant.none"() : () -> !torch.none
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %yes = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %5 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %mask = "torch.prim.ListConstruct"(%yes, %yes, %no, %yes) : (!torch.bool, !torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
  // expected-error @below {{'torch.aten._cudnn_rnn_backward' op expects result 0 of the torch.prim.ListUnpack of the gradients to have the type 'tensor<15x2xf32>' of `weight[0]`, but got '!torch.vtensor<[15,3],f32>'}}
  %dx, %dh, %dc, %dw = "torch.aten._cudnn_rnn_backward"(%x, %weight, %2, %buf, %h, %none, %y, %y, %h, %none, %3, %5, %0, %1, %no, %zero, %yes, %no, %sizes, %none, %reserve, %mask)
      : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[0],f32>, !torch.vtensor<[1,3,5],f32>, !torch.none, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none, !torch.vtensor<[0],ui8>, !torch.list<bool>)
      -> (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>, !torch.none, !torch.list<vtensor>)
  %dweights:2 = "torch.prim.ListUnpack"(%dw) : (!torch.list<vtensor>) -> (!torch.vtensor<[15,3],f32>, !torch.vtensor<[15,5],f32>)
  return %dweights#0 : !torch.vtensor<[15,3],f32>
}

// -----

// The region of a module is a graph: conversions can form a cycle.
%a = "torch_c.to_builtin_tensor"(%b) : (!torch.vtensor<[5],f32>) -> tensor<5xf32>
%b = "torch_c.from_builtin_tensor"(%a) : (tensor<5xf32>) -> !torch.vtensor<[5],f32>
%list = "torch.prim.ListConstruct"(%list) : (!torch.list<vtensor>) -> !torch.list<vtensor>
"test.region"() ({
  "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
}) : () -> ()
