// RUN: rnn-opt %s -convert-rnn-runtime-to-llvm -split-input-file | FileCheck %s
// RUN: rnn-opt %s -rnn-thread-runtime-call -convert-rnn-runtime-to-llvm -finalize-memref-to-llvm -convert-arith-to-llvm -convert-func-to-llvm -reconcile-unrealized-casts -split-input-file | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @alloc
// CHECK-SAME:    (%[[CALL:.*]]: !llvm.ptr, %[[N:.*]]: index)
// CHECK:         %[[ROW:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         %[[ELEMENTS:.*]] = llvm.mul %[[ROW]], %[[SIZE]] : i64
// CHECK:         %[[BYTES:.*]] = llvm.mul %[[ELEMENTS]], %{{.*}} : i64
// CHECK:         %[[P:.*]] = llvm.call @rnnrt_abi_alloc(%[[CALL]], %[[BYTES]]) : (!llvm.ptr, i64) -> !llvm.ptr
// CHECK:         %[[B:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x3xf32>
// CHECK:         return %[[B]]
// LLVM-LABEL:  llvm.func @alloc
// LLVM:          %[[P:.*]] = llvm.call @rnnrt_abi_alloc
// LLVM:          llvm.insertvalue %[[P]], %{{.*}}[0]
// LLVM:          llvm.insertvalue %[[P]], %{{.*}}[1]
// LLVM-NOT:      unrealized_conversion_cast
func.func @alloc(%call: !rnnrt.call, %n: index) -> memref<?x3xf32> {
  %b = rnnrt.alloc %call(%n) : memref<?x3xf32>
  return %b : memref<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @others
// CHECK-SAME:    (%[[CALL:.*]]: !llvm.ptr, %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[S:.*]]: memref<f32>)
// CHECK:         llvm.call @rnnrt_abi_copy(%[[CALL]], %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK:         llvm.call @rnnrt_abi_read(%[[CALL]], %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK:         llvm.call @rnnrt_abi_make_current(%[[CALL]])
// CHECK:         llvm.call @rnnrt_abi_begin_chain(%[[CALL]]) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @rnnrt_abi_end_chain(%[[CALL]]) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @rnnrt_abi_try_clusters(%[[CALL]]) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @rnnrt_abi_clusters_ran(%[[CALL]]) : (!llvm.ptr) -> i64
// CHECK:         llvm.call @rnnrt_abi_wavefront_begin(%[[CALL]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i64) -> ()
// CHECK:         llvm.call @rnnrt_abi_wavefront_task(%[[CALL]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64) -> i64
// CHECK:         llvm.call @rnnrt_abi_wavefront_end(%[[CALL]]) : (!llvm.ptr) -> ()
// CHECK:         llvm.call @rnnrt_abi_enable_amx(%[[CALL]]) : (!llvm.ptr) -> i64
// CHECK:         %[[FORM:.*]] = llvm.mlir.constant(7 : i64)
// CHECK:         %[[PACKED:.*]] = llvm.call @rnnrt_abi_pack_begin(%[[CALL]], %[[FORM]], %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr, i64, i64, i64, i64, i64, !llvm.ptr) -> !llvm.ptr
// CHECK:         llvm.call @rnnrt_abi_pack_end(%[[CALL]], %[[PACKED]]) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         llvm.call @rnnrt_abi_free(%[[CALL]], %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
func.func @others(%call: !rnnrt.call, %x: memref<4xf32>, %y: memref<4xf32>, %s: memref<f32>) {
  %c16 = arith.constant 16 : index
  rnnrt.copy %call, %x to %y bytes %c16 : !rnnrt.call, memref<4xf32>, memref<4xf32>, index
  rnnrt.read %call, %x to %s bytes %c16 : !rnnrt.call, memref<4xf32>, memref<f32>, index
  rnnrt.make_current %call
  rnnrt.begin_chain %call
  rnnrt.end_chain %call
  rnnrt.try_clusters %call
  %ran = rnnrt.clusters_ran %call
  rnnrt.wavefront_begin %call, %c16, %c16, %c16, %c16
  %signals = rnnrt.wavefront_task %call, %c16, %c16
  rnnrt.wavefront_end %call
  %enabled = rnnrt.enable_amx %call
  %null = llvm.mlir.zero : !llvm.ptr
  %packed = rnnrt.pack_begin %call form 7 weights %x [%c16] input %c16 hidden %c16 index %c16 bytes %c16
      memory %null : memref<4xf32>, !llvm.ptr -> !llvm.ptr
  rnnrt.pack_end %call, %packed : !llvm.ptr
  rnnrt.free %call, %x : memref<4xf32>
  return
}
