//===- SizeChecks.cpp - conditions on sizes at run time ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Dialect/RNN/IR/RNN.h"

using namespace mlir;
using namespace mlir::rnn;

namespace {
class SizeCheckEmitter {
public:
  SizeCheckEmitter(OpBuilder &b, LayerOpInterface op, const ShapeRules &rules, ArrayRef<OpFoldResult> symbols,
                   function_ref<void(const SizeCheck &)> emit)
      : b(b), loc(op.getLoc()), rules(rules), symbols(symbols), emit(emit) {}

  /// The conditions of a symbol that the types leave open: the defining dimension is a multiple, and the minimum.
  void checkSymbol(unsigned index) {
    const ShapeRules::Symbol &symbol = rules.getSymbols()[index];
    auto type = symbol.from ? dyn_cast<ShapedType>(symbol.from.getType()) : ShapedType();
    if (type && type.isDynamicDim(symbol.dim) && symbol.divisor != 1) {
      Value size = value(sizeOf(symbol.from, symbol.dim));
      Value divisor = arith::ConstantIndexOp::create(b, loc, symbol.divisor);
      // The next multiple, which is never 0 layers.
      Value most = arith::ConstantIndexOp::create(b, loc, symbol.divisor - 1);
      Value quotient = arith::DivUIOp::create(b, loc, arith::AddIOp::create(b, loc, size, most), divisor);
      Value multiple = arith::MulIOp::create(b, loc, quotient, divisor);
      emit({("expects dim " + Twine(symbol.dim) + " of `" + symbol.fromName + "` to be a multiple of " +
             Twine(symbol.divisor) + " (" + symbol.name + ", " + symbol.meaning + ", times " + Twine(symbol.divisor) +
             ")")
                .str(),
            symbol.label, symbol.from, symbol.fromName, size, multiple, Value()});
    }
    if (symbol.value || symbol.minimum <= 0)
      return;
    emit({("expects " + symbol.name + " (" + symbol.meaning + ", " + rules.describe(symbol) + ")").str(), symbol.label,
          symbol.from, symbol.fromName, value(symbols[index]), Value(),
          arith::ConstantIndexOp::create(b, loc, symbol.minimum)});
  }

  /// The dimensions of an operand, or of the `outs` buffer of a result, that are not static or not known.
  void checkRule(const ShapeRules::Rule &rule, Value operand, bool isOut) {
    auto type = cast<ShapedType>(operand.getType());
    for (auto [dim, expr] : llvm::enumerate(rule.dims)) {
      if (!expr || (!type.isDynamicDim(dim) && rules.evaluate(expr)))
        continue;
      // The dimension that defines a symbol needs no check. This is `boundBy`, not `from`: `from` may be dynamic.
      if (auto symbolExpr = dyn_cast<AffineSymbolExpr>(expr)) {
        const ShapeRules::Symbol &symbol = rules.getSymbols()[symbolExpr.getPosition()];
        if (symbol.boundBy == operand && symbol.boundByDim == dim && symbol.divisor == 1)
          continue;
      }
      OpFoldResult actual = sizeOf(operand, dim), expected = materializeDim(b, loc, expr, symbols);
      if (actual == expected)
        continue;
      emit({("expects dim " + Twine(dim) + " of " + (isOut ? "`outs` of " : "") + "`" + rule.name + "` to be " +
             rules.toString(expr))
                .str(),
            rule.label, isOut ? Value() : operand, rule.name, value(actual), value(expected), Value()});
    }
  }

private:
  OpFoldResult sizeOf(Value operand, unsigned dim) {
    return isa<BaseMemRefType>(operand.getType()) ? memref::getMixedSize(b, loc, operand, dim)
                                                  : tensor::getMixedSize(b, loc, operand, dim);
  }
  Value value(OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); }

  OpBuilder &b;
  Location loc;
  const ShapeRules &rules;
  ArrayRef<OpFoldResult> symbols;
  function_ref<void(const SizeCheck &)> emit;
};
} // namespace

void rnn::emitSizeChecks(OpBuilder &builder, LayerOpInterface op, const ShapeRules &rules,
                         ArrayRef<OpFoldResult> symbols, function_ref<void(const SizeCheck &)> emit) {
  SizeCheckEmitter emitter(builder, op, rules, symbols, emit);
  for (unsigned index = 0; index < rules.getSymbols().size(); ++index)
    emitter.checkSymbol(index);
  for (const ShapeRules::Rule &rule : rules.getOperandRules())
    emitter.checkRule(rule, rule.value, /*isOut=*/false);
  for (const ShapeRules::Rule &rule : rules.getResultRules())
    for (Value out : op.getOperandsOf(op.getSignature().outIndex(rule.resultIndex)))
      emitter.checkRule(rule, out, /*isOut=*/true);
}
