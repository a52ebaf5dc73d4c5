//===- RNNOps.cpp - verification, inference and effects of all rnn ops -------===//
//
// The implementation uses the signature and the shape rules of an op (OpSignature.h). RNNOps.td defines the signatures;
// CudnnOps.cpp, CudnnParamsOps.cpp and BlockOps.cpp define the shape rules.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

std::optional<int64_t> rnn::getConstantInt(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

ShapeRules rnn::getShapeRules(LayerOpInterface op) {
  ShapeRules rules(op->getContext());
  op.collectShapeRules(rules);
  rules.resolve();
  return rules;
}

bool rnn::hasResets(LayerOpInterface op) {
  for (auto [index, operand] : llvm::enumerate(op.getSignature().operands))
    if (operand.kind == ValueKind::Resets && !op.getOperandsOf(index).empty())
      return true;
  return false;
}

bool rnn::hasResetsToInitial(LayerOpInterface op) {
  auto target = op->getAttrOfType<ResetToAttr>("reset_to");
  return hasResets(op) && target && target.getValue() == ResetTo::Initial;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The generic form may pass any number of values for an operand. All accessors rely on this check.
static LogicalResult verifySegments(LayerOpInterface op) {
  const OpSignature &signature = op.getSignature();
  auto check = [&](const NamedValue &spec, size_t count, bool optional, StringRef what) -> LogicalResult {
    if (spec.variadic || count == 1 || (optional && count == 0))
      return success();
    return op->emitOpError("expects one value for ")
           << what << "`" << spec.name << "`, but got " << count << " [" << signature.formLabel << "]";
  };
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    if (failed(check(spec, op.getOperandsOf(index).size(), spec.optional, "")))
      return failure();
  for (auto [index, spec] : llvm::enumerate(signature.results))
    if (failed(check(spec, op.getOperandsOf(signature.outIndex(index)).size(), /*optional=*/true, "`outs` of ")))
      return failure();
  return success();
}

/// Verifies the value form or the memref form, and the results of that form.
static LogicalResult verifyForm(LayerOpInterface op, ArrayRef<bool> expectedResults) {
  const OpSignature &signature = op.getSignature();
  StringRef label = signature.formLabel;
  bool isValue = op.isValueForm();
  llvm::SmallDenseMap<Value, StringRef> owners; ///< the results that buffers of `outs` get
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    for (Value operand : op.getOperandsOf(index))
      if (!isValue && isa<TensorType>(operand.getType()))
        return op->emitOpError("expects all operands to be memrefs once one is, but `")
               << spec.name << "` is " << operand.getType() << " [" << label << "]";
  for (auto [index, spec] : llvm::enumerate(signature.results)) {
    OperandRange outs = op.getOperandsOf(signature.outIndex(index));
    ResultRange results = op.getResultsOf(index);
    if (isValue) {
      if (!outs.empty())
        return op->emitOpError("accepts `outs` in memref form only, but got `") << spec.name << "` [" << label << "]";
      if (!spec.variadic && results.empty() == expectedResults[index])
        return op->emitOpError(expectedResults[index] ? "is missing the result `" : "has no result `")
               << spec.name << "` [" << label << "]";
      for (Value result : results)
        if (!isa<RankedTensorType>(result.getType()))
          return op->emitOpError("expects result `")
                 << spec.name << "` to be a tensor, but got " << result.getType() << " [" << label << "]";
      continue;
    }
    if (!results.empty())
      return op->emitOpError("in memref form has no results, but got `")
             << spec.name << "`; pass a buffer in `outs` [" << label << "]";
    if (!outs.empty() && !spec.variadic && !expectedResults[index])
      return op->emitOpError("has no result `") << spec.name << "` to write to `outs` [" << label << "]";
    for (Value out : outs) {
      if (!isa<MemRefType>(out.getType()))
        return op->emitOpError("expects `outs` of `")
               << spec.name << "` to be a memref, but got " << out.getType() << " [" << label << "]";
      if (auto [entry, isNew] = owners.try_emplace(out, spec.name); !isNew)
        return op->emitOpError("expects a buffer of its own for `outs` of `")
               << spec.name << "`, but it is also that of `" << entry->second << "` [" << label << "]";
    }
  }
  return success();
}

/// Attaches a note at each operand that defines a symbol of `expr`.
static void attachOrigins(InFlightDiagnostic &diag, const ShapeRules &rules, AffineExpr expr, Value except) {
  SmallVector<Value> seen{except};
  for (auto [index, symbol] : llvm::enumerate(rules.getSymbols())) {
    if (!expr.isFunctionOfSymbol(index) || !symbol.boundBy || llvm::is_contained(seen, symbol.boundBy))
      continue;
    seen.push_back(symbol.boundBy);
    diag.attachNote(symbol.boundBy.getLoc()) << "`" << symbol.boundByName << "` comes from here";
  }
}

static LogicalResult verifyDims(LayerOpInterface op, const ShapeRules &rules, const ShapeRules::Rule &rule, Value value,
                                const Twine &what) {
  auto type = cast<ShapedType>(value.getType());
  for (auto [dim, expr] : llvm::enumerate(rule.dims)) {
    if (!expr)
      continue;
    std::optional<int64_t> expected = rules.evaluate(expr);
    if (!expected && rules.isKnown(expr))
      return op->emitOpError("requires a size for dim ")
             << dim << " of " << what << "`" << rule.name << "` (" << rules.explain(expr)
             << ") that does not fit in 64 bits [" << rule.label << "]";
    if (type.isDynamicDim(dim) || expected == type.getDimSize(dim))
      continue;
    // A symbol is an integer even if its value is unknown.
    int64_t factor = ShapeRules::splitMultiple(expr).second;
    if (!expected && type.getDimSize(dim) % factor != 0)
      return op->emitOpError("expects dim ")
             << dim << " of " << what << "`" << rule.name << "` to be a multiple of " << factor << " ("
             << rules.toString(expr) << "), but got " << type.getDimSize(dim) << " [" << rule.label << "]";
    if (!expected)
      continue;
    InFlightDiagnostic diag = op->emitOpError("expects dim ")
                              << dim << " of " << what << "`" << rule.name << "` to be " << *expected;
    std::string reason = rules.explain(expr);
    if (!reason.empty())
      diag << " (" << reason << ")";
    diag << ", but got " << type.getDimSize(dim) << " [" << rule.label << "]";
    attachOrigins(diag, rules, expr, value);
    return diag;
  }
  return success();
}

static LogicalResult verifyRules(LayerOpInterface op, const ShapeRules &rules) {
  for (const ShapeRules::Symbol &symbol : rules.getSymbols()) {
    auto type = symbol.from ? dyn_cast<ShapedType>(symbol.from.getType()) : ShapedType();
    bool ownDim = type && !type.isDynamicDim(symbol.dim);
    if (ownDim && type.getDimSize(symbol.dim) % symbol.divisor != 0)
      return op->emitOpError("expects dim ")
             << symbol.dim << " of `" << symbol.fromName << "` to be a multiple of " << symbol.divisor << " ("
             << symbol.name << ", " << symbol.meaning << ", times " << symbol.divisor << "), but got "
             << type.getDimSize(symbol.dim) << " [" << symbol.label << "]";
    if (symbol.value && *symbol.value < symbol.minimum)
      return op->emitOpError("expects ") << symbol.name << " (" << symbol.meaning << ", " << rules.describe(symbol)
                                         << ") to be at least " << symbol.minimum << ", but got " << *symbol.value
                                         << " [" << symbol.label << "]";
  }
  for (const ShapeRules::Rule &rule : rules.getOperandRules())
    if (failed(verifyDims(op, rules, rule, rule.value, "")))
      return failure();
  const OpSignature &signature = op.getSignature();
  for (const ShapeRules::Rule &rule : rules.getResultRules()) {
    for (Value result : op.getResultsOf(rule.resultIndex))
      if (failed(verifyDims(op, rules, rule, result, "result ")))
        return failure();
    for (Value out : op.getOperandsOf(signature.outIndex(rule.resultIndex)))
      if (failed(verifyDims(op, rules, rule, out, "`outs` of ")))
        return failure();
  }
  return success();
}

/// Applies `check(spec, value, what)` to every shaped operand, out and result.
static LogicalResult forEachShaped(LayerOpInterface op,
                                   function_ref<LogicalResult(const NamedValue &, Value, StringRef what)> check) {
  const OpSignature &signature = op.getSignature();
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    for (Value value : op.getOperandsOf(index))
      if (isa<ShapedType>(value.getType()) && failed(check(spec, value, "")))
        return failure();
  for (auto [index, spec] : llvm::enumerate(signature.results)) {
    for (Value value : op.getResultsOf(index))
      if (failed(check(spec, value, "result ")))
        return failure();
    for (Value value : op.getOperandsOf(signature.outIndex(index)))
      if (failed(check(spec, value, "`outs` of ")))
        return failure();
  }
  return success();
}

/// Returns false if the static sizes alone make 2^63 bytes or more. Products of sizes cannot overflow after this check.
static bool fitsInMemory(ShapedType type) {
  int64_t bytes = std::max(type.getElementTypeBitWidth() / 8, 1u);
  bool fits = true;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return true;
    if (!ShapedType::isDynamic(size))
      fits &= !llvm::MulOverflow(bytes, size, bytes);
  }
  return fits;
}

InFlightDiagnostic rnn::detail::emitRankError(InFlightDiagnostic &&error, const OpSignature &signature,
                                              const NamedValue &spec, ShapedType type) {
  return std::move(error) << "`" << spec.name << "` to have rank " << spec.rank << ", but got rank " << type.getRank()
                          << " (" << type << ") [" << signature.rankLabel << "]";
}

static LogicalResult verifyTypes(LayerOpInterface op) {
  const OpSignature &signature = op.getSignature();
  Type element;
  StringRef elementName;
  if (failed(forEachShaped(op, [&](const NamedValue &spec, Value value, StringRef what) -> LogicalResult {
        if (spec.kind != ValueKind::Float)
          return success();
        Type type = getElementTypeOrSelf(value.getType());
        if (!element) {
          element = type;
          elementName = spec.name;
        }
        if (type == element)
          return success();
        return op->emitOpError("expects ")
               << what << "`" << spec.name << "` to have element type " << element << " like `" << elementName
               << "`, but got " << type << " [" << signature.elementTypeLabel << "]";
      })))
    return failure();
  return forEachShaped(op, [&](const NamedValue &spec, Value value, StringRef what) -> LogicalResult {
    auto type = cast<ShapedType>(value.getType());
    if (spec.rank >= 0 && type.getRank() != spec.rank)
      return emitRankError(op->emitOpError("expects ") << what, signature, spec, type);
    if (fitsInMemory(type))
      return success();
    return op->emitOpError("expects ") << what << "`" << spec.name << "` to have less than 2^63 bytes, but got " << type
                                       << " [" << signature.rankLabel << "]";
  });
}

LogicalResult rnn::detail::verifyLayerOp(LayerOpInterface op) {
  if (failed(verifySegments(op)) || failed(op.verifyAttributes()) || failed(verifyTypes(op)))
    return failure();
  ShapeRules rules = getShapeRules(op);
  SmallVector<bool> expected(op.getSignature().results.size(), false);
  for (const ShapeRules::Rule &rule : rules.getResultRules())
    expected[rule.resultIndex] = true;
  if (failed(verifyForm(op, expected)) || failed(verifyRules(op, rules)))
    return failure();
  return op.verifySizes(rules);
}

//===----------------------------------------------------------------------===//
// Inference and reification
//===----------------------------------------------------------------------===//

void rnn::detail::inferFromRules(const ShapeRules &rules, const OpSignature &signature, SmallVectorImpl<Type> &types,
                                 SmallVectorImpl<int32_t> &segments) {
  segments.assign(signature.results.size(), 0);
  for (const ShapeRules::Rule &rule : rules.getResultRules()) {
    SmallVector<int64_t> shape;
    for (AffineExpr dim : rule.dims) {
      int64_t size = dim ? rules.evaluate(dim).value_or(ShapedType::kDynamic) : ShapedType::kDynamic;
      // Only operands that the verifier rejects make a negative size.
      shape.push_back(size < 0 ? ShapedType::kDynamic : size);
    }
    // Inference runs before the verifier and must not fail on invalid element types.
    Type element = TensorType::isValidElementType(rule.elementType) ? rule.elementType
                                                                    : Type(Float32Type::get(rules.getContext()));
    types.push_back(RankedTensorType::get(shape, element));
    ++segments[rule.resultIndex];
  }
}

SmallVector<OpFoldResult> rnn::materializeSymbolicDims(OpBuilder &builder, Location loc, const ShapeRules &rules,
                                                       SizeFn sizeOf) {
  SmallVector<OpFoldResult> symbols;
  for (const ShapeRules::Symbol &symbol : rules.getSymbols()) {
    if (symbol.value) {
      symbols.push_back(builder.getIndexAttr(*symbol.value));
      continue;
    }
    OpFoldResult size;
    if (sizeOf)
      size = sizeOf(symbol.from, symbol.dim);
    else if (isa<BaseMemRefType>(symbol.from.getType()))
      size = memref::getMixedSize(builder, loc, symbol.from, symbol.dim);
    else
      size = tensor::getMixedSize(builder, loc, symbol.from, symbol.dim);
    if (symbol.divisor != 1)
      size = affine::makeComposedFoldedAffineApply(
          builder, loc, getAffineSymbolExpr(0, rules.getContext()).floorDiv(symbol.divisor), {size});
    symbols.push_back(size);
  }
  return symbols;
}

OpFoldResult rnn::materializeDim(OpBuilder &builder, Location loc, AffineExpr dim, ArrayRef<OpFoldResult> symbols) {
  return affine::makeComposedFoldedAffineApply(builder, loc, AffineMap::get(/*dimCount=*/0, symbols.size(), dim),
                                               symbols);
}

LogicalResult rnn::detail::reifyResults(OpBuilder &builder, LayerOpInterface op, ReifiedRankedShapedTypeDims &shapes,
                                        function_ref<OpFoldResult(unsigned)> unknown) {
  if (!op.isValueForm())
    return failure();
  ShapeRules rules = getShapeRules(op);
  SmallVector<OpFoldResult> symbols = materializeSymbolicDims(builder, op.getLoc(), rules);
  for (const ShapeRules::Rule &rule : rules.getResultRules()) {
    auto type = cast<RankedTensorType>(op.getResultsOf(rule.resultIndex).front().getType());
    SmallVector<OpFoldResult> sizes;
    for (auto [index, dim] : llvm::enumerate(rule.dims)) {
      if (!type.isDynamicDim(index))
        sizes.push_back(OpFoldResult());
      else
        sizes.push_back(dim ? materializeDim(builder, op.getLoc(), dim, symbols) : unknown(rule.resultIndex));
    }
    // The interface requires a constant for each static dimension and a value for each dynamic one.
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (!type.isDynamicDim(dim))
        size = builder.getIndexAttr(type.getDimSize(dim));
      else
        size = getValueOrCreateConstantIndexOp(builder, op.getLoc(), size);
    }
    shapes.push_back(std::move(sizes));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

void rnn::detail::getLayerOpEffects(LayerOpInterface op,
                                    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  const OpSignature &signature = op.getSignature();
  auto add = [&](MemoryEffects::Effect *effect, unsigned entry) {
    OperandRange values = op.getOperandsOf(entry);
    for (OpOperand &operand : MutableArrayRef<OpOperand>(values.getBase(), values.size()))
      if (isa<BaseMemRefType>(operand.get().getType()))
        effects.emplace_back(effect, &operand, SideEffects::DefaultResource::get());
  };
  for (auto [index, spec] : llvm::enumerate(signature.operands)) {
    add(MemoryEffects::Read::get(), index);
    if (spec.written)
      add(MemoryEffects::Write::get(), index);
  }
  for (unsigned index = 0, end = signature.results.size(); index < end; ++index)
    if (!op.getOperandsOf(signature.outIndex(index)).empty())
      add(MemoryEffects::Write::get(), signature.outIndex(index));
}

#define GET_OP_CLASSES
#include "rnn/Dialect/RNN/IR/RNNOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Builders with checks
//===----------------------------------------------------------------------===//

LogicalResult rnn::detail::checkOperands(Location loc, StringRef name, const OpSignature &signature,
                                         ArrayRef<ValueRange> operands) {
  for (auto [index, spec] : llvm::enumerate(signature.operands)) {
    ValueRange values = index < operands.size() ? operands[index] : ValueRange();
    if (!spec.variadic && (values.size() > 1 || (values.empty() && !spec.optional)))
      return emitError(loc) << "'" << name << "' op expects one operand `" << spec.name << "`, but got "
                            << values.size();
    bool isShaped = spec.kind != ValueKind::Index && spec.kind != ValueKind::I64;
    for (Value value : values)
      if (isShaped && !isa<RankedTensorType>(value.getType()))
        return emitError(loc) << "'" << name << "' op expects `" << spec.name << "` to be a ranked tensor, but got "
                              << value.getType();
  }
  return success();
}

LogicalResult rnn::detail::checkAttributeNames(Location loc, StringRef name, StringRef required,
                                               ArrayRef<StringRef> known, ArrayRef<NamedAttribute> attributes) {
  if (llvm::none_of(attributes, [&](const NamedAttribute &one) { return one.getName() == required; }))
    return emitError(loc) << "'" << name << "' op requires the attribute `" << required << "`";
  for (const NamedAttribute &attribute : attributes) {
    StringRef attributeName = attribute.getName().getValue();
    if (llvm::is_contained(known, attributeName) || attributeName.contains('.'))
      continue;
    InFlightDiagnostic diagnostic = emitError(loc)
                                    << "'" << name << "' op has no attribute `" << attributeName << "`; it has ";
    llvm::interleaveComma(known, diagnostic, [&](StringRef one) { diagnostic << "`" << one << "`"; });
    return diagnostic;
  }
  return success();
}
