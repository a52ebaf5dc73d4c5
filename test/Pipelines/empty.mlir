// Layers with an empty dimension pass the verifier after every pass of every target. rnn-fuzz found these.
// RUN: rnn-opt %s --rnn-pipeline="target=host lowering=fused stop-after=emit" -o /dev/null
// RUN: rnn-opt %s --rnn-pipeline="target=cuda lowering=fused stop-after=emit" -o /dev/null
// RUN: rnn-opt %s --rnn-pipeline="target=simt lowering=fused stop-after=emit" -o /dev/null

func.func @no_batch(%x: tensor<2x0x3xf32>, %s: tensor<0x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                    %b: tensor<16xf32>, %g: tensor<2x0x4xf32>, %n: i64) -> (tensor<7x16xf32>, tensor<2x0x4xf32>) {
  %u = math.tanh %g : tensor<2x0x4xf32>
  %y:7 = rnn.block_lstm ifco x(%x : tensor<2x0x3xf32>) state(%s, %s : tensor<0x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  %d:8 = rnn.block_lstm_grad ifco x(%x : tensor<2x0x3xf32>) state(%s, %s : tensor<0x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      saved(%y#0, %y#1, %y#2, %y#3, %y#4, %y#5, %y#6 : tensor<2x0x4xf32>) grads(%u, %g : tensor<2x0x4xf32>)
  return %d#3, %y#6 : tensor<7x16xf32>, tensor<2x0x4xf32>
}

func.func @no_steps(%x: tensor<0x?x5xf64>, %s: tensor<?x1xf64>, %w: tensor<?x?xf64>, %p: tensor<1xf64>, %b: tensor<4xf64>)
    -> tensor<0x?x?xf64> {
  %y:7 = rnn.block_lstm icfo x(%x : tensor<0x?x5xf64>) state(%s, %s : tensor<?x1xf64>) weights(%w : tensor<?x?xf64>)
      peephole(%p, %p, %p : tensor<1xf64>) bias(%b : tensor<4xf64>) -> i(tensor<0x?x?xf64>) cs(tensor<0x?x?xf64>)
      f(tensor<0x?x?xf64>) o(tensor<0x?x?xf64>) ci(tensor<0x?x?xf64>) co(tensor<0x?x?xf64>) h(tensor<0x?x?xf64>)
  return %y#6 : tensor<0x?x?xf64>
}

func.func @no_input(%x: tensor<4x?x0xf16>, %s: tensor<?x?xf16>, %w: tensor<?x20xf16>, %p: tensor<?xf16>, %b: tensor<?xf16>,
                    %g: tensor<4x?x5xf16>) -> tensor<5x20xf16> {
  %d:8 = rnn.block_lstm_grad ifco x(%x : tensor<4x?x0xf16>) state(%s, %s : tensor<?x?xf16>) weights(%w : tensor<?x20xf16>)
      peephole(%p, %p, %p : tensor<?xf16>) bias(%b : tensor<?xf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<4x?x5xf16>) grads(%g, %g : tensor<4x?x5xf16>)
  return %d#3 : tensor<5x20xf16>
}
