//===- ImportedOp.h - one op of a framework under conversion -*- C++ -*-===//
//
// The base of the importers: reads operands and attributes of a generic op by the framework's names, and replaces the
// op. The op may be unregistered. Errors are reported in the framework's terms, before an rnn op is built.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_IMPORTEDOP_H
#define RNN_LIB_CONVERSION_COMMON_IMPORTEDOP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/FrameworkOps.h"

namespace mlir::rnn {

/// One result of the imported op: the value that replaces it, or the shape of the framework's placeholder.
struct Replacement {
  StringRef name;
  Value value;
  ArrayRef<int64_t> placeholderShape = {};
};

/// The first error is reported and the op fails. Getters then return defaults (null values) without further errors, so
/// a converter reads all operands and attributes and tests `hasFailed` once.
class ImportedOp {
public:
  ImportedOp(Operation *op, PatternRewriter &rewriter);
  virtual ~ImportedOp() = default;

  Operation *getOperation() const { return op; }
  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  bool hasFailed() const { return failed; }

  /// Reports `message` unless an error was reported before.
  void fail(const Twine &message);

  /// Checks the counts of operands and results against the lists of their names.
  void checkCounts(ArrayRef<StringRef> operandNames, ArrayRef<StringRef> resultNames);

  /// The attribute, or null.
  Attribute get(StringRef name) const { return attributes.get(name); }
  /// Reads a string attribute with a keyword of `Enum`.
  template <typename Enum> Enum word(StringRef name, Enum byDefault) {
    StringAttr text = stringAttr(name);
    if (!text)
      return byDefault;
    if (std::optional<Enum> value = symbolizeEnum<Enum>(text.getValue()))
      return *value;
    std::string choices;
    for (uint32_t index = 0; std::optional<Enum> choice = symbolize(index, byDefault); ++index)
      choices += (index ? ", \"" : "\"") + stringifyEnum(*choice).str() + "\"";
    fail("expects attribute `" + name + "` to be one of " + choices + ", but got \"" + text.getValue() + "\"");
    return byDefault;
  }
  StringAttr stringAttr(StringRef name);
  double number(StringRef name, double byDefault);
  int64_t integer(StringRef name, int64_t byDefault);
  /// Without a default the attribute is required.
  bool flag(StringRef name, std::optional<bool> byDefault);
  /// The attribute, or null if it is absent. Reports an attribute of another class.
  template <typename AttrTy> AttrTy attribute(StringRef name, StringRef what) {
    Attribute value = attributes.get(name);
    auto typed = dyn_cast_or_null<AttrTy>(value);
    if (value && !typed)
      failAttribute(name, what, value);
    return typed;
  }

  unsigned getNumOperands() const { return operands.size(); }
  /// Operand `index`, null if it is absent or behind the last one.
  Value operand(unsigned index) const { return index < operands.size() ? operands[index] : Value(); }
  /// Operand `index` as a floating-point tensor of rank `rank`, cast if it is unranked. All such operands of an op have
  /// one element type. Messages quote `shape` ("[T, B, I]").
  Value tensor(unsigned index, StringRef name, unsigned rank, StringRef shape);
  /// The same for a value that is not an operand of the op, such as an element of a list.
  Value tensor(Value value, const Twine &name, unsigned rank, StringRef shape);
  /// Operand `index` as a floating-point tensor of any static rank.
  Value anyShape(unsigned index, const Twine &name);
  /// Operand `index` as an i32 tensor of rank 1.
  Value lengths(unsigned index, StringRef name);
  /// The element of a rank-0 tensor of signless integers.
  Value scalar(unsigned index, StringRef name, unsigned width);

  /// Creates and verifies an op from one value per signature entry, null for absent ones. Returns null after a failure.
  /// `note` explains how the operands of the op differ from the framework's.
  template <typename OpTy>
  OpTy create(ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes, StringRef note = "") {
    SmallVector<ValueRange> ranges;
    for (const Value &value : operands)
      ranges.push_back(value ? ValueRange(ArrayRef<Value>(value)) : ValueRange());
    return verified(createLayerOp<OpTy>(rewriter, getLoc(), ranges, attributes), note);
  }
  /// Verifies a new op. Its errors are reported as errors of the imported op.
  template <typename OpTy> OpTy verified(OpTy created, StringRef note = "") {
    return verifyCreated(created, note) ? created : OpTy();
  }

  /// Replaces the op by values and placeholders of the declared types.
  void replace(ArrayRef<Replacement> results);

protected:
  /// Operands as tensors of builtin types, null where an optional one is absent.
  SmallVector<Value> operands;
  /// The attributes by the framework's names.
  DictionaryAttr attributes;
  /// Operand names of rnn ops in messages, and the framework's names of the same.
  SmallVector<std::pair<StringRef, StringRef>> renames;

  /// The tensor type that result `index` is declared with.
  virtual Type declaredType(unsigned index) const { return op->getResult(index).getType(); }
  /// The value of type `declaredType(index)` as result `index`.
  virtual Value toResult(unsigned index, Value value) { return value; }

  /// Operand `index` as a tensor of signless integers of `width`, of rank `rank`. Messages call the type `what`.
  Value integers(unsigned index, StringRef name, unsigned width, unsigned rank, StringRef what, StringRef shape);

private:
  static std::optional<CellMode> symbolize(uint32_t value, CellMode) { return symbolizeCellMode(value); }
  static std::optional<InputMode> symbolize(uint32_t value, InputMode) { return symbolizeInputMode(value); }
  static std::optional<Direction> symbolize(uint32_t value, Direction) { return symbolizeDirection(value); }

  /// Like `emitOpError`, but names a `torch.operator` by the op that it wraps.
  InFlightDiagnostic emitError() const;
  void failAttribute(StringRef name, StringRef what, Attribute value);
  TensorType floatTensor(Value value, const Twine &name);
  /// Casts an unranked value to `rank`, and reports another rank.
  Value ranked(Value value, const Twine &name, unsigned rank, StringRef shape);
  Value zeros(StringRef name, Type declared, ArrayRef<int64_t> preferredShape);
  bool verifyCreated(Operation *created, StringRef note);

  Operation *op;
  PatternRewriter &rewriter;
  bool failed = false;
  /// The element type of all floating-point operands, and the name of the first one.
  Type element;
  std::string elementName;
};

/// The text of an attribute or type for messages. Types are quoted, as in diagnostics.
std::string toString(Attribute attribute);
std::string toString(Type type);

/// Returns true if `op` has no regions and no successors and is not the end of a block that needs a terminator.
/// Unregistered ops may have all of these.
bool isPlainOp(Operation *op);

/// Erases the ops that a failed converter of `op` has created: those between `before` and `op`.
void eraseCreated(Operation *before, Operation *op, PatternRewriter &rewriter);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_IMPORTEDOP_H
