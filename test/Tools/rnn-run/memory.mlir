// Sizes that exceed the memory, or that no tensor can have, are errors of the call.
// RUN: rnn-run %s --input=3 | FileCheck %s --check-prefix=SMALL
// RUN: not rnn-run %s --input=35184372088832 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not rnn-run %s --input=35184372088832 --target=simt 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not rnn-run %s --input=-5 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rnn-run %s --input=9223372036854775807 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rnn-run %s --input=-5 --target=simt 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rnn-run %s --function=double --input=1000000x1000000xf32=1 2>&1 | FileCheck %s --check-prefix=INPUT
// The output of stage bufferize can be run, that of stage lower cannot.
// RUN: rnn-run %s --stop-after=bufferize > %t.bufferize.mlir && rnn-run %t.bufferize.mlir --input=3 | FileCheck %s --check-prefix=SMALL
// RUN: rnn-run %s --stop-after=lower > %t.lower.mlir && not rnn-run %t.lower.mlir --input=3 2>&1 | FileCheck %s --check-prefix=STAGE
// With deallocations, the output of stage bufferize frees its buffers itself.
// RUN: rnn-run %s --stop-after=bufferize | FileCheck %s --check-prefix=FREES
// RUN: env RNNRT_TRACE=memory rnn-run %t.bufferize.mlir --function=sum --input=3 2>&1 | FileCheck %s --check-prefix=SUM
// FREES-LABEL: func.func @sum
// FREES: memref.dealloc
// SUM: rnnrt,memory,alloc,compiled,[[#BYTES:]],{{[0-9]+}}
// SUM-NEXT: rnnrt,memory,free,compiled,[[#BYTES]],0
// SUM: f32=6

// SMALL: 3xf32=[1, 1, 1]
// HUGE: rnn-run: error: RESOURCE_EXHAUSTED: not enough memory for {{[0-9]+}} bytes; compiled code holds {{[0-9]+}} already; in function `main`
// RANGE: rnn-run: error: INVALID_ARGUMENT: 'memref.alloc' op expects dynamic size 0 of memref<?xf32> to be valid, with at most 2^62 bytes in all: expected a value in [0, 1152921504606846976], but got {{.*}}; in function `main`
// INPUT: rnn-run: error: --input 0: no memory for a tensor 1000000x1000000xf32 of 4000000000000 bytes
// STAGE: error: 'func.func' op has an argument of type '!rnnrt.call', so the module is of stage lower, from which a compilation cannot continue; expected a module of stage import, simplify, select or bufferize, as --stop-after prints it
func.func @main(%n: index) -> (tensor<?xf32>, tensor<4xf32>) {
  %c = arith.constant 1.0 : f32
  %small = tensor.empty() : tensor<4xf32>
  %s = linalg.fill ins(%c : f32) outs(%small : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<4xf32>
}
func.func @double(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = arith.addf %x, %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @sum(%n: index) -> f32 {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %doubled = linalg.map ins(%ones : tensor<?xf32>) outs(%e : tensor<?xf32>) (%x: f32, %old: f32) {
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %x = tensor.extract %doubled[%i] : tensor<?xf32>
    %next = arith.addf %sum, %x : f32
    scf.yield %next : f32
  }
  return %r : f32
}
