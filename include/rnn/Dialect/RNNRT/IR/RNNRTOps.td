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
  let summary = "calls of the rnn runtime library";
  let description = [{
    One op per entry that compiled code may call (`rnn_runtime/abi.def`), on dense memrefs and handles. The dialect
    holds no mathematics: shapes were checked by the rnn dialect, and the plan checks its sizes again when it is made.
    An absent operand is a null pointer: a result that nobody wants.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::rnn::RNNDialect"];
}

class RNNRT_Type<string name, string typeMnemonic> : TypeDef<RNNRT_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def RNNRT_CallType : RNNRT_Type<"Call", "call"> {
  let summary = "one invocation of a compiled function: device, stream, allocator, first error";
}
def RNNRT_PlanType : RNNRT_Type<"Plan", "plan"> {
  let summary = "a prepared problem, borrowed from the device's cache";
}

// The scalar arguments and pointers of the entry, in the order of abi.def.
def RNNRT_EntryOpInterface : OpInterface<"EntryOpInterface"> {
  let cppNamespace = "::mlir::rnnrt";
  let description = [{ An op that becomes one call: its call and plan, its attributes, then its operands. }];
  let methods = [
    StaticInterfaceMethod<"Name of the entry in abi.def.", "::llvm::StringRef", "getEntryName">,
    InterfaceMethod<"Scalar arguments that stand behind the call as integer or float attributes.",
      "::llvm::SmallVector<::mlir::TypedAttr>", "getScalarArguments", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Operands of one definition entry: a value, or none for a null pointer.",
      "::mlir::OperandRange", "getArgument", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSOperands(index); }]>,
    StaticInterfaceMethod<"How many operand entries the definition has.", "unsigned", "getNumArguments">
  ];
}

// An entry of the ABI. `numArguments` is the number of operands in the definition.
class RNNRT_EntryOp<string mnemonic, int numArguments, list<Trait> traits = []>
    : Op<RNNRT_Dialect, mnemonic, traits # [RNNRT_EntryOpInterface]> {
  code entry = [{
    static ::llvm::StringRef getEntryName() { return "rnnrt_abi_}] # mnemonic # [{"; }
    static unsigned getNumArguments() { return }] # numArguments # [{; }
  }];
  let extraClassDeclaration = entry;
}

// Fails at run time by writing an error into the call, which later entries see: never dead, never reordered.
class RNNRT_CheckOp<string mnemonic, int numArguments> : RNNRT_EntryOp<mnemonic, numArguments> {}

def RNNRT_In : Arg<AnyMemRef, "", [MemRead]>;
def RNNRT_OptIn : Arg<Optional<AnyMemRef>, "", [MemRead]>;
def RNNRT_OptOut : Arg<Optional<AnyMemRef>, "", [MemWrite]>;
def RNNRT_OptInOut : Arg<Optional<AnyMemRef>, "", [MemRead, MemWrite]>;

def RNNRT_CurrentCallOp : Op<RNNRT_Dialect, "current_call", [Pure]> {
  let summary = "the call that the enclosing function serves";
  let description = [{ Replaced by an argument of the function when calls are threaded through a module. }];
  let results = (outs RNNRT_CallType:$call);
  let assemblyFormat = "attr-dict `:` type($call)";
}

def RNNRT_ExpectEqualOp : RNNRT_CheckOp<"expect_equal", 3> {
  let summary = "run-time check that a size is what it must be";
  let arguments = (ins RNNRT_CallType:$call, Index:$actual, Index:$expected, StrAttr:$message);
  let assemblyFormat = "$call `,` $actual `,` $expected `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

def RNNRT_ExpectRangeOp : RNNRT_CheckOp<"expect_range", 4> {
  let summary = "run-time check that a number is within bounds, both included";
  let arguments = (ins RNNRT_CallType:$call, Index:$actual, Index:$low, Index:$high, StrAttr:$message);
  let assemblyFormat = "$call `,` $actual `in` `[` $low `,` $high `]` `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Memory of the call's device
//===----------------------------------------------------------------------===//

def RNNRT_AllocOp : Op<RNNRT_Dialect, "alloc"> {
  let summary = "memory of the call's device";
  let description = [{
    Like `memref.alloc`, in the order of the call's stream. When the call has failed, the buffer is a null pointer; nothing
    looks at it then, since every entry returns at once.
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
  let summary = "frees a buffer of `rnnrt.alloc`, in the order of the call's stream";
  let arguments = (ins RNNRT_CallType:$call, Arg<AnyMemRef, "", [MemFree]>:$buffer);
  let assemblyFormat = "$call `,` $buffer attr-dict `:` type($buffer)";
}

def RNNRT_CopyOp : RNNRT_EntryOp<"copy", 4> {
  let summary = "copies dense buffers, each in device or host memory, in the order of the call's stream";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_In:$source, Arg<AnyMemRef, "", [MemWrite]>:$target, Index:$bytes);
  let assemblyFormat = "$call `,` $source `to` $target `bytes` $bytes attr-dict `:` type(operands)";
}

def RNNRT_ReadOp : RNNRT_EntryOp<"read", 4> {
  let summary = "copies from device memory to host memory and waits for it";
  let description = [{ When the call has failed, before or in this op, `target` is filled with zeros. }];
  let arguments = (ins RNNRT_CallType:$call, RNNRT_In:$source, Arg<AnyMemRef, "", [MemWrite]>:$target, Index:$bytes);
  let assemblyFormat = "$call `,` $source `to` $target `bytes` $bytes attr-dict `:` type(operands)";
}

def RNNRT_MakeCurrentOp : RNNRT_EntryOp<"make_current", 1> {
  let summary = "kernels that this thread launches from here on belong to the call";
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_TryClustersOp : RNNRT_EntryOp<"try_clusters", 1> {
  let summary = "launches of clusters from here on may be left out";
  let description = [{
    Until `rnnrt.clusters_ran`, a launch of clusters of which the device cannot hold one is left out, rather than failing.
    The device is asked about the kernel itself, with its registers and its shared memory.

    Example:
    ```mlir
    func.func @either(%call: !rnnrt.call) -> index {
      rnnrt.try_clusters %call
      // Launches of clusters stand here.
      %ran = rnnrt.clusters_ran %call
      // Where %ran is 0, other kernels do the work.
      return %ran : index
    }
    ```
  }];
  let arguments = (ins RNNRT_CallType:$call);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_ClustersRanOp : RNNRT_EntryOp<"clusters_ran", 1> {
  let summary = "whether all launches of clusters since `rnnrt.try_clusters` took place";
  let description = [{ 1, or 0 when one was left out or the call has failed. Nobody waits for the launches. }];
  let arguments = (ins RNNRT_CallType:$call);
  let results = (outs Index:$ran);
  let assemblyFormat = "$call attr-dict";
}

def RNNRT_ParallelOp : RNNRT_EntryOp<"parallel", 5> {
  let summary = "parts of a function on the runtime's threads";
  let description = [{
    `function` is the address of an LLVM function that takes `context`, the team, the number of its part, and how many parts
    there are: at most `most`, and as few as one. What it computes must not depend on that number. `work` is how many
    multiply-adds all parts together do between two waits for each other (in all, if they never wait): the runtime takes no
    more threads than that is worth.
  }];
  let arguments = (ins RNNRT_CallType:$call, AnyType:$function, AnyType:$context, Index:$most, Index:$work);
  let assemblyFormat = "$call `,` $function `(` $context `)` `most` $most `work` $work attr-dict `:` type($function) `,` type($context)";
}

def RNNRT_TeamWaitOp : RNNRT_EntryOp<"team_wait", 1> {
  let summary = "waits for the other parts of a team";
  let arguments = (ins AnyType:$team);
  let assemblyFormat = "$team attr-dict `:` type($team)";
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

def RNNRT_GemmOp : RNNRT_EntryOp<"gemm", 14> {
  let summary = "a product of matrices through the library of the device, if it has one for it";
  let description = [{
    result = left * right, where left is `[rows, depth]` and right is `[depth, columns]`; `bias` (`[columns]`, with the type
    of the result) is added to every row, and what the result holds with `accumulate`. Buffers are dense; element (i, j) is
    the one with number `first + i * stride + j`. A transposed side lies in memory as `[depth, rows]`, or as
    `[columns, depth]`. Sums are f32 (f64 for f64), and are rounded once.

    `done` is 1, or 0 when nothing was written: then a kernel has to do the work.

    Constraints:
    - `left` and `right` have the same element type: f16, bf16, f32 or f64.
    - `result` and `bias` have that type too, or f32 where it is f16 or bf16. There is no bias with f64.

    Example:
    ```mlir
    func.func @product(%call: !rnnrt.call, %x: memref<8x4xf16>, %w: memref<4x6xf16>, %y: memref<8x6xf32>) -> index {
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
// The cudnn family
//===----------------------------------------------------------------------===//

class RNNRT_NetworkPlanOp<string mnemonic> : RNNRT_EntryOp<mnemonic, 7> {
  let arguments = (ins RNNRT_CallType:$call, Index:$steps, Index:$batch, Index:$input, Index:$hidden,
    Index:$projection, Index:$layers, TypeAttr:$element_type, RNN_CellModeAttr:$mode,
    RNN_InputModeAttr:$input_mode, RNN_DirectionAttr:$direction, BoolAttr:$training, F64Attr:$dropout,
    I64Attr:$seed, I64Attr:$seed2);
  let results = (outs RNNRT_PlanType:$plan);
  let assemblyFormat = [{ $call $element_type `steps` $steps `batch` $batch `input` $input `hidden` $hidden
    `projection` $projection `layers` $layers attr-dict }];
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
}
def RNNRT_RnnPlanOp : RNNRT_NetworkPlanOp<"rnn_plan"> {
  let summary = "the plan of a stack of recurrent layers";
}
def RNNRT_RnnFusedPlanOp : RNNRT_NetworkPlanOp<"rnn_fused_plan"> {
  let summary = "the plan of a stack of recurrent layers that fused kernels compute";
  let description = [{
    It gives sizes, moves parameters and serves `rnnrt.rnn_begin`; the parameters are the canonical tensors one after
    the other, the reserve space is that of the host's plans.
  }];
}

def RNNRT_RnnBeginOp : RNNRT_EntryOp<"rnn_begin", 6, [AttrSizedOperandSegments]> {
  let summary = "checks the operands of fused kernels, and opens the reserve space";
  let description = [{
    `pass` is 0 for inference, 1 for a training forward, which gets a header at the start of its reserve, and 2 for a
    backward pass, whose reserve is used up by it. The result is 1, or 0 when the call has failed: loops on the host must
    not run then; kernels do not. The draw of the dropout masks is the i64 at byte 32 of the reserve.
  }];
  // Without effects on operands: as a check it is never dead, whatever it reads and writes.
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
  let summary = "elements of the opaque parameters of a plan";
}
def RNNRT_RnnReserveSizeOp : RNNRT_SizeOp<"rnn_reserve_size"> {
  let summary = "bytes of the reserve space of a plan";
}

def RNNRT_RnnForwardOp : RNNRT_EntryOp<"rnn_forward", 13, [AttrSizedOperandSegments]> {
  let summary = "runs the forward pass";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_OptIn:$c0, RNNRT_In:$params, Index:$params_elements, RNNRT_OptOut:$y, RNNRT_OptOut:$hn,
    RNNRT_OptOut:$cn, RNNRT_OptOut:$reserve, Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 (`c0` $c0^)?
    `params` $params `[` $params_elements `]` (`y` $y^)? (`hn` $hn^)? (`cn` $cn^)? (`reserve` $reserve^)?
    `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

def RNNRT_RnnBackwardDataOp : RNNRT_EntryOp<"rnn_backward_data", 17, [AttrSizedOperandSegments]> {
  let summary = "runs the backward pass as far as the gradients of the data";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_OptIn:$c0, RNNRT_In:$params, Index:$params_elements, RNNRT_In:$y, RNNRT_In:$dy, RNNRT_In:$dhn,
    RNNRT_OptIn:$dcn, RNNRT_OptOut:$dx, RNNRT_OptOut:$dh0, RNNRT_OptOut:$dc0, RNNRT_OptInOut:$reserve,
    Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 (`c0` $c0^)?
    `params` $params `[` $params_elements `]` `y` $y `dy` $dy `dhn` $dhn (`dcn` $dcn^)? (`dx` $dx^)? (`dh0` $dh0^)?
    (`dc0` $dc0^)? (`reserve` $reserve^)? `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

def RNNRT_RnnBackwardWeightsOp : RNNRT_EntryOp<"rnn_backward_weights", 10, [AttrSizedOperandSegments]> {
  let summary = "computes the gradient of the parameters after rnn_backward_data";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, RNNRT_OptIn:$lengths, RNNRT_In:$x, RNNRT_In:$h0,
    RNNRT_In:$y, RNNRT_OptOut:$dparams, Index:$params_elements, RNNRT_OptInOut:$reserve, Index:$reserve_bytes);
  let assemblyFormat = [{ $call `,` $plan (`lengths` $lengths^)? `x` $x `h0` $h0 `y` $y (`dparams` $dparams^)?
    `[` $params_elements `]` (`reserve` $reserve^)? `[` $reserve_bytes `]` attr-dict `:` type(operands) }];
}

// Lists of tensors: their pointers and sizes are passed as two arrays, so these two are translated by hand.
def RNNRT_RnnPackParamsOp : Op<RNNRT_Dialect, "rnn_pack_params", [AttrSizedOperandSegments]> {
  let summary = "writes canonical weights and biases into opaque parameters";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Arg<Variadic<AnyMemRef>, "", [MemRead]>:$weights,
    Arg<Variadic<AnyMemRef>, "", [MemRead]>:$biases, Arg<AnyMemRef, "", [MemWrite]>:$params);
  let assemblyFormat = [{ $call `,` $plan `weights` `(` $weights `)` `biases` `(` $biases `)` `params` $params
    attr-dict `:` type(operands) }];
}

def RNNRT_RnnUnpackParamsOp : Op<RNNRT_Dialect, "rnn_unpack_params", [AttrSizedOperandSegments]> {
  let summary = "reads canonical weights and biases from opaque parameters";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$weights,
    Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$biases, Arg<AnyMemRef, "", [MemRead]>:$params);
  let assemblyFormat = [{ $call `,` $plan `weights` `(` $weights `)` `biases` `(` $biases `)` `params` $params
    attr-dict `:` type(operands) }];
}

//===----------------------------------------------------------------------===//
// The block family
//===----------------------------------------------------------------------===//

def RNNRT_BlockLstmPlanOp : RNNRT_EntryOp<"block_lstm_plan", 5> {
  let summary = "the plan of one LSTM layer in block form";
  let arguments = (ins RNNRT_CallType:$call, Index:$steps, Index:$batch, Index:$input, Index:$hidden,
    TypeAttr:$element_type, RNN_GateLayoutAttr:$layout, BoolAttr:$use_peephole, F64Attr:$forget_bias,
    F64Attr:$cell_clip);
  let results = (outs RNNRT_PlanType:$plan);
  let assemblyFormat = "$call $element_type `steps` $steps `batch` $batch `input` $input `hidden` $hidden attr-dict";
  let extraClassDeclaration = entry # [{
    ::llvm::SmallVector<::mlir::TypedAttr> getScalarArguments();
  }];
}

def RNNRT_BlockLstmForwardOp : RNNRT_EntryOp<"block_lstm_forward", 18, [AttrSizedOperandSegments]> {
  let summary = "runs one LSTM layer";
  let arguments = (ins RNNRT_CallType:$call, RNNRT_PlanType:$plan, Index:$seq_len_max, RNNRT_In:$x,
    RNNRT_In:$cs_prev, RNNRT_In:$h_prev, RNNRT_In:$w, RNNRT_In:$wci, RNNRT_In:$wcf, RNNRT_In:$wco, RNNRT_In:$b,
    RNNRT_OptOut:$i, RNNRT_OptOut:$cs, RNNRT_OptOut:$f, RNNRT_OptOut:$o, RNNRT_OptOut:$ci, RNNRT_OptOut:$co,
    RNNRT_OptOut:$h);
  let assemblyFormat = [{ $call `,` $plan `steps` $seq_len_max `x` $x `cs_prev` $cs_prev `h_prev` $h_prev `w` $w
    `peephole` `(` $wci `,` $wcf `,` $wco `)` `b` $b (`i` $i^)? (`cs` $cs^)? (`f` $f^)? (`o` $o^)? (`ci` $ci^)?
    (`co` $co^)? (`h` $h^)? attr-dict `:` type(operands) }];
}

def RNNRT_BlockLstmBackwardOp : RNNRT_EntryOp<"block_lstm_backward", 28, [AttrSizedOperandSegments]> {
  let summary = "runs the gradient of one LSTM layer";
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
