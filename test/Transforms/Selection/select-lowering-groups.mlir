// cuDNN plans and fused kernels have different layouts of parameters and reserve spaces, so ops that share them get one lowering.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering | FileCheck %s
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Host plans and fused kernels use the same layouts, so lowerings are independent.
// RUN: rnn-opt %s -rnn-attach-target="target=simt" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIMT

// SIMT: Reason="target simt: plans run without the emulator, whose times do not predict those of a GPU"

// All ops that use the parameters and the reserve space are in this function.
// CHECK-LABEL: func @closed
// CHECK: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<[[LOWERING:runtime|fused]]>
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<[[LOWERING]]{{[,>]}}
// CHECK: rnn.cudnn_backprop
// CHECK-SAME: lowering = #rnn.lowering<[[LOWERING]]{{[,>]}}
// CHECK: rnn.cudnn_params_to_canonical {{.*}}lowering = #rnn.lowering<[[LOWERING]]{{[,>]}}
// REMARK-DAG: Reason="cost model{{.*}}, in all of the 4 op(s) that share buffers: `{{runtime|fused}}` {{.*}} {{us|ms}}, `{{runtime|fused}}` {{.*}} {{us|ms}}{{.*}}", Remark="'rnn.cudnn_backprop' runs as `{{runtime|fused/per_step}}`"
func.func @closed(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
                  %b: tensor<4xf32>) -> (tensor<5x2x3xf32>, tensor<4x3xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  %q = tensor.cast %p : tensor<?xf32> to tensor<36xf32>
  %y, %hn, %s = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%q : tensor<36xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%q : tensor<36xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%s : tensor<?xi8>)
  %dw, %dr, %dbw, %dbr = rnn.cudnn_params_to_canonical rnn_tanh sizes(%c1, %c4, %c3) params(%dp : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return %dx, %dw : tensor<5x2x3xf32>, tensor<4x3xf32>
}

// Parameters from outside of the function have cuDNN's layout.
// CHECK-LABEL: func @argument
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<runtime>
// REMARK-DAG: Reason="legality: `params` of 'rnn.cudnn_forward' is a function argument, so its data layout is unknown", Remark="'rnn.cudnn_forward' runs as `runtime`"
func.func @argument(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %y:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y#0 : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @result
// CHECK: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<runtime>
// REMARK-DAG: Reason="legality: `params` of 'rnn.cudnn_canonical_to_params' is used by 'func.return', so
func.func @result(%l: index, %u: index, %i: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>)
    -> tensor<?xf32> {
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %u, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return %p : tensor<?xf32>
}

// Regions, calls and arithmetic are not followed; one such use determines the whole group.
// CHECK-LABEL: func @region
// CHECK: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<runtime>
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<runtime>
// REMARK-DAG: Reason="legality: `params` of 'rnn.cudnn_canonical_to_params' is used by 'scf.yield', so
func.func @region(%n: index, %x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
                  %b: tensor<4xf32>, %other: tensor<?xf32>, %is: i1) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  %p = scf.if %is -> tensor<?xf32> {
    %q = rnn.cudnn_canonical_to_params rnn_tanh sizes(%n, %n, %n) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
        biases(%b, %b : tensor<4xf32>)
    scf.yield %q : tensor<?xf32>
  } else {
    scf.yield %other : tensor<?xf32>
  }
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {is_training = false}
  %z = call @argument(%x, %h, %p) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> tensor<5x2x4xf32>
  return %y#0, %z : tensor<5x2x4xf32>, tensor<5x2x4xf32>
}

// The gradient of the parameters has their layout.
// CHECK-LABEL: func @update
// CHECK: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<runtime>
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<runtime>
// CHECK: rnn.cudnn_backprop
// CHECK-SAME: lowering = #rnn.lowering<runtime>
// REMARK-DAG: Reason="legality: `params_backprop` of 'rnn.cudnn_backprop' is used by 'arith.addf', so
func.func @update(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
                  %b: tensor<4xf32>, %step: tensor<36xf32>) -> tensor<36xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  %q = tensor.cast %p : tensor<?xf32> to tensor<36xf32>
  %y, %hn, %s = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%q : tensor<36xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%q : tensor<36xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%s : tensor<?xi8>)
  %sum = arith.addf %dp, %step : tensor<36xf32>
  return %sum : tensor<36xf32>
}

// An explicit lowering of one op applies to the group, since the forward pass determines the layout of the parameters.
// CHECK-LABEL: func @given
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused{{.*}}>
// CHECK: rnn.cudnn_backprop
// CHECK-SAME: lowering = #rnn.lowering<fused{{.*}}>
// REMARK-DAG: Reason="legality: 'rnn.cudnn_forward', which shares a buffer with it, requires this{{.*}}", Remark="'rnn.cudnn_backprop' runs as `fused/per_step`"
func.func @given(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x3xf32> {
  %y, %hn, %s = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {lowering = #rnn.lowering<fused>}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%s : tensor<?xi8>)
  return %dx : tensor<5x2x3xf32>
}

// CHECK-LABEL: func @sizes
// CHECK: rnn.cudnn_params_size {{.*}}lowering = #rnn.lowering<runtime>
// REMARK-DAG: Reason="legality: sizes are those of plans unless requested otherwise"
func.func @sizes(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}
