// Blocks of GEMMs have rows, and processors begin FMAs. unittests/Codegen/CPU/GemmTest.cpp compares the results of blocks of several depths.

// RUN: not rnn-opt %s -convert-rnn-to-host=block-depth=0 2>&1 | FileCheck %s
// RUN: not rnn-opt %s -convert-linalg-to-host=block-depth=0 2>&1 | FileCheck %s

// CHECK: error: expects `block-depth` to be at least 1, but got 0

// RUN: not rnn-opt %s -convert-rnn-to-host=fma-units=0 2>&1 | FileCheck --check-prefix=UNITS %s
// RUN: not rnn-opt %s -convert-linalg-to-host=fma-units=0 2>&1 | FileCheck --check-prefix=UNITS %s

// UNITS: error: expects `fma-units` to be at least 1, but got 0
