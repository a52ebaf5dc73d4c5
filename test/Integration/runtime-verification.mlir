// A call of a decomposed layer with assertions returns an error for a wrong size.
// REQUIRES: jit, rnn-run
// DEFINE: %{checked} = rnn-opt %s --generate-runtime-verification=verbose-level=0 --rnn-decompose
// RUN: %{checked} | rnn-run - --input=3x2x3xf32=0.5 --input=1x2x4xf32=0.25 --input=108xf32=0.125 | FileCheck %s
// RUN: %{checked} | not rnn-run - --input=3x2x3xf32=0.5 --input=1x5x4xf32=0.25 --input=108xf32=0.125 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: %{checked} | not rnn-run - --input=3x2x3xf32=0.5 --input=1x2x4xf32=0.25 --input=107xf32=0.125 2>&1 | FileCheck %s --check-prefix=PARAMS

// CHECK: 3x2x4xf32
// BATCH: INVALID_ARGUMENT: assertion failed: {{.*}}Runtime op verification failed
// BATCH-NEXT: expects dim 1 of `input_h` to be B [C4]
// PARAMS: INVALID_ARGUMENT: assertion failed: {{.*}}Runtime op verification failed
// PARAMS-NEXT: expects `params` to have the elements of all matrices and biases [C7]
func.func @main(%x: tensor<?x?x3xf32>, %h: tensor<1x?x4xf32>, %p: tensor<?xf32>) -> tensor<?x?x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x4xf32>) params(%p : tensor<?xf32>)
  return %y : tensor<?x?x4xf32>
}
