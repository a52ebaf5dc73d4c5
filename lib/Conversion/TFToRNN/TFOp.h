//===- TFOp.h - one TensorFlow op under conversion -*- C++ -*-===//
//
// Reads operands and attributes of a generic op by TensorFlow's names, and replaces the op. Errors are reported in
// TensorFlow's terms, before an rnn op is built.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_TFTORNN_TFOP_H
#define RNN_LIB_CONVERSION_TFTORNN_TFOP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

namespace mlir::rnn::tf {

/// One result of the TensorFlow op: the value that replaces it, or the shape of TensorFlow's placeholder.
struct Replacement {
  StringRef name;
  Value value;
  ArrayRef<int64_t> placeholderShape = {};
};

/// The first error is reported and the op fails. Getters then return defaults (null values) without further errors, so
/// a converter reads all operands and attributes and tests `hasFailed` once.
class TFOp {
public:
  TFOp(Operation *op, PatternRewriter &rewriter) : op(op), rewriter(rewriter) {}

  Operation *getOperation() const { return op; }
  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  bool hasFailed() const { return failed; }

  /// Reports `message` unless an error was reported before.
  void fail(const Twine &message);

  /// Checks the counts of operands and results against the lists of their names.
  void checkCounts(ArrayRef<StringRef> operandNames, ArrayRef<StringRef> resultNames);
  /// Reports attributes of other versions of the op, and misspelled ones.
  void checkAttributes(ArrayRef<StringRef> known);

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
  double number(StringRef name, double byDefault);
  int64_t integer(StringRef name, int64_t byDefault);
  /// Without a default the attribute is required.
  bool flag(StringRef name, std::optional<bool> byDefault);
  /// A required element type.
  Type elementType(StringRef name);

  /// Operand `index` as a floating-point tensor of rank `rank`, cast if it is unranked. All such operands of an op have
  /// one element type. Messages quote `shape` ("[T, B, I]").
  Value tensor(unsigned index, StringRef name, unsigned rank, StringRef shape);
  /// Operand `index` as a floating-point tensor of any static rank.
  Value anyShape(unsigned index, const Twine &name);
  /// Operand `index` as an i32 tensor of rank 1, or an i8 one.
  Value lengths(unsigned index, StringRef name);
  Value reserve(unsigned index, StringRef name);
  /// The element of a rank-0 tensor of signless integers.
  Value scalar(unsigned index, StringRef name, unsigned width);

  /// Swaps the first two dimensions of a rank-3 tensor. Returns null for null.
  Value transpose(Value value);

  /// Creates and verifies an op from one value per signature entry, null for absent ones. Returns null after a failure.
  /// `note` explains how the operands of the op differ from TensorFlow's.
  template <typename OpTy>
  OpTy create(ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes, StringRef note = "") {
    SmallVector<ValueRange> ranges;
    for (const Value &value : operands)
      ranges.push_back(value ? ValueRange(ArrayRef<Value>(value)) : ValueRange());
    return verified(createLayerOp<OpTy>(rewriter, getLoc(), ranges, attributes), note);
  }
  /// Verifies a new op. Its errors are reported as errors of the TensorFlow op.
  template <typename OpTy> OpTy verified(OpTy created, StringRef note = "") {
    return verifyCreated(created, note) ? created : OpTy();
  }

  /// Replaces the op by values and placeholders of the declared types.
  void replace(ArrayRef<Replacement> results);

private:
  static std::optional<CellMode> symbolize(uint32_t value, CellMode) { return symbolizeCellMode(value); }
  static std::optional<InputMode> symbolize(uint32_t value, InputMode) { return symbolizeInputMode(value); }
  static std::optional<Direction> symbolize(uint32_t value, Direction) { return symbolizeDirection(value); }

  StringAttr stringAttr(StringRef name);
  /// The attribute, or null if it is absent. Reports an attribute of another class.
  template <typename AttrTy> AttrTy attribute(StringRef name, StringRef what);
  TensorType floatTensor(unsigned index, const Twine &name);
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

// The converters check the op, build its replacement and replace it. `version` is the suffix of the op name.
void convertCudnnForward(TFOp &op, int version);
void convertCudnnBackprop(TFOp &op, int version);
void convertCudnnParamsSize(TFOp &op);
void convertCudnnCanonicalToParams(TFOp &op, int version);
void convertCudnnParamsToCanonical(TFOp &op, int version);
void convertBlockLSTM(TFOp &op, int version);
void convertBlockLSTMGrad(TFOp &op, int version);

/// The result or operand index of the reserve space, if the op has one.
std::optional<unsigned> getReserveResult(Operation *op);
std::optional<unsigned> getReserveOperand(Operation *op);

} // namespace mlir::rnn::tf

#endif // RNN_LIB_CONVERSION_TFTORNN_TFOP_H
