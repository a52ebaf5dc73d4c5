// RUN: rnn-opt %s -rnn-attach-target | FileCheck %s --check-prefix=HOST
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a tf32 large-gemms=library" | FileCheck %s --check-prefix=CUDA
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-attach-target="target=simt large-gemms=auto wavefront-chunk=24" | FileCheck %s --check-prefix=SIMT
// RUN: not rnn-opt %s -rnn-attach-target="target=cuda chip=hopper" 2>&1 | FileCheck %s --check-prefix=CHIP

// HOST: module attributes {rnn.target = #rnn.target<host>}
// CUDA: module attributes {rnn.target = #rnn.target<cuda, chip = "sm_90a", tf32 = true, large_gemms = library>}
// SIMT: module attributes {rnn.target = #rnn.target<simt, large_gemms = auto, wavefront_chunk = 24>}
// CHIP: error: unknown chip `hopper`; expected sm_80 or later, e.g. sm_90a
module {}
