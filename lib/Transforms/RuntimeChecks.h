//===- RuntimeChecks.h - shared by the passes that check sizes and indices at run time -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_RUNTIMECHECKS_H
#define RNN_LIB_TRANSFORMS_RUNTIMECHECKS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::rnn {

/// The name of `op` in the program, for messages. Elementwise ops have become linalg.generic ops.
StringRef getSourceName(Operation *op);

/// The dimension `dim` of a shaped value. A static one is a constant: upstream takes the value of a splat of integers
/// for the size of its dimensions.
ValueBoundsConstraintSet::Variable getSizeVariable(Value value, int64_t dim);

/// A size as a function of values of type index and of dimensions of shaped values.
struct SizeExpression {
  AffineMap map;
  ValueDimList operands;

  bool operator==(const SizeExpression &other) const { return map == other.map && operands == other.operands; }
  Value materialize(OpBuilder &builder, Location loc) const;
};

/// The dimension `dim` of `value`: a constant, or a value or dimension that exists before the ops that keep it. A
/// `tensor.dim` of a linalg op's result would be a second use of the result, and prevent fusion.
SizeExpression traceSize(Value value, int64_t dim);

/// The op before which a check of `op` runs: the outermost loop around `op` before which all `operands` are defined, or
/// `op` itself. Null inside of parallel loops, which have no call.
Operation *getPlaceOfCheck(Operation *op, const ValueDimList &operands);

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_RUNTIMECHECKS_H
