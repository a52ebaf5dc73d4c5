//===- CellBuilder.h - arithmetic ops for the equations of cells -*- C++ -*-===//
//
// The equations of cells (LSTM.h, GRU.h, RNN.h) are written once, over this builder. Values are floats or vectors of
// floats. A target overrides functions that it has better code for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_CELLS_CELLBUILDER_H
#define RNN_CODEGEN_CELLS_CELLBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::rnn {

/// Emits `arith` and `math` ops at the insertion point of `builder`.
class CellBuilder {
public:
  /// `flags` are the fast-math flags of every op.
  CellBuilder(OpBuilder &builder, Location loc, arith::FastMathFlags flags = arith::FastMathFlags::none)
      : builder(builder), loc(loc), flags(flags) {}
  virtual ~CellBuilder();

  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  /// a * b + c. Whether the product is rounded before the sum is up to the target; the default rounds it.
  virtual Value mulAdd(Value a, Value b, Value c) const;
  /// 1 / (1 + exp(-x)), which keeps the relative accuracy for large negative x.
  virtual Value sigmoid(Value x) const;
  virtual Value tanh(Value x) const;

  /// `value` in the type of `like`, in all lanes.
  Value constant(double value, Value like) const;
  /// 1 - x
  Value complement(Value x) const { return sub(constant(1.0, x), x); }
  /// `yes` if `a predicate b`, else `no`, lane by lane.
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value yes, Value no) const;

  /// d sigmoid(x) / dx from y = sigmoid(x): y * (1 - y).
  Value sigmoidSlope(Value y) const { return mul(y, complement(y)); }
  /// d tanh(x) / dx from y = tanh(x): 1 - y^2.
  Value tanhSlope(Value y) const { return sub(constant(1.0, y), mul(y, y)); }

protected:
  OpBuilder &builder;
  Location loc;
  arith::FastMathFlags flags;
};

} // namespace mlir::rnn

#endif // RNN_CODEGEN_CELLS_CELLBUILDER_H
