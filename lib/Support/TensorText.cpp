//===- TensorText.cpp - tensors as text ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/TensorText.h"
#include "ElementText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir::rnn;
using llvm::StringRef;
using llvm::Twine;
using namespace mlir::rnn::detail;

// The limit of npy files.
static constexpr size_t maxRank = 32;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// The text after `=`.
struct Literal {
  llvm::SmallVector<StringRef> numbers;
  llvm::SmallVector<int64_t> shape; // of the brackets, with an optional outer pair: `[1,2][3,4]` is 2x2
  bool isScalar = false;            // one number without brackets
};

/// State of the lists at one depth.
struct Level {
  int64_t count = 0; // of the list being read
  int64_t size = -1; // of the lists read before; -1 before the first
  bool hasNumbers = false, hasLists = false;
};
} // namespace

static bool isSeparator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Parses nested lists with an explicit stack: the input controls the depth, which recursion may not survive.
static llvm::Expected<Literal> parseLiteral(StringRef text) {
  Literal literal;
  llvm::SmallVector<Level> levels(1);
  size_t depth = 0;
  bool afterComma = false, afterItem = false;
  StringRef rest = text;
  while (!(rest = rest.drop_while(isSeparator)).empty()) {
    Level &level = levels[depth];
    char c = rest.front();
    if (c == ',') {
      if (!afterItem)
        return makeError("expected a number or [ before each comma of " + quote(text) + ", but got a comma at byte " +
                         Twine(text.size() - rest.size()));
      afterItem = false;
      afterComma = true;
      rest = rest.drop_front();
      continue;
    }
    if (c == ']') {
      if (depth == 0 || afterComma)
        return makeError("expected " + Twine(depth == 0 ? "[ before each ]" : "a number or [ after each comma") +
                         " of " + quote(text) + ", but got ] at byte " + Twine(text.size() - rest.size()));
      if (level.size >= 0 && level.size != level.count)
        return makeError("expected lists of one depth of " + quote(text) + " to have the same length, but got " +
                         Twine(level.size) + " and " + Twine(level.count));
      level.size = level.count;
      level.count = 0;
      --depth;
      afterItem = true;
      rest = rest.drop_front();
      continue;
    }
    afterItem = true;
    afterComma = false;
    bool isList = c == '[';
    (isList ? level.hasLists : level.hasNumbers) = true;
    if (level.hasLists && level.hasNumbers)
      return makeError("expected a list of numbers or a list of lists, but got both in " + quote(text));
    ++level.count;
    if (!isList) {
      StringRef number = rest.take_until([](char c) { return isSeparator(c) || StringRef(",[]").contains(c); });
      literal.numbers.push_back(number);
      rest = rest.drop_front(number.size());
      continue;
    }
    if (++depth > maxRank)
      return makeError("expected at most " + Twine(maxRank) + " nested lists, but got more in " + quote(text));
    if (depth == levels.size())
      levels.emplace_back(); // invalidates `level`
    afterItem = false;
    rest = rest.drop_front();
  }
  if (depth != 0 || afterComma)
    return makeError("expected " + Twine(depth ? "] for each [" : "a number after each comma") + " of " + quote(text) +
                     ", but got the end");

  literal.isScalar = levels[0].hasNumbers && levels[0].count == 1;
  if (levels[0].hasLists && levels[0].count == 1)
    levels.erase(levels.begin());
  else
    levels[0].size = levels[0].count;
  if (!literal.isScalar)
    for (const Level &level : levels)
      literal.shape.push_back(level.size);
  if (literal.shape.size() > maxRank)
    return makeError("expected at most " + Twine(maxRank) + " dims, but got more in " + quote(text));
  return literal;
}

static bool matches(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> requested) {
  return shape.size() == requested.size() && llvm::all_of(llvm::zip(shape, requested), [](auto pair) {
           return std::get<1>(pair) < 0 || std::get<0>(pair) == std::get<1>(pair);
         });
}

/// "2x?xf32".
static std::string describeType(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (size < 0 ? std::string("?") : std::to_string(size)) + "x";
  return text + stringifyElementKind(kind).str();
}

/// The shape of `literal` as a tensor of type `requested`, whose dynamic sizes are negative.
static llvm::Expected<llvm::SmallVector<int64_t>> resolveShape(const Literal &literal, StringRef text,
                                                               const RequestedType &requested) {
  if (!literal.isScalar && matches(literal.shape, requested.shape))
    return literal.shape;
  llvm::SmallVector<int64_t> outer = {1}; // `[[1,2]]` is 1x2 or, with an omitted outer pair, 1x1x2
  outer.append(literal.shape);
  if (!literal.isScalar && matches(outer, requested.shape))
    return outer;
  std::string type = describeType(requested.kind, requested.shape);
  if (llvm::all_of(requested.shape, [](int64_t size) { return size >= 0; })) {
    // For static sizes, one number fills all elements, and a flat list has the elements in order.
    std::optional<int64_t> bytes = getNumBytes(requested.shape, requested.kind);
    if (!bytes)
      return makeError("the type " + type + " has more bytes than 63 bits can count");
    if (literal.isScalar)
      return requested.shape;
    int64_t count = *bytes / getElementSize(requested.kind);
    if (literal.shape.size() == 1 && literal.shape[0] == count)
      return requested.shape;
    if (literal.shape.size() == 1)
      return makeError("expected " + Twine(count) + " numbers for " + type + ", or one for all elements, but got " +
                       Twine(literal.shape[0]) + " in " + quote(text));
  }
  if (literal.isScalar)
    return makeError("one number does not define the dynamic sizes of " + type + "; write the type before it, as in " +
                     quote("2x3xf32=" + text.trim().str()));
  return makeError("expected the lists of " + quote(text) + " to be " + type + ", but got " +
                   describeType(requested.kind, literal.shape));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Expected<RequestedType> parseType(StringRef text) {
  RequestedType type{ElementKind::F32, {}};
  StringRef rest = text.trim();
  while (!rest.empty() && llvm::isDigit(rest.front())) {
    StringRef digits = rest.take_while(llvm::isDigit);
    int64_t size = 0;
    rest = rest.drop_front(digits.size());
    if (digits.getAsInteger(10, size))
      return makeError("expected sizes up to 2^63 - 1, but got " + quote(digits) + " in the type " + quote(text));
    if (!rest.consume_front("x"))
      return makeError("expected x after each size, but got " + quote(rest) + " in the type " + quote(text));
    if (type.shape.size() == maxRank)
      return makeError("expected at most " + Twine(maxRank) + " dims, but got more in the type " + quote(text));
    type.shape.push_back(size);
  }
  std::optional<ElementKind> kind = symbolizeElementKind(rest);
  if (!kind)
    return makeError("expected a type such as 2x3xf32 or i64, with the element type i1, i8, i16, i32, i64, f16, bf16, "
                     "f32, f64 or index, but got " +
                     quote(text));
  type.kind = *kind;
  return type;
}

llvm::Expected<HostTensor> mlir::rnn::parseTensorText(StringRef text, const RequestedType *requested) {
  bool hasType = text.contains('=');
  auto [before, after] = text.split('=');
  std::optional<RequestedType> named;
  if (hasType) {
    auto type = parseType(before);
    if (!type)
      return type.takeError();
    named = *type;
    requested = &*named;
  } else if (text.trim().empty()) {
    return makeError("expected a value such as 7, f32=1.5 or 2x3xf32=[[1,2,3],[4,5,6]], but got nothing");
  } else if (auto type = parseType(text)) {
    return makeError("expected a value, but got only the type " + quote(text) + "; write " +
                     quote(text.trim().str() + "=0") + " for zeros");
  } else {
    llvm::consumeError(type.takeError());
  }

  StringRef value = hasType ? after : text;
  auto literal = parseLiteral(value);
  if (!literal)
    return literal.takeError();
  RequestedType type;
  if (requested) {
    auto shape = resolveShape(*literal, value, *requested);
    if (!shape)
      return shape.takeError();
    type = {requested->kind, *shape};
  } else {
    type = {llvm::all_of(literal->numbers, isInteger) ? ElementKind::I64 : ElementKind::F32, literal->shape};
  }

  auto tensor = HostTensor::allocate(type.kind, type.shape);
  if (!tensor)
    return tensor.takeError();
  int64_t count = tensor->getNumElements();
  if (literal->isScalar) {
    // Parse the number once, into a scalar. It must be valid for an empty tensor too.
    auto scalar = HostTensor::allocate(type.kind, {});
    if (!scalar)
      return scalar.takeError();
    if (llvm::Error error = parseElement(*scalar, 0, literal->numbers.front()))
      return error;
    int64_t size = getElementSize(type.kind);
    for (int64_t index = 0; index < count; ++index)
      std::memcpy(tensor->getDataAs<char>() + index * size, scalar->getData(), size);
    return tensor;
  }
  for (auto [index, number] : llvm::enumerate(literal->numbers))
    if (llvm::Error error = parseElement(*tensor, index, number))
      return makeError("element " + Twine(index) + ": " + llvm::toString(std::move(error)));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// Prints a tensor, of long dimensions only `edge` elements at each end if that is positive.
class ListPrinter {
public:
  ListPrinter(llvm::raw_ostream &os, const HostTensor &tensor, int64_t edge) : os(os), tensor(tensor), edge(edge) {}

  /// Prints dimension `dim` and all inner ones, whose first element is `first`.
  void print(size_t dim, int64_t first, int64_t count) {
    if (dim == tensor.getShape().size())
      return printElement(os, tensor, first);
    int64_t size = tensor.getShape()[dim], inner = count / size;
    os << "[";
    for (int64_t k = 0; k < size; ++k) {
      os << (k ? ", " : "");
      if (edge > 0 && k == edge && size > 2 * edge) {
        os << "..., ";
        k = size - edge;
      }
      print(dim + 1, first + k * inner, inner);
    }
    os << "]";
  }

private:
  llvm::raw_ostream &os;
  const HostTensor &tensor;
  int64_t edge;
};
} // namespace

static std::string printTensor(const HostTensor &tensor, int64_t edge) {
  std::string text = tensor.getTypeString() + "=";
  llvm::raw_string_ostream os(text);
  if (!tensor.getData() && tensor.getNumElements() != 0)
    os << "<no memory>";
  else if (tensor.getNumElements() == 0 && tensor.getRank() > 0)
    os << "[]"; // 1000000x0 has no elements, but a million pairs of brackets
  else
    ListPrinter(os, tensor, edge).print(0, 0, tensor.getNumElements());
  return text;
}

std::string mlir::rnn::printTensorText(const HostTensor &tensor) {
  return printTensor(tensor, /*edge=*/0);
}

std::string mlir::rnn::summarizeTensor(const HostTensor &tensor) {
  return printTensor(tensor, /*edge=*/3);
}
