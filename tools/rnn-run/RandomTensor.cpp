//===- RandomTensor.cpp - pseudorandom arguments ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomTensor.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::rnn;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t getNext(uint64_t &state) {
  uint64_t value = state += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

/// The shape in `text` for a tensor of `type`.
static llvm::Expected<SmallVector<int64_t>> parseShape(StringRef text, RankedTensorType type) {
  SmallVector<StringRef> sizes;
  text.split(sizes, 'x');
  SmallVector<int64_t> shape;
  for (StringRef size : sizes)
    if (size.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return llvm::createStringError("`" + text.str() + "` is not a shape; expected sizes, as 5x2x3");
  bool fits = type.getRank() == static_cast<int64_t>(shape.size());
  for (auto [size, expected] : llvm::zip(shape, type.getShape()))
    fits &= ShapedType::isDynamic(expected) || size == expected;
  if (!fits)
    return llvm::createStringError("the shape `" + text.str() + "` does not match " + debugString(type));
  return shape;
}

llvm::Expected<HostTensor> rnn::makeRandomTensor(StringRef text, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::string element;
  llvm::raw_string_ostream(element) << (tensorType ? tensorType.getElementType() : type);
  std::optional<ElementKind> kind = symbolizeElementKind(element);
  if (!kind)
    return llvm::createStringError("there are no random values of type " + debugString(type));
  auto [seedText, shapeText] = text.split(':');
  uint64_t state = 0;
  if (seedText.getAsInteger(10, state))
    return llvm::createStringError(
        "expected random:SEED or random:SEED:SHAPE with an unsigned number, but got `random:" + text.str() + "`");
  SmallVector<int64_t> shape;
  if (!shapeText.empty()) {
    if (!tensorType)
      return llvm::createStringError("a scalar has no shape, but got `" + shapeText.str() + "`");
    auto parsed = parseShape(shapeText, tensorType);
    if (!parsed)
      return parsed.takeError();
    shape = *parsed;
  } else if (tensorType) {
    if (!tensorType.hasStaticShape())
      return llvm::createStringError(
          debugString(type) + " has dynamic dimensions; give their sizes, as random:" + seedText.str() + ":5x2x3");
    shape.assign(tensorType.getShape().begin(), tensorType.getShape().end());
  }
  auto tensor = HostTensor::allocate(*kind, shape);
  if (!tensor)
    return tensor.takeError();
  for (int64_t index = 0, count = tensor->getNumElements(); index < count; ++index) {
    uint64_t bits = getNext(state);
    if (isFloatKind(*kind))
      tensor->setFromDouble(index, static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    else
      tensor->setFromInteger(index, bits % (*kind == ElementKind::I1 ? 2 : 10));
  }
  return tensor;
}
