// f32 in full precision: every operand is split into a tf32 value and a remainder, by a mask that the compiler cannot fold. A
// fragment takes three MMAs; the two small terms have an accumulator of their own.
// RUN: rnn-opt %s -rnn-pipeline="target=simt lowering=fused stop-after=lower" | FileCheck %s
// With tf32, one MMA of weights that were rounded before the loop.
// RUN: rnn-opt %s -rnn-pipeline="target=simt lowering=fused tf32 stop-after=lower" | FileCheck %s --check-prefix=TF32 --implicit-check-not='llvm.load volatile' --implicit-check-not=llvm.fsub

// CHECK-NOT: nvvm.convert.float.to.tf32
// CHECK-LABEL: gpu.func @block_lstm_persistent
// CHECK: %[[KNOWN:.*]] = arith.constant -8192 : i32
// CHECK: llvm.store %[[KNOWN]], %[[PLACE:.*]] : i32, !llvm.ptr<3>
// CHECK: nvvm.cluster.wait
// CHECK: scf.for
// CHECK: %[[MASK:.*]] = llvm.load volatile %[[PLACE]]
// CHECK: %[[B0:.*]] = llvm.load
// CHECK: %[[B1:.*]] = llvm.load
// CHECK: %[[HALF:.*]] = llvm.ashr %[[MASK]],
// CHECK: %[[SUM:.*]] = llvm.sub %[[B0]], %[[HALF]]
// CHECK: %[[HIGH0:.*]] = llvm.and %[[SUM]], %[[MASK]]
// CHECK: %[[ALL:.*]] = llvm.bitcast %[[B0]] : i32 to f32
// CHECK: %[[HIGH:.*]] = llvm.bitcast %[[HIGH0]] : i32 to f32
// CHECK: %[[REST:.*]] = llvm.fsub %[[ALL]], %[[HIGH]]
// CHECK: %[[LOW0:.*]] = llvm.bitcast %[[REST]] : f32 to i32
// CHECK: %[[SUM:.*]] = llvm.sub %[[B1]], %[[HALF]]
// CHECK: %[[HIGH1:.*]] = llvm.and %[[SUM]], %[[MASK]]
// CHECK: %[[LOW1:.*]] = llvm.bitcast {{.*}} : f32 to i32
// CHECK: nvvm.mma.sync A[%[[L0:.*]], %[[L1:.*]], %[[L2:.*]], %[[L3:.*]]] B[%[[HIGH0]], %[[HIGH1]]] C[%[[ZERO:.*]], %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK: %[[SMALL:.*]] = nvvm.mma.sync A[%[[H0:.*]], %[[H1:.*]], %[[H2:.*]], %[[H3:.*]]] B[%[[LOW0]], %[[LOW1]]] C[
// CHECK: %[[S:.*]] = llvm.extractvalue %[[SMALL]][0]
// CHECK: %[[LARGE:.*]] = nvvm.mma.sync A[%[[H0]], %[[H1]], %[[H2]], %[[H3]]] B[%[[HIGH0]], %[[HIGH1]]] C[%[[ZERO]],
// CHECK: %[[L:.*]] = llvm.extractvalue %[[LARGE]][0]
// CHECK: arith.addf %[[L]], %[[S]]
// CHECK-NOT: nvvm.mma.sync

// TF32-LABEL: gpu.func @persistent_weights
// TF32: nvvm.convert.float.to.tf32
// TF32-LABEL: gpu.func @block_lstm_persistent
// TF32: scf.for
// TF32: nvvm.mma.sync
// TF32-NOT: nvvm.mma.sync
// TF32: nvvm.convert.float.to.tf32
func.func @one_piece(%x: tensor<2x3x1xf32>, %state: tensor<3x4xf32>, %w: tensor<5x16xf32>, %p: tensor<4xf32>,
                     %b: tensor<16xf32>) -> tensor<2x3x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<2x3x1xf32>) state(%state, %state : tensor<3x4xf32>) weights(%w : tensor<5x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      {lowering = #rnn.lowering<fused, kernel = persistent, cluster = 2>}
  return %r#6 : tensor<2x3x4xf32>
}
