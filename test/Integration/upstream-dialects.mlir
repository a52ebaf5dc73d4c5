// upstream-dialects.mlir - modules with globals, tosa and shape ops around a layer, and state between calls.
// REQUIRES: rnn-run
// RUN: rnn-run %s --function=step --input=2x3xf32=1 --expected-output=2x3xf32=6 --expected-output=2x3xf32=2
// RUN: rnn-run %s --function=step --input=2x3xf32=1 --benchmark=3 --expected-output=2x3xf32=6 --expected-output=2x3xf32=2
// RUN: rnn-run %s --function=tosa --input=1x2x2xf32=[[[1,2],[3,4]]] --input=1x2x2xf32=[[[1,0],[1,1]]] --expected-output=1x2xf32=[7,6]
// RUN: rnn-run %s --function=shape --input=3x4xf32=0 --expected-output=3x4xf32=12
// RUN: rnn-run %s --function=layer --input=5x2x3xf32=0.5 --expected-output=5x2x4xf32=0 --lowering=runtime
// RUN: rnn-run %s --function=layer --input=5x2x3xf32=0.5 --expected-output=5x2x4xf32=0 --lowering=fused

ml_program.global private @w(dense<2.0> : tensor<2x3xf32>) : tensor<2x3xf32>
ml_program.global private @params(dense<0.0> : tensor<108xf32>) : tensor<108xf32>
ml_program.global private mutable @sum(dense<3.0> : tensor<2x3xf32>) : tensor<2x3xf32>

// %old must not change when the global does. Calls after the first one have another sum.
func.func @step(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = ml_program.global_load_const @w : tensor<2x3xf32>
  %wx = arith.mulf %x, %w : tensor<2x3xf32>
  %old = ml_program.global_load @sum : tensor<2x3xf32>
  %next = arith.addf %old, %x : tensor<2x3xf32>
  ml_program.global_store @sum = %next : tensor<2x3xf32>
  %now = ml_program.global_load @sum : tensor<2x3xf32>
  // 3 + (4 - 1)
  %part = arith.subf %now, %x : tensor<2x3xf32>
  %both = arith.addf %old, %part : tensor<2x3xf32>
  ml_program.global_store @sum = %old : tensor<2x3xf32>
  return %both, %wx : tensor<2x3xf32>, tensor<2x3xf32>
}

// [1 2; 3 4] [1 0; 1 1] = [3 2; 7 4], and the sum of the columns less 3 and 0.
func.func @tosa(%x: tensor<1x2x2xf32>, %y: tensor<1x2x2xf32>) -> tensor<1x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<1x2x2xf32>) -> tensor<1x1x2xf32>
  %c = "tosa.const"() <{values = dense<[[[-3.0, 0.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %2 = tosa.add %1, %c : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %s = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.reshape %2, %s : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}

func.func @shape(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %n = shape.num_elements %s : tensor<2xindex> -> index
  %c0 = arith.constant 0 : index
  %d = shape.get_extent %s, %c0 : tensor<2xindex>, index -> index
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @layer(%x: tensor<5x2x3xf32>) -> tensor<5x2x4xf32> {
  %p = ml_program.global_load_const @params : tensor<108xf32>
  %h = "tosa.const"() <{values = dense<0.0> : tensor<1x2x4xf32>}> : () -> tensor<1x2x4xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<108xf32>)
      {is_training = false}
  %t = tosa.tanh %y : (tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %t : tensor<5x2x4xf32>
}
