// Functions that cannot be exported, with the reason.
// RUN: rnn-opt %s --rnn-emit-entries="all" --split-input-file --verify-diagnostics

// expected-error @below {{`main` cannot be exported: argument 0 of type 'memref<4xcomplex<f32>>' has complex elements, which the runtime does not have: pass the real and imaginary parts; make the function private if it is not called from outside}}
func.func @main(%call: !llvm.ptr, %x: memref<4xcomplex<f32>>) {
  return
}

// -----

// expected-error @below {{`main` cannot be exported: result 1 of type 'i24' is neither a tensor nor a scalar type of the runtime}}
func.func @main(%call: !llvm.ptr) -> (f32, i24) {
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant 0 : i24
  return %0, %1 : f32, i24
}

// -----

// expected-error @below {{argument 1 of type 'memref<4xf32, strided<[2]>>' is not contiguous}}
func.func @main(%call: !llvm.ptr, %k: i64, %x: memref<4xf32, strided<[2]>>) {
  return
}

// -----

// expected-error @below {{argument 0 of type 'memref<1x1x1x1x1x1x1x1x1xf32>' has more than 8 dimensions}}
func.func @main(%call: !llvm.ptr, %x: memref<1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error @below {{argument 0 of type 'memref<*xf32>' is unranked and is cast to tensors of rank 1 and of rank 2}}
func.func @main(%call: !llvm.ptr, %x: memref<*xf32>) {
  %0 = memref.cast %x : memref<*xf32> to memref<?x?xf32>
  %1 = memref.cast %x : memref<*xf32> to memref<?xf32>
  return
}

// -----

// expected-error @below {{argument 0 of type 'memref<*xf32>' is unranked and is cast to tensors of different sizes}}
func.func @main(%call: !llvm.ptr, %x: memref<*xf32>) {
  %0 = memref.cast %x : memref<*xf32> to memref<3xf32>
  %1 = memref.cast %x : memref<*xf32> to memref<4xf32>
  return
}

// -----

// expected-note @below {{by this function}}
func.func @"a.b"(%call: !llvm.ptr) {
  return
}
// expected-error @below {{`a_b` cannot be exported: the name of its entry, `rnn_entry_a_b`, is taken; rename one of the two}}
func.func @a_b(%call: !llvm.ptr) {
  return
}

// -----

// expected-error @below {{`main` cannot be exported: the name of its entry, `rnn_entry_main`, is taken; rename one of the two}}
func.func @main(%call: !llvm.ptr) {
  return
}
llvm.func @rnn_entry_main()

// -----

// expected-error @below {{`main` cannot be exported: its first argument is not the runtime call; run rnn-thread-runtime-call and convert-rnn-runtime-to-llvm before this pass}}
func.func @main(%x: memref<4xf32>) {
  return
}
