//===- OpSignature.h - names, groups and shape rules of the rnn ops -*- C++ -*-===//
//
// Every op of the dialect is described by two tables: its signature (what each operand and result is called, and in
// which group of the assembly it stands) and its shape rules (what each dimension must be, in the letters T B I H P L).
// The assembly, the verifier, type inference, shape reification and the run-time checks are all read off these tables,
// so that they cannot disagree.
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

/// What a value is, which decides how its type is written and checked.
enum class ValueKind { Float, Lengths, Reserve, Index, I64 };

/// One operand or result by name. Groups and ranks are those of the op's description.
struct NamedValue {
  llvm::StringLiteral name;
  llvm::StringLiteral group = "";
  ValueKind kind = ValueKind::Float;
  /// The rank it must have, or -1 where any will do.
  int rank = -1;
  bool optional = false;
  bool variadic = false;
  /// An operand that the op also writes (the reserve space of the gradient).
  bool written = false;
};

/// The named operands and results of an op, in the order of its definition. The memref form's `outs` are the ODS
/// operands behind `operands`, one entry for each entry of `results`.
struct OpSignature {
  llvm::ArrayRef<NamedValue> operands;
  llvm::ArrayRef<NamedValue> results;
  /// Labels of the three rules that every op has: one element type, ranks, and value or memref form.
  llvm::StringLiteral elementTypeLabel, rankLabel, formLabel;
  /// The enumeration attributes that are printed bare behind the op's name; the first is required.
  llvm::ArrayRef<llvm::StringLiteral> headerAttrs = {};

  /// ODS index of the `outs` operand for result `index`.
  unsigned outIndex(unsigned index) const { return operands.size() + index; }
};

/// The letters of one op and what each dimension must be in terms of them. Built for an op (or for its operands before
/// it exists) by `collectShapeRules`.
class ShapeRules {
public:
  /// A letter, bound by one dimension of one operand: letter = dim / divisor.
  struct Symbol {
    llvm::StringRef letter, meaning;
    Value from;
    llvm::StringRef fromName;
    unsigned dim;
    int64_t divisor;
    /// Smallest legal value, with the label of the rule that says so.
    int64_t minimum;
    llvm::StringRef label;
    /// Known from the type, or from another operand whose dimension is this letter times a constant.
    std::optional<int64_t> value;
    /// The operand that the value was read off: value = dim / divisor of it. As `from` unless that is dynamic.
    Value boundBy;
    llvm::StringRef boundByName;
    unsigned boundByDim;
    int64_t boundByDivisor;
  };
  /// One operand or result with an expression per dimension (null: any size).
  struct Rule {
    llvm::StringRef label, name;
    Value value;          ///< null for a result
    int resultIndex = -1; ///< index in the signature's results, or -1
    Type elementType;     ///< of a result
    llvm::SmallVector<AffineExpr, 3> dims;
  };

  explicit ShapeRules(MLIRContext *context) : context(context) {}

  MLIRContext *getContext() const { return context; }
  /// Declares a letter. `from` may be null or of a wrong rank, then the letter is unknown.
  AffineExpr symbol(llvm::StringRef letter, llvm::StringRef meaning, llvm::StringRef label, Value from,
                    llvm::StringRef fromName, unsigned dim, int64_t minimum = 0, int64_t divisor = 1);
  /// Declares a letter whose value is written in an attribute; `meaning` names it.
  AffineExpr constant(llvm::StringRef letter, llvm::StringRef meaning, llvm::StringRef label, int64_t value);
  /// Requires the dimensions of an operand; nothing happens for an absent one.
  void operand(llvm::StringRef label, llvm::StringRef name, Value value, llvm::ArrayRef<AffineExpr> dims);
  /// Declares a result (and, in memref form, its out) with its dimensions.
  void result(llvm::StringRef label, llvm::StringRef name, unsigned index, Type elementType,
              llvm::ArrayRef<AffineExpr> dims);
  /// Binds letters whose own dimension is dynamic by other operands; call once after the last rule.
  void resolve();

  llvm::ArrayRef<Symbol> getSymbols() const { return symbols; }
  llvm::ArrayRef<Rule> getOperandRules() const { return operandRules; }
  llvm::ArrayRef<Rule> getResultRules() const { return resultRules; }
  /// The value of an expression if every letter in it is known and the value fits in 64 bits.
  std::optional<int64_t> evaluate(AffineExpr expr) const;
  /// The letter and the factor of an expression of the form `letter * constant`; null for any other.
  static std::pair<AffineSymbolExpr, int64_t> splitMultiple(AffineExpr expr);
  /// Whether every letter in an expression is known.
  bool isKnown(AffineExpr expr) const;
  /// "dim 0 of `x`": what gave a letter its value.
  std::string describe(const Symbol &symbol) const;
  /// "4*H" and the like.
  std::string toString(AffineExpr expr) const;
  /// "4*H, where H = 8 is dim 1 of `cs_prev`", or "T, dim 0 of `x`": why a dimension is expected to be what it is.
  std::string explain(AffineExpr expr) const;

private:
  MLIRContext *context;
  llvm::SmallVector<Symbol, 6> symbols;
  llvm::SmallVector<Rule, 16> operandRules;
  llvm::SmallVector<Rule, 8> resultRules;
};

} // namespace mlir::rnn

namespace mlir::rnn::detail {
/// True unless an operand is a memref.
bool isValueForm(Operation *op);
bool isValueForm(ValueRange operands);
} // namespace mlir::rnn::detail

#endif // RNN_DIALECT_RNN_IR_OPSIGNATURE_H
