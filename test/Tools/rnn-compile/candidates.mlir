// --emit-candidates: candidates by the pipeline's selection and by attributes, ops in callees, and functions that are not listed.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s -O0 -o %t.so --emit-candidates=%t.jsonl
// RUN: FileCheck %s --input-file=%t.jsonl --implicit-check-not=two_ops --implicit-check-not=no_op --implicit-check-not=hidden
// RUN: rnn-compile %s -O0 --lowering=runtime -o %t.o --emit-candidates=- | FileCheck %s --check-prefix=PLANS
// RUN: rnn-compile %s -O0 --target=cuda --chip=sm_90a --tf32 -o %t.o --emit-candidates=- | FileCheck %s --check-prefix=CUDA
// The code is the same with and without the list.
// RUN: rnn-compile %s -O0 --target=cuda --chip=sm_90a --tf32 --prefix=one -o %t.plain.o
// RUN: rnn-compile %s -O0 --target=cuda --chip=sm_90a --tf32 --prefix=one -o %t.listed.o --emit-candidates=%t.jsonl
// RUN: cmp %t.plain.o %t.listed.o

// CHECK: {"version":1,"function":"direct","op":"rnn.cudnn_forward direction=#rnn.direction<unidirectional> {{.*}} T=2 B=2 I=3 L=1 H=4 f32 -> output","target":"host","chip":"{{[^"]+}}","candidate":"{{runtime|fused}}","candidates":["runtime","fused"]}
// CHECK-NEXT: {"version":1,"function":"by_call",{{.*}} T=? B=2 I=3 L=1 H=4 f32 -> output, output_h"{{.*}}"candidate":"fused"
// PLANS: "function":"direct",{{.*}}"candidate":"runtime"
// An explicit attribute overrides the pipeline option.
// PLANS: "function":"by_call",{{.*}}"candidate":"fused"
// CUDA: "function":"direct",{{.*}} f32 -> output (tf32)","target":"cuda","chip":"sm_90a","candidate":"{{runtime|fused/per_step|fused/persistent}}","candidates":["runtime","fused/per_step","fused/persistent"]}
func.func @direct(%x: tensor<2x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> tensor<2x2x4xf32> {
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<2x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<36xf32>)
      {is_training = false}
  return %y#0 : tensor<2x2x4xf32>
}
func.func private @hidden(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>) {
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<36xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  return %y#0, %y#1 : tensor<?x2x4xf32>, tensor<1x2x4xf32>
}
func.func @by_call(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> tensor<?x2x4xf32> {
  %y:2 = call @hidden(%x, %h, %p) : (tensor<?x2x3xf32>, tensor<1x2x4xf32>, tensor<36xf32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>)
  return %y#0 : tensor<?x2x4xf32>
}
// Two ops: the time of a call is not that of one op.
func.func @two_ops(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>) {
  %y:2 = call @hidden(%x, %h, %p) : (tensor<?x2x3xf32>, tensor<1x2x4xf32>, tensor<36xf32>) -> (tensor<?x2x4xf32>, tensor<1x2x4xf32>)
  %z:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<36xf32>)
      {is_training = false}
  return %y#0, %z#1 : tensor<?x2x4xf32>, tensor<1x2x4xf32>
}
func.func @no_op(%a: f32) -> f32 {
  return %a : f32
}
