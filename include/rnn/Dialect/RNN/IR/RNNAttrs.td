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
def RNN_LoweringAttr : RNN_EnumAttr<RNN_Lowering, "lowering">;

#endif // RNN_DIALECT_RNN_IR_RNNATTRS_TD
