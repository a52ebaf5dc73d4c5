//===- RNNGPUOps.td - what kernels need and upstream has no op for -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD
#define RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RNNGPU_Dialect : Dialect {
  let name = "rnngpu";
  let cppNamespace = "::mlir::rnngpu";
  let summary = "instructions of GPUs that upstream's dialects lack";
  let description = [{
    Ops of kernels on the level of the NVVM dialect. Each has a PTX form (`convert-rnngpu-to-nvvm`), an emulation
    (`simt-to-host`) and memory effects, so that no kernel needs inline assembly, of which nobody knows what it does.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class RNNGPU_Op<string mnemonic, list<Trait> traits = []> : Op<RNNGPU_Dialect, mnemonic, traits>;

def RNNGPU_SharedClusterPointer : LLVM_PointerInAddressSpace<7>;

def RNNGPU_StoreAsyncOp : RNNGPU_Op<"store_async", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface, ["getEffects"]>]> {
  let summary = "a store to a block of the cluster whose arrival an mbarrier counts";
  let description = [{
    Stores 1, 2 or 4 `values` (of 32 bits, or 1 or 2 of 64) side by side to `address`, in the shared memory of some block
    of the cluster, at some later time. Then the bytes are subtracted from those that `barrier` waits for, an mbarrier of
    the same block: PTX `st.async.shared::cluster.mbarrier::complete_tx::bytes`, for which `sm_90` and PTX 8.1 are needed.
    A thread of that block may read the values after an acquiring wait, in the scope of the cluster, for the phase.

    Constraints:
    - (S1) all values have one type, of 32 or 64 bits, and have 4, 8 or 16 bytes together.

    `address` is a multiple of as many bytes.

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
    /// Of one value, and of all.
    unsigned getElementBytes() { return getValues().front().getType().getIntOrFloatBitWidth() / 8; }
    unsigned getBytes() { return getElementBytes() * getValues().size(); }
    /// The instruction, with the address as $0, then the values, then the barrier.
    std::string getPTX();
  }];
  let hasVerifier = 1;
}

// NVVM has these two, but LLVM 22 believes that they touch no memory, and moves loads across the wait.
def RNNGPU_GridWaitOp : RNNGPU_Op<"grid_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the end of the work that a programmatic launch may overlap";
  let description = [{
    In a kernel that is launched while the work in front of it may still run (its name ends in `__pdl`), waits until that
    work is complete and its stores can be seen: PTX `griddepcontrol.wait`, for which `sm_90` is needed. In other kernels
    it does nothing.

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
  let summary = "permission for the next launch to begin";
  let description = [{
    When all blocks have come here, or ended, a programmatic launch that follows in the stream may begin, up to its
    `rnngpu.grid_wait`: PTX `griddepcontrol.launch_dependents`, for which `sm_90` is needed.

    Behind a `rnngpu.grid_wait`, the next kernel may rely on everything in front of this one before it waits itself.

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
  let summary = "the barrier of a cooperative grid";
  let description = [{
    All threads of the grid wait here for each other; what each stored in front of the barrier, all may read behind it. The
    kernel is launched cooperatively: it has the attribute `rnn.cooperative`, or a name that ends in `__coop`.

    `counter` is a word of 32 bits in global memory, the same for all threads, which is zero before the first launch that
    uses it. It serves every barrier of a grid, and one launch after the other, but not two launches at the same time.

    The PTX form has a barrier of the block on both sides. Between them the first thread of each block adds to the counter,
    with release semantics, and polls it with acquire semantics until the top bit has turned, for which the blocks' shares
    add up; so nobody resets it. The scope is that of the GPU; `sm_70` is needed.

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

#endif // RNN_DIALECT_RNNGPU_IR_RNNGPUOPS_TD
