//===- Passes.td - passes over IR of several dialects -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_PASSES_TD
#define RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "rnn/Transforms/LoopPasses.td"

def RNNConvertUpstreamDialectsPass : Pass<"rnn-convert-upstream-dialects", "::mlir::ModuleOp"> {
  let summary = "Convert ops of tosa, shape and ml_program to linalg, tensor and arith";
  let description = [{
    Runs upstream's passes for the dialects that front ends leave beside the layers, if the module has such ops. Sizes of
    dimensions that do not exist (`tensor.dim`, `memref.dim`), which have no defined value, become zero.

    - `tosa`: `tosa-to-mlprogram`, the passes of `tosa-to-linalg-pipeline` except the validation, then `tosa-to-arith`,
      `tosa-to-tensor` and `tosa-to-scf`.
    - `shape`: `convert-shape-constraints`, `shape-to-shape-lowering` and `convert-shape-to-std`. A constraint becomes
      `cf.assert`.
    - `ml_program`: a load of a global that no op of the module stores to becomes `arith.constant`. A global with stores
      becomes a `memref.global`, which loads and stores copy: it keeps its value between calls, and calls that run at the
      same time must not use it. Target `cuda` has no such memory, so a store is an error there. A global that is
      declared without a value is an error, too.

    ```mlir
    ml_program.global private @w(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
    func.func @scale(%x: tensor<4xf32>) -> tensor<4xf32> {
      %w = ml_program.global_load_const @w : tensor<4xf32>
      %y = arith.mulf %x, %w : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    func.func @scale(%x: tensor<4xf32>) -> tensor<4xf32> {
      %w = arith.constant dense<2.0> : tensor<4xf32>
      %y = arith.mulf %x, %w : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::ml_program::MLProgramDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RNNProtectArgumentsPass : Pass<"rnn-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Prevent bufferization from writing to arguments of public functions";
  let description = [{
    One-shot bufferization may overwrite a tensor argument unless it has `bufferization.writable = false`. Callers of a
    compiled function expect their arguments unchanged. This pass sets the attribute on every tensor argument of a
    public function that does not have it. To update an argument in place, set `bufferization.writable = true` in the
    module.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def RNNMarkWrittenArgumentsPass : Pass<"rnn-mark-written-arguments", "::mlir::ModuleOp"> {
  let summary = "Record which arguments a public function writes to";
  let description = [{
    Sets the attribute `rnn.access` of each memref argument of a public function that the function writes to: `write`, or
    `readwrite` if it may also read the previous content. The exported description of the function and its C header
    state it. Follows views and callees; a buffer whose uses cannot be followed counts as read and written. A tensor
    argument with `bufferization.writable = true` is `readwrite`. An existing attribute is kept.

    Runs after selection: a gradient with lowering `fused` only reads its reserve space.
  }];
}

def RNNCheckBoundsPass : Pass<"rnn-check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Check indices and slices of tensors at run time";
  let description = [{
    Upstream's lowerings do not check whether dynamic indices and slices are inside of a tensor: code would access memory out of bounds.
    This pass checks them right before the op, unless `ValueBoundsOpInterface` proves them, and records
    INVALID_ARGUMENT in the call if they are outside, which ends an exported function:

    - the indices of `tensor.extract` and `tensor.insert`;
    - the slices of `tensor.extract_slice` and `tensor.insert_slice`, and the sizes of the inserted tensor. An empty slice may be
      at the end of a dimension;
    - that the sizes of a `tensor.expand_shape` multiply to the size of the dimension that they divide;
    - with `elements`, the elements of an operand that the body of a `linalg.generic` takes for indices of a
      `tensor.extract`, as in an embedding, before the op runs.

    Other indices in bodies of linalg ops, and ops in parallel loops, are not checked; nor are accesses to memrefs.
  }];
  let options = [Option<"elements", "elements", "bool", "false", "check elements that bodies of linalg ops take for indices">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::rnnrt::RNNRTDialect"];
}

def RNNCheckCastsPass : Pass<"rnn-check-casts"> {
  let summary = "Check tensor casts at run time";
  let description = [{
    A `tensor.cast` from a dynamic to a static size asserts that size, and upstream's lowerings do not check it: later
    code would access memory out of bounds. This pass compares the sizes and records INVALID_ARGUMENT in the call if they
    differ. That ends an exported function. In other functions execution continues, and the cast's result is a tensor of zeros.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::rnnrt::RNNRTDialect"];
}

def RNNCheckSizesPass : Pass<"rnn-check-sizes", "::mlir::func::FuncOp"> {
  let summary = "Check at run time that sizes are equal where an op assumes it";
  let description = [{
    Ops of linalg and `memref.copy` take the sizes of one operand for those of the others, and upstream's lowerings do not
    check that dynamic sizes agree: code would access memory out of bounds. This pass compares them, unless they are known to
    be equal, and records INVALID_ARGUMENT in the call if they differ, which ends an exported function.

    Sizes that follow from those of the arguments, as far as `ValueBoundsOpInterface` finds it, are compared at the start of
    the function; others right before the op, or before the loops around it if they do not change there. In a branch, sizes are
    compared when it runs, since it may be there because sizes differ. Ops in parallel loops are checked only if their sizes follow from
    those of the arguments or are defined outside. Runs after the conversion of elementwise ops to linalg.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::rnnrt::RNNRTDialect"];
}

def RNNCheckAllocationsPass : Pass<"rnn-check-allocations"> {
  let summary = "Check at run time that sizes of allocations are valid";
  let description = [{
    The bytes of an allocation overflow if a program computes a negative or a very large size, and the buffer is then
    smaller than its type. The pass records INVALID_ARGUMENT in the call for sizes that are negative or exceed 2^62
    bytes. Sizes of existing buffers, and values computed from them, need no check.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::rnnrt::RNNRTDialect"];
}

def RNNSinkAllocationsPass : Pass<"rnn-sink-allocations"> {
  let summary = "Move allocations down to the first use of their buffer";
  let description = [{
    Bufferization allocates the results of an op before the op, so before the run-time checks of its sizes, which its
    lowering creates. The pass moves each `memref.alloc` and `rnnrt.alloc` to the first use of the buffer in its block.
    A wrong size is then reported by its check and not by an allocation that fails.
  }];
}

def RNNConvertMPIToLLVMPass : Pass<"rnn-convert-mpi-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert mpi ops to calls of an MPI library";
  let description = [{
    Runs upstream's `convert-to-llvm` for the mpi dialect, if the module has ops of it, and removes grids without uses. The
    module attribute `dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">` selects Open MPI instead of MPICH.

    `convert-shard-to-mpi` (LLVM 22) creates a communicator in every call, which nothing frees. Where all processes have the
    same color, the new communicator contains all processes of the old one: the pass uses the old one. Elsewhere, as on a
    grid with several axes, the communicator of the first call is kept for later calls with the same color and key.
  }];
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::LLVM::LLVMDialect"];
}

def RNNExpandStridedCopiesPass : Pass<"rnn-expand-strided-copies"> {
  let summary = "Convert memref copies with a layout to linalg ops or loops";
  let description = [{
    The LLVM lowering makes one memcpy of a `memref.copy` between contiguous buffers. With another layout it calls
    `memrefCopy` of MLIR's runner library, which copies element by element with generic index arithmetic. This pass
    converts such copies to `linalg.generic`. With `loops`, the trailing dimensions that are contiguous in both buffers
    become one memcpy, in loops over the others; copies without such dimensions become loops over elements.
  }];
  let options = [Option<"loops", "loops", "bool", /*default=*/"false", "Create loops instead of linalg ops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def RNNReinterpretExpandShapesPass : Pass<"rnn-reinterpret-expand-shapes"> {
  let summary = "Convert memref.expand_shape with several dynamic sizes in one group to memref.reinterpret_cast";
  let description = [{
    Upstream's `expand-strided-metadata` (LLVM 22) derives a dynamic size of a group from the size of the source, and crashes
    if a group has two of them. The op has all sizes as operands, so the strides follow from them.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def RNNPrepareContractionsPass : Pass<"rnn-prepare-contractions"> {
  let summary = "Let contractions compute transposed results and add to zeros of their own";
  let description = [{
    The gradient of the weights of `x @ w` in JAX is a contraction and a transposition of its result: the contraction computes the
    transpose instead, if it starts from a fill and the result has no other use. The same holds if all slices of the result are
    transposed. Products in loops read a tensor of the loop instead of its transposition, or of the concatenation of such ones. Ops that
    add to one tensor of zeros get a fill each, next to them, since bufferization would copy the tensor.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNDropUnitDimsPass : Pass<"rnn-drop-unit-dims"> {
  let summary = "Let slices drop and add dimensions of size 1 instead of other ops";
  let description = [{
    The row of a time step is a slice with a dimension of size 1, which importers drop by a reshape and add by a copy. Fusion would propagate
    that dimension to the ops between, whose results are then not computed in place. Adds upstream's patterns of
    `tensor::populateReassociativeReshapeFoldingPatterns`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNSplitContractionsPass : Pass<"rnn-split-contractions"> {
  let summary = "Multiply parts of tensors that a program concatenates or slices";
  let description = [{
    A cell that multiplies the concatenation of its input and its state, `concat([x, h]) @ w`, becomes the sum of two products with
    parts of the weights if the input is from outside of the loop: `rnn-distribute-loops` then computes its product for all iterations.

    If only slices read the result of an op, the op computes just the part that they cover. In a loop, slices that are only inserted
    into a carried tensor (the gradient of the input) get an op of their own if they do not overlap the others (the gradient of the
    state). An elementwise op whose slices do not overlap, at most eight, becomes an op for each of them. Users of a broadcast read its
    operand.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNFuseElementwisePass : Pass<"rnn-fuse-elementwise"> {
  let summary = "Fuse elementwise linalg ops, except those whose work would be repeated";
  let description = [{
    The patterns of upstream's `linalg-fuse-elementwise-ops`. An op without loops whose operands are scalars (`tensor.from_elements`)
    becomes scalar ops. Users of a broadcast read its operand, even if it has several users.

    Upstream (LLVM 22) also fuses an op into one that needs its elements in several iterations. This is not done if the op reads
    its output, which it would update in each of them, if it has divisions or functions of the math dialect, or if the other one is a
    reduction and it has any arithmetic except conversions: a division of the left operand of a GEMM would be repeated for each column.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RNNMergeElementwisePass : Pass<"rnn-merge-elementwise"> {
  let summary = "Merge elementwise linalg ops whose operands or results have several uses";
  let description = [{
    `rnn-fuse-elementwise` fuses producers with one use only. If other ops use the result as well, the first user in the block
    and its producer become one op with the results of both: the user does not read the value from memory again. Results that
    nothing else uses are dropped. Two ops that read the same tensor in the same order become one op, too.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def RNNFoldShapesPass : Pass<"rnn-fold-shapes"> {
  let summary = "Compute sizes by scalars, and broadcast operands of equal sizes without conditions";
  let description = [{
    For programs with dynamic sizes, as JAX and TensorFlow export them:

    - `tensor.extract` at constant indices of a small integer tensor that a linalg op computes, such as a shape, becomes scalar ops.
      `tensor.reshape` with one unknown size becomes `tensor.collapse_shape` or `tensor.expand_shape`.
    - Where the size of an operand is known to be that of the loop, `size == 1 ? 0 : index` becomes the index, and elements that
      a linalg op reads at its own indices become an operand. Sizes are followed through slices and through tensors that loops carry.

    Other passes then fuse, vectorize and move these ops as those of static sizes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNFoldInsertedZerosPass : Pass<"rnn-fold-inserted-zeros"> {
  let summary = "Skip zeros of convolutions with dilated inputs, and of sums of inserted tensors";
  let description = [{
    Gradients of strided convolutions, and transposed convolutions, read tensors of zeros into which elements were inserted
    with a stride (`tensor.insert_slice`). With strides of 2 in 2-D, three of four products are zero.

    - If the filter has the zeros, the loops over it iterate over the inserted elements, and read the image with that stride.
    - If the image has the zeros, rows of the result whose index has one remainder modulo the stride read inserted elements at the
      same taps of the filter. The op becomes one op for each remainder, with these rows and taps. Sizes of the windows must be
      known, and there are at most 16 ops.

    A product of an inserted zero and an infinity or NaN was NaN; it is not computed anymore.

    A sum of two tensors that were inserted into zeros, such as the gradient of `jnp.split` or an interleaving in
    `jax.lax.associative_scan`, becomes insertions into one tensor, if no element has two addends. The insertions have static sizes and
    no other users. Zero is still added to floating-point elements, since -0 + 0 is 0.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RNNEliminateEmptyTensorsPass : Pass<"rnn-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute tensors where they are inserted, unless a loop inserts into a tensor from outside";
  let description = [{
    Runs upstream's `eliminate-empty-tensors`, except for insertions in a loop into a tensor that is defined outside of the
    loop. Upstream (LLVM 22) writes the inserted value to that tensor, which later iterations read.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def RNNPromoteBuffersPass : Pass<"rnn-promote-buffers", "::mlir::func::FuncOp"> {
  let summary = "Move small buffers out of loops, and the smallest ones to the stack";
  let description = [{
    Buffers of at most 1 KiB, whose size is known, are allocated on the stack at the start of the function, up to 16 KiB for all of them,
    and others of at most 8 KiB in loops and branches on the heap at the start of the function, up to 1 MiB. Unknown sizes count as 16; such
    buffers move before those loops in which the sizes are not computed. Excluded are those that the function returns or frees itself, and those that a loop passes to its next iteration; bf16 is not on the stack, since LLVM 22 lacks
    instructions for its values in registers. Upstream's `buffer-loop-hoisting` would also move large buffers, and
    `promote-buffers-to-stack` none out of loops.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def RNNSeparateResultsPass : Pass<"rnn-separate-results", "::mlir::ModuleOp"> {
  let summary = "Copy tensors that a loop yields, or a function returns, twice";
  let description = [{
    Bufferization (LLVM 22) assumes that the results of `scf.for` and `func.call` have separate memory, and may update one in
    place while another one is still read. So a tensor that is the same as an earlier operand of the terminator, or a view of the
    same tensor, is copied.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def RNNConvertTensorSelectsPass : Pass<"rnn-convert-tensor-selects"> {
  let summary = "Convert arith.select of tensors of unknown sizes and scf.index_switch of tensors to scf.if";
  let description = [{
    If both branches of an `scf.if` only yield, the canonicalizer replaces the op by `arith.select`. The two tensors may have
    different sizes at run time. `convert-elementwise-to-linalg` assumes equal sizes, so this pass restores the `scf.if`.

    Bufferization (LLVM 22) does not treat the results of an `scf.index_switch` as aliases of the yielded values. A later op
    could overwrite a buffer that a result shares. The pass replaces the op by one `scf.if` per case.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def RNNConvertComplexPass : Pass<"rnn-convert-complex", "::mlir::ModuleOp"> {
  let summary = "Replace tensors of complex numbers by tensors of real and imaginary parts";
  let description = [{
    Tensors of complex numbers become two tensors, and scalars two scalars, also where loops, branches and private functions pass them on.
    A matrix product (c + a b) becomes four real ones of the parts. Those with a factor of zeros are skipped: if one operand is a real tensor
    that was converted to complex numbers, two remain. Other linalg ops compute both parts in one loop nest, and reductions in one for each part. The
    arithmetic is upstream's `convert-complex-to-standard`. A module in which another op has complex operands, or a public function
    complex arguments or results, is not changed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def RNNConvertScalarMathPass : Pass<"rnn-convert-scalar-math", "::mlir::ModuleOp"> {
  let summary = "Convert expm1 and log1p of scalars to calls of the C library";
  let description = [{
    Upstream's `convert-math-to-llvm` computes exp(x) - 1 and log(1 + x), which are 0 for small x.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"];
}

def RNNDecomposeLinalgPass : Pass<"rnn-decompose-linalg"> {
  let summary = "Convert linalg.softmax, pack, unpack and winograd ops to ops that are loop nests";
  let description = [{
    Calls the decompositions that upstream offers as ops of the transform dialect. The ops must be on tensors, except
    `linalg.softmax`, which may also be on memrefs. The inner tiles of pack and unpack must have static sizes.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RNNSplitSlicesPass : Pass<"rnn-split-slices"> {
  let summary = "Convert slices that drop some of their dimensions of size 1 to two ops, where upstream drops others";
  let description = [{
    The first op takes the slice and the second one drops the dimensions.

    - `memref.subview` with steps: upstream (LLVM 22) finds dropped dimensions by comparing the strides of the result with
      those of the source, without the steps (`SubViewOp::getDroppedDims`), and crashes if it finds none. The canonicalizer
      drops other dimensions.
    - `tensor.extract_slice`, `insert_slice` and `parallel_insert_slice` that keep a dimension of size 1 before one that they
      drop: the canonicalizer, when it replaces an operand by a constant, drops the first dimensions of size 1, and so takes
      another slice.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def RNNCopyStridedCastsPass : Pass<"rnn-copy-strided-casts"> {
  let summary = "Convert casts that bufferization makes of slices to dense buffers to copies";
  let description = [{
    Functions take and return dense buffers. Upstream's bufferization (LLVM 22) casts a slice at offset 0 whose sizes are
    unknown to a dense buffer, as if its strides were those of one (`castOrReallocMemRefValue` compares strides, and all are
    unknown). With `mark`, before bufferization, it marks such casts of the program, which states that the buffers are dense.
  }];
  let options = [Option<"mark", "mark", "bool", /*default=*/"false", "Mark the casts that stay">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def RNNFlattenReversedAccessesPass : Pass<"rnn-flatten-reversed-accesses"> {
  let summary = "Access elements of memrefs with negative or unknown strides in one dimension";
  let description = [{
    Upstream's lowering of `memref.load` and `memref.store` (LLVM 22) marks products of indices and strides as `nuw`. With a negative stride,
    as of a reversed dimension, this is undefined behavior: for a buffer on the stack, LLVM concluded that such loads do not read what was
    stored. This pass computes the index of the element in the whole buffer, which is never negative, and accesses that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def RNNExpandStridedMetadataPass : Pass<"rnn-expand-strided-metadata"> {
  let summary = "Upstream's expand-strided-metadata, on ops of the memref dialect only";
  let description = [{
    Applies the patterns of upstream's `expand-strided-metadata`. That pass visits and folds every op of the module. The
    loops of a layer consist of tens of thousands of arithmetic ops, in which there is nothing to expand.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def RNNIsolateScalarLoopsPass : Pass<"rnn-isolate-scalar-loops"> {
  let summary = "Wrap linalg ops without parallel iterators in parallel loops of one iteration";
  let description = [{
    The lowering of linalg turns a full reduction, or a fill of a rank-0 buffer, into sequential loops and stores. If
    buffers are in device memory, this code must run on the device. The pass wraps such an op in an `scf.parallel` with
    one iteration, which becomes a kernel with one thread.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RNNParallelLoopsToGPUPass : Pass<"rnn-parallel-loops-to-gpu"> {
  let summary = "Convert outermost parallel loops to kernels, one thread per iteration";
  let description = [{
    Each outermost `scf.parallel` without reductions becomes a `gpu.launch` with `block-size` threads per block and as
    many blocks as the iterations require. The linear iteration index is split into the induction variables, for any
    rank and bounds. Nested parallel loops become sequential. (Upstream's `convert-parallel-loops-to-gpu` maps at most
    three loops, with constant tiles.) These kernels run the ops outside rnn ops: they are correct for every shape, and
    not tuned.

    Example: an `scf.parallel` over `4 x N` iterations becomes

    ```
    gpu.launch blocks(%bx, ...) in (%gx = ceildiv(4 * N, 256), ...) threads(%tx, ...) in (%sx = 256, ...) {
      scf.if %bx * 256 + %tx < 4 * N { %i:2 = affine.delinearize_index ... }
    }
    ```
  }];
  let options = [Option<"blockSize", "block-size", "int64_t", /*default=*/"256", "Threads per block">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def RNNOutlineKernelsPass : Pass<"rnn-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline kernels and keep their launch properties";
  let description = [{
    Runs `gpu-kernel-outlining`, which drops the discardable attributes of `gpu.launch`, and sets those of the rnngpu dialect
    (`rnngpu.cooperative`, `rnngpu.programmatic`) on the outlined `gpu.func`.
  }];
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::gpu::GPUDialect"];
}

def RNNMergeKernelModulesPass : Pass<"rnn-merge-kernel-modules", "::mlir::ModuleOp"> {
  let summary = "Move outlined kernels into one gpu module";
  let description = [{
    `gpu-kernel-outlining` creates one `gpu.module` per kernel, and `ptxas` and the driver process each module separately.
    This pass moves the kernels into the first such module and renames those whose names clash. Modules that contain other
    ops than kernels, or that have targets already, are not merged.

    Workgroup buffers get an alignment of 16 bytes (`llvm.align`), which asynchronous copies and `ldmatrix` need.
    A kernel whose launches all have the same constant cluster size gets it as `known_cluster_size`.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect"];
}

def RNNUseDeviceMemoryPass : Pass<"rnn-use-device-memory", "::mlir::ModuleOp"> {
  let summary = "Move buffers to the memory of the device";
  let description = [{
    For targets whose device memory the host cannot access. Outside kernels, `memref.alloc`, `memref.dealloc` and
    contiguous `memref.copy` become `rnnrt.alloc`, `rnnrt.free` and `rnnrt.copy`. A constant (`memref.get_global`) is
    uploaded where it is read. A `memref.load` becomes `rnnrt.read`, which waits for the device; a `memref.store`
    becomes `rnnrt.copy`. `memref.alloca`, and buffers that the lowering of `bufferization.dealloc` creates for itself,
    stay in host memory. Any other op outside kernels that reads or writes a buffer is an error, since it would run on
    the host. Each kernel launch gets an `rnnrt.make_current` before it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::rnnrt::RNNRTDialect"];
}

def RNNKeepDeallocationsPass : Pass<"rnn-keep-deallocations"> {
  let summary = "Exclude buffers with explicit deallocations from automatic deallocation";
  let description = [{
    In functions with tensors, sets `bufferization.manual_deallocation` on every op that frees a buffer (`memref.dealloc`,
    `gpu.dealloc`) and on the allocation of that buffer. A buffer whose allocation is not known, such as a value that a
    loop carries, is an error. Runs before bufferization. Functions without tensors remain as they are:
    `rnn-deallocate-buffers` recognizes them by deallocations without that attribute.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def RNNDeallocateBuffersPass : Pass<"rnn-deallocate-buffers"> {
  let summary = "Free the buffers of functions that do not free buffers themselves";
  let description = [{
    Upstream's `ownership-based-buffer-deallocation`, except for functions with an op that frees a buffer and has no
    `bufferization.manual_deallocation` (see `rnn-keep-deallocations`). Such a function frees all of its buffers itself,
    like those that this pass has changed before, so the output of stage `bufferize` may be compiled. A caller owns the
    buffers that a function returns, in both kinds of functions.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def RNNMakeCallCurrentPass : Pass<"rnn-make-call-current", "::mlir::ModuleOp"> {
  let summary = "Bind the launches of a function to the current runtime call";
  let description = [{
    Adds `rnnrt.make_current` at the start of every host function that contains ops of the gpu dialect.
  }];
  let dependentDialects = ["::mlir::rnnrt::RNNRTDialect"];
}

def RNNExpandGPUReductionsPass : Pass<"rnn-expand-gpu-reductions"> {
  let summary = "Convert gpu.all_reduce and gpu.subgroup_reduce to shuffles and shared memory";
  let description = [{
    Applies upstream's patterns, for warps of 32 threads, to `gpu.all_reduce` (which must be `uniform`),
    `gpu.subgroup_reduce`, `gpu.global_id`, and shuffles of types that do not have 32 bits. `convert-gpu-to-nvvm` does
    not support them for every type.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::index::IndexDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def RNNCheckLibdevicePass : Pass<"rnn-check-libdevice", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Report kernels that require a missing libdevice";
  let description = [{
    Math functions without a GPU instruction (`__nv_tanhf`, ...) are defined in libdevice, a file of the CUDA toolkit.
    Without it they stay undefined in the PTX, and the driver rejects the module when it is loaded. If `toolkit` is
    empty, a kernel that calls such a function is an error.
  }];
  let options = [Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
                        "Folder of the CUDA toolkit; empty without a toolkit">];
}

#endif // RNN_TRANSFORMS_PASSES_TD
