// RUN: rnn-opt %s -split-input-file -verify-diagnostics | rnn-opt -split-input-file | FileCheck %s
// RUN: rnn-opt %s -split-input-file -verify-diagnostics -mlir-print-op-generic | rnn-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func @forms
func.func @forms(%call: !rnnrt.call, %x: memref<8x4xf16>, %w: memref<6x4xf16>, %y: memref<8x6xf32>, %b: memref<6xf32>,
                 %n: index) -> (index, index) {
  // CHECK: rnnrt.gemm %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] left %{{.*}}[%{{.*}}, %{{.*}}] right %{{.*}}[%{{.*}}, %{{.*}}] result %{{.*}}[%{{.*}}, %{{.*}}] bias %{{.*}} {right_transposed} : memref<8x4xf16>, memref<6x4xf16>, memref<8x6xf32>, memref<6xf32>
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %w[%n, %n] result %y[%n, %n] bias %b
      {right_transposed} : memref<8x4xf16>, memref<6x4xf16>, memref<8x6xf32>, memref<6xf32>
  // CHECK: rnnrt.gemm {{.*}} {accumulate, left_transposed} : memref<8x4xf16>, memref<6x4xf16>, memref<8x6xf32>
  %1 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %w[%n, %n] result %y[%n, %n]
      {accumulate, left_transposed} : memref<8x4xf16>, memref<6x4xf16>, memref<8x6xf32>
  return %0, %1 : index, index
}

// -----

func.func @left(%call: !rnnrt.call, %x: memref<8xi32>, %n: index) {
  // expected-error @below {{'rnnrt.gemm' op expects elements of `left` to be f16, bf16, f32 or f64, but got 'i32'}}
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %x[%n, %n] result %x[%n, %n]
      : memref<8xi32>, memref<8xi32>, memref<8xi32>
  return
}

// -----

func.func @right(%call: !rnnrt.call, %x: memref<8xf16>, %w: memref<8xbf16>, %n: index) {
  // expected-error @below {{'rnnrt.gemm' op expects elements of `right` to be 'f16', the element type of `left`, but got 'bf16'}}
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %w[%n, %n] result %x[%n, %n]
      : memref<8xf16>, memref<8xbf16>, memref<8xf16>
  return
}

// -----

func.func @result(%call: !rnnrt.call, %x: memref<8xf16>, %y: memref<8xbf16>, %n: index) {
  // expected-error @below {{'rnnrt.gemm' op expects elements of `result` to be 'f16' or f32, but got 'bf16'}}
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %x[%n, %n] result %y[%n, %n]
      : memref<8xf16>, memref<8xf16>, memref<8xbf16>
  return
}

// -----

func.func @bias(%call: !rnnrt.call, %x: memref<8xf16>, %y: memref<8xf32>, %n: index) {
  // expected-error @below {{'rnnrt.gemm' op expects elements of `bias` to be 'f32', the element type of `result`, but got 'f16'}}
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %x[%n, %n] result %y[%n, %n] bias %x
      : memref<8xf16>, memref<8xf16>, memref<8xf32>, memref<8xf16>
  return
}

// -----

func.func @double(%call: !rnnrt.call, %x: memref<8xf64>, %n: index) {
  // expected-error @below {{'rnnrt.gemm' op expects no `bias` for f64; add it with a kernel}}
  %0 = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %x[%n, %n] result %x[%n, %n] bias %x
      : memref<8xf64>, memref<8xf64>, memref<8xf64>, memref<8xf64>
  return
}
