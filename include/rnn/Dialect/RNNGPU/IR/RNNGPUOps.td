//===- RNNGPUOps.td - the rnngpu dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD
#define RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD

include "mlir/Dialect/GPU/IR/CompilationAttrInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RNNGPU_Dialect : Dialect {
  let name = "rnngpu";
  let cppNamespace = "::mlir::rnngpu";
  let summary = "GPU instructions and launch properties that the upstream dialects lack";
  let description = [{
    Ops at the level of the NVVM dialect. Each has a PTX form (`convert-rnngpu-to-nvvm`), an emulation
    (`simt-to-host`) and memory effects. Kernels therefore contain no inline assembly, whose effects neither the
    emulator nor the optimizer can see.

    Three attributes state how a kernel is launched. They are allowed on `gpu.launch`, and on the function of a
    kernel (`gpu.func`, or `llvm.func` after lowering) once it is outlined; `rnn-outline-kernels` moves them there. The
    first two are unit attributes.

    - `rnngpu.cooperative`: all blocks of the grid are resident at the same time; required by `rnngpu.grid_barrier`.
    - `rnngpu.programmatic`: programmatic dependent launch. The kernel may start before the previous launch in the stream
      has ended, and runs concurrently with it up to `rnngpu.grid_wait`. Requires `sm_90`.
    - `rnngpu.resident_clusters = N : i32`, with N in [1, 255]: dimension x of the grid has one cluster for each item of
      work, and the kernel divides the items among the clusters of its grid. The runtime launches as many clusters as are
      resident together, with at most N items for each.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getCooperativeAttrName() { return "rnngpu.cooperative"; }
    static constexpr ::llvm::StringLiteral getProgrammaticAttrName() { return "rnngpu.programmatic"; }
    static constexpr ::llvm::StringLiteral getResidentClustersAttrName() { return "rnngpu.resident_clusters"; }
  }];
}

def RNNGPU_LaunchAttr : AttrDef<RNNGPU_Dialect, "Launch", [
    OffloadingTranslationAttrTrait, DeclareAttrInterfaceMethods<OffloadingLLVMTranslationAttrInterface>]> {
  let mnemonic = "launch";
  let summary = "launches of a gpu.binary through the runtime, with the properties of its kernels";
  let description = [{
    The offloading handler of a `gpu.module` and the `gpu.binary` that it becomes. It embeds the binary as
    `#gpu.select_object` does, and translates `gpu.launch_func` to a call of `rnnrt_abi_gpu_launch` whose flags are the
    properties of the kernel. `convert-rnngpu-to-nvvm` creates it from the attributes of the kernels.

    Example:
    ```mlir
    gpu.module @kernels <#rnngpu.launch<programmatic = ["step"]>> {
    }
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr", "names of cooperative kernels">:$cooperative,
                        OptionalArrayRefParameter<"::mlir::StringAttr", "names of programmatic kernels">:$programmatic,
                        OptionalParameter<"::mlir::DictionaryAttr", "`rnngpu.resident_clusters` by name">:$residentClusters);
  let hasCustomAssemblyFormat = 1;
}

class RNNGPU_Op<string mnemonic, list<Trait> traits = []> : Op<RNNGPU_Dialect, mnemonic, traits>;

def RNNGPU_SharedClusterPointer : LLVM_PointerInAddressSpace<7>;

def RNNGPU_StoreAsyncOp : RNNGPU_Op<"store_async", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface, ["getEffects"]>]> {
  let summary = "an asynchronous store to shared memory of the cluster, counted by an mbarrier";
  let description = [{
    Stores 1, 2 or 4 `values` (32 bits each, or 1 or 2 of 64 bits) contiguously at `address`, in the shared memory
    of a block of the cluster, asynchronously. On arrival the byte count is subtracted from the transaction count of
    `barrier`, an mbarrier of the same block: PTX `st.async.shared::cluster.mbarrier::complete_tx::bytes`, which
    needs `sm_90` and PTX 8.1. A thread of that block may read the values after an acquiring wait for the phase, in cluster
    scope.

    Constraints:
    - (S1) all values have one type, of 32 or 64 bits, and have 4, 8 or 16 bytes together.

    `address` must be aligned to that number of bytes.

    Example:
    ```mlir
    llvm.func @send(%value: f32, %slot: !llvm.ptr<3>, %barrier: !llvm.ptr<3>, %to: i32) {
      %there = nvvm.mapa %slot, %to : !llvm.ptr<3> -> !llvm.ptr<7>
      %counter = nvvm.mapa %barrier, %to : !llvm.ptr<3> -> !llvm.ptr<7>
      rnngpu.store_async %value, %value to %there counted by %counter : f32, f32
      llvm.return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, F64, I32, I64]>>:$values /*S1*/,
                       RNNGPU_SharedClusterPointer:$address, RNNGPU_SharedClusterPointer:$barrier);
  let assemblyFormat = "$values `to` $address `counted` `by` $barrier attr-dict `:` type($values)";
  let extraClassDeclaration = [{
    /// Bytes of one value.
    unsigned getElementBytes() { return getValues().front().getType().getIntOrFloatBitWidth() / 8; }
    /// Bytes of all values.
    unsigned getBytes() { return getElementBytes() * getValues().size(); }
    /// The instruction, with the address as $0, then the values, then the barrier.
    std::string getPTX();
  }];
  let hasVerifier = 1;
}

// The NVVM ops for these two have no memory effects in LLVM 22, so loads would move across the wait.
def RNNGPU_Exp2Op : RNNGPU_Op<"exp2_approx", [Pure]> {
  let summary = "approximate power of two";
  let description = [{
    2^`value` by one instruction, PTX `ex2.approx.f32`: relative error at most 2^-22 (PTX ISA). The emulator computes
    the function of the C library.

    Example:
    ```mlir
    llvm.func @power(%x: f32) -> f32 {
      %y = rnngpu.exp2_approx %x
      llvm.return %y : f32
    }
    ```
  }];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
}

def RNNGPU_TanhOp : RNNGPU_Op<"tanh_approx", [Pure]> {
  let summary = "approximate hyperbolic tangent";
  let description = [{
    tanh(`value`) by one instruction, PTX `tanh.approx.f32`, which needs `sm_75`: relative error at most 2^-11 (PTX
    ISA). The emulator computes the function of the C library.

    Example:
    ```mlir
    llvm.func @activation(%x: f32) -> f32 {
      %y = rnngpu.tanh_approx %x
      llvm.return %y : f32
    }
    ```
  }];
  let arguments = (ins F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$value attr-dict";
}

def RNNGPU_GridWaitOp : RNNGPU_Op<"grid_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait of a programmatic launch for the previous work";
  let description = [{
    In a kernel with `rnngpu.programmatic`, which may start while previous work of the stream is running, waits
    until that work is complete and its stores are visible: PTX `griddepcontrol.wait`, which needs `sm_90`. In other
    kernels it has no effect.

    Example:
    ```mlir
    llvm.func @next(%weights: !llvm.ptr<1>, %state: !llvm.ptr<1>) -> f32 {
      %w = llvm.load %weights : !llvm.ptr<1> -> f32
      rnngpu.grid_wait
      %s = llvm.load %state : !llvm.ptr<1> -> f32
      rnngpu.launch_dependents
      %p = llvm.fmul %w, %s : f32
      llvm.return %p : f32
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def RNNGPU_LaunchDependentsOp : RNNGPU_Op<"launch_dependents", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "permission for the next launch to start";
  let description = [{
    Once all blocks have executed this op or have ended, a programmatic launch that follows in the stream may start
    and run up to its `rnngpu.grid_wait`: PTX `griddepcontrol.launch_dependents`, which needs `sm_90`.

    After a `rnngpu.grid_wait` of this kernel, the next kernel may use the results of all launches before this one
    already before its own wait.

    Example:
    ```mlir
    llvm.func @next() {
      rnngpu.grid_wait
      rnngpu.launch_dependents
      llvm.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def RNNGPU_GridBarrierOp : RNNGPU_Op<"grid_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of all threads of a cooperative grid";
  let description = [{
    Waits until all threads of the grid have arrived. Stores of every thread before the barrier are visible to all
    threads after it. The kernel must have the attribute `rnngpu.cooperative`.

    `counter` is a 32-bit word in global memory, the same for all threads, which is zero before the first launch
    that uses it. It serves every barrier of a grid, and successive launches, but not concurrent ones.

    The PTX form has a block barrier on both sides. Between them the first thread of each block adds to the counter,
    with release semantics, and polls it with acquire semantics until the top bit flips, which happens when all
    blocks have added their shares; the counter therefore needs no reset. The scope is the GPU; `sm_70` is required.

    Example:
    ```mlir
    llvm.func @exchange(%counter: !llvm.ptr<1>, %mine: !llvm.ptr<1>, %other: !llvm.ptr<1>, %value: f32) -> f32 {
      llvm.store %value, %mine : f32, !llvm.ptr<1>
      rnngpu.grid_barrier %counter
      %theirs = llvm.load %other : !llvm.ptr<1> -> f32
      llvm.return %theirs : f32
    }
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$counter);
  let assemblyFormat = "$counter attr-dict";
}

def RNNGPU_AddSignalOp : RNNGPU_Op<"add_signal", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "adds one to a counter for which work outside of the kernel may wait";
  let description = [{
    Adds 1 to the 32-bit word `counter` in global memory. All earlier stores of the thread, and those that it has observed
    through barriers, precede the addition for all work that waits for the value: PTX `red.release.sys`, which needs `sm_70`.
    The scope is the system, since the wait is one of a stream (`cuStreamWaitValue32`) rather than of a thread of the GPU.

    Example:
    ```mlir
    llvm.func @publish(%counter: !llvm.ptr<1>, %result: !llvm.ptr<1>, %value: f32) {
      llvm.store %value, %result : f32, !llvm.ptr<1>
      rnngpu.add_signal %counter
      llvm.return
    }
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$counter);
  let assemblyFormat = "$counter attr-dict";
}

def RNNGPU_ReadSignalOp : RNNGPU_Op<"read_signal", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads a flag that work outside of the kernel may set";
  let description = [{
    Loads the 32-bit word `flag` in global memory, which work of another stream sets once (`cuStreamWriteValue32`), without
    waiting for it. If it is set, all work before that is visible to later loads of the thread, and to those of other threads
    that synchronize with it: PTX `ld.acquire.sys`, which needs `sm_70`. The emulator may execute launches of other streams
    before it reads the flag.

    Example:
    ```mlir
    llvm.func @poll(%flag: !llvm.ptr<1>) -> i32 {
      %set = rnngpu.read_signal %flag
      llvm.return %set : i32
    }
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$flag);
  let results = (outs I32:$value);
  let assemblyFormat = "$flag attr-dict";
}

#endif // RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD
