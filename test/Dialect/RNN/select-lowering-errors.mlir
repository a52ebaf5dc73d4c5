// RUN: rnn-opt %s -rnn-select-lowering=target=simt -split-input-file -verify-diagnostics
// RUN: not rnn-opt %s -rnn-select-lowering='target=simt prefer=fused' 2>&1 | FileCheck %s --check-prefix=SIMT
// RUN: not rnn-opt %s -rnn-select-lowering=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not rnn-opt %s -rnn-select-lowering=prefer=magic 2>&1 | FileCheck %s --check-prefix=PREFER

// TARGET: error: unknown target `tpu`; expected `host` or `cuda` or `simt`
// PREFER: error: unknown lowering `magic`; expected `auto`, `runtime` or `fused`
// SIMT: error: lowering `fused` is not available for 'rnn.cudnn_params_size' on target `simt`; use `runtime` or `auto`

func.func @fused_is_not_there(%l: index, %h: index, %i: index) -> index {
  // expected-error @below {{lowering `fused` is not available for 'rnn.cudnn_params_size' on target `simt`; use `runtime` or `auto`}}
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32, lowering = #rnn.lowering<fused>}
  return %n : index
}
