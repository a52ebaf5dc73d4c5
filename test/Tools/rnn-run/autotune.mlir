// Tuning records: written, read and extended; invalid flags and files.
// REQUIRES: rnn-run
// RUN: rm -f %t.json
// DEFINE: %{grad} = --function=grad --input=4x2x3xf32=0.5 --input=2x4xf32=0.1 --input=7x16xf32=0.2 --input=4xf32=0 --input=16xf32=0 --input=4x2x4xf32=0.3
// RUN: rnn-run %s %{grad} --autotune=%t.json | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: rnn-run %s %{grad} --tuning-records=%t.json --output=- --output=- | FileCheck %s --check-prefix=RESULT

// The file selects each candidate.
// RUN: sed 's/"choice":"[a-z]\+"/"choice":"fused"/' %t.json > %t.fused.json
// RUN: sed 's/"choice":"[a-z]\+"/"choice":"runtime"/' %t.json > %t.plan.json
// RUN: rnn-run %s --stop-after=select --tuning-records=%t.fused.json | FileCheck %s --check-prefix=FUSED
// RUN: rnn-run %s --stop-after=select --tuning-records=%t.plan.json | FileCheck %s --check-prefix=PLAN
// RUN: rnn-compile %s --cpu=native --stop-after=select --tuning-records=%t.fused.json -o - | FileCheck %s --check-prefix=FUSED
// Records of another processor do not apply. The cost model selects the loops.
// RUN: rnn-compile %s --stop-after=select --tuning-records=%t.plan.json -o - | FileCheck %s --check-prefix=FUSED
// RUN: rnn-run %s %{grad} --tuning-records=%t.fused.json --output=- --output=- | FileCheck %s --check-prefix=RESULT

// Measuring another function adds its op and keeps the first record.
// RUN: rnn-run %s --function=stack --input=2x2x3xf32=0.5 --input=1x2x4xf32=0 --input=36xf32=0.1 --autotune=%t.json | FileCheck %s --check-prefix=STACK
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.json

// RUN: not rnn-run %s --function=nothing --autotune=%t.none.json 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not rnn-run %s --function=plain --input=1 --autotune=%t.none.json 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not ls %t.none.json
// Nothing is measured if the records cannot be written.
// RUN: not rnn-run %s %{grad} --autotune=%t.none/t.json > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=UNWRITABLE --implicit-check-not=' us' --input-file=%t.out
// UNWRITABLE: rnn-run: error: cannot write tuning records to `{{.*}}.none/t.json`: No such file or directory
// RUN: not rnn-run %s %{grad} --target=simt --autotune=%t.json 2>&1 | FileCheck %s --check-prefix=SIMT
// RUN: not rnn-run %s %{grad} --lowering=fused --autotune=%t.json 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: not rnn-run %s %{grad} --benchmark=2 --autotune=%t.json 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: echo '{"version": 7}' > %t.old.json
// RUN: not rnn-run %s %{grad} --autotune=%t.old.json 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.old.json
// RUN: not rnn-run %s %{grad} --tuning-records=%t.old.json 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not rnn-run %s %{grad} --fused-kernel=magic 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not rnn-run %s %{grad} --fused-kernel=per_step 2>&1 | FileCheck %s --check-prefix=HOST

// SAID: rnn.block_lstm_grad layout=#rnn.layout<ifco> T=4 B=2 I=3 H=4 f32 -> x_grad, w_grad: runtime {{[0-9.]+}} us, fused {{[0-9.]+}} us, so {{runtime|fused}}
// FILE: {"version": 2, "records": [
// FILE-NEXT: {"op":"rnn.block_lstm_grad layout=#rnn.layout<ifco> T=4 B=2 I=3 H=4 f32 -> x_grad, w_grad","target":"host","chip":"{{[^"]+}}","device":"{{[^"]+}}","function":"grad","microseconds":{"runtime":{{[0-9.]+}},"fused":{{[0-9.]+}}},"choice":"{{runtime|fused}}"}{{,?}}
// FILE: ]}
// RESULT: 4x2x3xf32={{\[\[\[}}
// RESULT: 7x16xf32={{\[\[}}
// FUSED-LABEL: func.func @grad
// FUSED: rnn.block_lstm_grad {{.*}} {lowering = #rnn.lowering<fused>}
// PLAN-LABEL: func.func @grad
// PLAN: rnn.block_lstm_grad {{.*}} {lowering = #rnn.lowering<runtime>}
// STACK: rnn.cudnn_forward {{.*}} -> output: runtime
// BOTH: "op":"rnn.block_lstm_grad
// BOTH-NEXT: "op":"rnn.cudnn_forward
// BOTH: ]}
// NOTHING: rnn-run: error: the module has no public function `nothing`
// PLAIN: rnn-run: error: `plain` reaches no rnn op that could be run in more than one way; --autotune has nothing to measure
// SIMT: rnn-run: error: --autotune cannot be used with --target=simt, since times of the emulator do not predict those of a GPU; use --target=host or --target=cuda
// GIVEN: rnn-run: error: --autotune measures the candidates of --lowering=auto; remove --lowering, --fused-kernel and --tuning-records
// MORE: rnn-run: error: --autotune cannot be combined with --stop-after, --benchmark, --output or --expected-output; remove them
// OLD: error: {{.*}}old.json:1: expected `version` to be 2, but got 7; write the file again by rnn-run --autotune
// KEPT: {"version": 7}
// FAMILY: rnn-run: for the --fused-kernel option: unknown value `magic`; expected auto, per_step or persistent
// HOST: rnn-run: error: --fused-kernel requires --target=cuda or --target=simt, but the target is `host`
func.func @grad(%x: tensor<4x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
                %g: tensor<4x2x4xf32>) -> (tensor<4x2x3xf32>, tensor<7x16xf32>) {
  %r:8 = rnn.block_lstm_grad ifco x(%x : tensor<4x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %g : tensor<4x2x4xf32>)
      grads(%g, %g : tensor<4x2x4xf32>)
  return %r#0, %r#3 : tensor<4x2x3xf32>, tensor<7x16xf32>
}

// Ops in callees are measured; ops with an explicit lowering are not.
func.func private @layer(%x: tensor<2x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> tensor<2x2x4xf32> {
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<2x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<36xf32>)
      {is_training = false}
  return %y#0 : tensor<2x2x4xf32>
}
func.func @stack(%x: tensor<2x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<36xf32>) -> (tensor<2x2x4xf32>, tensor<1x2x4xf32>) {
  %y = call @layer(%x, %h, %p) : (tensor<2x2x3xf32>, tensor<1x2x4xf32>, tensor<36xf32>) -> tensor<2x2x4xf32>
  %z:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<2x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<36xf32>)
      {lowering = #rnn.lowering<runtime>}
  return %y, %z#1 : tensor<2x2x4xf32>, tensor<1x2x4xf32>
}
func.func @plain(%a: f32) -> f32 {
  return %a : f32
}
