// bounds.mlir - indices, slices and sizes outside of a tensor are errors that name the op, the values and the limits.
// REQUIRES: rnn-run
// DEFINE: %{target} = host
// DEFINE: %{case0} = rnn-run %s --target=%{target} --function=element '--input=6xf32=[0,1,2,3,4,5]' '--input=5' '--expected-output=f32=5' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case1} = not rnn-run %s --target=%{target} --function=element '--input=6xf32=[0,1,2,3,4,5]' '--input=6' 2>&1 | FileCheck %s --check-prefix=ELEMENT1
// DEFINE: %{case2} = not rnn-run %s --target=%{target} --function=element '--input=6xf32=[0,1,2,3,4,5]' '--input=-1' 2>&1 | FileCheck %s --check-prefix=ELEMENT2
// DEFINE: %{case3} = not rnn-run %s --target=%{target} --function=replace '--input=2x4xf32=0' '--input=2' '--input=3' 2>&1 | FileCheck %s --check-prefix=REPLACE3
// DEFINE: %{case4} = not rnn-run %s --target=%{target} --function=replace '--input=2x4xf32=0' '--input=1' '--input=4' 2>&1 | FileCheck %s --check-prefix=REPLACE4
// DEFINE: %{case5} = rnn-run %s --target=%{target} --function=replace '--input=2x4xf32=0' '--input=1' '--input=3' '--expected-output=2x4xf32=[[0,0,0,0],[0,0,0,7]]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case6} = rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=1' '--input=3' '--input=2' '--expected-output=3xf32=[1,3,5]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case7} = not rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=2' '--input=3' '--input=2' 2>&1 | FileCheck %s --check-prefix=SLICE7
// DEFINE: %{case8} = not rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=7' '--input=0' '--input=1' 2>&1 | FileCheck %s --check-prefix=SLICE8
// DEFINE: %{case9} = rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=6' '--input=0' '--input=1' '--expected-output=0xf32=[]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case10} = not rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=0' '--input=1' '--input=0' 2>&1 | FileCheck %s --check-prefix=SLICE10
// DEFINE: %{case11} = not rnn-run %s --target=%{target} --function=slice '--input=6xf32=[0,1,2,3,4,5]' '--input=2' '--input=-1' '--input=1' 2>&1 | FileCheck %s --check-prefix=SLICE11
// DEFINE: %{case12} = rnn-run %s --target=%{target} --function=insert '--input=6xf32=[0,1,2,3,4,5]' '--input=2xf32=9' '--input=4' '--input=2' '--expected-output=6xf32=[0,1,2,3,9,9]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case13} = not rnn-run %s --target=%{target} --function=insert '--input=6xf32=[0,1,2,3,4,5]' '--input=2xf32=9' '--input=5' '--input=2' 2>&1 | FileCheck %s --check-prefix=INSERT13
// DEFINE: %{case14} = not rnn-run %s --target=%{target} --function=insert '--input=6xf32=[0,1,2,3,4,5]' '--input=2xf32=9' '--input=3' '--input=3' 2>&1 | FileCheck %s --check-prefix=INSERT14
// DEFINE: %{case15} = rnn-run %s --target=%{target} --function=expand '--input=8xf32=1' '--input=2' '--expected-output=2x4xf32=1' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case16} = not rnn-run %s --target=%{target} --function=expand '--input=7xf32=1' '--input=2' 2>&1 | FileCheck %s --check-prefix=EXPAND16
// DEFINE: %{case17} = rnn-run %s --target=%{target} --function=loop '--input=6xf32=[0,1,2,3,4,5]' '--input=3xi32=[0,5,2]' '--expected-output=f32=7' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case18} = not rnn-run %s --target=%{target} --function=loop '--input=6xf32=[0,1,2,3,4,5]' '--input=3xi32=[0,6,2]' 2>&1 | FileCheck %s --check-prefix=LOOP18
// DEFINE: %{case19} = not rnn-run %s --target=%{target} --function=loop '--input=6xf32=[0,1,2,3,4,5]' '--input=3xi32=[0,-1,2]' 2>&1 | FileCheck %s --check-prefix=LOOP19
// DEFINE: %{case20} = rnn-run %s --target=%{target} --function=rows '--input=2x2xi32=[[0,1],[2,1]]' '--input=3x3xf32=[[0,1,2],[3,4,5],[6,7,8]]' '--expected-output=2x2x3xf32=[[[0,1,2],[3,4,5]],[[6,7,8],[3,4,5]]]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case21} = not rnn-run %s --target=%{target} --function=rows '--input=2x2xi32=[[0,3],[2,1]]' '--input=3x3xf32=[[0,1,2],[3,4,5],[6,7,8]]' 2>&1 | FileCheck %s --check-prefix=ROWS21
// DEFINE: %{case22} = not rnn-run %s --target=%{target} --function=rows '--input=2x2xi32=[[0,-3],[2,1]]' '--input=3x3xf32=[[0,1,2],[3,4,5],[6,7,8]]' 2>&1 | FileCheck %s --check-prefix=ROWS22
// DEFINE: %{case23} = rnn-run %s --target=%{target} --function=rows '--input=0x2xi32=[]' '--input=0x3xf32=[]' '--expected-output=0x2x3xf32=[]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case24} = rnn-run %s --target=%{target} --function=branch '--input=6xf32=[0,1,2,3,4,5]' '--input=5xf32=1' '--input=0' '--expected-output=6xf32=[0,1,2,3,4,5]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case25} = rnn-run %s --target=%{target} --function=branch '--input=6xf32=[0,1,2,3,4,5]' '--input=6xf32=1' '--input=1' '--expected-output=6xf32=[1,2,3,4,5,6]' | FileCheck %s --check-prefix=AS-EXPECTED
// DEFINE: %{case26} = not rnn-run %s --target=%{target} --function=branch '--input=6xf32=[0,1,2,3,4,5]' '--input=5xf32=1' '--input=1' 2>&1 | FileCheck %s --check-prefix=BRANCH26
// DEFINE: %{case27} = not rnn-run %s --target=%{target} --function=unknown '--input=6xf32=[0,1,2,3,4,5]' '--input=7' 2>&1 | FileCheck %s --check-prefix=UNKNOWN27
// RUN: %{case0}
// RUN: %{case1}
// RUN: %{case2}
// RUN: %{case3}
// RUN: %{case4}
// RUN: %{case5}
// RUN: %{case6}
// RUN: %{case7}
// RUN: %{case8}
// RUN: %{case9}
// RUN: %{case10}
// RUN: %{case11}
// RUN: %{case12}
// RUN: %{case13}
// RUN: %{case14}
// RUN: %{case15}
// RUN: %{case16}
// RUN: %{case17}
// RUN: %{case18}
// RUN: %{case19}
// RUN: %{case20}
// RUN: %{case21}
// RUN: %{case22}
// RUN: %{case23}
// RUN: %{case24}
// RUN: %{case25}
// RUN: %{case26}
// RUN: %{case27}
// REDEFINE: %{target} = simt
// RUN: %{case0}
// RUN: %{case1}
// RUN: %{case2}
// RUN: %{case3}
// RUN: %{case4}
// RUN: %{case5}
// RUN: %{case6}
// RUN: %{case7}
// RUN: %{case8}
// RUN: %{case9}
// RUN: %{case10}
// RUN: %{case11}
// RUN: %{case12}
// RUN: %{case13}
// RUN: %{case14}
// RUN: %{case15}
// RUN: %{case16}
// RUN: %{case17}
// RUN: %{case18}
// RUN: %{case19}
// RUN: %{case20}
// RUN: %{case21}
// RUN: %{case22}
// RUN: %{case23}
// RUN: %{case24}
// RUN: %{case25}
// RUN: %{case26}
// RUN: %{case27}

// AS-EXPECTED: all results are as expected

// ELEMENT1: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract' op expects index 0 to be in dim 0: expected a value in [0, 5], but got 6; in function `element`
// ELEMENT2: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract' op expects index 0 to be in dim 0: expected a value in [0, 5], but got -1; in function `element`
func.func @element(%x: tensor<?xf32>, %i: index) -> f32 {
  %0 = tensor.extract %x[%i] : tensor<?xf32>
  return %0 : f32
}

// REPLACE3: rnn-run: error: INVALID_ARGUMENT: 'tensor.insert' op expects index 0 to be in dim 0: expected a value in [0, 1], but got 2; in function `replace`
// REPLACE4: rnn-run: error: INVALID_ARGUMENT: 'tensor.insert' op expects index 1 to be in dim 1: expected a value in [0, 3], but got 4; in function `replace`
func.func @replace(%x: tensor<?x4xf32>, %i: index, %j: index) -> tensor<?x4xf32> {
  %c = arith.constant 7.0 : f32
  %0 = tensor.insert %c into %x[%i, %j] : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// SLICE7: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract_slice' op expects size 0 of the slice to fit in dim 0: expected a value in [0, 2], but got 3; in function `slice`
// SLICE8: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract_slice' op expects offset 0 of the slice to be in dim 0: expected a value in [0, 6], but got 7; in function `slice`
// SLICE10: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract_slice' op expects stride 0 of the slice to be positive: expected a value of at least 1, but got 0; in function `slice`
// SLICE11: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract_slice' op expects size 0 of the slice to fit in dim 0: expected a value in [0, 4], but got -1; in function `slice`
func.func @slice(%x: tensor<?xf32>, %o: index, %n: index, %s: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[%o] [%n] [%s] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @slice2(%x: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[%o] [%n] [2] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// INSERT13: rnn-run: error: INVALID_ARGUMENT: 'tensor.insert_slice' op expects size 0 of the slice to fit in dim 0: expected a value in [0, 1], but got 2; in function `insert`
// INSERT14: rnn-run: error: INVALID_ARGUMENT: 'tensor.insert_slice' op expects dim 0 of its source to be size 0 of the slice: expected 3, but got 2; in function `insert`
func.func @insert(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = tensor.insert_slice %y into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// EXPAND16: rnn-run: error: INVALID_ARGUMENT: 'tensor.expand_shape' op expects dim 0 of its operand to have the elements of its result: expected 8, but got 7; in function `expand`
func.func @expand(%x: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// LOOP18: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract' op expects index 0 to be in dim 0: expected a value in [0, 5], but got 6; in function `loop`
// LOOP19: rnn-run: error: INVALID_ARGUMENT: 'tensor.extract' op expects index 0 to be in dim 0: expected a value in [0, 5], but got -1; in function `loop`
func.func @loop(%x: tensor<?xf32>, %steps: tensor<?xi32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %steps, %c0 : tensor<?xi32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %step = tensor.extract %steps[%i] : tensor<?xi32>
    %place = arith.index_cast %step : i32 to index
    %e = tensor.extract %x[%place] : tensor<?xf32>
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %0 : f32
}

// ROWS21: rnn-run: error: INVALID_ARGUMENT: 'linalg.generic' op expects the elements of operand 0, which 'tensor.extract' takes for indices, to be in dim 0: expected a value in [0, 2], but got 3; in function `rows`
// ROWS22: rnn-run: error: INVALID_ARGUMENT: 'linalg.generic' op expects the elements of operand 0, which 'tensor.extract' takes for indices, to be in dim 0: expected a value in [0, 2], but got -3; in function `rows`
func.func @rows(%tokens: tensor<?x2xi32>, %table: tensor<?x3xf32>) -> tensor<?x2x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %tokens, %c0 : tensor<?x2xi32>
  %empty = tensor.empty(%n) : tensor<?x2x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tokens : tensor<?x2xi32>) outs(%empty : tensor<?x2x3xf32>) {
  ^bb0(%token: i32, %out: f32):
    %column = linalg.index 2 : index
    %row = arith.index_cast %token : i32 to index
    %element = tensor.extract %table[%row, %column] : tensor<?x3xf32>
    linalg.yield %element : f32
  } -> tensor<?x2x3xf32>
  return %0 : tensor<?x2x3xf32>
}

// BRANCH26: rnn-run: error: INVALID_ARGUMENT: 'linalg.add' op expects dim 0 of argument 1 (`y`) to be dim 0 of argument 0 (`x`): expected 6, but got 5; in function `branch`
func.func @branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %flag: i1) -> tensor<?xf32> {
  %0 = scf.if %flag -> tensor<?xf32> {
    %1 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// UNKNOWN27: rnn-run: error: INVALID_ARGUMENT: 'linalg.exp' op expects dim 0 of operand 1 to be dim 0 of argument 0 (`x`): expected 6, but got 7; in function `unknown`
func.func @unknown(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
