// A reduced module of seed 31: some arguments and results of @main, with their original indices.
func.func @main(%a0: tensor<6x5x1xbf16> {rnn.name = "a0"}, %a1: tensor<5x5xbf16> {rnn.name = "a1"}, %a2: tensor<5x5xbf16> {rnn.name = "a2"}, %a3: tensor<?x20xbf16> {rnn.name = "a3"}, %a4: tensor<5xbf16> {rnn.name = "a4"}, %a7: tensor<20xbf16> {rnn.name = "a7"}, %a8: tensor<6x5x5xbf16> {rnn.name = "a8"}, %a13: tensor<6x5x5xbf16> {rnn.name = "a13"}) -> (tensor<6x5x1xbf16> {rnn.name = "r0"}) {
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%a0 : tensor<6x5x1xbf16>)
      state(%a1, %a2 : tensor<5x5xbf16>) weights(%a3 : tensor<?x20xbf16>) peephole(%a4, %a4, %a4 : tensor<5xbf16>)
      bias(%a7 : tensor<20xbf16>) saved(%a8, %a8, %a8, %a8, %a8, %a13, %a8 : tensor<6x5x5xbf16>)
      grads(%a8, %a8 : tensor<6x5x5xbf16>) {use_peephole}
      -> x_grad(tensor<6x5x1xbf16>) cs_prev_grad(tensor<5x5xbf16>) h_prev_grad(tensor<5x5xbf16>) w_grad(tensor<?x20xbf16>)
         wci_grad(tensor<5xbf16>) wcf_grad(tensor<5xbf16>) wco_grad(tensor<5xbf16>) b_grad(tensor<20xbf16>)
  return %dx : tensor<6x5x1xbf16>
}
