//===- RNNInterfaces.td - what passes may ask of any op of the rnn dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNNINTERFACES_TD
#define RNN_DIALECT_RNN_IR_RNNINTERFACES_TD

include "mlir/IR/OpBase.td"

def RNN_LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::mlir::rnn";
  let description = [{
    An op with named operands, a value form and a memref form. Parsing, printing, verification, type inference, memory
    effects, bufferization and run-time checks are written once against this interface; an op supplies its tables.
  }];
  let methods = [
    StaticInterfaceMethod<"The named operands and results in the order of the op's definition.",
      "const ::mlir::rnn::OpSignature &", "getSignature">,
    InterfaceMethod<"What is bound to entry `index` of the signature's operands: nothing, one value, or a list.",
      "::mlir::OperandRange", "getOperandsOf", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSOperands(index); }]>,
    InterfaceMethod<"The results of entry `index` of the signature's results; empty in memref form.",
      "::mlir::ResultRange", "getResultsOf", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSResults(index); }]>,
    InterfaceMethod<"Adds the rules that relate the dimensions of operands and results, by label.",
      "void", "collectShapeRules", (ins "::mlir::rnn::ShapeRules &":$rules)>,
    InterfaceMethod<"Checks attributes and which optional operands are there.",
      "::llvm::LogicalResult", "verifyAttributes">,
    InterfaceMethod<"Checks sizes that are not one dimension: parameter counts, constant lengths.",
      "::llvm::LogicalResult", "verifySizes", (ins "const ::mlir::rnn::ShapeRules &":$rules)>,
    InterfaceMethod<"The chosen lowering, or none before selection.",
      "::std::optional<::mlir::rnn::Lowering>", "getLowering">,
    InterfaceMethod<"Writes the chosen lowering.", "void", "setLoweringAttr", (ins "::mlir::rnn::LoweringAttr":$attr)>
  ];
  let extraSharedClassDeclaration = [{
    /// True on tensors (or without any shaped operand), false on memrefs.
    bool isValueForm() { return ::mlir::rnn::detail::isValueForm($_op.getOperation()); }
  }];
}

#endif // RNN_DIALECT_RNN_IR_RNNINTERFACES_TD
