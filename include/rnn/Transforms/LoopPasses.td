//===- LoopPasses.td - passes over loops of tensors -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_LOOPPASSES_TD
#define RNN_TRANSFORMS_LOOPPASSES_TD

include "mlir/Pass/PassBase.td"

def RNNUpliftLoopsPass : Pass<"rnn-uplift-loops"> {
  let summary = "Convert scf.while loops that count to scf.for";
  let description = [{
    Loops of imported programs count in tensors without dimensions. Such integer tensors are carried as scalars, and upstream's
    `scf::upliftWhileToForLoop` converts loops whose condition compares a counter with a value from outside, if the step is a
    positive constant and the counter is not used after the loop, where upstream (LLVM 22) returns a wrong value. Without this,
    bufferization copies the values that an `scf.while` passes from its condition to its body in each iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def RNNUnrollLoopsPass : Pass<"rnn-unroll-loops"> {
  let summary = "Unroll short loops of elementwise ops, so that their iterations are fused";
  let description = [{
    Unrolls `scf.for` loops with at most 8 iterations of elementwise linalg ops, slices and scalar ops, if the result has at most 1000 ops
    (upstream's `loopUnrollFull`). The random numbers of JAX are such loops: their tables of shift counts become constants, and all
    rounds one loop over the elements.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RNNHoistInvariantsPass : Pass<"rnn-hoist-invariants"> {
  let summary = "Move loop-invariant tensor ops before their loops";
  let description = [{
    Moves loop-invariant tensor ops before the loop, such as the transposition of the weights in `jax.lax.scan` of `h @ w.T`. Unlike
    `loop-invariant-code-motion`, it does not move ops without tensor operands, such as fills, and ops whose results another op or the
    loop updates: bufferization would copy these results in each iteration. Empty and filled tensors that
    a moved op writes to are cloned. Ops with dynamic sizes, or with indices of run time, stay too: their checks are in the loop.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNTransposeInvariantsPass : Pass<"rnn-transpose-invariants", "::mlir::func::FuncOp"> {
  let summary = "Transpose weights before loops whose products read them by columns";
  let description = [{
    The gradient of `h @ w` multiplies by the transpose of `w` in each iteration of a loop, which would copy `w` each time, or gather
    vectors. If an `scf.for` loop does not compute an input of a sum of products, and the loop over the last dimension of the result
    indexes another dimension of that input than the last one, the product reads a copy with this dimension last, before the outermost
    such loop. Loops of fewer than four iterations, and products of fewer than four rows, are left as they are.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNBlockRowsPass : Pass<"rnn-block-rows", "::mlir::func::FuncOp"> {
  let summary = "Compute chains of linalg ops on memrefs in blocks of rows";
  let description = [{
    A chain is a sequence of ops in which row i of each result depends on row i of the earlier results alone, such as a softmax, a layer
    normalization or the attention of one head. It becomes one `scf.forall` loop over blocks of rows, whose body has all ops of the
    chain. The next op finds what an op wrote in the L1 or L2 cache, buffers that only the chain uses have the size of a block, and
    threads divide one loop instead of several.

    The rows are one or more parallel loops of every op, found by the dimensions of the buffers that the ops share; products with whole
    matrices do not belong to a chain. Sums over all rows of what a chain computes are sums of 64 parts, each of consecutive blocks. The
    order of ops changes: those between the ops of a chain run before or after it. An unknown number of rows counts as 1024, or 64 in
    loops, and other unknown sizes as 256. The function allocates the buffers that a chain writes. Chains whose buffers are small are
    left as they are.
  }];
  let options = [Option<"leastBytes", "least-bytes", "int64_t", /*default=*/"262144",
                        "Bytes of the buffers that several ops of a chain access, from which on it is computed in blocks">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def RNNRecomputeRowsPass : Pass<"rnn-recompute-rows"> {
  let summary = "Compute rows again that follow from other stored rows by a few instructions";
  let description = [{
    Gradients of loops read what the loop of the forward pass stored, often a tensor and simple functions of it: the gradient of a sigmoid
    needs `s` and `s * (1 - s)`. If each iteration of an `scf.for` loop stores a row of a tensor, and also a row that follows from it
    by at most six elementwise additions, multiplications, comparisons and their like, only slices of rows read the latter
    tensor, and the loop stores all rows, then these slices are computed from rows of the former one, and the loop stores only that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNSplitSumsPass : Pass<"rnn-split-sums"> {
  let summary = "Carry a sum for each part of a tensor to which a loop adds parts";
  let description = [{
    The gradients of `x @ w[:n] + h @ w[n:]` in a loop are tensors of the size of `w` that are zero except for a part
    (`tensor.pad`, or `tensor.insert_slice` into zeros), or concatenations of such parts. If an `scf.for` loop only adds such tensors to a
    value that it carries, it carries a sum of the size of each part instead, and inserts them after the loop. Parts of equal places have
    one sum; parts that overlap otherwise stay. Sizes are static. A sum of zeros may have another sign.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNMergeSumsPass : Pass<"rnn-merge-sums"> {
  let summary = "Carry one sum for slices of a tensor that a loop adds to several sums";
  let description = [{
    A cell that concatenates the weights of its gates has one product as gradient, slices of which a loop adds to the gradient of
    each gate's weights. If all that an `scf.for` loop does with the result of a linalg op is to add slices of it to values that it carries,
    it carries the sum of the results instead, and adds its slices after the loop, in another order. Sizes and slices are static.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNDistributeLoopsPass : Pass<"rnn-distribute-loops"> {
  let summary = "Compute products of all iterations of a loop at once, if no iteration needs those of another one";
  let description = [{
    In `scf.for` loops whose number of iterations is known, or is the size of a tensor, sums of products (`linalg.matmul` and its like) move if
    their sizes are known before the loop:

    - before the loop, if their operands are rows of tensors, one for each iteration, and weights: the products of the inputs
      of a cell;
    - after the loop, if the loop only adds them up, or only inserts them as rows into a tensor: gradients of the weights and of the
      inputs. The loop then stores the operands that it computes. Sums of elements move, too, such as the gradients of biases.

    One op then computes the products of all iterations: the iteration is an additional reduction loop, or an additional dimension of the
    result. An op moves only if the loop stores no more elements per iteration than it saves in reads and writes, and if the stored
    tensors take at most 256 MiB, where unknown sizes are assumed to be 16, and an unknown number of iterations 64. In the latter case the
    loop must read or write all rows of a tensor, in ascending or descending order. Tensors of which each iteration writes a row start as empty
    tensors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNCarryInPlacePass : Pass<"rnn-carry-in-place"> {
  let summary = "Let loops write small tensors that they carry to one buffer";
  let description = [{
    Where an `scf.for` or `scf.while` carries a tensor of at most 8 KiB, the next value is inserted into the current one, as a slice of all
    elements, before the loop yields it. Otherwise bufferization allocates a buffer in each iteration, and frees that of the one before.
    Unknown sizes must stay the same in an `scf.for`, and are assumed to be 16.
    Values that may be views of each other, as after an exchange or a branch, are copied first.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

#endif // RNN_TRANSFORMS_LOOPPASSES_TD
