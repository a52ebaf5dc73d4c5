//===- Passes.td - passes over IR that mixes dialects -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_PASSES_TD
#define RNN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RNNProtectArgumentsPass : Pass<"rnn-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Keep bufferization from writing into the arguments of public functions";
  let description = [{
    One-shot bufferization lets a function overwrite its tensor arguments unless they carry
    `bufferization.writable = false`. Callers of a compiled function pass values and expect to find them unchanged, so this
    pass sets the attribute on every tensor argument of a public function that does not carry it. A module that wants an
    argument updated in place says `bufferization.writable = true` itself.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def RNNExpandStridedCopiesPass : Pass<"rnn-expand-strided-copies"> {
  let summary = "Convert memref copies with a layout to linalg";
  let description = [{
    A `memref.copy` between dense buffers becomes one memcpy in the lowering to LLVM; with a layout it would become a
    call of `memrefCopy` of MLIR's own runner library, which goes element by element through a generic index
    computation. This pass turns those into `linalg.generic`, or into loops at once.
  }];
  let options = [Option<"loops", "loops", "bool", /*default=*/"false", "Make loops, not linalg ops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect"];
}

def RNNIsolateScalarLoopsPass : Pass<"rnn-isolate-scalar-loops"> {
  let summary = "Wrap linalg ops without parallel iterators into parallel loops of one iteration";
  let description = [{
    A full reduction, or a fill of a rank-0 buffer, becomes plain loops and stores in the lowering of linalg. On a target
    whose buffers are in device memory it must run there too, so this pass puts it into an `scf.parallel` with one
    iteration, which then becomes a kernel of one thread like any other parallel loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RNNParallelLoopsToGPUPass : Pass<"rnn-parallel-loops-to-gpu"> {
  let summary = "Convert outermost parallel loops to kernels, one thread per iteration";
  let description = [{
    Each outermost `scf.parallel` without reductions becomes a `gpu.launch` with `block-size` threads a block and as many
    blocks as the iterations need. The iteration number is split into the loop's indices, whatever their number and
    bounds; parallel loops inside become sequential ones. (Upstream's `convert-parallel-loops-to-gpu` maps at most three
    loops with constant tiles.) These are the kernels of the code around the layers: correct for every shape, the work of a
    layer itself is not done here.

    Example: an scf.parallel over 4 x N iterations becomes

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

def RNNMergeKernelModulesPass : Pass<"rnn-merge-kernel-modules", "::mlir::ModuleOp"> {
  let summary = "Move outlined kernels into one gpu module";
  let description = [{
    `gpu-kernel-outlining` makes one `gpu.module` per kernel, and each would be assembled by a run of `ptxas` and loaded on its
    own. This pass moves the kernels into the first such module, with new names where they clash. Modules that hold more
    than kernels, or that have targets already, stay as they are. What a name ends in for the runtime (`__pdl`, `__coop`)
    stays its end; kernels with the attribute `rnn.cooperative` get the latter.

    Workgroup buffers get an alignment of 16 bytes (`llvm.align`), which asynchronous copies and `ldmatrix` need.
    Kernels that are launched in clusters of a constant size get it as their `known_cluster_size`.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect"];
}

def RNNUseDeviceMemoryPass : Pass<"rnn-use-device-memory", "::mlir::ModuleOp"> {
  let summary = "Put buffers into the memory of the call's device";
  let description = [{
    For targets whose memory the host cannot touch. Outside kernels, `memref.alloc`, `memref.dealloc` and dense
    `memref.copy` become `rnnrt.alloc`, `rnnrt.free` and `rnnrt.copy`; a constant (`memref.get_global`) is uploaded where it
    is read; a single `memref.load` reads back through `rnnrt.read` (and waits for the device), and a single `memref.store`
    goes through `rnnrt.copy`. `memref.alloca`, and what the lowering of `bufferization.dealloc` keeps for itself, stay
    in host memory. Any other op outside kernels that reads or writes a buffer is an error: it would run on the host.
    Kernel launches get an `rnnrt.make_current` in front.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::rnnrt::RNNRTDialect"];
}

def RNNKeepDeallocationsPass : Pass<"rnn-keep-deallocations"> {
  let summary = "Leave buffers alone that the program frees itself";
  let description = [{
    Marks every op that frees a buffer (`memref.dealloc`, `gpu.dealloc`), and the allocation of that buffer, with
    `bufferization.manual_deallocation`. Upstream's insertion of deallocations refuses such programs otherwise.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def RNNMakeCallCurrentPass : Pass<"rnn-make-call-current", "::mlir::ModuleOp"> {
  let summary = "Tell the runtime to which call the launches of a function belong";
  let description = [{
    Adds `rnnrt.make_current` at the start of every function of the host that holds ops of the gpu dialect.
  }];
  let dependentDialects = ["::mlir::rnnrt::RNNRTDialect"];
}

def RNNExpandGPUReductionsPass : Pass<"rnn-expand-gpu-reductions"> {
  let summary = "Convert gpu.all_reduce and gpu.subgroup_reduce to shuffles and shared memory";
  let description = [{
    Applies upstream's patterns for warps of 32 threads: `gpu.all_reduce` (which must be `uniform`), `gpu.subgroup_reduce`,
    `gpu.global_id`, and shuffles of other types than 32 bits. `convert-gpu-to-nvvm` knows none of them for every type.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::index::IndexDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def RNNCheckLibdevicePass : Pass<"rnn-check-libdevice", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuse kernels that need libdevice where there is none";
  let description = [{
    Functions that NVIDIA's GPUs have no instruction for (`__nv_tanhf`, ...) come from libdevice, a file of the CUDA toolkit.
    Without it they would stay undefined in the PTX, and the driver would refuse the module when it is loaded. With an
    empty `toolkit`, a kernel that calls one is an error here.
  }];
  let options = [Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
                        "Folder of the CUDA toolkit, empty if there is none">];
}

#endif // RNN_TRANSFORMS_PASSES_TD
