// The kernels of ops outside rnn ops, as for target cuda, on the emulator: transposes, elementwise arithmetic, row sums, a full
// reduction, an empty tensor, sizes smaller than a block. The same values as on the host, in every order of threads, and the
// checker reports nothing.
// REQUIRES: rnn-run
// DEFINE: %{kernels} = rnn-opt %s -convert-elementwise-to-linalg -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -rnn-isolate-scalar-loops -convert-linalg-to-parallel-loops -rnn-parallel-loops-to-gpu -canonicalize -gpu-launch-sink-index-computations -gpu-kernel-outlining -rnn-merge-kernel-modules
// DEFINE: %{arguments} = --input=7x5x3xf32=[[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[1,2,3],[4,5,6],[7,8,9],[10,11,12],[13,14,15]],[[.1,.2,.3],[.4,.5,.6],[.7,.8,.9],[-10,-11,-12],[-13,-14,-15]]] --input=0x3xf32=0
// DEFINE: %{results} = --expected-output=@%t.0.npy --expected-output=@%t.1.npy --expected-output=@%t.2.npy --expected-output=@%t.3.npy --rtol=1e-6
// RUN: rnn-run %s %{arguments} --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy
// RUN: %{kernels} -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: rnn-run %t.mlir --target=simt %{arguments} %{results}
// RUN: rnn-run %t.mlir --target=simt --simt-schedule=reverse %{arguments} %{results}
// RUN: rnn-run %t.mlir --target=simt --simt-schedule=random:7 --simt-check %{arguments} %{results}

// CHECK: gpu.launch_func
// CHECK-NOT: linalg.
#all = affine_map<(i, j, k) -> (i, j, k)>
#rows = affine_map<(i, j, k) -> (i, j)>
#none = affine_map<(i, j, k) -> ()>
func.func @main(%x: tensor<7x5x3xf32>, %empty: tensor<?x3xf32>) -> (tensor<5x7x3xf32>, tensor<7x5xf32>, tensor<f32>, tensor<?x3xf32>) {
  %e = tensor.empty() : tensor<5x7x3xf32>
  %t = linalg.transpose ins(%x : tensor<7x5x3xf32>) outs(%e : tensor<5x7x3xf32>) permutation = [1, 0, 2]
  %u = arith.mulf %t, %t : tensor<5x7x3xf32>
  %zero = arith.constant 0.0 : f32
  %re = tensor.empty() : tensor<7x5xf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<7x5xf32>) -> tensor<7x5xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<7x5x3xf32>) outs(%rz : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<7x5xf32>
  %se = tensor.empty() : tensor<f32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x : tensor<7x5x3xf32>) outs(%sz : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  %n = arith.addf %empty, %empty : tensor<?x3xf32>
  return %u, %r, %s, %n : tensor<5x7x3xf32>, tensor<7x5xf32>, tensor<f32>, tensor<?x3xf32>
}
