// nested.mlir - rnn-pipeline compiles modules only.
// RUN: not rnn-opt %s --pass-pipeline='builtin.module(func.func(rnn-pipeline))' 2>&1 | FileCheck %s
// RUN: rnn-opt %s --pass-pipeline='builtin.module(rnn-pipeline{stop-after=select})'
// RUN: rnn-opt %s --pass-pipeline='any(rnn-pipeline{stop-after=select})'
// CHECK: rnn-pipeline compiles modules, and cannot be nested in `func.func`; use builtin.module(rnn-pipeline)

func.func @f() {
  return
}
