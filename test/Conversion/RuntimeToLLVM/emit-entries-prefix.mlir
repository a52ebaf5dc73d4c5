// RUN: not rnn-opt %s --rnn-emit-entries="prefix=my-net" 2>&1 | FileCheck %s
// CHECK: error: `my-net` is not a valid prefix of C names; use letters, digits and `_`, and no digit first
module {}
