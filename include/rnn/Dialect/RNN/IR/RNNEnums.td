//===- RNNEnums.td - enumerations, with TensorFlow's spelling -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNENUMS_TD
#define RNN_DIALECT_RNN_IR_RNNENUMS_TD

include "mlir/IR/EnumAttr.td"

class RNN_I32Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::rnn";
  let genSpecializedAttr = 0;
}

// The values of the first four enumerations are those of the runtime's abi.def.
def RNN_CellMode : RNN_I32Enum<"CellMode", "the cell of a layer", [
  I32EnumAttrCase<"RnnRelu", 0, "rnn_relu">,
  I32EnumAttrCase<"RnnTanh", 1, "rnn_tanh">,
  I32EnumAttrCase<"Lstm", 2, "lstm">,
  I32EnumAttrCase<"Gru", 3, "gru">
]>;

def RNN_InputMode : RNN_I32Enum<"InputMode", "the input transform of the first layer", [
  I32EnumAttrCase<"LinearInput", 0, "linear_input">,
  I32EnumAttrCase<"SkipInput", 1, "skip_input">,
  I32EnumAttrCase<"AutoSelect", 2, "auto_select">
]>;

def RNN_Direction : RNN_I32Enum<"Direction", "the time directions of a layer", [
  I32EnumAttrCase<"Unidirectional", 0, "unidirectional">,
  I32EnumAttrCase<"Bidirectional", 1, "bidirectional">
]>;

// i input gate, c cell candidate, f forget gate, o output gate.
def RNN_GateLayout : RNN_I32Enum<"GateLayout", "order of the gates in the 4*H columns of a block LSTM", [
  I32EnumAttrCase<"Icfo", 0, "icfo">,
  I32EnumAttrCase<"Ifco", 1, "ifco">
]>;

def RNN_ResetTo : RNN_I32Enum<"ResetTo", "the state after a reset", [
  I32EnumAttrCase<"Zero", 0, "zero">,
  I32EnumAttrCase<"Initial", 1, "initial">
]>;

def RNN_Lowering : RNN_I32Enum<"Lowering", "how an op is executed", [
  I32EnumAttrCase<"Runtime", 0, "runtime">,
  I32EnumAttrCase<"Fused", 1, "fused">
]>;

def RNN_FusedKernel : RNN_I32Enum<"FusedKernel", "the GPU kernels of a fused layer", [
  I32EnumAttrCase<"PerStep", 0, "per_step">,
  I32EnumAttrCase<"Persistent", 1, "persistent">
]>;

#endif // RNN_DIALECT_RNN_IR_RNNENUMS_TD
