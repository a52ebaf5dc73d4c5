// The entry points of public functions and their descriptions.
// RUN: rnn-opt %s --rnn-emit-entries --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-emit-entries="prefix=net device-memory" --split-input-file | FileCheck %s --check-prefix=PREFIX

// A tensor and a scalar. The function becomes private and loses its argument names.
// CHECK-LABEL: func.func private @layer(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x4xf32>, %{{.*}}: i1) -> (memref<?x4xf32>, i32)
// CHECK-SAME: attributes {llvm.linkage = #llvm.linkage<internal>}
func.func @layer(%call: !llvm.ptr, %x: memref<?x4xf32> {rnn.name = "x"}, %flag: i1 loc("flag"))
    -> (memref<?x4xf32> {rnn.name = "y"}, i32) {
  %c7 = arith.constant 7 : i32
  return %x, %c7 : memref<?x4xf32>, i32
}

// The body reads the arguments from their slots and stores the results.
// CHECK-LABEL: llvm.func internal @rnn_entry_layer.body(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr)
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[XV:.*]] = llvm.load %[[X]]
// CHECK: %[[XM:.*]] = builtin.unrealized_conversion_cast %[[XV]] : {{.*}} to memref<?x4xf32>
// CHECK: %[[FLAG:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[FV:.*]] = llvm.load %[[FLAG]] : !llvm.ptr -> i8
// CHECK: %[[FB:.*]] = llvm.icmp "ne" %[[FV]]
// CHECK: %[[R:.*]]:2 = func.call @layer(%[[CALL]], %[[XM]], %[[FB]])
// CHECK: %[[Y:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[YD:.*]] = builtin.unrealized_conversion_cast %[[R]]#0 : memref<?x4xf32> to
// CHECK: llvm.store %[[YD]], %[[Y]]
// CHECK: %[[SEVEN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.store %[[R]]#1, %[[SEVEN]] : i32

// CHECK-LABEL: llvm.func @rnn_entry_layer(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %[[N:.*]]: i64, %[[OUTPUTS:.*]]: !llvm.ptr, %[[M:.*]]: i64)
// CHECK-SAME: rnnrt.entry = {function = "layer",
// CHECK-SAME: inputs = [{name = "x", sizes = array<i64: 1, 0>, type = tensor<?x4xf32>}, {name = "flag", type = i1}],
// CHECK-SAME: results = [{name = "y", sizes = array<i64: 1, 0>, type = tensor<?x4xf32>}, {name = "", type = i32}]}
// CHECK: %[[X:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// A flag is a byte.
// CHECK: %[[FLAG:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[Y:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK: %[[SEVEN:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[PLACES:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK: llvm.store %[[X]]
// CHECK: llvm.store %[[FLAG]]
// CHECK: %[[RESULTS:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK: %[[SELF:.*]] = llvm.mlir.addressof @rnn_entry_layer.description
// CHECK: %[[GO:.*]] = llvm.call @rnnrt_abi_enter(%[[CALL]], %[[SELF]], %[[INPUTS]], %[[N]], %[[OUTPUTS]], %[[M]], %[[PLACES]])
// CHECK: %[[YES:.*]] = llvm.icmp "ne" %[[GO]]
// CHECK: llvm.cond_br %[[YES]], ^[[EXECUTE:.*]], ^[[END:.*]]
// CHECK: ^[[EXECUTE]]:
// CHECK: %[[BODY:.*]] = llvm.mlir.addressof @rnn_entry_layer.body
// CHECK: %[[DONE:.*]] = llvm.call @rnnrt_abi_execute(%[[CALL]], %[[SELF]], %[[BODY]], %[[PLACES]], %[[RESULTS]])
// CHECK: %[[RETURNED:.*]] = llvm.icmp "ne" %[[DONE]]
// CHECK: llvm.cond_br %[[RETURNED]], ^[[LEAVE:.*]], ^[[END]]
// CHECK: ^[[LEAVE]]:
// CHECK: llvm.call @rnnrt_abi_leave(%[[CALL]], %[[SELF]], %[[OUTPUTS]], %[[RESULTS]])
// CHECK: llvm.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK: llvm.return

// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.inputs.0.name("x\00")
// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.inputs.0.shape(dense<[-1, 4]> : tensor<2xi64>)
// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.inputs.1.name("flag\00")
// CHECK-NOT: inputs.1.shape
// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.outputs.0.name("y\00")
// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.outputs.1.name("\00")
// CHECK: llvm.mlir.global internal constant @rnn_entry_layer.description() {{.*}} : !llvm.struct<(i32, i32, ptr, ptr, ptr, i64, i64, ptr)>
// CHECK: llvm.mlir.global weak constant @rnn_exports() {{.*}} : !llvm.struct<(i32, i32, ptr)>

// With a prefix, and with tensors in device memory.
// PREFIX-LABEL: llvm.func @rnn_entry_net_layer(
// PREFIX-SAME: device_memory

// -----

// The descriptor of an unranked result, on the stack of the body, is copied to the slot, after rank and pointer.
// CHECK-LABEL: llvm.func internal @rnn_entry_unranked.body(
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(i64, ptr)> to memref<*xf32>
// CHECK: %[[R:.*]] = func.call @unranked
// CHECK: %[[SLOT:.*]] = llvm.load
// CHECK: %[[V:.*]] = builtin.unrealized_conversion_cast %[[R]] : memref<*xf32> to !llvm.struct<(i64, ptr)>
// CHECK: %[[RANK:.*]] = llvm.extractvalue %[[V]][0]
// CHECK: %[[FROM:.*]] = llvm.extractvalue %[[V]][1]
// CHECK: %[[COPY:.*]] = llvm.getelementptr %[[SLOT]][2]
// CHECK: llvm.intr.umin(%[[RANK]]
// CHECK: llvm.store %[[RANK]], %[[SLOT]]
// CHECK: llvm.store %[[COPY]]
// CHECK: "llvm.intr.memcpy"(%[[COPY]], %[[FROM]]

// The entry point checks the rank and sizes of unchecked casts. All casts together define the type.
// CHECK-LABEL: llvm.func @rnn_entry_unranked(
// CHECK-SAME: inputs = [{name = "", type = tensor<3x?x2xf32>}, {name = "", type = tensor<*xf64>}, {name = "", type = tensor<*xi8>}]
// CHECK-SAME: results = [{name = "", type = tensor<*xf32>}]
// Space for a rank, a pointer, and the largest descriptor after them.
// CHECK: llvm.alloca %{{.*}} x !llvm.array<21 x i64>
// CHECK: llvm.call @rnnrt_abi_enter
func.func @unranked(%call: !llvm.ptr, %a: memref<*xf32>, %any: memref<*xf64>, %unused: memref<*xi8>) -> memref<*xf32> {
  %0 = memref.cast %a : memref<*xf32> to memref<3x?x?xf32>
  %r = memref.rank %any : memref<*xf64>
  %1 = memref.cast %any : memref<*xf64> to memref<4xf64>
  call @inner(%call, %a) : (!llvm.ptr, memref<*xf32>) -> ()
  return %a : memref<*xf32>
}
func.func private @inner(%call: !llvm.ptr, %a: memref<*xf32>) {
  %0 = memref.cast %a : memref<*xf32> to memref<?x?x2xf32>
  return
}

// -----

// Arguments that the function writes to, and the entry for tvm-ffi.
// CHECK-LABEL: func.func private @outputs(%{{.*}}: !llvm.ptr, %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>)
// CHECK-LABEL: llvm.func @rnn_entry_outputs(
// CHECK-SAME: inputs = [{name = "x", type = tensor<4xf32>}, {flags = 3 : i32, name = "y", type = tensor<4xf32>}, {flags = 1 : i32, name = "", type = tensor<4xf32>}]
// CHECK: llvm.func weak @__tvm_ffi_outputs(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr, %[[COUNT:.*]]: i32, %[[RESULT:.*]]: !llvm.ptr) -> i32
// CHECK: %[[SELF:.*]] = llvm.mlir.addressof @rnn_entry_outputs.description
// CHECK: %[[CODE:.*]] = llvm.call @rnnrt_abi_tvm_ffi_call(%[[SELF]], %[[ARGUMENTS]], %[[COUNT]], %[[RESULT]])
// CHECK: llvm.return %[[CODE]] : i32
func.func @outputs(%call: !llvm.ptr, %x: memref<4xf32> {rnn.name = "x"}, %y: memref<4xf32> {rnn.access = "write", rnn.name = "y"},
                   %z: memref<4xf32> {rnn.access = "readwrite"}) {
  return
}

// -----

// Names that are not valid in C.
// CHECK-LABEL: llvm.func @rnn_entry___inference_train_step_7(
// CHECK-SAME: function = "__inference_train.step-7"
// CHECK-NOT: __tvm_ffi
func.func @"__inference_train.step-7"(%call: !llvm.ptr) {
  return
}

// -----

// Functions that cannot be exported do not change. Without exported functions there is no table.
// CHECK-LABEL: func.func @complex
// CHECK-NOT: rnn_entry
// CHECK-NOT: rnn_exports
// CHECK: func.func private @declared(memref<?xf32>) attributes {llvm.emit_c_interface}
// CHECK-NOT: rnn_entry
// CHECK-NOT: rnn_exports
func.func @complex(%call: !llvm.ptr, %x: memref<4xcomplex<f32>>) {
  return
}
func.func private @declared(memref<?xf32>)

// -----

// More than 16 results: a function for each type stores them.
// CHECK-LABEL: llvm.func internal @rnn_entry_many.body(
// CHECK: %[[R:.*]]:17 = func.call @many(
// CHECK: %[[PLACE:.*]] = llvm.load
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %[[R]]#0
// CHECK: llvm.call @rnn_entry_many.store[[FIRST:.]](%[[PLACE]], %[[X]])
// CHECK: %[[PLACE:.*]] = llvm.load
// CHECK: llvm.call @rnn_entry_many.store[[SECOND:.]](%[[PLACE]], %[[R]]#1)
// CHECK-COUNT-15: llvm.call @rnn_entry_many.store{{[0-9]+}}(
// CHECK-NOT: llvm.store
// CHECK: llvm.return
// CHECK: llvm.func internal @rnn_entry_many.store[[FIRST]](%[[TO:.*]]: !llvm.ptr, %[[VALUE:.*]]: !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>) attributes {no_inline}
// CHECK-NEXT: llvm.store %[[VALUE]], %[[TO]]
// CHECK: llvm.func internal @rnn_entry_many.store[[SECOND]](%{{.*}}: !llvm.ptr, %{{.*}}: f32) attributes {no_inline}
func.func @many(%call: !llvm.ptr, %x: memref<4xf32>, %f: f32) -> (memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>) {
  return %x, %f, %x, %f, %x, %f, %x, %f, %x, %f, %x, %f, %x, %f, %x, %f, %x : memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>, f32, memref<4xf32>
}
