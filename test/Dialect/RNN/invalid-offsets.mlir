// invalid-offsets.mlir - invalid offsets of separate parameters (C17).
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @forward_lowering(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %o: memref<2x5xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op requires lowering `fused` with `params_offsets`; set lowering = #rnn.lowering<fused> [C17]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<2x5xi64>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

func.func @forward_rows(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %o: memref<3x5xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `params_offsets` to be 2 (L*D) or 0, but got 3 [C17]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<3x5xi64>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @forward_columns(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %o: memref<2x4xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of `params_offsets` to be 5, but got 4 [C17]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<2x4xi64>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @forward_rank(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %o: memref<10xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params_offsets` to have rank 2, but got rank 1 ('memref<10xi64>') [C2]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<10xi64>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @forward_element(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %o: memref<2x5xi32>) {
  // expected-error @below {{must be memref of 64-bit signless integer values, but got 'memref<2x5xi32>'}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<2x5xi32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @forward_tensors(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>, %o: memref<2x5xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects all operands to be memrefs once one is, but `input` is 'tensor<5x2x3xf32>' [C14]}}
  "rnn.cudnn_forward"(%x, %h, %p, %o) <{mode = #rnn.mode<gru>, lowering = #rnn.lowering<fused>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 0, 0>}>
      : (tensor<5x2x3xf32>, tensor<2x2x4xf32>, tensor<?xf32>, memref<2x5xi64>) -> ()
  return
}

// -----

func.func @backprop_rows(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                         %r: memref<?xi8>, %o: memref<2x5xi64>, %g: memref<1x5xi64>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `params_backprop_offsets` to be 2 (L*D) or 0, but got 1 [C17]}}
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<2x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<2x2x4xf32>)
      reserve(%r : memref<?xi8>) offsets(%o, %g : memref<2x5xi64>, memref<1x5xi64>)
      outs(params_backprop = %p : memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @backprop_params_rows(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                                %r: memref<?xi8>, %o: memref<1x5xi64>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `params_offsets` to be 2 (L*D) or 0, but got 1 [C17]}}
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<2x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<2x2x4xf32>)
      reserve(%r : memref<?xi8>) offsets(%o : memref<1x5xi64>) outs(params_backprop = %p : memref<?xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Valid: unknown rows, no rows, an unknown number of layers, and a buffer that is smaller than the opaque parameters, since
// layers may share tensors.
func.func @valid(%x: memref<5x2x4xf32>, %h: memref<2x2x4xf32>, %l: memref<?x2x4xf32>, %p: memref<130xf32>, %any: memref<?x5xi64>,
                 %none: memref<0x5xi64>, %three: memref<3x5xi64>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x4xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<130xf32>)
      offsets(%any : memref<?x5xi64>) {lowering = #rnn.lowering<fused>}
  rnn.cudnn_forward gru input(%x : memref<5x2x4xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<130xf32>)
      offsets(%none : memref<0x5xi64>) {lowering = #rnn.lowering<fused>}
  rnn.cudnn_forward gru input(%x : memref<5x2x4xf32>) state(%l : memref<?x2x4xf32>) params(%p : memref<130xf32>)
      offsets(%three : memref<3x5xi64>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

func.func @backprop_alone(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                          %r: memref<?xi8>, %g: memref<2x5xi64>) {
  // expected-error @below {{'rnn.cudnn_backprop' op requires `params_offsets` with `params_backprop_offsets`; a table without rows means the opaque layout [C17]}}
  "rnn.cudnn_backprop"(%x, %h, %p, %y, %h, %y, %h, %r, %g, %p) <{mode = #rnn.mode<gru>, lowering = #rnn.lowering<fused>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1>,
      resultSegmentSizes = array<i32: 0, 0, 0, 0>}>
      : (memref<5x2x3xf32>, memref<2x2x4xf32>, memref<?xf32>, memref<5x2x4xf32>, memref<2x2x4xf32>, memref<5x2x4xf32>,
         memref<2x2x4xf32>, memref<?xi8>, memref<2x5xi64>, memref<?xf32>) -> ()
  return
}
