// Kernels have no parameters in arrays of their own.
// RUN: rnn-opt %s -split-input-file -verify-diagnostics -convert-rnn-to-gpu

func.func @forward(%x: memref<5x2x8xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %o: memref<1x5xi64>, %y: memref<5x2x8xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op has offsets of parameters, which only target `host` supports; pass parameters in the opaque layout [C17]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x8xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<1x5xi64>) outs(output = %y : memref<5x2x8xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @gradient(%x: memref<5x2x8xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %o: memref<?x5xi64>, %y: memref<5x2x8xf32>,
                    %r: memref<?xi8>, %dp: memref<?xf32>) {
  // expected-error @below {{'rnn.cudnn_backprop' op has offsets of parameters, which only target `host` supports; pass parameters in the opaque layout [C17]}}
  rnn.cudnn_backprop gru input(%x : memref<5x2x8xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x8xf32>, memref<1x2x8xf32>) grads(%y, %h : memref<5x2x8xf32>, memref<1x2x8xf32>)
      reserve(%r : memref<?xi8>) offsets(%o, %o : memref<?x5xi64>)
      outs(params_backprop = %dp : memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}
