// Candidates on device cuda, with fakes of driver and cuDNN: cudnn ops that share parameters change together, and so do a block
// LSTM and its gradient, whose plans are those of cudnn ops.
// REQUIRES: rnn-run, fake-cuda, nvptx
// RUN: rm -f %t.json
// DEFINE: %{run} = env RNNRT_CUDA_PATH=%fake_cuda RNNRT_CUDNN_PATH=%fake_cuda RNNRT_TRACE=dispatch rnn-run %s --target=cuda
// DEFINE: %{inputs} = --input=5x2x3xf32=1 --input=1x2x4xf32=0 --input=4x3xf32=1 --input=4x4xf32=1 --input=4xf32=0
// RUN: %{run} %{inputs} --autotune=%t.json > %t.out 2> %t.trace
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.out
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.trace
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: sed 's/"microseconds":{[^}]*}/"microseconds":{"runtime":900,"fused\/per_step":5}/; s/"choice":"[a-z/_]*"/"choice":"fused\/per_step"/' %t.json > %t.fused.json
// RUN: %{run} --stop-after=select --tuning-records=%t.fused.json | FileCheck %s --check-prefix=FUSED
// RUN: %{run} --chip=sm_90a --stop-after=select --tuning-records=%t.fused.json | FileCheck %s --check-prefix=CHIP


// DEFINE: %{train} = --function=train --input=5x2x3xf32=1 --input=2x4xf32=0 --input=7x16xf32=0.1 --input=4xf32=0 --input=16xf32=0 --input=5x2x4xf32=1
// RUN: %{run} %{train} --autotune=%t.json > %t.out 2> %t.trace
// RUN: FileCheck %s --check-prefix=TRAIN --input-file=%t.out
// RUN: FileCheck %s --check-prefix=BLOCKS --input-file=%t.trace
// Records select either candidate. Block ops are found by the keys that they have before rnn-block-to-cudnn, and the kernels that
// the cost model prefers do not replace a recorded plan.
// RUN: sed 's/"microseconds":{[^}]*}/"microseconds":{"runtime":5,"fused\/per_step":900}/; s/"choice":"[a-z/_]*"/"choice":"runtime"/' %t.json > %t.plan.json
// RUN: sed 's/"microseconds":{[^}]*}/"microseconds":{"runtime":900,"fused\/per_step":5}/; s/"choice":"[a-z/_]*"/"choice":"fused\/per_step"/' %t.json > %t.fused.json
// RUN: %{run} --stop-after=select --tuning-records=%t.plan.json | FileCheck %s --check-prefix=TOCUDNN
// RUN: %{run} --stop-after=select --tuning-records=%t.fused.json | FileCheck %s --check-prefix=STAYS
// RUN: rnn-compile %s --target=cuda --stop-after=select --tuning-records=%t.plan.json --device="Fake GPU 0" -o - | FileCheck %s --check-prefix=TOCUDNN
// RUN: rnn-compile %s --target=cuda --stop-after=select --tuning-records=%t.fused.json --device="Fake GPU 0" -o - | FileCheck %s --check-prefix=STAYS
// RUN: rnn-opt %s -rnn-pipeline='target=cuda stop-after=select tuning-records=%t.plan.json' | FileCheck %s --check-prefix=TOCUDNN
// RUN: rnn-opt %s -rnn-pipeline='target=cuda stop-after=select tuning-records=%t.fused.json' | FileCheck %s --check-prefix=STAYS
// Without cuDNN only kernels are measured. With one candidate left there is no record.
// DEFINE: %{alone} = env RNNRT_CUDA_PATH=%fake_cuda RNNRT_CUDNN_PATH=%t.none rnn-run %s --target=cuda %{train}
// RUN: rm -f %t.alone.json
// RUN: %{alone} --chip=sm_90a --autotune=%t.alone.json | FileCheck %s --check-prefix=ALONE
// RUN: FileCheck %s --check-prefix=ALONEFILE --implicit-check-not=runtime --input-file=%t.alone.json
// RUN: rm -f %t.alone.json
// RUN: %{alone} --autotune=%t.alone.json | FileCheck %s --check-prefix=LEFT
// ALONE: as cudnn ops: failed (UNAVAILABLE: cuDNN 9 is needed, {{.*}})
// ALONE: rnn.block_lstm {{.*}}: fused/per_step {{[0-9.]+}} us, fused/persistent {{[0-9.]+}} us, so fused/{{per_step|persistent}}
// ALONEFILE: "op":"rnn.block_lstm {{.*}}"microseconds":{"fused/per_step":{{[0-9.]+}},"fused/persistent":{{[0-9.]+}}}
// ALONEFILE: "op":"rnn.block_lstm_grad
// LEFT: as cudnn ops: failed (
// LEFT: rnn.block_lstm {{.*}}: only fused/per_step is left, so no tuning record

// SAID: rnn.cudnn_forward {{.*}} T=5 B=2 I=3 L=1 H=4 f32 -> output: runtime {{[0-9.]+}} us, fused/per_step {{[0-9.]+}} us, so {{runtime|fused/per_step}}
// TRACE-DAG: prop=pack_params lowering=runtime
// TRACE-DAG: prop=forward lowering=runtime
// TRACE-DAG: lowering=fused prop=pack_params
// TRACE-DAG: kernel=cudnn_rnn_tanh_step
// FILE: "target":"cuda","chip":"","device":"Fake GPU 0","function":"main","microseconds":{"runtime":{{[0-9.]+}},"fused/per_step":{{[0-9.]+}}}
// FUSED: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<fused>
// FUSED: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused, kernel = 
// The record is for another chip, so the cost model decides.
// CHIP: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<fused>
// CHIP: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused, kernel = persistent, cluster = 2>
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

// A forward that only its gradient uses is measured together with it.
// TRAIN: rnn.block_lstm {{.*}} T=5 B=2 I=3 H=4 f32 -> i, cs, f, o, ci, co, h: runtime [[PLAN:[0-9.]+]] us, fused/per_step [[STEP:[0-9.]+]] us, so {{runtime|fused/per_step}}
// TRAIN-NEXT: rnn.block_lstm_grad {{.*}} T=5 B=2 I=3 H=4 f32 -> w_grad: runtime [[PLAN]] us, fused/per_step [[STEP]] us, so {{runtime|fused/per_step}}
// BLOCKS-DAG: prop=forward lowering=runtime
// BLOCKS-DAG: prop=backward_weights lowering=runtime
// BLOCKS-DAG: kernel=block_lstm_step
// BLOCKS-DAG: kernel=block_lstm_grad_step
// TOCUDNN-LABEL: func.func @train
// TOCUDNN-NOT: rnn.block_lstm
// TOCUDNN-COUNT-4: lowering = #rnn.lowering<runtime>
// TOCUDNN-NOT: #rnn.lowering<fused
// STAYS-LABEL: func.func @train
// STAYS: rnn.block_lstm icfo {{.*}}lowering = #rnn.lowering<fused, kernel = 
// STAYS: rnn.block_lstm_grad icfo {{.*}}lowering = #rnn.lowering<fused, kernel = 
// STAYS-NOT: rnn.cudnn
func.func @train(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
                 %dy: tensor<5x2x4xf32>) -> (tensor<5x2x4xf32>, tensor<7x16xf32>) {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  %zero = arith.constant dense<0.0> : tensor<5x2x4xf32>
  %g:8 = rnn.block_lstm_grad icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<5x2x4xf32>) grads(%zero, %dy : tensor<5x2x4xf32>)
  return %r#6, %g#3 : tensor<5x2x4xf32>, tensor<7x16xf32>
}
