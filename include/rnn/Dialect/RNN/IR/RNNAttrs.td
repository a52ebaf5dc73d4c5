//===- RNNAttrs.td - attributes of the rnn dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNATTRS_TD
#define RNN_DIALECT_RNN_IR_RNNATTRS_TD

include "rnn/Dialect/RNN/IR/RNNDialect.td"
include "rnn/Dialect/RNN/IR/RNNEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class RNN_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<RNN_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def RNN_CellModeAttr : RNN_EnumAttr<RNN_CellMode, "mode">;
def RNN_InputModeAttr : RNN_EnumAttr<RNN_InputMode, "input_mode">;
def RNN_DirectionAttr : RNN_EnumAttr<RNN_Direction, "direction">;
def RNN_GateLayoutAttr : RNN_EnumAttr<RNN_GateLayout, "layout">;
def RNN_ResetToAttr : RNN_EnumAttr<RNN_ResetTo, "reset_to">;

def RNN_LoweringAttr : AttrDef<RNN_Dialect, "Lowering"> {
  let mnemonic = "lowering";
  let summary = "how an op is executed";
  let description = [{
    | attribute | the op becomes |
    |---|---|
    | `#rnn.lowering<runtime>` | a call of a plan of the runtime library |
    | `#rnn.lowering<fused>` | compiled code: loops on the host; on a GPU, kernels that `rnn-select-lowering` chooses |
    | `#rnn.lowering<fused, kernel = per_step>` | one GPU kernel per time step |
    | `#rnn.lowering<fused, kernel = persistent, cluster = 8>` | one GPU kernel for all steps, in clusters of 8 thread blocks |

    Users may write any of these. `rnn-select-lowering` completes them: afterwards every op has the attribute, and a
    fused layer on target `cuda` or `simt` has `kernel` and, if that is `persistent`, `cluster`.

    Constraints:
    - `kernel` requires `fused`.
    - `cluster` requires `kernel = persistent` and is 2, 4, 8 or 16.
  }];
  let parameters = (ins
    "::mlir::rnn::Lowering":$value,
    OptionalParameter<"::std::optional<::mlir::rnn::FusedKernel>">:$kernel,
    OptionalParameter<"::std::optional<int64_t>", "thread blocks of a cluster">:$cluster);
  let builders = [AttrBuilder<(ins "::mlir::rnn::Lowering":$value), [{
    return $_get($_ctxt, value, ::std::nullopt, ::std::nullopt);
  }]>];
  let assemblyFormat = "`<` $value (`,` struct($kernel, $cluster)^)? `>`";
  let genVerifyDecl = 1;
  // `getLowering()` of an op returns the enumerator; `getLoweringAttr()` has the rest.
  let returnType = "::mlir::rnn::Lowering";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::rnn::LoweringAttr::get($_builder.getContext(), $0)";
}

// The enumerations of the parameters are defined in rnn/Target/Options.td.
def RNN_TargetAttr : AttrDef<RNN_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the target that a module is compiled for";
  let description = [{
    The discardable attribute `rnn.target` of a module. `rnn-attach-target` writes it at the beginning of the pipeline, and
    passes read facts about the target from it. A module without it is compiled for the host.

    ```mlir
    module attributes {rnn.target = #rnn.target<cuda, chip = "sm_90a", tf32 = true>} {}
    ```

    | parameter | meaning |
    |---|---|
    | kind | `host`, `cuda` or `simt` (the emulator) |
    | `chip` | the GPU, such as `sm_90a`, or on target `host` the processor, by LLVM's name |
    | `tf32` | fused GPU kernels may round operands of f32 GEMMs to tf32 |
    | `large_gemms` | the implementation of GEMMs over all steps: `kernel`, `library` (the device's, if available), or `auto` (`library` if they are large) |
    | `wavefront_chunk` | time steps of a chunk, if the layers of a stack run as a wavefront on a GPU; 0: they run one after the other; -1: chosen by the lowering |

    Constraints:
    - On target `cuda`, `chip` is `sm_` and a number, with at most one letter. On target `simt` there is none.
    - `tf32`, `large_gemms` and `wavefront_chunk` require target `cuda` or `simt`.
    - `wavefront_chunk` is at least -1.
  }];
  let parameters = (ins
    "::mlir::rnn::TargetKind":$kind,
    OptionalParameter<"::mlir::StringAttr">:$chip,
    DefaultValuedParameter<"bool", "false">:$tf32,
    DefaultValuedParameter<"::mlir::rnn::LargeGemms", "::mlir::rnn::LargeGemms::Kernel">:$large_gemms,
    DefaultValuedParameter<"int64_t", "-1">:$wavefront_chunk);
  let assemblyFormat = "`<` $kind (`,` struct($chip, $tf32, $large_gemms, $wavefront_chunk)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the attribute on a module.
    static constexpr ::llvm::StringLiteral attributeName = "rnn.target";
    /// That of the innermost module around `op` that has one, or null.
    static TargetAttr lookup(::mlir::Operation *op);
    /// The capabilities of the target.
    ::mlir::rnn::TargetInfo getInfo() const;
  }];
}

#endif // RNN_DIALECT_RNN_IR_RNNATTRS_TD
