// large-results.mlir - a private function with many scalars in its results stores them in memory of its caller, each memref
// where it is computed.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s -O0 -o %t.ll && FileCheck %s < %t.ll
// CHECK-LABEL: define internal void @many(
// CHECK-SAME: ptr noalias %[[RESULTS:[0-9]+]])
// CHECK: call ptr @rnnrt_abi_alloc_result(ptr %0, i64 0,
// CHECK-NOT: call
// CHECK: %[[FIRST:.*]] = getelementptr {{.*}}, ptr %[[RESULTS]], i32 0, i32 0
// CHECK-NEXT: store { ptr, ptr, i64, [4 x i64], [4 x i64] } %{{.*}}, ptr %[[FIRST]]
// CHECK: call ptr @rnnrt_abi_alloc_result(ptr %0, i64 1,
// CHECK: ret void
// CHECK-LABEL: define internal void @rnn_entry_{{.*}}_many.body(
// CHECK: %[[MEMORY:.*]] = alloca { { ptr, ptr, i64, [4 x i64], [4 x i64] },
// CHECK: call void @many({{.*}} %[[MEMORY]])
// CHECK: %[[ADDRESS:.*]] = getelementptr {{.*}}, ptr %[[MEMORY]], i32 0, i32 5
// CHECK-NEXT: load { ptr, ptr, i64, [4 x i64], [4 x i64] }, ptr %[[ADDRESS]]
func.func @many(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) {
  %a = arith.addf %x, %x : tensor<2x3x4x5xf32>
  %b = math.sin %a : tensor<2x3x4x5xf32>
  %c = math.exp %b : tensor<2x3x4x5xf32>
  %d = math.tanh %c : tensor<2x3x4x5xf32>
  %e = math.exp %d : tensor<2x3x4x5xf32>
  %f = math.sin %e : tensor<2x3x4x5xf32>
  return %a, %b, %c, %d, %e, %f : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>
}
