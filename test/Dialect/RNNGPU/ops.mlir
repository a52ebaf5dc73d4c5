// RUN: rnn-opt %s --verify-roundtrip | FileCheck %s
// RUN: rnn-opt %s --cse | FileCheck %s

// Stores are kept, each of them.
// CHECK-LABEL: @store_async(
llvm.func @store_async(%f: f32, %d: f64, %i: i32, %l: i64, %slot: !llvm.ptr<7>, %barrier: !llvm.ptr<7>) {
  // CHECK-NEXT: rnngpu.store_async %{{.*}} to %{{.*}} counted by %{{.*}} : f32
  rnngpu.store_async %f to %slot counted by %barrier : f32
  // CHECK-NEXT: rnngpu.store_async %{{.*}}, %{{.*}} to %{{.*}} counted by %{{.*}} : f32, f32
  rnngpu.store_async %f, %f to %slot counted by %barrier : f32, f32
  // CHECK-NEXT: rnngpu.store_async
  rnngpu.store_async %f, %f to %slot counted by %barrier : f32, f32
  // CHECK-NEXT: rnngpu.store_async %{{.*}}, %{{.*}} to %{{.*}} counted by %{{.*}} : f64, f64
  rnngpu.store_async %d, %d to %slot counted by %barrier : f64, f64
  // CHECK-NEXT: rnngpu.store_async %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}} counted by %{{.*}} : i32, i32, i32, i32
  rnngpu.store_async %i, %i, %i, %i to %slot counted by %barrier : i32, i32, i32, i32
  // CHECK-NEXT: rnngpu.store_async %{{.*}} to %{{.*}} counted by %{{.*}} : i64
  rnngpu.store_async %l to %slot counted by %barrier : i64
  llvm.return
}

// Loads stay on their sides.
// CHECK-LABEL: @grid_wait(
llvm.func @grid_wait(%p: !llvm.ptr<1>) -> f32 {
  // CHECK: llvm.load
  %a = llvm.load %p : !llvm.ptr<1> -> f32
  // CHECK-NEXT: rnngpu.grid_wait
  rnngpu.grid_wait
  // CHECK-NEXT: llvm.load
  %b = llvm.load %p : !llvm.ptr<1> -> f32
  // CHECK-NEXT: rnngpu.launch_dependents
  rnngpu.launch_dependents
  %c = llvm.fadd %a, %b : f32
  llvm.return %c : f32
}

// CHECK-LABEL: @grid_barrier(
llvm.func @grid_barrier(%counter: !llvm.ptr<1>, %p: !llvm.ptr<1>) -> f32 {
  // CHECK: llvm.load
  %a = llvm.load %p : !llvm.ptr<1> -> f32
  // CHECK-NEXT: rnngpu.grid_barrier %{{.*}}
  rnngpu.grid_barrier %counter
  // CHECK-NEXT: llvm.load
  %b = llvm.load %p : !llvm.ptr<1> -> f32
  %c = llvm.fadd %a, %b : f32
  llvm.return %c : f32
}

// CHECK: gpu.module @kernels{{ ?}}<#rnngpu.launch<cooperative = ["all"], programmatic = ["step", "all"], resident_clusters = {step = 3 : i32}>> {
gpu.module @kernels <#rnngpu.launch<cooperative = ["all"], programmatic = ["step", "all"], resident_clusters = {step = 3 : i32}>> {
  // CHECK: gpu.func @step() kernel attributes {rnngpu.programmatic}
  gpu.func @step() kernel attributes {rnngpu.programmatic} {
    gpu.return
  }
  // CHECK: gpu.func @all() kernel attributes {rnngpu.cooperative, rnngpu.programmatic}
  gpu.func @all() kernel attributes {rnngpu.cooperative, rnngpu.programmatic} {
    gpu.return
  }
}

// CHECK-LABEL: llvm.func @approximations
llvm.func @approximations(%x: f32) -> f32 {
  // CHECK: %[[P:.*]] = rnngpu.exp2_approx %{{.*}}
  %p = rnngpu.exp2_approx %x
  // CHECK: rnngpu.tanh_approx %[[P]]
  %t = rnngpu.tanh_approx %p
  llvm.return %t : f32
}

// CHECK-LABEL: @signals(
llvm.func @signals(%counter: !llvm.ptr<1>, %flag: !llvm.ptr<1>) -> i32 {
  // CHECK-NEXT: rnngpu.add_signal %{{.*}}
  rnngpu.add_signal %counter
  // CHECK-NEXT: rnngpu.read_signal %{{.*}}
  %set = rnngpu.read_signal %flag
  llvm.return %set : i32
}
