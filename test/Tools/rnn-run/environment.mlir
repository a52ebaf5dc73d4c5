// Values of the runtime's environment variables that are not valid: reported, and ignored.
// REQUIRES: rnn-run, jit
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=2x4x20xf16=0.5
// RUN: %{run} --lowering=fused --output=@%t/h.npy
// DEFINE: %{same} = --expected-output=@%t/h.npy --rtol=1e-2 --atol=1e-2
// RUN: env RNNRT_MEMORY_CACHE=9223372036854775808 RNNRT_TRACE=all,,memory RNNRT_HOST_CPU=avx10 \
// RUN:   %{run} --lowering=fused %{same} > %t/log 2>&1
// RUN: FileCheck %s --check-prefix=LOOPS < %t/log
// LOOPS-DAG: rnnrt,warning,RNNRT_MEMORY_CACHE expects a size in MiB from 0 to 1073741824, but got `9223372036854775808`
// LOOPS-DAG: rnnrt,warning,RNNRT_TRACE accepts dispatch, plan and memory, but got `all`
// LOOPS: all results are as expected

// RUN: env RNNRT_PLAN_CACHE=99999999999999999999 RNNRT_HOST_CPU=avx512 RNNRT_DROPOUT_DRAW=1e3 %{run} --lowering=runtime %{same} > %t/log 2>&1
// RUN: FileCheck %s --check-prefix=PLANS < %t/log
// PLANS-DAG: rnnrt,warning,RNNRT_PLAN_CACHE expects a number of plans from 1 to 1073741824, but got `99999999999999999999`
// PLANS-DAG: rnnrt,warning,RNNRT_HOST_CPU expects baseline or avx2, but got `avx512`
// PLANS-DAG: rnnrt,warning,RNNRT_DROPOUT_DRAW expects an integer of at least -1, but got `1e3`
// PLANS: all results are as expected

// DEFINE: %{simt} = %{run} --target=simt --lowering=fused --fused-kernel=persistent
// RUN: env RNNRT_CLUSTERS=no RNNRT_RESIDENT_CLUSTERS=99999999999999999999 %{simt} %{same} > %t/log 2>&1
// RUN: FileCheck %s --check-prefix=SIMT < %t/log
// SIMT-DAG: rnnrt,warning,RNNRT_CLUSTERS expects 0 or 1, but got `no`
// SIMT-DAG: rnnrt,warning,RNNRT_RESIDENT_CLUSTERS expects an integer of at least 1, but got `99999999999999999999`
// SIMT: all results are as expected

// An error: another schedule, or the emulator of another path, is not what was requested.
// RUN: env RNNRT_SIMT_SCHEDULE=random:-1 not %{simt} 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: env RNNRT_EMULATOR_PATH=%t/none/lib.so not %{simt} 2>&1 | FileCheck %s --check-prefix=EMULATOR
// SCHEDULE: error: {{.*}}unknown schedule `random:-1`; expected fifo, reverse, random or random:SEED with a whole number
// EMULATOR: error: {{.*}}RNNRT_EMULATOR_PATH names cannot be loaded: {{.*}}none/lib.so{{.*}}; correct or unset RNNRT_EMULATOR_PATH

func.func @main(%x: tensor<2x4x20xf16>) -> tensor<2x4x20xf16> {
  %zero = arith.constant dense<0.0> : tensor<4x20xf16>
  %w = arith.constant dense<0.05> : tensor<40x80xf16>
  %p = arith.constant dense<0.0> : tensor<20xf16>
  %b = arith.constant dense<0.0> : tensor<80xf16>
  %r:7 = rnn.block_lstm icfo x(%x : tensor<2x4x20xf16>) state(%zero, %zero : tensor<4x20xf16>) weights(%w : tensor<40x80xf16>)
      peephole(%p, %p, %p : tensor<20xf16>) bias(%b : tensor<80xf16>)
  return %r#6 : tensor<2x4x20xf16>
}
