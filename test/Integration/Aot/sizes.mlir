// A size of 2^40 in one argument is reported by the check of its rule, and by RESOURCE_EXHAUSTED if it breaks no rule. Nothing
// aborts, and no memory is lost.
// REQUIRES: rnn-compile
// DEFINE: %{flags} = --lowering=runtime
// DEFINE: %{libraries} =
// DEFINE: %{run} = rnn-compile %s %{flags} -o net.o && %cxx -I%S/Inputs %S/Inputs/sizes.cpp -rdynamic net.o %link_runtime %{libraries} -lm -ldl -o program && ./program
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --lowering=fused
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --lowering=fused --target=simt
// REDEFINE: %{libraries} = -lrnn_emulator
// RUN: %{run} simt | FileCheck %s

// CHECK: block 0 0: RESOURCE_EXHAUSTED: not enough memory for {{[0-9]+}} bytes; compiled code holds {{[0-9]+}} already; in function `block`
// CHECK-NEXT: block 0 1: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `{{.*}}` to be B [B4]: expected {{.*}}; in function `block`
// CHECK-NEXT: block 1 0: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `cs_prev` to be B [B4]: expected 3, but got 1099511627776; `cs_prev` is argument 1 (`s`); in function `block`
// CHECK-NEXT: block 2 0: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `w` to be I + H [B5]: expected 9, but got 1099511627776; `w` is argument 2 (`w`); in function `block`
// CHECK-NEXT: block 4 0: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `b` to be 4*H [B6]: expected 20, but got 1099511627776; `b` is argument 4 (`b`); in function `block`
// CHECK-NEXT: stack 0 1: INVALID_ARGUMENT: 'rnn.cudnn_{{.*}}' op expects {{.*}}; in function `stack`
// CHECK-NEXT: stack 1 1: INVALID_ARGUMENT: 'rnn.cudnn_{{.*}}' op expects dim 1 of `input_h` to be B [C4]: expected 3, but got 1099511627776; `input_h` is argument 1 (`h`); in function `stack`
// CHECK-NEXT: stack 2 0: INVALID_ARGUMENT: expects `params` to have 220 elements, but got 1099511627776 [C7]{{.*}}; in function `stack`
// CHECK-NEXT: stack 3 0: INVALID_ARGUMENT: 'rnn.cudnn_backprop' op expects dim 0 of `output_backprop` to be T [C12]: expected 2, but got 1099511627776; `output_backprop` is argument 3 (`d`); in function `stack`
func.func @block(%x: tensor<?x?x?xf32> {rnn.name = "x"}, %s: tensor<?x?xf32> {rnn.name = "s"},
                 %w: tensor<?x?xf32> {rnn.name = "w"}, %p: tensor<?xf32> {rnn.name = "p"},
                 %b: tensor<?xf32> {rnn.name = "b"}) -> tensor<?x?x?xf32> {
  %y:7 = rnn.block_lstm ifco x(%x : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>)
  return %y#6 : tensor<?x?x?xf32>
}

func.func @stack(%x: tensor<?x?x?xf32> {rnn.name = "x"}, %h: tensor<?x?x?xf32> {rnn.name = "h"},
                 %p: tensor<?xf32> {rnn.name = "p"}, %d: tensor<?x?x?xf32> {rnn.name = "d"})
    -> (tensor<?x?x?xf32>, tensor<?xf32>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<?x?x?xf32>) state(%h, %h : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      params(%p : tensor<?xf32>)
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%x : tensor<?x?x?xf32>)
      state(%h, %h : tensor<?x?x?xf32>, tensor<?x?x?xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn, %cn : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      grads(%d, %hn, %cn : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) reserve(%r : tensor<?xi8>)
  return %dx, %dp : tensor<?x?x?xf32>, tensor<?xf32>
}
