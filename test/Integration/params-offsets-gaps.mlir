// Parameters with offsets: a memref of static size may be larger than the dense layout.
// REQUIRES: rnn-run
// RUN: rnn-run %s --function=dense --input=random:1 --input=random:2 --input=random:3 --output=@%t.npy
// RUN: rnn-run %s --function=gaps --input=random:1 --input=random:2 --input=random:3 --expected-output=@%t.npy
func.func @dense(%x: memref<2x1x3xf32>, %h: memref<1x1x4xf32>, %p: memref<36xf32>) -> memref<2x1x4xf32> {
  %y = memref.alloc() : memref<2x1x4xf32>
  rnn.cudnn_forward rnn_tanh input(%x : memref<2x1x3xf32>) state(%h : memref<1x1x4xf32>) params(%p : memref<36xf32>)
      outs(output = %y : memref<2x1x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return %y : memref<2x1x4xf32>
}

// The input weights (12 elements) at 20, the others (24) at 0, 16 and 36.
func.func @gaps(%x: memref<2x1x3xf32>, %h: memref<1x1x4xf32>, %p: memref<36xf32>) -> memref<2x1x4xf32> {
  %y = memref.alloc() : memref<2x1x4xf32>
  %all = memref.alloc() : memref<40xf32>
  %w = memref.subview %p[0] [12] [1] : memref<36xf32> to memref<12xf32, strided<[1]>>
  %r = memref.subview %p[12] [16] [1] : memref<36xf32> to memref<16xf32, strided<[1], offset: 12>>
  %b = memref.subview %p[28] [4] [1] : memref<36xf32> to memref<4xf32, strided<[1], offset: 28>>
  %c = memref.subview %p[32] [4] [1] : memref<36xf32> to memref<4xf32, strided<[1], offset: 32>>
  %w1 = memref.subview %all[20] [12] [1] : memref<40xf32> to memref<12xf32, strided<[1], offset: 20>>
  %r1 = memref.subview %all[0] [16] [1] : memref<40xf32> to memref<16xf32, strided<[1]>>
  %b1 = memref.subview %all[16] [4] [1] : memref<40xf32> to memref<4xf32, strided<[1], offset: 16>>
  %c1 = memref.subview %all[36] [4] [1] : memref<40xf32> to memref<4xf32, strided<[1], offset: 36>>
  memref.copy %w, %w1 : memref<12xf32, strided<[1]>> to memref<12xf32, strided<[1], offset: 20>>
  memref.copy %r, %r1 : memref<16xf32, strided<[1], offset: 12>> to memref<16xf32, strided<[1]>>
  memref.copy %b, %b1 : memref<4xf32, strided<[1], offset: 28>> to memref<4xf32, strided<[1], offset: 16>>
  memref.copy %c, %c1 : memref<4xf32, strided<[1], offset: 32>> to memref<4xf32, strided<[1], offset: 36>>
  %offsets = memref.get_global @offsets : memref<1x5xi64>
  rnn.cudnn_forward rnn_tanh input(%x : memref<2x1x3xf32>) state(%h : memref<1x1x4xf32>) params(%all : memref<40xf32>)
      offsets(%offsets : memref<1x5xi64>) outs(output = %y : memref<2x1x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  memref.dealloc %all : memref<40xf32>
  return %y : memref<2x1x4xf32>
}
memref.global "private" constant @offsets : memref<1x5xi64> = dense<[[20, 0, 0, 16, 36]]>
