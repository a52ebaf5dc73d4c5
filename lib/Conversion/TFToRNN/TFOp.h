//===- TFOp.h - one TensorFlow op under conversion -*- C++ -*-===//
//
// Reads operands and attributes of a generic op by TensorFlow's names and replaces it. Everything that does not fit is
// reported here, in TensorFlow's terms, before an op of ours is built from it.
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

/// One result of the TensorFlow op: the value that replaces it or, where there is none, the shape of the placeholder
/// that TensorFlow would return.
struct Replacement {
  StringRef name;
  Value value;
  ArrayRef<int64_t> placeholderShape = {};
};

/// The first thing that does not fit is reported and makes the op fail; getters then give defaults (null values) and
/// stay silent, so a converter asks for all it needs and tests `hasFailed` once.
class TFOp {
public:
  TFOp(Operation *op, PatternRewriter &rewriter) : op(op), rewriter(rewriter) {}

  Operation *getOperation() const { return op; }
  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  bool hasFailed() const { return failed; }

  /// Reports `message` unless something was reported before.
  void fail(const Twine &message);

  /// Checks the numbers of operands and results against their names.
  void checkCounts(ArrayRef<StringRef> operandNames, ArrayRef<StringRef> resultNames);
  /// Refuses attributes that mean something on another version of the op, and misspelt ones.
  void checkAttributes(ArrayRef<StringRef> known);

  /// An attribute that is one of the words of `Enum`.
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

  /// Operand `index` as a floating-point tensor of the rank of `shape`, cast if it is unranked. All such operands of an
  /// op have one element type. `shape` ("[T, B, I]") is quoted in messages.
  Value tensor(unsigned index, StringRef name, unsigned rank, StringRef shape);
  /// Operand `index` as a floating-point tensor of any rank, which must be known.
  Value anyShape(unsigned index, const Twine &name);
  /// Operand `index` as an i32 tensor of rank 1, or an i8 one.
  Value lengths(unsigned index, StringRef name);
  Value reserve(unsigned index, StringRef name);
  /// The value of a rank-0 tensor of signless integers.
  Value scalar(unsigned index, StringRef name, unsigned width);

  /// Swaps the first two dimensions of a rank-3 tensor; null stays null.
  Value transpose(Value value);

  /// Creates an op from one value per signature entry, null for absent ones, and verifies it. Null after a failure.
  /// `note` explains how the op's operands differ from TensorFlow's, if they do.
  template <typename OpTy>
  OpTy create(ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes, StringRef note = "") {
    SmallVector<ValueRange> ranges;
    for (const Value &value : operands)
      ranges.push_back(value ? ValueRange(ArrayRef<Value>(value)) : ValueRange());
    return verified(createLayerOp<OpTy>(rewriter, getLoc(), ranges, attributes), note);
  }
  /// Verifies an op that was just created. Its errors are reported as errors of the TensorFlow op.
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
  /// The attribute if it is there and of class `AttrTy`; reports another class.
  template <typename AttrTy> AttrTy attribute(StringRef name, StringRef what);
  TensorType floatTensor(unsigned index, const Twine &name);
  /// Casts to `rank` or reports another one.
  Value ranked(Value value, const Twine &name, unsigned rank, StringRef shape);
  Value zeros(StringRef name, Type declared, ArrayRef<int64_t> preferredShape);
  bool verifyCreated(Operation *created, StringRef note);

  Operation *op;
  PatternRewriter &rewriter;
  bool failed = false;
  /// The element type of all floating-point operands and the operand that decided it.
  Type element;
  std::string elementName;
};

/// Text of an attribute or (in quotes, as diagnostics write it) of a type, for messages.
std::string toString(Attribute attribute);
std::string toString(Type type);

// The converters; `version` is that of the op's name. They check, build, and replace the op unless it failed.
void convertCudnnForward(TFOp &op, int version);
void convertCudnnBackprop(TFOp &op, int version);
void convertCudnnParamsSize(TFOp &op);
void convertCudnnCanonicalToParams(TFOp &op, int version);
void convertCudnnParamsToCanonical(TFOp &op, int version);
void convertBlockLSTM(TFOp &op, int version);
void convertBlockLSTMGrad(TFOp &op, int version);

/// Where the ops that carry a reserve space have it.
std::optional<unsigned> getReserveResult(Operation *op);
std::optional<unsigned> getReserveOperand(Operation *op);

} // namespace mlir::rnn::tf

#endif // RNN_LIB_CONVERSION_TFTORNN_TFOP_H
