// assertions.mlir - an assertion that does not hold is the status of the call, on every target, also in a loop that several threads share.
// REQUIRES: rnn-run
// DEFINE: %{target} = host
// DEFINE: %{few} = rnn-run %s --function=few --target=%{target} --input=3xf32=1 --expected-output=3xf32=2 | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{many} = not rnn-run %s --function=few --target=%{target} --input=9xf32=1 2>&1 | FileCheck %s --check-prefix=MANY
// DEFINE: %{rows} = not rnn-run %s --function=rows --target=%{target} '--input=4xindex=[0,1,5,2]' --input=random:1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{few}
// RUN: %{many}
// RUN: %{rows}
// REDEFINE: %{target} = simt
// RUN: %{few}
// RUN: %{many}
// RUN: env RNNRT_THREADS=2 rnn-run %s --function=rows '--input=4xindex=[0,1,3,2]' --input=random:1 | FileCheck %s --check-prefix=SUM
// RUN: env RNNRT_THREADS=2 not rnn-run %s --function=rows '--input=4xindex=[0,1,5,2]' --input=random:1 2>&1 | FileCheck %s --check-prefix=ROWS

// AS-EXPECTED: all results are as expected
// MANY: rnn-run: error: INVALID_ARGUMENT: assertion failed: {{.*}}assertions.mlir:[[# @LINE + 10]]: at most 7 elements; in function `few`
func.func @few(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %are_few = arith.cmpi ult, %n, %c8 : index
  cf.assert %are_few, "at most 7 elements"
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// An assertion in the body of an op, as torch-mlir writes an embedding. The row that is read is another one, which
// rnn-check-bounds does not compare.
// SUM: 4x65536xf32
// ROWS: rnn-run: error: INVALID_ARGUMENT: assertion failed: {{.*}}assertions.mlir:[[# @LINE + 10]]: index must be smaller than dim size; in function `rows`
func.func @rows(%indices: tensor<4xindex>, %table: tensor<6x65536xf32>) -> tensor<4x65536xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<4x65536xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%indices : tensor<4xindex>) outs(%empty : tensor<4x65536xf32>) {
  ^bb0(%row: index, %out: f32):
    %column = linalg.index 1 : index
    %is_row = arith.cmpi ult, %row, %c4 : index
    cf.assert %is_row, "index must be smaller than dim size"
    %next = arith.addi %row, %c1 : index
    %element = tensor.extract %table[%next, %column] : tensor<6x65536xf32>
    linalg.yield %element : f32
  } -> tensor<4x65536xf32>
  return %0 : tensor<4x65536xf32>
}
