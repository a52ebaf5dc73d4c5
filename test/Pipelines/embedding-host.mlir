// Gathers of rows of a table and sums into them allocate no memory in their loops.
// RUN: rnn-opt %s --rnn-pipeline=stop-after=lower | FileCheck %s

// The result is the only buffer.
// CHECK-LABEL: func @gather
// CHECK: memref.alloc()
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: scf.for
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: vector.load
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: return
func.func @gather(%table: tensor<63x64xf32>, %tokens: tensor<20xi32>) -> tensor<20x64xf32> {
  %empty = tensor.empty() : tensor<20x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%tokens : tensor<20xi32>) outs(%empty : tensor<20x64xf32>) {
  ^bb0(%token: i32, %ignored: f32):
    %row = arith.index_cast %token : i32 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<63x64xf32>
    linalg.yield %value : f32
  } -> tensor<20x64xf32>
  return %x : tensor<20x64xf32>
}

// A row of the table is updated in place.
// CHECK-LABEL: func @scatter
// CHECK: memref.alloc()
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: vector.store
// CHECK-NOT: {{memref.alloc|memref.copy}}
// CHECK: return
func.func @scatter(%dx: tensor<20x64xf32>, %tokens: tensor<20xi32>) -> tensor<63x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<63x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<63x64xf32>) -> tensor<63x64xf32>
  %dtable = scf.for %i = %c0 to %count step %c1 iter_args(%sums = %none) -> tensor<63x64xf32> {
    %token = tensor.extract %tokens[%i] : tensor<20xi32>
    %row = arith.index_cast %token : i32 to index
    %term = tensor.extract_slice %dx[%i, 0] [1, 64] [1, 1] : tensor<20x64xf32> to tensor<64xf32>
    %old = tensor.extract_slice %sums[%row, 0] [1, 64] [1, 1] : tensor<63x64xf32> to tensor<64xf32>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
        ins(%term : tensor<64xf32>) outs(%old : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    %next = tensor.insert_slice %new into %sums[%row, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<63x64xf32>
    scf.yield %next : tensor<63x64xf32>
  }
  return %dtable : tensor<63x64xf32>
}
