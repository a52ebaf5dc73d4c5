// RUN: rnn-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{`kernel` requires lowering `fused`, but got `runtime`}}
#kernel = #rnn.lowering<runtime, kernel = per_step>

// -----

// expected-error @below {{`cluster` requires `kernel = persistent`}}
#cluster = #rnn.lowering<fused, cluster = 8>

// -----

// expected-error @below {{`cluster` requires `kernel = persistent`}}
#per_step = #rnn.lowering<fused, kernel = per_step, cluster = 8>

// -----

// expected-error @below {{`cluster` must be 2, 4, 8 or 16, but got 3}}
#size = #rnn.lowering<fused, kernel = persistent, cluster = 3>

// -----

// expected-error @below {{expected one of [per_step, persistent]}}
// expected-error @below {{failed to parse RNN_LoweringAttr parameter 'kernel'}}
#name = #rnn.lowering<fused, kernel = step>

// -----

// expected-error @below {{target `simt` has no `chip`, but got "sm_90a"}}
module attributes {rnn.target = #rnn.target<simt, chip = "sm_90a">} {}

// -----

// expected-error @below {{unknown chip `hopper`; expected sm_80 or later, e.g. sm_90a}}
module attributes {rnn.target = #rnn.target<cuda, chip = "hopper">} {}

// -----

// expected-error @below {{`tf32` requires target `cuda` or `simt`}}
module attributes {rnn.target = #rnn.target<host, tf32 = true>} {}

// -----

// expected-error @below {{`large_gemms` requires target `cuda` or `simt`}}
module attributes {rnn.target = #rnn.target<host, large_gemms = library>} {}

// -----

// expected-error @below {{`wavefront_chunk` requires target `cuda` or `simt`}}
module attributes {rnn.target = #rnn.target<host, wavefront_chunk = 8>} {}

// -----

// expected-error @below {{`wavefront_chunk` must be a number of time steps, 0 or -1, but got -2}}
module attributes {rnn.target = #rnn.target<cuda, wavefront_chunk = -2>} {}

// -----

// expected-error @below {{`rnn.target` must be a `#rnn.target` on a module}}
module attributes {rnn.target = "cuda"} {}

// -----

// expected-error @below {{`rnn.target` must be a `#rnn.target` on a module}}
func.func private @function() attributes {rnn.target = #rnn.target<host>}
