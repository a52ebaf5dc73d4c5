// Half-precision conversions, which modules for processors without such instructions define themselves: every f16, and values of
// f32 and f64 at and around every rounding boundary, compared with an independent formula.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o libhalf.so --emit-header=half.h
// RUN: llvm-nm libhalf.so | FileCheck %s
// RUN: llvm-nm --dynamic libhalf.so | FileCheck %s --check-prefix=DYNAMIC
// RUN: %cc -I. %S/Inputs/half.c -L. -lhalf -Wl,-rpath,. %link_runtime -lm -o half && ./half
// On processors with instructions the results are the same, except that AVX512-BF16 flushes subnormals to zero.
// RUN: rnn-compile %s -o libhalf.so --cpu=native
// RUN: %if avx512-bf16 %{ ./half --flushes %} %else %{ ./half %}

// The definitions are hidden: they neither replace functions of other libraries nor are replaced by them.
// CHECK: t __extendhfsf2
// DYNAMIC-NOT: hfsf2
// DYNAMIC-NOT: {{trunc.f.f2}}
func.func @widen(%x: tensor<?xf16>) -> tensor<?xf32> {
  %y = arith.extf %x : tensor<?xf16> to tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @narrow(%x: tensor<?xf32>) -> (tensor<?xf16>, tensor<?xbf16>) {
  %h = arith.truncf %x : tensor<?xf32> to tensor<?xf16>
  %b = arith.truncf %x : tensor<?xf32> to tensor<?xbf16>
  return %h, %b : tensor<?xf16>, tensor<?xbf16>
}
func.func @narrow64(%x: tensor<?xf64>) -> (tensor<?xf16>, tensor<?xbf16>) {
  %h = arith.truncf %x : tensor<?xf64> to tensor<?xf16>
  %b = arith.truncf %x : tensor<?xf64> to tensor<?xbf16>
  return %h, %b : tensor<?xf16>, tensor<?xbf16>
}
