// repeated-ops.mlir - one function for equal ops.
// RUN: rnn-opt %s --convert-linalg-to-host -split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The constants of the body, and of the op, are part of the function; equal operands are one argument.
// CHECK-LABEL: func @equal
// CHECK-SAME: %[[A:[^:]*]]: memref<100xf32>, %[[B:[^:]*]]: memref<100xf32>, %[[C:[^:]*]]: memref<100xf32>
// CHECK: call @[[OP:rnn_host_op.*]](%[[A]], %[[B]])
// CHECK-NEXT: call @[[OP]](%[[B]], %[[C]])
// CHECK-NEXT: return
// CHECK: func private @[[OP]](%{{[^:]*}}: memref<100xf32>, %{{[^:]*}}: memref<100xf32>) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK-DAG: arith.constant 2.000000e+00 : f32
// CHECK-DAG: arith.constant 3.000000e+00 : f32
// CHECK: return
// CHECK-NOT: func private
func.func @equal(%a: memref<100xf32>, %b: memref<100xf32>, %c: memref<100xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  linalg.generic {indexing_maps = [#id, #id, affine_map<(d0) -> ()>, #id], iterator_types = ["parallel"]}
      ins(%a, %a, %three : memref<100xf32>, memref<100xf32>, f32) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    %q = arith.addf %p, %y : f32
    %r = arith.addf %q, %z : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id, affine_map<(d0) -> ()>, #id], iterator_types = ["parallel"]}
      ins(%b, %b, %three : memref<100xf32>, memref<100xf32>, f32) outs(%c : memref<100xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    %q = arith.addf %p, %y : f32
    %r = arith.addf %q, %z : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Products that add to zeros, of which the function needs no fill, and one that adds to other values.
// CHECK-LABEL: func @products
// CHECK-NOT: linalg.fill
// CHECK: %[[X:.*]] = memref.alloc() : memref<64x64xf32>
// CHECK-NEXT: call @[[OP:rnn_host_op.*]](%arg0, %arg1, %[[X]])
// CHECK-NEXT: %[[Y:.*]] = memref.alloc() : memref<64x64xf32>
// CHECK-NEXT: call @[[OP]](%[[X]], %arg1, %[[Y]])
// CHECK-NOT: call @[[OP]](
// CHECK: return
func.func @products(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) -> (memref<64x64xf32>, memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%x : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%x : memref<64x64xf32>)
  %y = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<64x64xf32>)
  linalg.matmul ins(%x, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return %x, %y : memref<64x64xf32>, memref<64x64xf32>
}

// -----

// Not equal: other bodies, constants, types, or operands that are the same buffer. Not outlined: in loops, few elements,
// values of the program in the body, and constants of the module.
// CHECK-LABEL: func @different
// CHECK-NOT: call @
// CHECK: return
#id = affine_map<(d0) -> (d0)>
memref.global "private" constant @weights : memref<100xf32> = dense<1.0>
func.func @different(%a: memref<100xf32>, %b: memref<100xf32>, %c: memref<100xf32, strided<[1], offset: ?>>, %few: memref<20xf32>, %v: f32) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %three : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.addf %x, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%a : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%c : memref<100xf32, strided<[1], offset: ?>>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    linalg.yield %p : f32
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
    ^bb0(%x: f32, %o: f32):
      %p = arith.mulf %x, %two : f32
      linalg.yield %p : f32
    }
  }
  %w = memref.get_global @weights : memref<100xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%few : memref<20xf32>) outs(%few : memref<20xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %two : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%few : memref<20xf32>) outs(%few : memref<20xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %two : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %v : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %v : f32
    linalg.yield %p : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// The ops of the bodies are the same, but not their operands.
// CHECK-LABEL: func @bodies
// CHECK-NOT: call @
// CHECK: return
func.func @bodies(%a: memref<100xf32>, %b: memref<100xf32>, %c: memref<100xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %a : memref<100xf32>, memref<100xf32>) outs(%b : memref<100xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %x : f32
    %q = arith.subf %p, %y : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%b, %b : memref<100xf32>, memref<100xf32>) outs(%c : memref<100xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %x : f32
    %q = arith.subf %y, %p : f32
    linalg.yield %q : f32
  }
  return
}
