//===- Writer.cpp - text of random modules ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::rnn::fuzz;

std::string Writer::names(llvm::ArrayRef<Value> values) {
  return llvm::join(llvm::map_range(values, [](const Value &value) { return value.name; }), ", ");
}

std::string Writer::types(llvm::ArrayRef<Value> values) {
  return llvm::join(llvm::map_range(values, [](const Value &value) { return value.getType(); }), ", ");
}

std::string Writer::typed(llvm::ArrayRef<Value> values, bool memref) {
  std::vector<std::string> texts;
  for (const Value &value : values)
    texts.push_back(memref ? value.type.memref() : value.getType());
  if (llvm::all_equal(texts))
    texts.resize(1);
  return names(values) + " : " + llvm::join(texts, ", ");
}

Value MemrefForm::copy(const Value &tensor) {
  // The buffer has the sizes of the tensor, which may not be the constants that the generator has in mind.
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < tensor.type.shape.size(); ++dim) {
    if (!tensor.type.isDynamic[dim])
      continue;
    std::string index = writer.constant(dim);
    sizes.push_back(writer.name());
    writer.line(sizes.back() + " = tensor.dim " + tensor.name + ", " + index + " : " + tensor.type.tensor());
  }
  Value buffer{writer.name(), tensor.type};
  writer.line(buffer.name + " = memref.alloc(" + llvm::join(sizes, ", ") + ") : " + tensor.type.memref());
  writer.line("bufferization.materialize_in_destination " + tensor.name + " in restrict writable " + buffer.name +
              " : (" + tensor.type.tensor() + ", " + tensor.type.memref() + ") -> ()");
  return buffer;
}

Value MemrefForm::allocate(const ShapedText &type) {
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < type.shape.size(); ++dim)
    if (type.isDynamic[dim])
      sizes.push_back(writer.constant(type.shape[dim]));
  Value buffer{writer.name(), type};
  writer.line(buffer.name + " = memref.alloc(" + llvm::join(sizes, ", ") + ") : " + type.memref());
  return buffer;
}

Value MemrefForm::read(const Value &buffer) {
  Value tensor{writer.name(), buffer.type};
  writer.line(tensor.name + " = bufferization.to_tensor " + buffer.name + " restrict : " + buffer.type.memref() +
              " to " + buffer.type.tensor());
  return tensor;
}

LayerOperand mlir::rnn::fuzz::makeResets(Random &random, const ShapedText &type) {
  LayerOperand operand{"resets", type};
  operand.type.element = "i1";
  const int64_t count = type.shape[0] * type.shape[1];
  const unsigned every = random.pick<unsigned>({1, 2, 4, 1000});
  for (int64_t index = 0; index < count; ++index)
    operand.integers.push_back(random.oneIn(every) ? 1 : 0);
  return operand;
}

int64_t mlir::rnn::fuzz::drawSize(Random &random, int64_t low, int64_t most) {
  static const int64_t special[] = {1, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33};
  int64_t value = random.oneIn(3) ? special[random.next() % std::size(special)]
                                  : random.between(low, std::min<int64_t>(most, low + 6));
  return std::min(std::max(value, low), most);
}
