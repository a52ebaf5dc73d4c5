//===- OpSignature.h - operand tables and shape rules of rnn ops -*- C++ -*-===//
//
// Two tables describe every op of the dialect. The signature lists the operands and results: name, assembly group,
// kind, rank and shape. The shape rules express each dimension in the symbolic dimensions T, B, I, H, P and L. The
// assembly, the verifier, type inference, shape reification and the run-time checks are all derived from these tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_OPSIGNATURE_H
#define RNN_DIALECT_RNN_IR_OPSIGNATURE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace mlir::rnn {

/// The kind of an operand or result. It selects how the type is printed and checked.
enum class ValueKind { Float, Lengths, Resets, Offsets, Reserve, Index, I64 };

/// One operand or result of an op.
struct NamedValue {
  llvm::StringLiteral name;
  llvm::StringLiteral group = "";
  ValueKind kind = ValueKind::Float;
  /// The required rank, or -1 for any rank.
  int rank = -1;
  bool optional = false;
  bool variadic = false;
  /// The op writes this operand as well as reading it (the reserve space of the gradient).
  bool written = false;
  /// The shape as the description prints it, such as "[I + H, 4*H]". Empty for scalars and for any shape.
  llvm::StringLiteral shape = "";
  /// The label of the rule that checks the shape.
  llvm::StringLiteral label = "";

  /// A sequence is `[T, B, ...]`, or `[B, T, ...]` with `batch_major`.
  bool isSequence() const { return shape.starts_with("[T, B"); }
};

/// The operands and results of an op, in ODS order. TableGen generates the tables from RNNOps.td (see RNNValues.td).
/// The `outs` of the memref form are the ODS operands that follow `operands`, one per entry of `results`.
struct OpSignature {
  llvm::ArrayRef<NamedValue> operands;
  llvm::ArrayRef<NamedValue> results;
  /// Labels of the three rules that every op has: one element type, ranks, value or memref form.
  llvm::StringLiteral elementTypeLabel, rankLabel, formLabel;
  /// Enumeration attributes that are printed as bare keywords after the op name. The first one is required.
  llvm::ArrayRef<llvm::StringLiteral> keywordAttrs = {};

  /// ODS operand index of the `outs` buffer of result `index`.
  unsigned outIndex(unsigned index) const { return operands.size() + index; }
};

/// The symbolic dimensions of one op, and every operand and result dimension as an expression over them.
/// `collectShapeRules` builds the rules for an op, or for its operands before the op exists.
class ShapeRules {
public:
  /// A symbolic dimension. One dimension of one operand defines it: value = dim / divisor.
  struct Symbol {
    llvm::StringRef name, meaning;
    Value from;
    llvm::StringRef fromName;
    unsigned dim;
    int64_t divisor;
    /// The smallest valid value, and the label of the rule that requires it.
    int64_t minimum;
    llvm::StringRef label;
    /// The static value: from the type of `from`, or from another operand whose dimension is a constant multiple of
    /// this symbol.
    std::optional<int64_t> value;
    /// The operand dimension that defines the value. It is `from` unless that dimension is dynamic.
    Value boundBy;
    llvm::StringRef boundByName;
    unsigned boundByDim;
    int64_t boundByDivisor;
  };
  /// One operand or result with an expression per dimension. A null expression allows any size.
  struct Rule {
    llvm::StringRef label, name;
    Value value;          ///< null for a result
    int resultIndex = -1; ///< index into the signature's results; -1 for an operand
    Type elementType;     ///< results only
    llvm::SmallVector<AffineExpr, 3> dims;
  };

  explicit ShapeRules(MLIRContext *context) : context(context) {}

  MLIRContext *getContext() const { return context; }
  /// Declares a symbolic dimension. It is unknown if `from` is null or has the wrong rank.
  AffineExpr symbol(llvm::StringRef name, llvm::StringRef meaning, llvm::StringRef label, Value from,
                    llvm::StringRef fromName, unsigned dim, int64_t minimum = 0, int64_t divisor = 1);
  /// Declares a symbolic dimension with the value of an attribute; `meaning` names the attribute.
  AffineExpr constant(llvm::StringRef name, llvm::StringRef meaning, llvm::StringRef label, int64_t value);
  /// Adds a rule for an operand. Does nothing if `value` is null.
  void operand(llvm::StringRef label, llvm::StringRef name, Value value, llvm::ArrayRef<AffineExpr> dims);
  /// Adds a rule for a result and, in memref form, for its `outs` buffer.
  void result(llvm::StringRef label, llvm::StringRef name, unsigned index, Type elementType,
              llvm::ArrayRef<AffineExpr> dims);
  /// Parses a shape of `NamedValue`. Its symbols must be declared.
  llvm::SmallVector<AffineExpr, 3> parseShape(llvm::StringRef shape) const;
  /// Resolves symbols whose defining dimension is dynamic from other operands. Call once after the last rule.
  void resolve();

  llvm::ArrayRef<Symbol> getSymbols() const { return symbols; }
  /// The index of the symbol `name` in `getSymbols()`. The symbol must exist.
  unsigned getSymbolIndex(llvm::StringRef name) const;
  /// The static value of the symbol `name`, or none. The symbol must exist.
  std::optional<int64_t> getStaticValue(llvm::StringRef name) const { return symbols[getSymbolIndex(name)].value; }
  llvm::ArrayRef<Rule> getOperandRules() const { return operandRules; }
  llvm::ArrayRef<Rule> getResultRules() const { return resultRules; }
  /// The value of an expression, or none if one of its symbols is unknown or the value overflows 64 bits.
  std::optional<int64_t> evaluate(AffineExpr expr) const;
  /// The symbol and the factor of an expression `symbol * constant`; a null symbol for other expressions.
  static std::pair<AffineSymbolExpr, int64_t> splitMultiple(AffineExpr expr);
  /// Returns true if every symbol of the expression has a static value.
  bool isKnown(AffineExpr expr) const;
  /// The operand dimension that defines a symbol, for diagnostics: "dim 0 of `x`".
  std::string describe(const Symbol &symbol) const;
  /// The expression as text, such as "4*H".
  std::string toString(AffineExpr expr) const;
  /// The expression and the origin of its symbols, for diagnostics: "4*H, where H = 8 is dim 1 of `cs_prev`".
  std::string explain(AffineExpr expr) const;

private:
  MLIRContext *context;
  llvm::SmallVector<Symbol, 6> symbols;
  llvm::SmallVector<Rule, 16> operandRules;
  llvm::SmallVector<Rule, 8> resultRules;
};

} // namespace mlir::rnn

namespace mlir::rnn::detail {
/// Returns true unless an operand is a memref.
bool isValueForm(Operation *op);
bool isValueForm(ValueRange operands);
} // namespace mlir::rnn::detail

#endif // RNN_DIALECT_RNN_IR_OPSIGNATURE_H
