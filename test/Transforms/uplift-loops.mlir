// uplift-loops.mlir - while loops that count become for loops.
// RUN: rnn-opt %s --rnn-uplift-loops --split-input-file | FileCheck %s

// A loop of lax.scan: the counter is a tensor without dimensions.
// CHECK-LABEL: func @scan
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[END:.*]] = arith.constant 100 : i32
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %[[ZERO]] to %[[END]] step %[[ONE]] iter_args(%[[Y:.*]] = %[[X]]) -> (tensor<4xf32>) : i32
// CHECK: arith.sitofp %[[I]] : i32 to f32
// CHECK-NOT: iterator_types = []
// CHECK: scf.yield {{.*}} : tensor<4xf32>
// CHECK: return %[[R]]
func.func @scan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %end = arith.constant 100 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<i1>
    %c = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%a: i32, %b: i1):
      %less = arith.cmpi slt, %a, %end : i32
      linalg.yield %less : i1
    } -> tensor<i1>
    %condition = tensor.extract %c[] : tensor<i1>
    scf.condition(%condition) %i, %y : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %k = tensor.extract %i[] : tensor<i32>
    %f = arith.sitofp %k : i32 to f32
    %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : tensor<4xf32>) {
    ^bb0(%a: f32):
      %s = arith.addf %a, %f : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %e = tensor.empty() : tensor<i32>
    %j = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%a: i32, %b: i32):
      %next = arith.addi %a, %one : i32
      linalg.yield %next : i32
    } -> tensor<i32>
    scf.yield %j, %z : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// The condition depends on a value of the loop: integer tensors are scalars, others stay.
// CHECK-LABEL: func @condition
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i1, tensor<f32>) -> (i1, tensor<f32>)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i1, tensor<f32>
// CHECK: scf.yield %{{.*}}, %{{.*}} : i1, tensor<f32>
// CHECK: tensor.from_elements %{{.*}} : tensor<i1>
func.func @condition(%go: tensor<i1>, %x: tensor<f32>) -> (tensor<i1>, tensor<f32>) {
  %r:2 = scf.while (%g = %go, %y = %x) : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>) {
    %c = tensor.extract %g[] : tensor<i1>
    scf.condition(%c) %g, %y : tensor<i1>, tensor<f32>
  } do {
  ^bb0(%g: tensor<i1>, %y: tensor<f32>):
    %v = tensor.extract %y[] : tensor<f32>
    %w = arith.mulf %v, %v : f32
    %limit = arith.constant 1.0e-6 : f32
    %more = arith.cmpf ogt, %w, %limit : f32
    %n = tensor.from_elements %more : tensor<i1>
    %z = tensor.from_elements %w : tensor<f32>
    scf.yield %n, %z : tensor<i1>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<i1>, tensor<f32>
}

// -----

// The result of the counter is used, a step is negative, and an unsigned comparison.
// CHECK-LABEL: func @others
// CHECK-COUNT-3: scf.while
func.func @others(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %used = scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    func.call @use(%i) : (i32) -> ()
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  %down = scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    func.call @use(%i) : (i32) -> ()
    %j = arith.addi %i, %minus : i32
    scf.yield %j : i32
  }
  %unsigned = scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi ult, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    func.call @use(%i) : (i32) -> ()
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  return %used : i32
}
func.func private @use(i32)

// -----

// CHECK-LABEL: func @greater
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
func.func @greater(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi sgt, %n, %i : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    func.call @use(%i) : (i32) -> ()
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  return
}
func.func private @use(i32)

// -----

// The bound is computed in each iteration, from a size that does not change.
// CHECK-LABEL: func @bound
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>, %[[N:[a-z0-9]+]]: index
// CHECK: %[[BOUND:.*]] = arith.index_cast %[[N]] : index to i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BOUND]]
func.func @bound(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%i = %c0, %a = %x) : (i32, tensor<?xf32>) -> (i32, tensor<?xf32>) {
    %bound = arith.index_cast %n : index to i32
    %more = arith.cmpi slt, %i, %bound : i32
    scf.condition(%more) %i, %a : i32, tensor<?xf32>
  } do {
  ^bb0(%i: i32, %a: tensor<?xf32>):
    %next = arith.addi %i, %c1 : i32
    %b = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next, %b : i32, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
