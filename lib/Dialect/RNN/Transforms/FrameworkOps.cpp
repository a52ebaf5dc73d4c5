//===- FrameworkOps.cpp - ops of other compilers' dialects -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/Transforms/FrameworkOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

Attribute rnn::getAttributeOrProperty(Operation *op, StringRef name) {
  if (Attribute attribute = op->getAttr(name))
    return attribute;
  auto properties =
      op->isRegistered() ? DictionaryAttr() : dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties ? properties.get(name) : Attribute();
}

StringRef rnn::getTorchName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name != "torch.operator")
    return name;
  auto inner = dyn_cast_or_null<StringAttr>(getAttributeOrProperty(op, "name"));
  return inner ? inner.getValue() : name;
}
