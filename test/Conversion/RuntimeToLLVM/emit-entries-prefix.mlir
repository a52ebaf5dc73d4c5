// RUN: not rnn-opt %s --rnn-emit-entries="prefix=my-net" 2>&1 | FileCheck %s
// CHECK: error: `my-net` is no prefix of names in C; use letters, digits and `_`
module {}
