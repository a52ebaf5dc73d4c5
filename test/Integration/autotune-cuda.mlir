// Candidates of cudnn ops on device cuda, with fakes of driver and cuDNN: the ops that share parameters change together.
// REQUIRES: rnn-run, fake-cuda, nvptx
// RUN: rm -f %t.json
// DEFINE: %{run} = env RNNRT_CUDA_PATH=%fake_cuda RNNRT_CUDNN_PATH=%fake_cuda RNNRT_TRACE=dispatch rnn-run %s --target=cuda
// DEFINE: %{inputs} = --input=5x2x3xf32=1 --input=1x2x4xf32=0 --input=4x3xf32=1 --input=4x4xf32=1 --input=4xf32=0
// RUN: %{run} %{inputs} --autotune=%t.json > %t.out 2> %t.trace
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.out
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.trace
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: sed 's/"microseconds":{[^}]*}/"microseconds":{"runtime":900,"fused\/step":5}/; s/"choice":"[a-z/]*"/"choice":"fused\/step"/' %t.json > %t.fused.json
// RUN: %{run} --stop-after=select --decisions=%t.fused.json | FileCheck %s --check-prefix=FUSED
// RUN: %{run} --chip=sm_90a --stop-after=select --decisions=%t.fused.json | FileCheck %s --check-prefix=CHIP

// SAID: rnn.cudnn_forward {{.*}} T=5 B=2 I=3 L=1 H=4 f32 -> output: runtime {{[0-9.]+}} us, fused/step {{[0-9.]+}} us, so {{runtime|fused/step}}
// TRACE-DAG: prop=pack_params lowering=runtime
// TRACE-DAG: prop=forward lowering=runtime
// TRACE-DAG: lowering=fused prop=pack_params
// TRACE-DAG: kernel=cudnn_rnn_tanh_step
// FILE: "target":"cuda","chip":"","device":"Fake GPU 0","function":"main","microseconds":{"runtime":{{[0-9.]+}},"fused/step":{{[0-9.]+}}}
// FUSED: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<fused>
// FUSED: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused>
// Made for another GPU, so it was not measured.
// CHIP: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<[[LOWERING:runtime|fused]]>
// CHIP: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<[[LOWERING]]>
func.func @main(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>)
    -> tensor<5x2x4xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y#0 : tensor<5x2x4xf32>
}
