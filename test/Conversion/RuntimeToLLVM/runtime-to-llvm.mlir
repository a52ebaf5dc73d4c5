// RUN: rnn-opt %s -rnn-thread-runtime-call -convert-rnn-runtime-to-llvm -split-input-file | FileCheck %s
// RUN: rnn-opt %s -rnn-thread-runtime-call -split-input-file | FileCheck %s --check-prefix=THREAD

// CHECK-DAG: llvm.func @rnnrt_abi_rnn_plan(!llvm.ptr, i32, i32, i32, i32, i32, i32, f64, i64, i64, i64, i64, i64, i64, i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @rnnrt_abi_rnn_params_size(!llvm.ptr, !llvm.ptr) -> i64
// CHECK-LABEL: func @params_size(%arg0: !llvm.ptr, %arg1: index
// CHECK: %[[PLAN:.*]] = llvm.call @rnnrt_abi_rnn_plan(%arg0,
// CHECK: llvm.call @rnnrt_abi_rnn_params_size(%arg0, %[[PLAN]])
// CHECK-LABEL: func @caller(%arg0: !llvm.ptr, %arg1: index)
// CHECK: call @params_size(%arg0, %arg1) : (!llvm.ptr, index) -> index

// THREAD-LABEL: func @params_size(%arg0: !rnnrt.call, %arg1: index) -> index
// THREAD-NOT: current_call
// THREAD-LABEL: func @caller(%arg0: !rnnrt.call
// THREAD: call @params_size(%arg0, %arg1) : (!rnnrt.call, index) -> index
// THREAD: call @external(%arg1) : (index) -> ()
func.func @params_size(%n: index) -> index {
  %call = rnnrt.current_call : !rnnrt.call
  %plan = rnnrt.rnn_plan %call f32 steps %n batch %n input %n hidden %n projection %n layers %n
      {mode = #rnn.mode<gru>, input_mode = #rnn.input_mode<linear_input>, direction = #rnn.direction<unidirectional>,
       training = false, dropout = 0.0 : f64, seed = 0 : i64, seed2 = 0 : i64}
  %size = rnnrt.rnn_params_size %call, %plan
  return %size : index
}
func.func @caller(%n: index) -> index {
  %r = call @params_size(%n) : (index) -> index
  call @external(%n) : (index) -> ()
  return %r : index
}
func.func private @external(index)

// -----

// Absent results are null pointers; a view passes the address of its first element; equal messages share a global.
// CHECK: llvm.mlir.global private constant @rnnrt_message_0("a size\00")
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: func @forward
// CHECK: llvm.call @rnnrt_abi_expect_equal
// CHECK: llvm.call @rnnrt_abi_expect_equal
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: memref.extract_strided_metadata
// CHECK: llvm.getelementptr
// CHECK: llvm.call @rnnrt_abi_rnn_forward(%{{.*}}, %{{.*}}, %[[NULL]],
func.func @forward(%plan: !rnnrt.plan, %x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<10xf32>, %n: index) {
  %call = rnnrt.current_call : !rnnrt.call
  rnnrt.expect_equal %call, %n, %n, "a size"
  rnnrt.expect_equal %call, %n, %n, "a size"
  rnnrt.rnn_forward %call, %plan x %x h0 %h params %p[%n] [%n]
      : !rnnrt.call, !rnnrt.plan, memref<5x2x3xf32>, memref<1x2x4xf32>, memref<10xf32>, index, index
  return
}

// -----

// Lists are passed as arrays on the stack of the function, also from inside a loop.
// CHECK-LABEL: func @pack
// CHECK: llvm.alloca
// CHECK: llvm.alloca
// CHECK: scf.for
// CHECK-NOT: llvm.alloca
// CHECK: llvm.call @rnnrt_abi_rnn_pack_params
func.func @pack(%plan: !rnnrt.plan, %w: memref<?x3xf32>, %b: memref<4xf32>, %p: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %call = rnnrt.current_call : !rnnrt.call
    rnnrt.rnn_pack_params %call, %plan weights(%w, %w) biases(%b, %b) params %p
        : !rnnrt.call, !rnnrt.plan, memref<?x3xf32>, memref<?x3xf32>, memref<4xf32>, memref<4xf32>, memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @begin
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: %[[OK:.*]] = llvm.call @rnnrt_abi_rnn_begin(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64) -> i64
func.func @begin(%plan: !rnnrt.plan, %lengths: memref<2xi32>, %reserve: memref<?xi8>, %n: index) -> index {
  %call = rnnrt.current_call : !rnnrt.call
  %ok = rnnrt.rnn_begin %call, %plan pass 2 lengths %lengths params [%n] reserve %reserve [%n]
      : !rnnrt.call, !rnnrt.plan, memref<2xi32>, index, memref<?xi8>, index
  return %ok : index
}
