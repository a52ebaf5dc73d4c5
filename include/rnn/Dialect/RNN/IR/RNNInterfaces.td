//===- RNNInterfaces.td - the interface of all rnn ops -*- tablegen -*-===//
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
    An op with named operands, a value form and a memref form. One implementation of parsing, printing, verification,
    type inference, memory effects, bufferization and run-time checks uses this interface. An op provides its tables.
  }];
  let methods = [
    StaticInterfaceMethod<"Returns the operands and results in ODS order.",
      "const ::mlir::rnn::OpSignature &", "getSignature">,
    InterfaceMethod<"Returns the values of entry `index` of the signature's operands: none, one, or a list.",
      "::mlir::OperandRange", "getOperandsOf", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSOperands(index); }]>,
    InterfaceMethod<"Returns the results of entry `index` of the signature's results. Empty in memref form.",
      "::mlir::ResultRange", "getResultsOf", (ins "unsigned":$index), [{}],
      [{ return $_op.getODSResults(index); }]>,
    InterfaceMethod<"Adds the labelled rules that relate the dimensions of operands and results.",
      "void", "collectShapeRules", (ins "::mlir::rnn::ShapeRules &":$rules)>,
    InterfaceMethod<"Verifies the attributes and the presence of optional operands.",
      "::llvm::LogicalResult", "verifyAttributes">,
    InterfaceMethod<"Verifies sizes that are not a single dimension, such as parameter counts and constant lengths.",
      "::llvm::LogicalResult", "verifySizes", (ins "const ::mlir::rnn::ShapeRules &":$rules)>,
    InterfaceMethod<"Returns the selected lowering, or none before selection.",
      "::std::optional<::mlir::rnn::Lowering>", "getLowering">,
    InterfaceMethod<"Returns the selected lowering with its parameters, or null before selection.",
      "::mlir::rnn::LoweringAttr", "getLoweringAttr">,
    InterfaceMethod<"Sets the selected lowering.", "void", "setLoweringAttr", (ins "::mlir::rnn::LoweringAttr":$attr)>
  ];
  let extraSharedClassDeclaration = [{
    /// Returns true for the value form, and for an op without shaped operands.
    bool isValueForm() { return ::mlir::rnn::detail::isValueForm($_op.getOperation()); }
  }];
}

#endif // RNN_DIALECT_RNN_IR_RNNINTERFACES_TD
