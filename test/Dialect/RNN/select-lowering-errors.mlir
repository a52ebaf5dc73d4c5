// RUN: not rnn-opt %s -rnn-select-lowering=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not rnn-opt %s -rnn-select-lowering=prefer=magic 2>&1 | FileCheck %s --check-prefix=PREFER

// TARGET: error: unknown target `tpu`; expected `host` or `cuda` or `simt`
// PREFER: error: unknown lowering `magic`; expected `auto`, `runtime` or `fused`
func.func @size(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}
