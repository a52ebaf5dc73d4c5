//===- Internal.h - implementation shared by all rnn ops -*- C++ -*-===//
//
// Functions that implement an op from its signature, and templates that adapt them to one op class.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_DIALECT_RNN_IR_INTERNAL_H
#define RNN_LIB_DIALECT_RNN_IR_INTERNAL_H

#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn::detail {

/// The part of a parsed op that is not in the operation state.
struct ParsedLayerOp {
  SmallVector<int32_t> operandSegments, resultSegments;
  SmallVector<Type> resultTypes;
  bool hasResultTypes = false;
};

ParseResult parseLayerOp(OpAsmParser &parser, OperationState &state, const OpSignature &signature,
                         ParsedLayerOp &parsed);
/// Prints an op without the attributes that equal `defaults`, and without result types that equal
/// `inferredResultTypes`.
void printLayerOp(OpAsmPrinter &printer, LayerOpInterface op, DictionaryAttr defaults, TypeRange inferredResultTypes);
LogicalResult verifyLayerOp(LayerOpInterface op);
void getLayerOpEffects(LayerOpInterface op,
                       SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects);
/// Infers the result types, and the number of results of each entry, from resolved rules.
void inferFromRules(const ShapeRules &rules, const OpSignature &signature, SmallVectorImpl<Type> &types,
                    SmallVectorImpl<int32_t> &segments);
/// Reifies the shapes of all results of the value form. `unknown(index)` returns a size that the rule of a result does
/// not define.
LogicalResult reifyResults(OpBuilder &builder, LayerOpInterface op, ReifiedRankedShapedTypeDims &shapes,
                           function_ref<OpFoldResult(unsigned resultIndex)> unknown = nullptr);

/// Adds a pattern that makes layers between transposes batch-major.
void addTransposeFolds(RewritePatternSet &patterns);

/// The position of a sequence's dimensions: T is dim 0 and B dim 1, or the reverse with `batch_major`.
struct SequenceDims {
  template <typename OpLike> explicit SequenceDims(OpLike op) : steps(op.getBatchMajor()), batch(!op.getBatchMajor()) {}
  /// The dimensions of a sequence, given those of the time-major form.
  SmallVector<AffineExpr, 3> operator()(SmallVector<AffineExpr, 3> dims) const {
    if (steps == 1)
      std::swap(dims[0], dims[1]);
    return dims;
  }

  unsigned steps, batch;
};

/// C16, B12: `reset_to` has no effect without `resets`.
template <typename OpTy> LogicalResult verifyResetTo(OpTy op, StringRef label) {
  if (op.getResets() || op.getResetTo() == ResetTo::Zero)
    return success();
  return op.emitOpError("requires `resets` with `reset_to` [") << label << "]";
}

/// True if `OpTy` has segment sizes for its results.
template <typename OpTy> constexpr bool hasResultSegments = OpTy::template hasTrait<OpTrait::AttrSizedResultSegments>();
template <typename OpTy>
constexpr bool hasOperandSegments = OpTy::template hasTrait<OpTrait::AttrSizedOperandSegments>();

/// Sets the properties of `OpTy` from the attributes and segment sizes. An adaptor requires them.
template <typename OpTy>
LogicalResult finishProperties(OperationState &state, ArrayRef<int32_t> operandSegments,
                               function_ref<InFlightDiagnostic()> emitError) {
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  if (failed(OpTy::setPropertiesFromAttr(properties, state.attributes.getDictionary(state.getContext()), emitError)))
    return failure();
  for (StringAttr name : state.name.getAttributeNames())
    state.attributes.erase(name);
  if constexpr (hasOperandSegments<OpTy>)
    llvm::copy(operandSegments, properties.operandSegmentSizes.begin());
  state.name.populateDefaultProperties(&properties);
  return success();
}

template <typename OpTy> void setResultSegments(OperationState &state, ArrayRef<int32_t> segments) {
  if constexpr (hasResultSegments<OpTy>)
    llvm::copy(segments, state.getOrAddProperties<typename OpTy::Properties>().resultSegmentSizes.begin());
}

/// Infers the result types of `OpTy` from operands and properties, with the rules that `collectRules` adds for its
/// adaptor.
template <typename OpTy>
void inferResults(ValueRange operands, const typename OpTy::Properties &properties, SmallVectorImpl<Type> &types,
                  SmallVectorImpl<int32_t> &segments, MLIRContext *context) {
  segments.assign(OpTy::getSignature().results.size(), 0);
  if (!isValueForm(operands))
    return;
  ShapeRules rules(context);
  collectRules(typename OpTy::Adaptor(operands, DictionaryAttr::get(context), properties), rules);
  rules.resolve();
  inferFromRules(rules, OpTy::getSignature(), types, segments);
}

/// Completes the error "... op expects " for a value of a wrong rank.
InFlightDiagnostic emitRankError(InFlightDiagnostic &&error, const OpSignature &signature, const NamedValue &spec,
                                 ShapedType type);

/// Checks the ranks of parsed operands before type inference. With another rank, inferred types have unknown sizes, and
/// the first error would be about a use of a result.
ParseResult checkParsedRanks(const OperationState &state, const OpSignature &signature, ArrayRef<int32_t> segments);

template <typename OpTy> ParseResult parseLayerOp(OpAsmParser &parser, OperationState &state) {
  ParsedLayerOp parsed;
  SMLoc loc = parser.getCurrentLocation();
  if (parseLayerOp(parser, state, OpTy::getSignature(), parsed) ||
      failed(finishProperties<OpTy>(state, parsed.operandSegments, [&] { return parser.emitError(loc); })))
    return failure();
  if (parsed.hasResultTypes) {
    state.addTypes(parsed.resultTypes);
    setResultSegments<OpTy>(state, parsed.resultSegments);
    return success();
  }
  if constexpr (OpTy::template hasTrait<InferTypeOpInterface::Trait>()) {
    SmallVector<Type> types;
    SmallVector<int32_t> segments;
    if (checkParsedRanks(state, OpTy::getSignature(), parsed.operandSegments))
      return failure();
    inferResults<OpTy>(state.operands, state.getOrAddProperties<typename OpTy::Properties>(), types, segments,
                       parser.getContext());
    state.addTypes(types);
    setResultSegments<OpTy>(state, segments);
  }
  return success();
}

/// Implements `inferReturnTypes` for both forms: the memref form has no results.
template <typename OpTy>
LogicalResult inferReturnTypes(MLIRContext *context, ValueRange operands, OpaqueProperties properties,
                               SmallVectorImpl<Type> &types) {
  SmallVector<int32_t> segments;
  inferResults<OpTy>(operands, *properties.as<typename OpTy::Properties *>(), types, segments, context);
  return success();
}

template <typename OpTy> void printLayerOp(OpAsmPrinter &printer, OpTy op) {
  SmallVector<Type> inferred;
  if constexpr (OpTy::template hasTrait<InferTypeOpInterface::Trait>())
    if (op->getNumResults() != 0)
      (void)inferReturnTypes<OpTy>(op.getContext(), op->getOperands(), op->getPropertiesStorage(), inferred);
  typename OpTy::Properties defaults;
  OpTy::populateDefaultProperties(op->getName(), defaults);
  printLayerOp(printer, cast<LayerOpInterface>(op.getOperation()),
               cast<DictionaryAttr>(OpTy::getPropertiesAsAttr(op.getContext(), defaults)), inferred);
}

/// Checks the number and kinds of operands before type inference, which relies on them. One range per signature entry.
LogicalResult checkOperands(Location loc, StringRef name, const OpSignature &signature, ArrayRef<ValueRange> operands);
/// The attribute `required` must be present, and an attribute without a dialect prefix must be one of the op's.
LogicalResult checkAttributeNames(Location loc, StringRef name, StringRef required, ArrayRef<StringRef> known,
                                  ArrayRef<NamedAttribute> attributes);

/// Creates `OpTy` from one range of operands per signature entry. Returns null after a diagnostic if an attribute has
/// the wrong type.
template <typename OpTy>
Operation *createLayerOp(OpBuilder &builder, Location loc, ArrayRef<ValueRange> operands,
                         ArrayRef<NamedAttribute> attributes, ArrayRef<ValueRange> outs) {
  const OpSignature &signature = OpTy::getSignature();
  OperationState state(loc, OpTy::getOperationName());
  SmallVector<int32_t> segments;
  for (unsigned entry = 0, end = signature.operands.size() + signature.results.size(); entry < end; ++entry) {
    ValueRange values;
    if (entry < operands.size())
      values = operands[entry];
    else if (entry >= signature.operands.size() && entry - signature.operands.size() < outs.size())
      values = outs[entry - signature.operands.size()];
    segments.push_back(values.size());
    state.addOperands(values);
  }
  state.addAttributes(attributes);
  if (failed(finishProperties<OpTy>(state, segments, [&] { return emitError(loc); })))
    return nullptr;
  if constexpr (OpTy::template hasTrait<InferTypeOpInterface::Trait>()) {
    SmallVector<Type> types;
    SmallVector<int32_t> resultSegments;
    inferResults<OpTy>(state.operands, state.getOrAddProperties<typename OpTy::Properties>(), types, resultSegments,
                       builder.getContext());
    state.addTypes(types);
    setResultSegments<OpTy>(state, resultSegments);
  }
  return builder.create(state);
}

} // namespace mlir::rnn::detail

// These macros define the members that TableGen declares in terms of the functions above. Members of a generated class
// cannot be defined generically without macros.

#define RNN_DEFINE_ASSEMBLY(OpTy)                                                                                      \
  ParseResult OpTy::parse(OpAsmParser &parser, OperationState &state) {                                                \
    return rnn::detail::parseLayerOp<OpTy>(parser, state);                                                             \
  }                                                                                                                    \
  void OpTy::print(OpAsmPrinter &printer) {                                                                            \
    rnn::detail::printLayerOp(printer, *this);                                                                         \
  }                                                                                                                    \
  LogicalResult OpTy::verify() {                                                                                       \
    return rnn::detail::verifyLayerOp(*this);                                                                          \
  }

// The verifier compares result types with the rules and names the wrong dimension. `refineReturnTypes`, the comparison
// of the interface, therefore accepts all types.
#define RNN_DEFINE_LAYER_OP(OpTy)                                                                                      \
  RNN_DEFINE_ASSEMBLY(OpTy)                                                                                            \
  LogicalResult OpTy::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,             \
                                       DictionaryAttr, OpaqueProperties properties, RegionRange,                       \
                                       SmallVectorImpl<Type> &types) {                                                 \
    return rnn::detail::inferReturnTypes<OpTy>(context, operands, properties, types);                                  \
  }                                                                                                                    \
  LogicalResult OpTy::refineReturnTypes(MLIRContext *, std::optional<Location>, ValueRange, DictionaryAttr,            \
                                        OpaqueProperties, RegionRange, SmallVectorImpl<Type> &) {                      \
    return success();                                                                                                  \
  }                                                                                                                    \
  template <>                                                                                                          \
  OpTy rnn::createLayerOp<OpTy>(OpBuilder & builder, Location loc, ArrayRef<ValueRange> operands,                      \
                                ArrayRef<NamedAttribute> attributes, ArrayRef<ValueRange> outs) {                      \
    Operation *op = rnn::detail::createLayerOp<OpTy>(builder, loc, operands, attributes, outs);                        \
    assert(op && "attributes of a layer op must have the types of its definition");                                    \
    return cast<OpTy>(op);                                                                                             \
  }                                                                                                                    \
  template <>                                                                                                          \
  Operation *rnn::tryCreateLayerOp<OpTy>(Location loc, ArrayRef<ValueRange> operands,                                  \
                                         ArrayRef<NamedAttribute> attributes) {                                        \
    OpBuilder builder(loc.getContext());                                                                               \
    if (failed(rnn::detail::checkOperands(loc, OpTy::getOperationName(), OpTy::getSignature(), operands)) ||           \
        failed(rnn::detail::checkAttributeNames(loc, OpTy::getOperationName(), OpTy::getSignature().keywordAttrs[0],   \
                                                OpTy::getAttributeNames(), attributes)))                               \
      return nullptr;                                                                                                  \
    Operation *op = rnn::detail::createLayerOp<OpTy>(builder, loc, operands, attributes, {});                          \
    if (op && failed(mlir::verify(op))) {                                                                              \
      op->destroy();                                                                                                   \
      return nullptr;                                                                                                  \
    }                                                                                                                  \
    return op;                                                                                                         \
  }

#define RNN_DEFINE_PLAIN_EFFECTS(OpTy)                                                                                 \
  void OpTy::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {                \
    rnn::detail::getLayerOpEffects(*this, effects);                                                                    \
  }

#define RNN_DEFINE_RESULT_REIFICATION(OpTy)                                                                            \
  LogicalResult OpTy::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {                     \
    return rnn::detail::reifyResults(builder, *this, shapes);                                                          \
  }

#endif // RNN_LIB_DIALECT_RNN_IR_INTERNAL_H
