//===- RNNRTOps.td - one op per entry of the runtime's ABI -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNNRT_IR_RNNRTOPS_TD
#define RNN_DIALECT_RNNRT_IR_RNNRTOPS_TD

include "rnn/Dialect/RNN/IR/RNNAttrs.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RNNRT_Dialect : Dialect {
  let name = "rnnrt";
  let cppNamespace = "::mlir::rnnrt";
  let summary = "calls to the rnn runtime library";
  let description = [{
    Each op calls one entry of the runtime's ABI (`rnn_runtime/abi.def`), on dense memrefs and opaque handles. Verifiers
    check element types only: the `rnn` dialect verifies shapes, and the runtime checks all sizes when it creates a
    plan. An absent optional operand is passed as a null pointer. An absent output is not computed.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::rnn::RNNDialect"];
}

class RNNRT_Type<string name, string typeMnemonic> : TypeDef<RNNRT_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def RNNRT_CallType : RNNRT_Type<"Call", "call"> {
  let summary = "one invocation of a compiled function: its device, stream and first error";
}
def RNNRT_PlanType : RNNRT_Type<"Plan", "plan"> {
  let summary = "a prepared problem, borrowed from the plan cache of the device";
}

def RNNRT_EntryOpInterface : OpInterface<"EntryOpInterface"> {
  let cppNamespace = "::mlir::rnnrt";
  let description = [{
    An op that lowers to one call of an ABI entry. The arguments follow the order of abi.def: the call and the plan, the
    scalar attributes, then the remaining operands.
  }];
  let methods = [
    StaticInterfaceMethod<"Returns the name of the entry in abi.def.", "::llvm::StringRef", "getEntryName">,
    InterfaceMethod<"Returns the scalar arguments that follow the call, as integer or float attributes.",
      "::llvm::SmallVector<::mlir::TypedAttr>", "getScalarArguments", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Returns the operand with ODS index `index`; an empty range is passed as a null pointer.",
      "::mlir::OperandRange", "getArgument", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSOperands(index); }]>,
    StaticInterfaceMethod<"Returns the number of ODS operands.", "unsigned", "getNumArguments">
  ];
}

// An op that calls one ABI entry. `numArguments` is its number of ODS operands.
class RNNRT_EntryOp<string mnemonic, int numArguments, list<Trait> traits = []>
    : Op<RNNRT_Dialect, mnemonic, traits # [RNNRT_EntryOpInterface]> {
  code entry = [{
    static ::llvm::StringRef getEntryName() { return "rnnrt_abi_}] # mnemonic # [{"; }
    static unsigned getNumArguments() { return }] # numArguments # [{; }
  }];
  let extraClassDeclaration = entry;
}

// A run-time check: a failure is recorded in the call, and later entries return at once. The op writes to all memory, so
// that it is neither removed as dead nor reordered; buffer deallocation refuses ops with unknown effects.
class RNNRT_CheckOp<string mnemonic, int numArguments>
    : RNNRT_EntryOp<mnemonic, numArguments, [MemoryEffects<[MemWrite]>]> {}

def RNNRT_In : Arg<AnyMemRef, "", [MemRead]>;
def RNNRT_OptIn : Arg<Optional<AnyMemRef>, "", [MemRead]>;
def RNNRT_OptOut : Arg<Optional<AnyMemRef>, "", [MemWrite]>;
def RNNRT_OptInOut : Arg<Optional<AnyMemRef>, "", [MemRead, MemWrite]>;

def RNNRT_CurrentCallOp : Op<RNNRT_Dialect, "current_call", [Pure]> {
  let summary = "the call that the enclosing function runs in";
  let description = [{ `-rnn-thread-runtime-call` replaces it by a function argument. }];
  let results = (outs RNNRT_CallType:$call);
  let assemblyFormat = "attr-dict `:` type($call)";
}

def RNNRT_ExpectEqualOp : RNNRT_CheckOp<"expect_equal", 3> {
  let summary = "run-time check that two sizes are equal";
  let arguments = (ins RNNRT_CallType:$call, Index:$actual, Index:$expected, StrAttr:$message);
  let assemblyFormat = "$call `,` $actual `,` $expected `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

def RNNRT_ExpectRangeOp : RNNRT_CheckOp<"expect_range", 4> {
  let summary = "run-time check that a value is in [low, high]";
  let arguments = (ins RNNRT_CallType:$call, Index:$actual, Index:$low, Index:$high, StrAttr:$message);
  let assemblyFormat = "$call `,` $actual `in` `[` $low `,` $high `]` `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Memory of the call's device
//===----------------------------------------------------------------------===//

def RNNRT_AllocOp : Op<RNNRT_Dialect, "alloc"> {
  let summary = "allocates a buffer in the memory of the call's device";
  let description = [{
    Like `memref.alloc`, but stream-ordered on the call's stream. If the call has failed, the buffer is a null pointer.
    It is never accessed, because every entry returns at once for a failed call.
  }];
  let arguments = (ins RNNRT_CallType:$call, Variadic<Index>:$dynamic_sizes);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "$call `(` $dynamic_sizes `)` attr-dict `:` type($buffer)";
  let extraClassDeclaration = [{
    ::mlir::MemRefType getType() { return ::llvm::cast<::mlir::MemRefType>(getBuffer().getType()); }
  }];
  let hasVerifier = 1;
}

def RNNRT_FreeOp : RNNRT_EntryOp<"free", 2> {
  let summary = "frees a buffer of `rnnrt.alloc`, ordered on the call's stream";
  let arguments = (ins RNNRT_CallType:$call, Arg<AnyMemRef, "", [MemFree]>:$buffer);
  let assemblyFormat = "$call `,` $buffer attr-dict `:` type($buffer)";
}

def RNNRT_CopyOp : RNNRT_EntryOp<"copy", 4> {
  let summary = "copies a dense buffer to another, ordered on the call's stream";
  let description = [{ `source` and `target` may each be in device or in host memory. }];
  let arguments = (ins RNNRT_CallType:$call, RNNRT_In:$source, Arg<AnyMemRef, "", [MemWrite]>:$target, Index:$bytes);
  let assemblyFormat = "$call `,` $source `to` $target `bytes` $bytes attr-dict `:` type(operands)";
}

def RNNRT_ReadOp : RNNRT_EntryOp<"read", 4> {
  let summary = "copies from device memory to host memory and waits for the copy";
  let description = [{ If the call has failed, before or in this op, `target` is filled with zeros. }];
  let arguments = (ins RNNRT_CallType:$call, RNNRT_In:$source, Arg<AnyMemRef, "", [MemWrite]>:$target, Index:$bytes);
  let assemblyFormat = "$call `,` $source `to` $target `bytes` $bytes attr-dict `:` type(operands)";
}

def RNNRT_MakeCurrentOp : RNNRT_EntryOp<"make_current", 1> {
  let summary = "makes the call current for later kernel launches of this thread";
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_TryClustersOp : RNNRT_EntryOp<"try_clusters", 1> {
  let summary = "allows later cluster launches to be skipped";
  let description = [{
    Until `rnnrt.clusters_ran`, a cluster launch is skipped instead of failing if the device cannot hold one such
    cluster. The occupancy query covers the kernel itself, including its registers and its shared memory.

    Example:
    ```mlir
    func.func @either(%call: !rnnrt.call) -> index {
      rnnrt.try_clusters %call
      // Cluster launches.
      %ran = rnnrt.clusters_ran %call
      // If %ran is 0, launch other kernels for the same work.
      return %ran : index
    }
    ```
  }];
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_ClustersRanOp : RNNRT_EntryOp<"clusters_ran", 1> {
  let summary = "returns whether every cluster launch since `rnnrt.try_clusters` was issued";
  let description = [{ `ran` is 1, or 0 if a launch was skipped or the call has failed. Does not wait for the launches. }];
  let arguments = (ins RNNRT_CallType:$call);
  let results = (outs Index:$ran);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_BeginChainOp : RNNRT_EntryOp<"begin_chain", 1> {
  let summary = "begins a chain of kernel launches";
  let description = [{
    Until `rnnrt.end_chain`, the function only launches kernels. A device may enqueue the launches together at the end.

    Example:
    ```mlir
    func.func @steps(%call: !rnnrt.call) {
      rnnrt.begin_chain %call
      // Kernel launches.
      rnnrt.end_chain %call
      return
    }
    ```
  }];
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_EndChainOp : RNNRT_EntryOp<"end_chain", 1> {
  let summary = "ends a chain of kernel launches";
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_WavefrontBeginOp : RNNRT_EntryOp<"wavefront_begin", 5> {
  let summary = "begins tasks of stages that may run at the same time";
  let description = [{
    Until `rnnrt.wavefront_end`, kernel launches and `rnnrt.gemm` belong to tasks. A task follows the earlier tasks of its
    stage and of the stage before it, and all work before the wavefront; tasks that are not ordered may run at the same time.
    With fewer than two stages, tasks run in the order of the call. Only launches and `rnnrt.gemm` may be in a wavefront.
    Launches of clusters divide the device among `layers` layers. Each stage has `tasks` tasks, and a launch of clusters has
    at most `clusters` of them; 0 if the kernels do not support signals.

    Example:
    ```mlir
    func.func @wavefront(%call: !rnnrt.call, %stages: index, %layers: index, %tasks: index, %clusters: index, %stage: index,
                         %reuses: index) {
      rnnrt.wavefront_begin %call, %stages, %layers, %tasks, %clusters
      // In a loop over stages and chunks of time steps:
      %signals = rnnrt.wavefront_task %call, %stage, %reuses
      // Launches of the chunk.
      rnnrt.wavefront_end %call
      return
    }
    ```
  }];
  let arguments = (ins RNNRT_CallType:$call, Index:$stages, Index:$layers, Index:$tasks, Index:$clusters);
  let assemblyFormat = "$call `,` $stages `,` $layers `,` $tasks `,` $clusters attr-dict";
}

def RNNRT_WavefrontTaskOp : RNNRT_EntryOp<"wavefront_task", 3> {
  let summary = "begins a task of a stage, in a wavefront";
  let description = [{
    If `reuses` is not 0, the task also follows all earlier tasks of the next stage but the last one: it writes memory that
    they read. `signals` is the address of the signals of the stage, or 0 if there are none: a counter and a flag for each
    task, by which a kernel can go on with the next task of the stage (abi.def).
  }];
  let arguments = (ins RNNRT_CallType:$call, Index:$stage, Index:$reuses);
  let results = (outs Index:$signals);
  let assemblyFormat = "$call `,` $stage `,` $reuses attr-dict";
}

def RNNRT_WavefrontEndOp : RNNRT_EntryOp<"wavefront_end", 1> {
  let summary = "orders all later work after the tasks of the wavefront";
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_EnableAMXOp : RNNRT_EntryOp<"enable_amx", 1> {
  let summary = "requests the permission to use AMX tile registers";
  let description = [{
    `enabled` is 1, or 0 if the call has failed. Fails if the processor or the kernel has no AMX, or if the kernel refuses.
    Code with tiles may run only if `enabled` is 1.
  }];
  let arguments = (ins RNNRT_CallType:$call);
  let results = (outs Index:$enabled);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_ParallelOp : RNNRT_EntryOp<"parallel", 5> {
  let summary = "runs a function on a team of threads of the runtime";
  let description = [{
    `function` is the address of an LLVM function with the parameters `(context, team, part, parts)`. The runtime calls
    it once for each `part` in [0, parts), each on its own thread, with 1 <= `parts` <= `max_parts`. Its results must
    not depend on `parts`. `work` is the number of multiply-adds of all parts between two barriers of the team, or in
    total without barriers. The runtime uses fewer threads if `work` is small. A failed call runs no part.
  }];
  let arguments = (ins RNNRT_CallType:$call, AnyType:$function, AnyType:$context, Index:$max_parts, Index:$work);
  let assemblyFormat = [{ $call `,` $function `(` $context `)` `max_parts` $max_parts `work` $work attr-dict `:` type($function) `,`
    type($context) }];
}

def RNNRT_TeamWaitOp : RNNRT_EntryOp<"team_wait", 1> {
  let summary = "barrier of all parts of a team";
  let arguments = (ins AnyType:$team);
  let assemblyFormat = "$team attr-dict `:` type($team)";
}

def RNNRT_PackBeginOp : RNNRT_EntryOp<"pack_begin", 8> {
  let summary = "returns memory for packed weights, which may be packed already";
  let description = [{
    `packed` is the address of an `rnnrt_packed_t`. The memory of `bytes` bytes belongs to a handle of the call if one
    covers the `weights_bytes` bytes of `weights`, else to the call. Calls share it if `form`, `input`, `hidden`, `index`
    and `bytes` are equal; `form` is a hash of what else the layout depends on. `memory` is null, or for constants of the
    module the address of a header and `bytes` bytes that are zero at first.
  }];
  let arguments = (ins RNNRT_CallType:$call, AnyMemRef:$weights, Index:$weights_bytes, Index:$input, Index:$hidden,
    Index:$index, Index:$bytes, AnyType:$memory, I64Attr:$form);
  let results = (outs AnyType:$packed);
  let assemblyFormat = [{ $call `form` $form `weights` $weights `[` $weights_bytes `]` `input` $input `hidden` $hidden
    `index` $index `bytes` $bytes `memory` $memory attr-dict `:` type($weights) `,` type($memory) `->` type($packed) }];
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments() { return {getFormAttr()}; }
  }];
}

def RNNRT_PackEndOp : RNNRT_EntryOp<"pack_end", 2> {
  let summary = "ends the use of packed weights";
  let description = [{ From here on, other calls may use the weights that this call has packed. }];
  let arguments = (ins RNNRT_CallType:$call, AnyType:$packed);
  let assemblyFormat = "$call `,` $packed attr-dict `:` type($packed)";
}

//===----------------------------------------------------------------------===//
// GEMM
//===----------------------------------------------------------------------===//

def RNNRT_GemmOp : RNNRT_EntryOp<"gemm", 14> {
  let summary = "GEMM by the library of the device, if available";
  let description = [{
    Computes `result = left * right + bias`, and with `accumulate` adds the previous `result`. `left` is
    `[rows, depth]`, `right` is `[depth, columns]`, `result` is `[rows, columns]`. The optional `bias` is `[columns]` and
    is added to every row. With `left_transposed`, `left` is stored as `[depth, rows]`. With `right_transposed`, `right`
    is stored as `[columns, depth]`. Element (i, j) of a matrix is element `first + i * stride + j` of its buffer. The
    accumulator is f32 (f64 for f64) and is rounded once. With `tf32`, f32 operands may be rounded to TF32.

    `done` is 1. If the library is unavailable or has no algorithm, `done` is 0 and nothing is written: the caller must
    launch its own kernel.

    Constraints:
    - `left` and `right` have the same element type: f16, bf16, f32 or f64.
    - `result` and `bias` have the same type; it is that of `left`, or f32 if that is f16 or bf16.
    - f64 has no `bias`: cuBLASLt has no bias epilogue for it.

    Example:
    ```mlir
    func.func @gemm(%call: !rnnrt.call, %x: memref<8x4xf16>, %w: memref<4x6xf16>, %y: memref<8x6xf32>) -> index {
      %zero = arith.constant 0 : index
      %rows = arith.constant 8 : index
      %columns = arith.constant 6 : index
      %depth = arith.constant 4 : index
      %done = rnnrt.gemm %call [%rows, %columns, %depth] left %x[%zero, %depth] right %w[%zero, %columns]
          result %y[%zero, %columns] : memref<8x4xf16>, memref<4x6xf16>, memref<8x6xf32>
      return %done : index
    }
    ```
  }];
  let arguments = (ins RNNRT_CallType:$call, Index:$rows, Index:$columns, Index:$depth, RNNRT_In:$left,
    Index:$left_first, Index:$left_stride, RNNRT_In:$right, Index:$right_first, Index:$right_stride,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$result, Index:$result_first, Index:$result_stride, RNNRT_OptIn:$bias,
    UnitAttr:$left_transposed, UnitAttr:$right_transposed, UnitAttr:$accumulate, UnitAttr:$tf32);
  let results = (outs Index:$done);
  let assemblyFormat = [{ $call `[` $rows `,` $columns `,` $depth `]` `left` $left `[` $left_first `,` $left_stride `]`
    `right` $right `[` $right_first `,` $right_stride `]` `result` $result `[` $result_first `,` $result_stride `]`
    (`bias` $bias^)? attr-dict `:` type($left) `,` type($right) `,` type($result) (`,` type($bias)^)? }];
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Plans of stacked recurrent layers (rnn.cudnn_* ops)
//===----------------------------------------------------------------------===//

class RNNRT_NetworkPlanOp<string mnemonic> : RNNRT_EntryOp<mnemonic, 7> {
  let arguments = (ins RNNRT_CallType:$call, Index:$steps, Index:$batch, Index:$input, Index:$hidden,
    Index:$projection, Index:$layers, TypeAttr:$element_type, RNN_CellModeAttr:$mode,
    RNN_InputModeAttr:$input_mode, RNN_DirectionAttr:$direction, BoolAttr:$training, F64Attr:$dropout,
    I64Attr:$seed, I64Attr:$seed2, UnitAttr:$batch_major);
  let results = (outs RNNRT_PlanType:$plan);
  let assemblyFormat = [{ $call $element_type `steps` $steps `batch` $batch `input` $input `hidden` $hidden
    `projection` $projection `layers` $layers attr-dict }];
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
}
def RNNRT_RnnPlanOp : RNNRT_NetworkPlanOp<"rnn_plan"> {
  let summary = "returns the plan of a stack of recurrent layers";
}
def RNNRT_RnnFusedPlanOp : RNNRT_NetworkPlanOp<"rnn_fused_plan"> {
  let summary = "returns the plan of a stack of recurrent layers that fused kernels compute";
  let description = [{
    The plan computes no layer. It provides buffer sizes, packs parameters and implements the checks of
    `rnnrt.rnn_begin`. The opaque parameters are the canonical tensors, concatenated. The reserve space has the layout
    of the host's plans.
  }];
}

def RNNRT_SetResetsOp : RNNRT_EntryOp<"set_resets", 2> {
  let summary = "sets the resets of the next pass in this call";
  let description = [{
    `resets` is `[T, B]`, or `[B, T]` for a plan with `batch_major`. The next `rnnrt.rnn_begin`, `rnnrt.rnn_forward`, `rnnrt.rnn_backward_data`,
    `rnnrt.rnn_backward_weights`, `rnnrt.block_lstm_forward` or `rnnrt.block_lstm_backward` uses them.
  }];
  // Written: keeps the order of this op and the pass.
  let arguments = (ins RNNRT_CallType:$call, Arg<MemRefOf<[I1]>, "", [MemRead, MemWrite]>:$resets, RNN_ResetToAttr:$reset_to);
  let assemblyFormat = "$call `,` $resets `to` $reset_to attr-dict `:` type($resets)";
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
}

def RNNRT_RnnBeginOp : RNNRT_EntryOp<"rnn_begin", 6, [AttrSizedOperandSegments]> {
  let summary = "checks the operands of fused kernels and initializes the reserve space";
  let description = [{
    `pass` is 0 for inference, 1 for a training forward and 2 for a backward pass. Pass 1 writes a header at the start
    of the reserve space; the i64 at byte 32 is the draw of the dropout masks. Pass 2 checks the header.

    The result is 1, or 0 if the call has failed. Host loops must not run then. Kernel launches are skipped by the
    runtime.
  }];
  // Without declared effects on operands, MLIR assumes unknown effects: the check is never removed as dead.
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Optional<AnyMemRef>:$lengths, Index:$params_elements,
    Optional<AnyMemRef>:$reserve, Index:$reserve_bytes, I32Attr:$pass);
  let results = (outs Index:$ok);
  let assemblyFormat = [{ $call `,` $plan `pass` $pass (`lengths` $lengths^)? `params` `[` $params_elements `]`
    (`reserve` $reserve^)? `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments() { return {getPassAttr()}; }
  }];
}

class RNNRT_SizeOp<string mnemonic> : RNNRT_EntryOp<mnemonic, 2> {
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan);
  let results = (outs Index:$size);
  let assemblyFormat = "$call `,` $plan attr-dict";
}
def RNNRT_RnnParamsSizeOp : RNNRT_SizeOp<"rnn_params_size"> {
  let summary = "returns the number of elements of the opaque parameters";
}
def RNNRT_RnnReserveSizeOp : RNNRT_SizeOp<"rnn_reserve_size"> {
  let summary = "returns the size of the reserve space in bytes";
}

def RNNRT_RnnForwardOp : RNNRT_EntryOp<"rnn_forward", 13, [AttrSizedOperandSegments]> {
  let summary = "runs the forward pass of a stack of recurrent layers";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_OptIn:$c0, RNNRT_In:$params, Index:$params_elements, RNNRT_OptOut:$y, RNNRT_OptOut:$hn,
    RNNRT_OptOut:$cn, RNNRT_OptOut:$reserve, Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 (`c0` $c0^)?
    `params` $params `[` $params_elements `]` (`y` $y^)? (`hn` $hn^)? (`cn` $cn^)? (`reserve` $reserve^)?
    `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

def RNNRT_RnnBackwardDataOp : RNNRT_EntryOp<"rnn_backward_data", 17, [AttrSizedOperandSegments]> {
  let summary = "computes the gradients of the inputs and initial states";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_OptIn:$c0, RNNRT_In:$params, Index:$params_elements, RNNRT_In:$y, RNNRT_In:$dy, RNNRT_In:$dhn,
    RNNRT_OptIn:$dcn, RNNRT_OptOut:$dx, RNNRT_OptOut:$dh0, RNNRT_OptOut:$dc0, RNNRT_OptInOut:$reserve,
    Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 (`c0` $c0^)?
    `params` $params `[` $params_elements `]` `y` $y `dy` $dy `dhn` $dhn (`dcn` $dcn^)? (`dx` $dx^)? (`dh0` $dh0^)?
    (`dc0` $dc0^)? (`reserve` $reserve^)? `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

def RNNRT_RnnBackwardWeightsOp : RNNRT_EntryOp<"rnn_backward_weights", 10, [AttrSizedOperandSegments]> {
  let summary = "computes the gradient of the parameters, after `rnnrt.rnn_backward_data`";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_In:$y, RNNRT_OptOut:$dparams, Index:$params_elements, RNNRT_OptInOut:$reserve, Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 `y` $y (`dparams` $dparams^)?
    `[` $params_elements `]` (`reserve` $reserve^)? `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

// The entries of these two ops take arrays of pointers and sizes, which no EntryOpInterface op does: they have patterns
// of their own.
def RNNRT_RnnPackParamsOp : Op<RNNRT_Dialect, "rnn_pack_params", [AttrSizedOperandSegments]> {
  let summary = "packs canonical weights and biases into opaque parameters";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Arg<Variadic<AnyMemRef>, "", [MemRead]>:$weights,
    Arg<Variadic<AnyMemRef>, "", [MemRead]>:$biases, Arg<AnyMemRef, "", [MemWrite]>:$params);
  let assemblyFormat = [{ $call `,` $plan `weights` `(` $weights `)` `biases` `(` $biases `)` `params` $params
    attr-dict `:` type(operands) }];
}

def RNNRT_RnnUnpackParamsOp : Op<RNNRT_Dialect, "rnn_unpack_params", [AttrSizedOperandSegments]> {
  let summary = "unpacks opaque parameters into canonical weights and biases";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$weights,
    Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$biases, Arg<AnyMemRef, "", [MemRead]>:$params);
  let assemblyFormat = [{ $call `,` $plan `weights` `(` $weights `)` `biases` `(` $biases `)` `params` $params
    attr-dict `:` type(operands) }];
}

//===----------------------------------------------------------------------===//
// Block LSTM
//===----------------------------------------------------------------------===//

def RNNRT_BlockLstmPlanOp : RNNRT_EntryOp<"block_lstm_plan", 5> {
  let summary = "returns the plan of one block LSTM layer";
  let arguments = (ins RNNRT_CallType:$call, Index:$steps, Index:$batch, Index:$input, Index:$hidden,
    TypeAttr:$element_type, RNN_GateLayoutAttr:$layout, BoolAttr:$use_peephole, F64Attr:$forget_bias,
    F64Attr:$cell_clip, UnitAttr:$batch_major);
  let results = (outs RNNRT_PlanType:$plan);
  let assemblyFormat = "$call $element_type `steps` $steps `batch` $batch `input` $input `hidden` $hidden attr-dict";
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
}

def RNNRT_BlockLstmForwardOp : RNNRT_EntryOp<"block_lstm_forward", 18, [AttrSizedOperandSegments]> {
  let summary = "runs one block LSTM layer";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Index:$seq_len_max, RNNRT_In:$x,
    RNNRT_In:$cs_prev, RNNRT_In:$h_prev, RNNRT_In:$w, RNNRT_In:$wci, RNNRT_In:$wcf, RNNRT_In:$wco, RNNRT_In:$b,
    RNNRT_OptOut:$i, RNNRT_OptOut:$cs, RNNRT_OptOut:$f, RNNRT_OptOut:$o, RNNRT_OptOut:$ci, RNNRT_OptOut:$co,
    RNNRT_OptOut:$h);
  let assemblyFormat = [{ $call `,` $plan `steps` $seq_len_max `x` $x `cs_prev` $cs_prev `h_prev` $h_prev `w` $w
    `peephole` `(` $wci `,` $wcf `,` $wco `)` `b` $b (`i` $i^)? (`cs` $cs^)? (`f` $f^)? (`o` $o^)? (`ci` $ci^)?
    (`co` $co^)? (`h` $h^)? attr-dict `:` type(operands) }];
}

def RNNRT_BlockLstmBackwardOp : RNNRT_EntryOp<"block_lstm_backward", 28, [AttrSizedOperandSegments]> {
  let summary = "computes the gradient of one block LSTM layer";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Index:$seq_len_max, RNNRT_In:$x,
    RNNRT_In:$cs_prev, RNNRT_In:$h_prev, RNNRT_In:$w, RNNRT_In:$wci, RNNRT_In:$wcf, RNNRT_In:$wco, RNNRT_In:$b,
    RNNRT_In:$i, RNNRT_In:$cs, RNNRT_In:$f, RNNRT_In:$o, RNNRT_In:$ci, RNNRT_In:$co, RNNRT_In:$h,
    RNNRT_In:$cs_grad, RNNRT_In:$h_grad, RNNRT_OptOut:$dx, RNNRT_OptOut:$dcs_prev, RNNRT_OptOut:$dh_prev,
    RNNRT_OptOut:$dw, RNNRT_OptOut:$dwci, RNNRT_OptOut:$dwcf, RNNRT_OptOut:$dwco, RNNRT_OptOut:$db);
  let assemblyFormat = [{ $call `,` $plan `steps` $seq_len_max `x` $x `cs_prev` $cs_prev `h_prev` $h_prev `w` $w
    `peephole` `(` $wci `,` $wcf `,` $wco `)` `b` $b `saved` `(` $i `,` $cs `,` $f `,` $o `,` $ci `,` $co `,` $h `)`
    `grads` `(` $cs_grad `,` $h_grad `)` (`dx` $dx^)? (`dcs_prev` $dcs_prev^)? (`dh_prev` $dh_prev^)? (`dw` $dw^)?
    (`dwci` $dwci^)? (`dwcf` $dwcf^)? (`dwco` $dwco^)? (`db` $db^)? attr-dict `:` type(operands) }];
}

#endif // RNN_DIALECT_RNNRT_IR_RNNRTOPS_TD
