// A library for target simt depends on the emulator too, which the runtime finds or reports as missing.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s --target=simt -o libsimt.so --emit-header=simt.h
// RUN: llvm-readelf --dynamic libsimt.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: rnn-compile %s --target=simt -o libcc.so --linker=cc
// RUN: llvm-readelf --dynamic libcc.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: %cc -I. %S/Inputs/simt.c -L. -lsimt -Wl,-rpath,. %link_runtime -lrnn_emulator -o simt
// RUN: ./simt | FileCheck %s --check-prefix=RESULT
// RUN: env RNNRT_EMULATOR_PATH=/nowhere/librnn_emulator.so ./simt | FileCheck %s --check-prefix=MISSING
// A program that opens the library at run time creates the device first, and does not link the emulator.
// RUN: %cc -DOPEN -I. %S/Inputs/simt.c %link_runtime -ldl -o open && ./open | FileCheck %s --check-prefix=RESULT

// The same for compilation in memory.
// RUN: rnn-run %s --target=simt --input=64xf32=3 --expected-output=64xf32=6
// RUN: env RNNRT_EMULATOR_PATH=/nowhere/librnn_emulator.so not rnn-run %s --target=simt --input=64xf32=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING

// NEEDED-DAG: (NEEDED) Shared library: [librnn_runtime.so]
// NEEDED-DAG: (NEEDED) Shared library: [librnn_emulator.so]
// RESULT: OK, 6 and 6
// MISSING: UNAVAILABLE: the emulator of GPU kernels (target simt) is needed, but what RNNRT_EMULATOR_PATH names cannot be loaded: `/nowhere/librnn_emulator.so`
func.func @main(%x: memref<64xf32>) -> memref<64xf32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %y = memref.alloc() : memref<64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %value = memref.load %x[%tx] : memref<64xf32>
    %sum = arith.addf %value, %value : f32
    memref.store %sum, %y[%tx] : memref<64xf32>
    gpu.terminator
  }
  return %y : memref<64xf32>
}
