//===- TorchStack.cpp - a stack of PyTorch's layers under conversion ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchStack.h"

using namespace mlir;
using namespace mlir::rnn;

Value TorchStack::sequence(unsigned index, StringRef name, StringRef last) {
  return tensor(index, name, 3, ((isBatchMajor ? "[B, T, " : "[T, B, ") + last + "]").str());
}

Value TorchStack::param(size_t number, StringRef name, ArrayRef<int64_t> shape) {
  std::string label = (listName + "[" + Twine(number) + "]").str();
  Value value = tensor(params[number], label, shape.size(), name);
  if (!value)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() != shape) {
    std::string expected;
    llvm::raw_string_ostream stream(expected);
    llvm::interleave(shape, stream, "x");
    fail("expects `" + label + "` (" + name + ") to have the shape " + expected + ", but got " + toString(type));
    return Value();
  }
  return value;
}

void TorchStack::readParams(unsigned index, StringRef name, bool hasBiases) {
  listName = name;
  if (!hasFailed() && sizes.layers < 1)
    fail("expects `num_layers` to be at least 1, but got " + Twine(sizes.layers));
  params = list(index, name);
  if (hasFailed())
    return;
  int64_t perCell = hasBiases ? 4 : 2, count = params.size();
  // Also bounds the product below.
  if (sizes.layers > std::max<int64_t>(count, 1))
    return fail("expects `" + name + "` to have at least " + Twine(perCell) + " tensors for each of the " +
                Twine(sizes.layers) + " layers (`num_layers`), but got " + Twine(count) + " in total");
  int64_t pseudo = sizes.layers * sizes.directions;
  bool isProjected = hasCell() && count == pseudo * (perCell + 1);
  if (count != pseudo * perCell && !isProjected)
    return fail("expects `" + name + "` to have " + Twine(pseudo * perCell) + " tensors (" + Twine(perCell) +
                " for each of " + Twine(pseudo) + " layers and directions), but got " + Twine(count));
  // The sizes follow from the matrices of the first layer.
  Value w = tensor(params[0], name + "[0]", 2, "[G*H, I]"), r = tensor(params[1], name + "[1]", 2, "[G*H, P]");
  if (hasFailed())
    return;
  auto wType = cast<RankedTensorType>(w.getType()), rType = cast<RankedTensorType>(r.getType());
  if (!wType.hasStaticShape() || !rType.hasStaticShape() || wType.getDimSize(0) % numGates() != 0 ||
      wType.getDimSize(0) == 0)
    return fail("expects `" + name + "[0]` and `" + name + "[1]` to have static sizes with a multiple of " +
                Twine(numGates()) + " rows (the gates), but got " + toString(wType) + " and " + toString(rType));
  if (isProjected && rType.getDimSize(1) == 0)
    return fail("expects the last dimension of `" + name + "[1]` (P, the projection) to be at least 1, but got " +
                toString(rType));
  sizes.input = wType.getDimSize(1), sizes.hidden = wType.getDimSize(0) / numGates();
  sizes.projection = isProjected ? rType.getDimSize(1) : sizes.hidden;
  int64_t gates = numGates() * sizes.hidden;
  size_t next = 0;
  for (int64_t number = 0; number < pseudo; ++number) {
    int64_t columns = number < sizes.directions ? sizes.input : sizes.directions * sizes.projection;
    CellParams cell;
    cell.inputWeights = param(next++, "the input weights", {gates, columns});
    cell.recurrentWeights = param(next++, "the recurrent weights", {gates, sizes.projection});
    if (hasBiases) {
      cell.inputBias = param(next++, "the input bias", {gates});
      cell.recurrentBias = param(next++, "the recurrent bias", {gates});
    }
    if (isProjected)
      cell.projection = param(next++, "the projection", {sizes.projection, sizes.hidden});
    cells.push_back(cell);
  }
}

SmallVector<int64_t> TorchStack::gateBlocks() const {
  return llvm::to_vector(llvm::seq<int64_t>(0, numGates()));
}

SmallVector<NamedAttribute> TorchStack::layerAttributes(double dropout) {
  Builder &b = getRewriter();
  Direction direction = sizes.directions == 2 ? Direction::Bidirectional : Direction::Unidirectional;
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("mode", CellModeAttr::get(b.getContext(), sizes.mode)),
      b.getNamedAttr("direction", DirectionAttr::get(b.getContext(), direction)),
      b.getNamedAttr("dropout", b.getF64FloatAttr(dropout)),
      b.getNamedAttr("num_proj", b.getI64IntegerAttr(sizes.projection == sizes.hidden ? 0 : sizes.projection))};
  if (isBatchMajor)
    attributes.push_back(b.getNamedAttr("batch_major", b.getUnitAttr()));
  return attributes;
}
