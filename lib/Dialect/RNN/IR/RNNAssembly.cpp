//===- RNNAssembly.cpp - the assembly form of all rnn ops --------------------===//
//
// Parser and printer of the grammar in the dialect's description (RNNDialect.td), driven by the signature of an op.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::detail;

static bool hasTypes(const NamedValue &spec) {
  return spec.kind != ValueKind::Index && spec.kind != ValueKind::I64;
}

/// The attribute name and value of a keyword. The keywords of the enumerations are disjoint.
static std::pair<StringRef, Attribute> symbolizeKeyword(MLIRContext *context, StringRef word) {
  if (auto mode = symbolizeCellMode(word))
    return {"mode", CellModeAttr::get(context, *mode)};
  if (auto direction = symbolizeDirection(word))
    return {"direction", DirectionAttr::get(context, *direction)};
  if (auto inputMode = symbolizeInputMode(word))
    return {"input_mode", InputModeAttr::get(context, *inputMode)};
  if (auto layout = symbolizeGateLayout(word))
    return {"layout", GateLayoutAttr::get(context, *layout)};
  return {"", Attribute()};
}

/// The keywords that are valid in the first position, or after it.
static std::string listKeywords(const OpSignature &signature, bool first) {
  std::string text;
  for (StringRef name : first ? signature.keywordAttrs.take_front() : signature.keywordAttrs.drop_front()) {
    if (!text.empty())
      text += " or ";
    text += name == "mode"        ? "a cell mode (lstm, gru, rnn_relu, rnn_tanh)"
            : name == "direction" ? "a direction (unidirectional, bidirectional)"
            : name == "layout"    ? "a gate layout (icfo, ifco)"
                                  : "an input mode (linear_input, skip_input, auto_select)";
  }
  return text;
}

static ParseResult parseKeywords(OpAsmParser &parser, const OpSignature &signature, NamedAttrList &attributes) {
  do {
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    bool first = attributes.empty();
    if (parser.parseOptionalKeyword(&word))
      return parser.emitError(loc, "expected ") << listKeywords(signature, first);
    auto [name, attribute] = symbolizeKeyword(parser.getContext(), word);
    if (attribute && attributes.get(name))
      return parser.emitError(loc, "`") << name << "` is given twice";
    if (!attribute || !llvm::is_contained(signature.keywordAttrs, name) ||
        (name == signature.keywordAttrs.front()) != first) {
      if (!first && signature.keywordAttrs.size() == 1)
        return parser.emitError(loc, "accepts one keyword only, but got `") << word << "` after it";
      return parser.emitError(loc, "expected ") << listKeywords(signature, first) << ", but got `" << word << "`";
    }
    attributes.append(name, attribute);
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

namespace {
/// The parsed values and types of one operand entry.
struct ParsedOperand {
  SmallVector<OpAsmParser::UnresolvedOperand, 1> values;
  SmallVector<Type, 1> types;
};
} // namespace

/// Parses `: type` or `: type, type, ...` for `count` values.
static ParseResult parseTypesFor(OpAsmParser &parser, size_t count, StringRef group, SmallVectorImpl<Type> &types) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types))
    return failure();
  if (types.size() == 1)
    types.resize(count, types.front());
  if (types.size() != count)
    return parser.emitError(loc, "`") << group << "` has " << count << " values and requires one type for all or "
                                      << count << " types, but got " << types.size();
  return success();
}

/// Parses the group that begins at entry `first`. Sets `next` to the first entry after the group.
static ParseResult parseGroup(OpAsmParser &parser, const OpSignature &signature, unsigned first, unsigned &next,
                              MutableArrayRef<ParsedOperand> operands) {
  ArrayRef<NamedValue> specs = signature.operands;
  StringRef group = specs[first].group;
  next = first;
  while (next < specs.size() && specs[next].group == group)
    ++next;
  bool required = !specs[first].optional && !specs[first].variadic;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeyword(group)) {
    if (required)
      return parser.emitError(loc, "expected `") << group << "(...)`";
    return success();
  }
  SmallVector<OpAsmParser::UnresolvedOperand, 8> values;
  if (parser.parseLParen() || parser.parseOperandList(values))
    return failure();
  unsigned capacity = next - first;
  unsigned least = llvm::count_if(specs.slice(first, capacity), [](const NamedValue &v) { return !v.optional; });
  bool variadic = specs[first].variadic;
  if (!variadic && (values.size() < least || values.size() > capacity)) {
    InFlightDiagnostic diag = parser.emitError(loc, "`") << group << "` requires ";
    llvm::interleaveComma(specs.slice(first, capacity), diag, [&](const NamedValue &v) {
      diag << "`" << v.name << "`" << (v.optional ? " (optional)" : "");
    });
    return diag << ", but got " << values.size() << " values";
  }
  SmallVector<Type> types;
  if (hasTypes(specs[first])) {
    if (!values.empty() && parseTypesFor(parser, values.size(), group, types))
      return failure();
  } else {
    Builder builder(parser.getContext());
    types.assign(values.size(),
                 specs[first].kind == ValueKind::Index ? Type(builder.getIndexType()) : Type(builder.getI64Type()));
  }
  for (auto [index, value] : llvm::enumerate(values)) {
    ParsedOperand &operand = operands[variadic ? first : first + index];
    operand.values.push_back(value);
    operand.types.push_back(types[index]);
  }
  return parser.parseRParen();
}

/// The index of the result with this name, or none.
static std::optional<unsigned> findResult(const OpSignature &signature, StringRef name) {
  for (auto [index, spec] : llvm::enumerate(signature.results))
    if (spec.name == name)
      return index;
  return std::nullopt;
}

static ParseResult parseResultName(OpAsmParser &parser, const OpSignature &signature, unsigned &index) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<unsigned> found = findResult(signature, name);
  if (!found) {
    InFlightDiagnostic diag = parser.emitError(loc, "unknown result `") << name << "`; the results are ";
    llvm::interleaveComma(signature.results, diag, [&](const NamedValue &v) { diag << "`" << v.name << "`"; });
    return diag;
  }
  index = *found;
  return success();
}

static ParseResult parseOuts(OpAsmParser &parser, const OpSignature &signature,
                             MutableArrayRef<ParsedOperand> operands) {
  if (parser.parseOptionalKeyword("outs"))
    return success();
  SmallVector<unsigned> owners;
  SmallVector<Type> types;
  auto parseOne = [&]() -> ParseResult {
    unsigned index;
    SMLoc loc = parser.getCurrentLocation();
    OpAsmParser::UnresolvedOperand value;
    if (parseResultName(parser, signature, index) || parser.parseEqual() || parser.parseOperand(value))
      return failure();
    ParsedOperand &operand = operands[signature.outIndex(index)];
    if (!operand.values.empty() && !signature.results[index].variadic)
      return parser.emitError(loc, "`") << signature.results[index].name << "` is given twice";
    operand.values.push_back(value);
    owners.push_back(index);
    return success();
  };
  if (parser.parseLParen() || parser.parseCommaSeparatedList(parseOne) ||
      parseTypesFor(parser, owners.size(), "outs", types) || parser.parseRParen())
    return failure();
  for (auto [owner, type] : llvm::zip_equal(owners, types))
    operands[signature.outIndex(owner)].types.push_back(type);
  return success();
}

/// Rejects a group that is out of order. Without this check it would be parsed as the name of the next op.
static ParseResult refuseMisplacedGroup(OpAsmParser &parser, const OpSignature &signature) {
  SmallVector<StringRef> groups;
  for (const NamedValue &spec : signature.operands)
    if (groups.empty() || groups.back() != spec.group)
      groups.push_back(spec.group);
  if (!signature.results.empty())
    groups.push_back("outs");
  SMLoc loc = parser.getCurrentLocation();
  for (StringRef group : groups) {
    if (failed(parser.parseOptionalKeyword(group)))
      continue;
    InFlightDiagnostic diag = parser.emitError(loc, "`") << group << "` is given twice or out of order; the order is ";
    llvm::interleaveComma(groups, diag, [&](StringRef name) { diag << "`" << name << "`"; });
    return diag;
  }
  return success();
}

/// Rejects attributes that are not declared. Otherwise a misspelled attribute would be ignored and its default used.
static ParseResult refuseUnknownAttributes(OpAsmParser &parser, SMLoc loc, const OperationState &state) {
  ArrayRef<StringAttr> known = state.name.getAttributeNames();
  for (NamedAttribute attribute : state.attributes) {
    StringRef name = attribute.getName().getValue();
    if (llvm::is_contained(known, attribute.getName()) || name.contains('.') || name.starts_with("__"))
      continue;
    InFlightDiagnostic diag = parser.emitError(loc, "unknown attribute `") << name << "`; the op has ";
    llvm::interleaveComma(llvm::make_filter_range(known, [](StringAttr a) { return !a.getValue().ends_with("Sizes"); }),
                          diag, [&](StringAttr a) { diag << "`" << a.getValue() << "`"; });
    return diag << "; attributes of other dialects have a prefix";
  }
  return success();
}

ParseResult rnn::detail::checkParsedRanks(const OperationState &state, const OpSignature &signature,
                                          ArrayRef<int32_t> segments) {
  ArrayRef<Value> values = state.operands;
  for (auto [spec, count] : llvm::zip(signature.operands, segments)) {
    for (Value value : values.take_front(count))
      if (auto type = dyn_cast<ShapedType>(value.getType());
          type && type.hasRank() && spec.rank >= 0 && type.getRank() != spec.rank)
        return emitRankError(mlir::emitError(state.location, "'") << state.name << "' op expects ", signature, spec,
                             type);
    values = values.drop_front(count);
  }
  return success();
}

ParseResult rnn::detail::parseLayerOp(OpAsmParser &parser, OperationState &state, const OpSignature &signature,
                                      ParsedLayerOp &parsed) {
  NamedAttrList keywords;
  unsigned numEntries = signature.operands.size() + signature.results.size();
  SmallVector<ParsedOperand> operands(numEntries);
  if (parseKeywords(parser, signature, keywords))
    return failure();
  for (unsigned entry = 0; entry < signature.operands.size();)
    if (parseGroup(parser, signature, entry, entry, operands))
      return failure();
  if (parseOuts(parser, signature, operands) || refuseMisplacedGroup(parser, signature))
    return failure();
  SMLoc dictLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes) || refuseUnknownAttributes(parser, dictLoc, state) ||
      failed(state.name.verifyInherentAttrs(
          state.attributes, [&] { return mlir::emitError(state.location, "'") << state.name << "' op "; })))
    return failure();
  for (NamedAttribute attribute : keywords) {
    if (state.attributes.get(attribute.getName()))
      return parser.emitError(dictLoc, "`") << attribute.getName().getValue() << "` is given twice";
    state.attributes.push_back(attribute);
  }
  for (ParsedOperand &operand : operands) {
    parsed.operandSegments.push_back(operand.values.size());
    if (parser.resolveOperands(operand.values, operand.types, parser.getNameLoc(), state.operands))
      return failure();
  }
  if (succeeded(parser.parseOptionalArrow())) {
    parsed.hasResultTypes = true;
    SMLoc loc = parser.getCurrentLocation();
    for (const NamedValue &result : signature.results) {
      SmallVector<Type> types;
      if (succeeded(parser.parseOptionalKeyword(result.name)) &&
          (parser.parseLParen() || parser.parseTypeList(types) || parser.parseRParen()))
        return failure();
      parsed.resultSegments.push_back(types.size());
      llvm::append_range(parsed.resultTypes, types);
    }
    // Without this check a remaining name would be parsed as the name of the next op.
    bool misplaced = llvm::any_of(signature.results, [&](const NamedValue &result) {
      return succeeded(parser.parseOptionalKeyword(result.name));
    });
    if (parsed.resultTypes.empty() || misplaced) {
      InFlightDiagnostic diag =
          parser.emitError(loc, "expected result types as `name(types)`, once each and in order: ");
      llvm::interleaveComma(signature.results, diag, [&](const NamedValue &v) { diag << "`" << v.name << "`"; });
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printTypes(OpAsmPrinter &printer, TypeRange types) {
  printer << " : ";
  if (llvm::all_equal(types))
    printer << types.front();
  else
    printer << types;
}

/// The keyword of an enumeration attribute.
static StringRef stringifyKeyword(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, StringRef>(attribute)
      .Case([](CellModeAttr mode) { return stringifyCellMode(mode.getValue()); })
      .Case([](DirectionAttr direction) { return stringifyDirection(direction.getValue()); })
      .Case([](InputModeAttr inputMode) { return stringifyInputMode(inputMode.getValue()); })
      .Case([](GateLayoutAttr layout) { return stringifyGateLayout(layout.getValue()); });
}

void rnn::detail::printLayerOp(OpAsmPrinter &printer, LayerOpInterface op, DictionaryAttr defaults,
                               TypeRange inferredResultTypes) {
  const OpSignature &signature = op.getSignature();
  SmallVector<StringRef> elided(signature.keywordAttrs.begin(), signature.keywordAttrs.end());
  elided.append({"operandSegmentSizes", "resultSegmentSizes"});
  NamedAttrList attributes(op->getAttrDictionary());
  for (NamedAttribute attribute : attributes)
    if (attribute.getValue() == defaults.get(attribute.getName()))
      elided.push_back(attribute.getName());
  for (auto [index, name] : llvm::enumerate(signature.keywordAttrs))
    if (Attribute attribute = attributes.get(name); attribute && attribute != defaults.get(name))
      printer << (index ? ", " : " ") << stringifyKeyword(attribute);
  for (unsigned entry = 0, end = signature.operands.size(); entry < end;) {
    const NamedValue &head = signature.operands[entry];
    SmallVector<Value> values;
    for (; entry < end && signature.operands[entry].group == head.group; ++entry)
      llvm::append_range(values, op.getOperandsOf(entry));
    if (values.empty() && (head.optional || head.variadic))
      continue;
    printer << ' ' << head.group << '(';
    printer.printOperands(values);
    if (hasTypes(head))
      printTypes(printer, TypeRange(ValueRange(values)));
    printer << ')';
  }
  SmallVector<Value> outs;
  for (auto [index, spec] : llvm::enumerate(signature.results)) {
    for (Value out : op.getOperandsOf(signature.outIndex(index))) {
      printer << (outs.empty() ? " outs(" : ", ") << spec.name << " = " << out;
      outs.push_back(out);
    }
  }
  if (!outs.empty()) {
    printTypes(printer, TypeRange(ValueRange(outs)));
    printer << ')';
  }
  printer.printOptionalAttrDict(attributes.getAttrs(), elided);
  if (op->getNumResults() == 0 || op->getResultTypes() == inferredResultTypes)
    return;
  printer << " ->";
  for (auto [index, spec] : llvm::enumerate(signature.results)) {
    ResultRange results = op.getResultsOf(index);
    if (!results.empty())
      printer << ' ' << spec.name << '(' << results.getTypes() << ')';
  }
}
