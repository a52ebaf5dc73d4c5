//===- OpSignature.cpp - symbolic dimensions and shape expressions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Dialect/RNN/IR/OpSignature.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rnn;

bool rnn::detail::isValueForm(ValueRange operands) {
  return llvm::none_of(operands.getTypes(), [](Type type) { return isa<BaseMemRefType>(type); });
}

bool rnn::detail::isValueForm(Operation *op) {
  return isValueForm(op->getOperands());
}

/// The static size of a dimension, or none if it is dynamic or does not exist.
static std::optional<int64_t> staticDim(Value value, unsigned dim) {
  auto type = value ? dyn_cast<ShapedType>(value.getType()) : ShapedType();
  if (!type || !type.hasRank() || dim >= type.getRank() || type.isDynamicDim(dim))
    return std::nullopt;
  return type.getDimSize(dim);
}

AffineExpr ShapeRules::symbol(StringRef name, StringRef meaning, StringRef label, Value from, StringRef fromName,
                              unsigned dim, int64_t minimum, int64_t divisor) {
  std::optional<int64_t> value = staticDim(from, dim);
  if (value)
    value = *value / divisor;
  symbols.push_back({name, meaning, from, fromName, dim, divisor, minimum, label, value, from, fromName, dim, divisor});
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

AffineExpr ShapeRules::constant(StringRef name, StringRef meaning, StringRef label, int64_t value) {
  symbols.push_back({name, meaning, Value(), "", 0, 1, 0, label, value, Value(), "", 0, 1});
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

void ShapeRules::operand(StringRef label, StringRef name, Value value, ArrayRef<AffineExpr> dims) {
  if (!value)
    return;
  Rule rule{label, name, value, -1, Type(), {}};
  rule.dims.assign(dims.begin(), dims.end());
  operandRules.push_back(std::move(rule));
}

void ShapeRules::result(StringRef label, StringRef name, unsigned index, Type elementType, ArrayRef<AffineExpr> dims) {
  Rule rule{label, name, Value(), static_cast<int>(index), elementType, {}};
  rule.dims.assign(dims.begin(), dims.end());
  resultRules.push_back(std::move(rule));
}

SmallVector<AffineExpr, 3> ShapeRules::parseShape(StringRef shape) const {
  SmallVector<AffineExpr, 3> dims;
  for (StringRef text : llvm::split(shape.drop_front().drop_back(), ", ")) {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (StringRef term : llvm::split(text, " + ")) {
      auto [factor, name] = term.contains('*') ? term.split('*') : std::pair<StringRef, StringRef>("1", term);
      int64_t scale;
      bool failed = factor.getAsInteger(10, scale);
      assert(!failed && "a term of a shape is a symbol or a constant multiple of it");
      (void)failed;
      sum = sum + getAffineSymbolExpr(getSymbolIndex(name), context) * scale;
    }
    dims.push_back(sum);
  }
  return dims;
}

std::pair<AffineSymbolExpr, int64_t> ShapeRules::splitMultiple(AffineExpr expr) {
  if (auto symbolExpr = dyn_cast_or_null<AffineSymbolExpr>(expr))
    return {symbolExpr, 1};
  auto product = dyn_cast_or_null<AffineBinaryOpExpr>(expr);
  if (product && product.getKind() == AffineExprKind::Mul) {
    auto symbolExpr = dyn_cast<AffineSymbolExpr>(product.getLHS());
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (symbolExpr && factor && factor.getValue() > 0)
      return {symbolExpr, factor.getValue()};
  }
  return {AffineSymbolExpr(nullptr), 1};
}

void ShapeRules::resolve() {
  for (const Rule &rule : operandRules) {
    for (auto [dim, expr] : llvm::enumerate(rule.dims)) {
      auto [symbolExpr, factor] = splitMultiple(expr);
      std::optional<int64_t> size = staticDim(rule.value, dim);
      if (!symbolExpr || !size || *size % factor != 0 || symbols[symbolExpr.getPosition()].value)
        continue;
      Symbol &symbol = symbols[symbolExpr.getPosition()];
      symbol.value = *size / factor;
      symbol.boundBy = rule.value;
      symbol.boundByName = rule.name;
      symbol.boundByDim = dim;
      symbol.boundByDivisor = factor;
    }
  }
}

std::optional<int64_t> ShapeRules::evaluate(AffineExpr expr) const {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()].value;
  case AffineExprKind::Add:
  case AffineExprKind::Mul: {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    std::optional<int64_t> lhs = evaluate(binary.getLHS()), rhs = evaluate(binary.getRHS());
    int64_t result;
    if (!lhs || !rhs)
      return std::nullopt;
    bool overflow = expr.getKind() == AffineExprKind::Add ? llvm::AddOverflow(*lhs, *rhs, result)
                                                          : llvm::MulOverflow(*lhs, *rhs, result);
    return overflow ? std::nullopt : std::optional<int64_t>(result);
  }
  default:
    llvm_unreachable("shape rules only contain sums and products");
  }
}

unsigned ShapeRules::getSymbolIndex(StringRef name) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (symbol.name == name)
      return index;
  llvm_unreachable("no such symbolic dimension");
}

bool ShapeRules::isKnown(AffineExpr expr) const {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (expr.isFunctionOfSymbol(index) && !symbol.value)
      return false;
  return true;
}

std::string ShapeRules::toString(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto symbolExpr = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbolExpr.getPosition()].name.str();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = toString(binary.getLHS()), rhs = toString(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add)
    return lhs + " + " + rhs;
  // Affine expressions keep constants on the right; "4*H" reads better than "H*4".
  return isa<AffineConstantExpr>(binary.getRHS()) ? rhs + "*" + lhs : lhs + "*" + rhs;
}

std::string ShapeRules::describe(const Symbol &symbol) const {
  if (!symbol.boundBy)
    return symbol.meaning.str();
  std::string text = "dim " + std::to_string(symbol.boundByDim) + " of `" + symbol.boundByName.str() + "`";
  return symbol.boundByDivisor == 1 ? text : text + " / " + std::to_string(symbol.boundByDivisor);
}

std::string ShapeRules::explain(AffineExpr expr) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<AffineConstantExpr>(expr))
    return text;
  if (auto symbolExpr = dyn_cast<AffineSymbolExpr>(expr)) {
    const Symbol &symbol = symbols[symbolExpr.getPosition()];
    os << symbol.name << ", " << describe(symbol);
    return text;
  }
  os << toString(expr) << ", where ";
  bool first = true;
  for (auto [index, symbol] : llvm::enumerate(symbols)) {
    if (!expr.isFunctionOfSymbol(index))
      continue;
    os << (first ? "" : " and ") << symbol.name;
    if (symbol.value)
      os << " = " << *symbol.value;
    os << " is " << describe(symbol);
    first = false;
  }
  return text;
}
