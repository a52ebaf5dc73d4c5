// Invalid sizes and values that are detected at run time: each is one error with a nonzero exit status and no results.
// REQUIRES: rnn-run
// DEFINE: %{fwd} = rnn-run %s --function=fwd
// RUN: %{fwd} --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=2xi32=[5,0] --output=-
// RUN: not %{fwd} --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=107xf32=0.1 --input=2xi32=5 2>&1 | FileCheck %s --check-prefix=PARAMS
// RUN: not %{fwd} --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=2xi32=[5,6] 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not %{fwd} --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=2xi32=[-1,5] 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %{fwd} --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=3xi32=5 2>&1 | FileCheck %s --check-prefix=LENGTHS
// RUN: not %{fwd} --input=5x2x3xf32=0.5 --input=1x3x4xf32=0 --input=108xf32=0.1 --input=2xi32=5 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not %{fwd} --input=0x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=2xi32=0 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not %{fwd} --input=5x0x3xf32=0.5 --input=1x0x4xf32=0 --input=108xf32=0.1 --input=0xi32=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not rnn-run %s --function=bwd --input=5x2x3xf32=0.5 --input=1x2x4xf32=0 --input=108xf32=0.1 --input=5x2x4xf32=1 --input=100xi8=0 2>&1 | FileCheck %s --check-prefix=RESERVE
// RUN: not rnn-run %s --function=other --input=5x2x3xf32=0.5 --input=2x2x4xf32=0 --input=228xf32=0.1 2>&1 | FileCheck %s --check-prefix=OTHER

// PARAMS: rnn-run: error: INVALID_ARGUMENT: {{.*}}params{{.*}}108{{.*}}107
// LENGTH: rnn-run: error: INVALID_ARGUMENT: expects element 1 of `lengths` to be in [0, T = 5], but got 6; in gru l1_t5_b2_i3_h4_d1
// NEGATIVE: rnn-run: error: INVALID_ARGUMENT: expects element 0 of `lengths` to be in [0, T = 5], but got -1
// LENGTHS: rnn-run: error: INVALID_ARGUMENT: 'rnn.cudnn_forward' op expects dim 0 of `sequence_lengths` to be B [C11]: expected 2, but got 3
// BATCH: rnn-run: error: INVALID_ARGUMENT: 'rnn.cudnn_forward' op expects dim 1 of `input_h` to be B [C4]: expected 2, but got 3
// STEPS: rnn-run: error: INVALID_ARGUMENT: {{.*}}steps
// EMPTY: rnn-run: error: INVALID_ARGUMENT: {{.*}}batch
// RESERVE: rnn-run: error: {{[A-Z_]+}}: {{.*}}reserve
// OTHER: rnn-run: error: FAILED_PRECONDITION: {{.*}}reserve
func.func @fwd(%x: tensor<?x?x3xf32>, %h: tensor<?x?x4xf32>, %p: tensor<?xf32>, %n: tensor<?xi32>) -> tensor<?x?x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<?x?x4xf32>)
      params(%p : tensor<?xf32>) lengths(%n : tensor<?xi32>)
  return %y : tensor<?x?x4xf32>
}

// A reserve space of the wrong size.
func.func @bwd(%x: tensor<?x?x3xf32>, %h: tensor<?x?x4xf32>, %p: tensor<?xf32>, %y: tensor<?x?x4xf32>, %r: tensor<?xi8>)
    -> tensor<?xf32> {
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<?x?x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h : tensor<?x?x4xf32>, tensor<?x?x4xf32>) grads(%y, %h : tensor<?x?x4xf32>, tensor<?x?x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %d#2 : tensor<?xf32>
}

// A reserve space of the right size from another problem: the forward pass had dropout.
func.func @other(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %p: tensor<228xf32>) -> tensor<?xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<228xf32>) {dropout = 0.5}
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<228xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<2x2x4xf32>) grads(%y, %hn : tensor<5x2x4xf32>, tensor<2x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  %e = tensor.cast %d#2 : tensor<228xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}
