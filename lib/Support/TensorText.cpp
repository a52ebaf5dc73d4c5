//===- TensorText.cpp - tensors as text ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Support/TensorText.h"
#include "ElementText.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cstring>

using namespace mlir::rnn;
using llvm::StringRef;
using llvm::Twine;
using mlir::rnn::detail::quote;

// As many as an npy file may have.
static constexpr size_t maxRank = 32;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message);
}

std::string mlir::rnn::detail::quote(StringRef text) {
  std::string quoted = "`";
  llvm::raw_string_ostream os(quoted);
  constexpr size_t limit = 200;
  bool isLong = text.size() > limit;
  llvm::printEscapedString(isLong ? text.take_front(limit / 2) : text, os);
  if (isLong) {
    os << " ... ";
    llvm::printEscapedString(text.take_back(limit / 2), os);
  }
  os << "`";
  return quoted;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &getSemantics(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return llvm::APFloat::IEEEhalf();
  case ElementKind::BF16:
    return llvm::APFloat::BFloat();
  case ElementKind::F32:
    return llvm::APFloat::IEEEsingle();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

/// Whether `text` is digits, after a sign if there is one.
static bool isInteger(StringRef text) {
  if (!text.consume_front("-"))
    text.consume_front("+");
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// Whether `text` is a decimal number, inf or nan. APFloat alone would also take forms such as `snan` and `0x1p3`.
static bool isNumber(StringRef text) {
  if (!text.consume_front("-"))
    text.consume_front("+");
  if (text.equals_insensitive("inf") || text.equals_insensitive("infinity") || text.equals_insensitive("nan"))
    return true;
  StringRef whole = text.take_while(llvm::isDigit);
  text = text.drop_front(whole.size());
  StringRef fraction;
  if (text.consume_front("."))
    fraction = text.take_while(llvm::isDigit);
  text = text.drop_front(fraction.size());
  if (whole.empty() && fraction.empty())
    return false;
  return text.empty() || ((text.consume_front("e") || text.consume_front("E")) && isInteger(text));
}

static llvm::Error storeInteger(const HostTensor &tensor, int64_t index, StringRef text) {
  ElementKind kind = tensor.getKind();
  HostTensor target = tensor; // shares the memory
  if (kind == ElementKind::I1 && (text == "true" || text == "false")) {
    target.setFromInteger(index, text == "true");
    return llvm::Error::success();
  }
  std::string expected = "expected an integer for " + stringifyElementKind(kind).str();
  if (!isInteger(text))
    return makeError(expected + ", but got " + quote(text) +
                     (isNumber(text) ? "; round it, or name a type such as f32 before `=`" : ""));
  // No sign in the type: both 255 and -1 are an i8, as in MLIR.
  unsigned width = kind == ElementKind::I1 ? 1 : 8 * getElementSize(kind);
  bool negative = text.consume_front("-");
  text.consume_front("+");
  uint64_t magnitude = 0, most = ~uint64_t(0) >> (64 - width), least = width == 1 ? 0 : uint64_t(1) << (width - 1);
  if (text.getAsInteger(10, magnitude) || magnitude > (negative ? least : most))
    return makeError(expected + " from " + (least ? "-" : "") + Twine(least) + " to " + Twine(most) + ", but got " +
                     quote((negative ? "-" : "") + text.str()) + "; use a wider type");
  target.setFromInteger(index, static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  return llvm::Error::success();
}

static llvm::Error storeFloat(const HostTensor &tensor, int64_t index, StringRef text) {
  StringRef type = stringifyElementKind(tensor.getKind());
  if (!isNumber(text))
    return makeError("expected a number for " + type + ", such as 1, -0.5, 1e-3, inf or nan, but got " + quote(text));
  // Straight to the element type: by way of double it would be rounded twice.
  llvm::APFloat value(getSemantics(tensor.getKind()));
  auto status = value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status)
    return makeError("expected a number for " + type + ", but got " + quote(text) + ": " +
                     llvm::toString(status.takeError()));
  if (*status & llvm::APFloat::opOverflow)
    return makeError("expected a number in the range of " + type + ", but got " + quote(text) +
                     "; write inf, or use a wider type");
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  size_t size = getElementSize(tensor.getKind());
  std::memcpy(tensor.getDataAs<char>() + index * size, &bits, size);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// What stands after `=`.
struct Literal {
  llvm::SmallVector<StringRef> numbers;
  llvm::SmallVector<int64_t> shape; // of the brackets, without an outer pair that holds all: `[1,2][3,4]` is 2x2
  bool isScalar = false;            // one number without brackets
};

/// What the lists of one depth have in common.
struct Level {
  int64_t count = 0; // of the list being read
  int64_t size = -1; // of the lists read before; -1 before the first
  bool hasNumbers = false, hasLists = false;
};
} // namespace

static bool isSeparator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Reads nested lists, one level of an array per depth instead of recursion: depth is under the control of the input.
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
      return makeError("expected a list of numbers or a list of lists, but got both side by side in " + quote(text));
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
      levels.emplace_back(); // `level` is dead from here on
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

static bool matches(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> wanted) {
  return shape.size() == wanted.size() && llvm::all_of(llvm::zip(shape, wanted), [](auto pair) {
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

/// The sizes that `literal` gives a tensor of type `wanted`, whose unknown sizes are negative.
static llvm::Expected<llvm::SmallVector<int64_t>> resolveShape(const Literal &literal, StringRef text,
                                                               const WantedType &wanted) {
  if (!literal.isScalar && matches(literal.shape, wanted.shape))
    return literal.shape;
  llvm::SmallVector<int64_t> outer = {1}; // `[[1,2]]` may be 1x2 or, with the outer pair left out, 1x1x2
  outer.append(literal.shape);
  if (!literal.isScalar && matches(outer, wanted.shape))
    return outer;
  std::string type = describeType(wanted.kind, wanted.shape);
  if (llvm::all_of(wanted.shape, [](int64_t size) { return size >= 0; })) {
    // The sizes are known, so one number is all elements and a flat list is the elements in order.
    std::optional<int64_t> bytes = getNumBytes(wanted.shape, wanted.kind);
    if (!bytes)
      return makeError("the type " + type + " has more bytes than 63 bits can count");
    if (literal.isScalar)
      return wanted.shape;
    int64_t count = *bytes / getElementSize(wanted.kind);
    if (literal.shape.size() == 1 && literal.shape[0] == count)
      return wanted.shape;
    if (literal.shape.size() == 1)
      return makeError("expected " + Twine(count) + " numbers for " + type + ", or one for all elements, but got " +
                       Twine(literal.shape[0]) + " in " + quote(text));
  }
  if (literal.isScalar)
    return makeError("one number does not say the unknown sizes of " + type + "; write the type before it, as in " +
                     quote("2x3xf32=" + text.trim().str()));
  return makeError("expected the lists of " + quote(text) + " to be " + type + ", but got " +
                   describeType(wanted.kind, literal.shape));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Expected<WantedType> parseType(StringRef text) {
  WantedType type{ElementKind::F32, {}};
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

llvm::Expected<HostTensor> mlir::rnn::parseTensorText(StringRef text, const WantedType *wanted) {
  bool hasType = text.contains('=');
  auto [before, after] = text.split('=');
  std::optional<WantedType> named;
  if (hasType) {
    auto type = parseType(before);
    if (!type)
      return type.takeError();
    named = *type;
    wanted = &*named;
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
  WantedType type;
  if (wanted) {
    auto shape = resolveShape(*literal, value, *wanted);
    if (!shape)
      return shape.takeError();
    type = {wanted->kind, *shape};
  } else {
    type = {llvm::all_of(literal->numbers, isInteger) ? ElementKind::I64 : ElementKind::F32, literal->shape};
  }

  auto tensor = HostTensor::allocate(type.kind, type.shape);
  if (!tensor)
    return tensor.takeError();
  auto store = isFloatKind(type.kind) ? storeFloat : storeInteger;
  int64_t count = tensor->getNumElements();
  if (literal->isScalar) {
    // Into a scalar first: the number is read once, and must be right for an empty tensor too.
    auto scalar = HostTensor::allocate(type.kind, {});
    if (!scalar)
      return scalar.takeError();
    if (llvm::Error error = store(*scalar, 0, literal->numbers.front()))
      return error;
    int64_t size = getElementSize(type.kind);
    for (int64_t index = 0; index < count; ++index)
      std::memcpy(tensor->getDataAs<char>() + index * size, scalar->getData(), size);
    return tensor;
  }
  for (auto [index, number] : llvm::enumerate(literal->numbers))
    if (llvm::Error error = store(*tensor, index, number))
      return makeError("element " + Twine(index) + ": " + llvm::toString(std::move(error)));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void mlir::rnn::detail::printElement(llvm::raw_ostream &os, const HostTensor &tensor, int64_t index) {
  ElementKind kind = tensor.getKind();
  if (!isFloatKind(kind)) {
    os << tensor.getAsInteger(index);
    return;
  }
  double value = tensor.getAsDouble(index);
  if (value != value) { // std::to_chars would print signs of NaN
    os << "nan";
    return;
  }
  char buffer[64], *end = std::end(buffer), *last = buffer;
  if (kind == ElementKind::F32) {
    last = std::to_chars(buffer, end, static_cast<float>(value)).ptr;
  } else if (kind == ElementKind::F64) {
    last = std::to_chars(buffer, end, value).ptr;
  } else {
    // The standard library has no 16-bit numbers; five digits tell any two of them apart.
    for (int precision = 1; precision <= 5; ++precision) {
      last = std::to_chars(buffer, end, value, std::chars_format::general, precision).ptr;
      llvm::APFloat read(getSemantics(kind));
      auto status = read.convertFromString(StringRef(buffer, last - buffer), llvm::APFloat::rmNearestTiesToEven);
      if (status && read.bitcastToAPInt() == tensor.getDataAs<uint16_t>()[index])
        break;
      llvm::consumeError(status.takeError());
    }
  }
  os << StringRef(buffer, last - buffer);
}

/// Prints dim `dim` and what is inside it, starting at element `index`, which is moved on.
static void printList(llvm::raw_ostream &os, const HostTensor &tensor, size_t dim, int64_t &index) {
  if (dim == tensor.getShape().size()) {
    detail::printElement(os, tensor, index++);
    return;
  }
  os << "[";
  for (int64_t k = 0; k < tensor.getShape()[dim]; ++k) {
    os << (k ? ", " : "");
    printList(os, tensor, dim + 1, index);
  }
  os << "]";
}

std::string mlir::rnn::printTensorText(const HostTensor &tensor) {
  std::string text = tensor.getTypeString() + "=";
  llvm::raw_string_ostream os(text);
  int64_t index = 0;
  if (!tensor.getData() && tensor.getNumElements() != 0)
    os << "<no memory>";
  else if (tensor.getNumElements() == 0 && tensor.getRank() > 0)
    os << "[]"; // 1000000x0 has no elements, but a million pairs of brackets
  else
    printList(os, tensor, 0, index);
  return text;
}
