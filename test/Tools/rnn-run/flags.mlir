// Invalid flags: messages and exit status.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --input=1 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not rnn-run %s --function=nothing 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not rnn-run %s --input=2xf32=1 --input=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not rnn-run %s --input=3xf64=1 --input=1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not rnn-run %s --input=@%t.missing.npy --input=1 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not rnn-run %s --input=3xf32=1 --input=1 --output=x.npy --output=- 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not rnn-run %s --input=3xf32=1 --input=1 --output=- 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not rnn-run %s --target=moon 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not rnn-run %s --lowering=magic 2>&1 | FileCheck %s --check-prefix=LOWERING
// RUN: not rnn-run %s --stop-after=never 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not rnn-run %s --atol=-1 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// RUN: not rnn-run %s --dropout-draw=-5 2>&1 | FileCheck %s --check-prefix=DRAW
// RUN: not rnn-run %s --input=3xf32=1 --input=2147483648 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rnn-run %s --target=cuda --chip=sm_75 --stop-after=import 2>&1 | FileCheck %s --check-prefix=CHIP -DCHIP=sm_75 --implicit-check-not='see current operation'
// RUN: not rnn-run %s --target=cuda --chip=sm_12 --stop-after=import 2>&1 | FileCheck %s --check-prefix=CHIP -DCHIP=sm_12
// RUN: not rnn-run %s --target=cuda --chip=sm90a --stop-after=import 2>&1 | FileCheck %s --check-prefix=CHIP -DCHIP=sm90a
// RUN: not rnn-run %s --target=cuda --chip=sm_ --stop-after=import 2>&1 | FileCheck %s --check-prefix=CHIP -DCHIP=sm_
// RUN: not rnn-run %s --target=cuda --chip=sm_90b --stop-after=import 2>&1 | FileCheck %s --check-prefix=CHIP -DCHIP=sm_90b
// RUN: not rnn-run %t.missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: rnn-run %s --stop-after=bufferize | FileCheck %s --check-prefix=BUFFERIZE
// RUN: rnn-run %s --input=3xf32=[1,2,3] --input=4 --output=@%t.npy --output=- | FileCheck %s --check-prefix=RESULT
// RUN: rnn-run %s --input=@%t.npy --input=4 --expected-output=3xf32=[4,8,12] --expected-output=- | FileCheck %s --check-prefix=SAME
// RUN: rnn-run %s --input=k=4 --input=3xf32=[1,2,3] | FileCheck %s --check-prefix=NAMED
// RUN: not rnn-run %s --input=k=4 --input=k=5 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not rnn-run %s --input=q=4 --input=3xf32=[1,2,3] 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not rnn-run %s --remarks='[' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not rnn-run %s --input=@%t.npy --input=4 --expected-output=3xf32=[4,8,13] --expected-output=4 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: rnn-run %s --input=@%t.npy --input=4 --expected-output=3xf32=[4,8,13] --expected-output=4 --rtol=0.1

// COUNT: rnn-run: error: `main` has 2 argument(s) (x: tensor<3xf32>, k: i32), but got 1 --input flag(s)
// FUNCTION: rnn-run: error: the module has no public function `nothing`{{.*}}; it has `main`
// SHAPE: rnn-run: error: {{.*}}0{{.*}}2xf32
// TYPE: rnn-run: error: {{.*}}0{{.*}}3xf64
// FILE: rnn-run: error: --input 0: {{.*}}missing.npy
// OUTPUT: rnn-run: error: --output expects @file.npy or -, but got `x.npy`
// OUTPUTS: rnn-run: error: `main` has 2 result(s) (y: tensor<3xf32>, i32), but got 1 --output flag(s)
// TARGET: rnn-run: for the --target option: unknown value `moon`; expected host, cuda or simt
// LOWERING: rnn-run: for the --lowering option: unknown value `magic`; expected auto, runtime or fused
// STAGE: rnn-run: for the --stop-after option: unknown value `never`; expected import, simplify, select, bufferize, lower, emit or run
// TOLERANCE: rnn-run: error: --atol and --rtol expect numbers that are not negative
// DRAW: rnn-run: error: --dropout-draw expects a draw of at least 0, but got -5
// RANGE: rnn-run: error: {{.*}}expected an integer for i32 from -2147483648 to 2147483647, but got `2147483648`; use a wider type
// CHIP: error: unknown chip `[[CHIP]]`; expected sm_80 or later, e.g. sm_90a
// MISSING: rnn-run: error: cannot open input file
// BUFFERIZE: func.func @main(%{{.*}}: memref<3xf32>, %{{.*}}: i32) -> (memref<3xf32>, i32)
// RESULT: i32=4
// NAMED: 3xf32=[2, 4, 6]
// TWICE: rnn-run: error: --input=k=... occurs twice
// UNKNOWN: rnn-run: error: `main` has no argument `q` (--input=q=...); its arguments are x, k
// REGEX: rnn-run: error: --remarks expects a regular expression, but got `[`: brackets ([ ]) not balanced
// SAME: all results are as expected
// DIFFERENT: rnn-run: error: result 0{{.*}}13
func.func @main(%x: tensor<3xf32>, %k: i32) -> (tensor<3xf32>, i32) {
  %two = arith.constant dense<2.0> : tensor<3xf32>
  %y = arith.mulf %x, %two : tensor<3xf32>
  return %y, %k : tensor<3xf32>, i32
}
