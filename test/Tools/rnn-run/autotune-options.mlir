// --autotune measures the vector width and the bf16 methods of the processor, for the rows that the function has.
// REQUIRES: rnn-run, avx512-bf16
// RUN: rm -f %t.json
// DEFINE: %{inputs} = --input=random:1 --input=random:2 --input=random:3
// RUN: rnn-run %s --function=rows %{inputs} --autotune=%t.json | FileCheck %s --check-prefix=ROWS --implicit-check-not=one-row
// RUN: rnn-run %s --function=one %{inputs} --autotune=%t.json | FileCheck %s --check-prefix=ONE --implicit-check-not="bf16-gemm:"
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: rnn-run %s --function=rows %{inputs} --tuning-records=%t.json --benchmark=1 | FileCheck %s --check-prefix=RUNS

// A flag of the command line is not measured.
// RUN: rnn-run %s --function=rows %{inputs} --vector-bits=256 --bf16-gemm=vnni --autotune=%t.given.json | FileCheck %s --check-prefix=GIVEN --implicit-check-not=vector-bits --implicit-check-not=bf16-gemm

// ROWS: vector-bits: {{[0-9]+}} {{[0-9.]+}} {{us|ms}}, {{[0-9]+}} {{[0-9.]+}} {{us|ms}}, so {{256|512}}
// ROWS-NEXT: bf16-gemm: {{.*}}f32 {{[0-9.]+}} {{us|ms}}, {{.*}}so
// ROWS-NEXT: rnn.cudnn_forward
// ONE: vector-bits:
// ONE-NEXT: bf16-gemm-one-row: {{.*}}vnni {{[0-9.]+}} {{us|ms}}, {{.*}}so
// FILE: {"option":"bf16-gemm","target":"host","chip":"{{[^"]+}}","device":"{{[^"]+}}","function":"rows","microseconds":{{[{].*"avx512":.*"f32":.*"vnni":.*[}]}},"choice":"{{[a-z0-9]+}}"},
// FILE-NEXT: {"option":"bf16-gemm-one-row",{{.*}}"function":"one"
// FILE-NEXT: {"option":"vector-bits",{{.*}}"function":"one","microseconds":{"256":{{[0-9.]+}},"512":{{[0-9.]+}}},"choice":"{{256|512}}"}
// FILE-NEXT: ]}
// RUNS: 1 calls of rows
// GIVEN: rnn.cudnn_forward
func.func @rows(%x: tensor<3x4x32xbf16>, %h: tensor<1x4x32xbf16>, %p: tensor<2112xbf16>) -> tensor<3x4x32xbf16> {
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<3x4x32xbf16>) state(%h : tensor<1x4x32xbf16>)
      params(%p : tensor<2112xbf16>) {is_training = false}
  return %y#0 : tensor<3x4x32xbf16>
}
func.func @one(%x: tensor<3x1x32xbf16>, %h: tensor<1x1x32xbf16>, %p: tensor<2112xbf16>) -> tensor<3x1x32xbf16> {
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<3x1x32xbf16>) state(%h : tensor<1x1x32xbf16>)
      params(%p : tensor<2112xbf16>) {is_training = false}
  return %y#0 : tensor<3x1x32xbf16>
}
