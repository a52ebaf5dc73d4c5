//===- ElementText.cpp - elements and quoted input in messages -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementText.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cstring>

using namespace mlir::rnn;
using namespace mlir::rnn::detail;
using llvm::StringRef;
using llvm::Twine;

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

bool mlir::rnn::detail::isInteger(StringRef text) {
  if (!text.consume_front("-"))
    text.consume_front("+");
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// Returns true for a decimal number, inf or nan. APFloat also accepts forms such as `snan` and `0x1p3`.
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
  // Results are printed as signed values: a larger one would be read back as another value.
  unsigned width = kind == ElementKind::I1 ? 1 : 8 * getElementSize(kind);
  bool negative = text.consume_front("-");
  text.consume_front("+");
  uint64_t magnitude = 0, least = width == 1 ? 0 : uint64_t(1) << (width - 1), most = width == 1 ? 1 : least - 1;
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
  // Convert directly to the element type. A conversion through double rounds twice.
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

llvm::Error mlir::rnn::detail::parseElement(const HostTensor &tensor, int64_t index, StringRef text) {
  return isFloatKind(tensor.getKind()) ? storeFloat(tensor, index, text) : storeInteger(tensor, index, text);
}

void mlir::rnn::detail::printElement(llvm::raw_ostream &os, const HostTensor &tensor, int64_t index) {
  ElementKind kind = tensor.getKind();
  if (!isFloatKind(kind)) {
    os << tensor.getAsInteger(index);
    return;
  }
  double value = tensor.getAsDouble(index);
  if (value != value) { // std::to_chars prints the sign of a NaN
    os << "nan";
    return;
  }
  char buffer[64], *end = std::end(buffer), *last = buffer;
  if (kind == ElementKind::F32) {
    last = std::to_chars(buffer, end, static_cast<float>(value)).ptr;
  } else if (kind == ElementKind::F64) {
    last = std::to_chars(buffer, end, value).ptr;
  } else {
    // The standard library has no 16-bit floats. Five digits distinguish any two of them.
    for (int precision = 1; precision <= 5; ++precision) {
      StringRef digits(buffer, std::to_chars(buffer, end, value, std::chars_format::general, precision).ptr - buffer);
      llvm::APFloat read(getSemantics(kind), digits), wide(llvm::APFloat::IEEEdouble(), digits);
      if (read.bitcastToAPInt() != tensor.getDataAs<uint16_t>()[index])
        continue;
      last = std::to_chars(buffer, end, wide.convertToDouble()).ptr; // 2050, not 2.05e+03
      break;
    }
  }
  os << StringRef(buffer, last - buffer);
}
