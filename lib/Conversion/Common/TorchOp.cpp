//===- TorchOp.cpp - one op of torch-mlir under conversion -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchOp.h"

using namespace mlir;
using namespace mlir::rnn;

static bool isNone(Type type) {
  if (isa<NoneType>(type))
    return true;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text == "!torch.none";
}

TorchOp::TorchOp(Operation *op, PatternRewriter &rewriter) : ImportedOp(op, rewriter) {
  for (Value &operand : operands)
    operand = isNone(operand.getType()) ? Value() : toBuiltinTensor(rewriter, op->getLoc(), operand);
}

SmallVector<Value> TorchOp::list(unsigned index, StringRef name) {
  if (hasFailed())
    return {};
  Operation *list = operand(index) ? operand(index).getDefiningOp() : nullptr;
  if (!list || list->getName().getStringRef() != "torch.prim.ListConstruct") {
    fail("expects `" + name + "` to be a torch.prim.ListConstruct, whose values are known");
    return {};
  }
  return llvm::map_to_vector(list->getOperands(),
                             [&](Value value) { return toBuiltinTensor(getRewriter(), getLoc(), value); });
}

Attribute TorchOp::constantOperand(unsigned index, StringRef name, StringRef opName) {
  if (hasFailed())
    return Attribute();
  Operation *constant = operand(index) ? operand(index).getDefiningOp() : nullptr;
  if (constant && constant->getName().getStringRef() == opName)
    if (Attribute value = getAttributeOrProperty(constant, "value"))
      return value;
  fail("expects `" + name + "` to be a constant (" + opName + ")");
  return Attribute();
}

bool TorchOp::boolean(unsigned index, StringRef name) {
  auto value = dyn_cast_or_null<IntegerAttr>(constantOperand(index, name, "torch.constant.bool"));
  return value && !value.getValue().isZero();
}

int64_t TorchOp::integerOperand(unsigned index, StringRef name) {
  auto value = dyn_cast_or_null<IntegerAttr>(constantOperand(index, name, "torch.constant.int"));
  return value ? value.getValue().getSExtValue() : 0;
}

double TorchOp::numberOperand(unsigned index, StringRef name) {
  auto value = dyn_cast_or_null<FloatAttr>(constantOperand(index, name, "torch.constant.float"));
  return value ? value.getValueAsDouble() : 0;
}

Type TorchOp::declaredType(unsigned index) const {
  Type type = getOperation()->getResult(index).getType();
  RankedTensorType builtin = getBuiltinTensorType(type);
  return builtin ? builtin : type;
}

Value TorchOp::toResult(unsigned index, Value value) {
  Type type = getOperation()->getResult(index).getType();
  return getBuiltinTensorType(type) ? fromBuiltinTensor(getRewriter(), getLoc(), value, type) : value;
}
