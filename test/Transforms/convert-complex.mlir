// Tensors of complex numbers as two tensors of their parts.
// RUN: rnn-opt %s --rnn-convert-complex --canonicalize --cse --split-input-file --allow-unregistered-dialect | FileCheck %s

// A product of matrices is four products of the parts.
// CHECK-LABEL: func @product
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<2x3xf32>, %{{[a-z0-9]+}}: tensor<2x3xf32>, %[[BR:[a-z0-9]+]]: tensor<3x4xf32>, %[[BI:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK: %[[A:.*]]:2 = call @join
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[A]]#0, %[[BR]] : {{.*}} outs(%[[ZEROS]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[A]]#1, %[[BI]] : {{.*}} outs(%[[ZEROS]]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]]#0, %[[BI]] : {{.*}} outs(%[[ZEROS]]
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%[[A]]#1, %[[BR]] : {{.*}} outs(%[[R]]
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[Q]]
// CHECK: arith.subf
// CHECK: return %[[D]], %[[I]]
func.func @product(%re_a: tensor<2x3xf32>, %im_a: tensor<2x3xf32>, %re_b: tensor<3x4xf32>, %im_b: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %a = call @join(%re_a, %im_a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %eb = tensor.empty() : tensor<3x4xcomplex<f32>>
  %b = linalg.map ins(%re_b, %im_b : tensor<3x4xf32>, tensor<3x4xf32>) outs(%eb : tensor<3x4xcomplex<f32>>) (%r: f32, %i: f32, %o: complex<f32>) {
    %c = complex.create %r, %i : complex<f32>
    linalg.yield %c : complex<f32>
  }
  %e = tensor.empty() : tensor<2x4xcomplex<f32>>
  %z = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %p = linalg.matmul ins(%a, %b : tensor<2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) outs(%z : tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %f = tensor.empty() : tensor<2x4xf32>
  %re = linalg.map ins(%p : tensor<2x4xcomplex<f32>>) outs(%f : tensor<2x4xf32>) (%x: complex<f32>, %o: f32) {
    %y = complex.re %x : complex<f32>
    linalg.yield %y : f32
  }
  %im = linalg.map ins(%p : tensor<2x4xcomplex<f32>>) outs(%f : tensor<2x4xf32>) (%x: complex<f32>, %o: f32) {
    %y = complex.im %x : complex<f32>
    linalg.yield %y : f32
  }
  return %re, %im : tensor<2x4xf32>, tensor<2x4xf32>
}

// Private functions return the parts.
// CHECK-LABEL: func private @join
// CHECK-SAME: (%[[R:[a-z0-9]+]]: tensor<2x3xf32>, %[[I:[a-z0-9]+]]: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK: return %[[R]], %[[I]]
func.func private @join(%re: tensor<2x3xf32>, %im: tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>> {
  %e = tensor.empty() : tensor<2x3xcomplex<f32>>
  %c = linalg.map ins(%re, %im : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xcomplex<f32>>) (%r: f32, %i: f32, %o: complex<f32>) {
    %x = complex.create %r, %i : complex<f32>
    linalg.yield %x : complex<f32>
  }
  return %c : tensor<2x3xcomplex<f32>>
}

// -----

#matrix = affine_map<(i, j) -> (i, j)>

// A real operand has no imaginary part: two products. Constants, sums over one dimension, and padding have parts, too.
// CHECK-LABEL: func @real
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-DAG: %[[RE:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [5.000000e+00, 7.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: %[[IM:.*]] = arith.constant dense<{{\[\[}}2.000000e+00, 4.000000e+00], [6.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[RE]]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[IM]]
// CHECK-NOT: "reduction"
// CHECK: tensor.pad
// CHECK: tensor.pad
// CHECK: %[[SR:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[SI:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} ins(%[[SR]], %[[SI]]
// CHECK: math.sqrt
func.func @real(%a: tensor<2x2xf32>) -> tensor<4xf32> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %one = complex.constant [1.0 : f32, 0.5 : f32] : complex<f32>
  %none = arith.constant 0.0 : f32
  %b = arith.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]> : tensor<2x2xcomplex<f32>>
  %e = tensor.empty() : tensor<2x2xcomplex<f32>>
  %x = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x2xf32>) outs(%e : tensor<2x2xcomplex<f32>>) {
  ^bb0(%in: f32, %out: complex<f32>):
    %c = complex.create %in, %none : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<2x2xcomplex<f32>>
  %z = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %p = linalg.matmul ins(%x, %b : tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) outs(%z : tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %q = tensor.pad %p low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : complex<f32>
  } : tensor<2x2xcomplex<f32>> to tensor<4x2xcomplex<f32>>
  %f = tensor.empty() : tensor<4xcomplex<f32>>
  %g = linalg.fill ins(%zero : complex<f32>) outs(%f : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %s = linalg.reduce { complex.add } ins(%q : tensor<4x2xcomplex<f32>>) outs(%g : tensor<4xcomplex<f32>>) dimensions = [1]
  %h = tensor.empty() : tensor<4xf32>
  %r = linalg.map { complex.abs } ins(%s : tensor<4xcomplex<f32>>) outs(%h : tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

// Loops and branches carry both parts, and read and write slices of both.
// CHECK-LABEL: func @loop
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[R:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[R]]
// CHECK: tensor.insert_slice %{{.*}} into %[[I]]
// CHECK-NOT: complex
func.func @loop(%x: tensor<4xf32>, %which: i1) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %factor = complex.constant [0.5 : f32, 0.25 : f32] : complex<f32>
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %s = tensor.empty() : tensor<3x4xcomplex<f32>>
  %start = linalg.fill ins(%factor : complex<f32>) outs(%e : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %start, %all = %s) -> (tensor<4xcomplex<f32>>, tensor<3x4xcomplex<f32>>) {
    %n = scf.if %which -> tensor<4xcomplex<f32>> {
      %m = linalg.map ins(%h, %x : tensor<4xcomplex<f32>>, tensor<4xf32>) outs(%e : tensor<4xcomplex<f32>>) (%a: complex<f32>, %b: f32, %o: complex<f32>) {
        %c = complex.create %b, %b : complex<f32>
        %p = complex.mul %a, %c : complex<f32>
        %q = complex.mul %p, %factor : complex<f32>
        linalg.yield %q : complex<f32>
      }
      scf.yield %m : tensor<4xcomplex<f32>>
    } else {
      scf.yield %h : tensor<4xcomplex<f32>>
    }
    %t = tensor.insert_slice %n into %all[%i, 0] [1, 4] [1, 1] : tensor<4xcomplex<f32>> into tensor<3x4xcomplex<f32>>
    scf.yield %n, %t : tensor<4xcomplex<f32>>, tensor<3x4xcomplex<f32>>
  }
  %f = tensor.empty() : tensor<3x4xf32>
  %im = linalg.map ins(%r#1 : tensor<3x4xcomplex<f32>>) outs(%f : tensor<3x4xf32>) (%a: complex<f32>, %o: f32) {
    %y = complex.im %a : complex<f32>
    linalg.yield %y : f32
  }
  return %im : tensor<3x4xf32>
}

// -----

// A module with complex arguments, or with an op that has no parts, stays.
// CHECK-LABEL: func @public
// CHECK: complex.abs
func.func @public(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %h = tensor.empty() : tensor<4xf32>
  %r = linalg.map { complex.abs } ins(%x : tensor<4xcomplex<f32>>) outs(%h : tensor<4xf32>)
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @memory
// CHECK: memref.load %{{.*}} : memref<4xcomplex<f32>>
func.func @memory(%i: index) -> f32 {
  %m = memref.alloc() : memref<4xcomplex<f32>>
  %x = memref.load %m[%i] : memref<4xcomplex<f32>>
  %y = complex.re %x : complex<f32>
  return %y : f32
}

// -----

// CHECK-LABEL: func @bits
// CHECK: complex.bitcast
func.func @bits(%x: f32, %y: f32) -> i64 {
  %z = complex.create %x, %y : complex<f32>
  %bits = complex.bitcast %z : complex<f32> to i64
  return %bits : i64
}

// -----

// CHECK-LABEL: func @integers
// CHECK: tensor.empty(%{{.*}}) : tensor<?xcomplex<i32>>
func.func @integers(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xcomplex<i32>>
  %s = tensor.extract_slice %e[0] [%n] [2] : tensor<?xcomplex<i32>> to tensor<?xcomplex<i32>>
  %d = "test.use"(%s) : (tensor<?xcomplex<i32>>) -> index
  return %d : index
}
