// RUN: rnn-opt %s --split-input-file --verify-diagnostics

llvm.func @store_async_s1_mixed_types(%f: f32, %i: i32, %slot: !llvm.ptr<7>, %barrier: !llvm.ptr<7>) {
  // expected-error @below {{expects one or more `values` of one type, but got 'f32', 'i32' [S1]}}
  rnngpu.store_async %f, %i to %slot counted by %barrier : f32, i32
  llvm.return
}

// -----

llvm.func @store_async_s1_three_values(%f: f32, %slot: !llvm.ptr<7>, %barrier: !llvm.ptr<7>) {
  // expected-error @below {{expects `values` of 4, 8 or 16 bytes together, but got 12 [S1]}}
  rnngpu.store_async %f, %f, %f to %slot counted by %barrier : f32, f32, f32
  llvm.return
}

// -----

llvm.func @store_async_own_memory(%f: f32, %slot: !llvm.ptr<3>, %barrier: !llvm.ptr<7>) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{expects different type than prior uses: '!llvm.ptr<7>' vs '!llvm.ptr<3>'}}
  rnngpu.store_async %f to %slot counted by %barrier : f32
  llvm.return
}

// -----

// expected-error @below {{cannot have `rnngpu.cooperative`; set it on gpu.launch, or on the function of the kernel}}
func.func @cooperative_host() attributes {rnngpu.cooperative} {
  return
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects to be a kernel, since it has `rnngpu.programmatic`}}
  gpu.func @programmatic_device_function() attributes {rnngpu.programmatic} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects `rnngpu.cooperative` to be a unit attribute, but got true}}
  gpu.func @cooperative_bool() kernel attributes {rnngpu.cooperative = true} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expects `rnngpu.resident_clusters` to be an i32 in [1, 255], but got 0 : i32}}
  gpu.func @no_items() kernel attributes {rnngpu.resident_clusters = 0 : i32} {
    gpu.return
  }
}

// -----

// expected-error @below {{expected an integer for each kernel of `resident_clusters`}}
gpu.module @kernels <#rnngpu.launch<resident_clusters = {step = "all"}>> {
}

// -----

gpu.module @kernels {
  // expected-error @below {{has an unknown attribute `rnngpu.colossal` of the rnngpu dialect}}
  gpu.func @unknown() kernel attributes {rnngpu.colossal} {
    gpu.return
  }
}

// -----

// expected-error @below {{expected `cooperative`, `programmatic` or `resident_clusters`}}
gpu.module @kernels <#rnngpu.launch<collective = ["step"]>> {
}
