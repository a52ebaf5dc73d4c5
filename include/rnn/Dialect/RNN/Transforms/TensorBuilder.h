//===- TensorBuilder.h - tensor, linalg and scf ops of the decomposition -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_TRANSFORMS_TENSORBUILDER_H
#define RNN_DIALECT_RNN_TRANSFORMS_TENSORBUILDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace mlir::rnn {

/// Arithmetic on the scalars of one element, in the body of a linalg op.
struct ElementBuilder {
  OpBuilder &b;
  Location loc;

  Value constant(double value, Type type) const;
  Value add(Value x, Value y) const;
  Value sub(Value x, Value y) const;
  Value mul(Value x, Value y) const;
  Value mulAdd(Value x, Value y, Value z) const { return add(mul(x, y), z); }
  /// 1 - x
  Value complement(Value x) const { return sub(constant(1, x.getType()), x); }
  Value sigmoid(Value x) const;
  Value tanh(Value x) const;
  /// The derivatives by the argument, from the value y.
  Value sigmoidSlope(Value y) const { return mul(y, complement(y)); }
  Value tanhSlope(Value y) const { return complement(mul(y, y)); }
  /// `condition` may be null: true.
  Value select(Value condition, Value yes, Value no) const;
  /// min(max(x, -limit), limit); NaN stays.
  Value clip(Value x, double limit) const;
};

/// Emits ops on tensors at the insertion point. Sizes and offsets are static where they are attributes.
class TensorBuilder {
public:
  using Size = OpFoldResult;
  using Sizes = ArrayRef<OpFoldResult>;

  /// `compute` is the type of all sums and of values between ops.
  TensorBuilder(OpBuilder &b, Location loc, Type compute) : b(b), loc(loc), compute(compute) {}

  //===-- Sizes ---------------------------------------------------------------------------------------------------===//
  // The names are those that rnn_layout::StackLayout requires.
  Size constant(int64_t value) const { return b.getIndexAttr(value); }
  Size add(Size x, Size y) const;
  Size sub(Size x, Size y) const;
  Size mul(Size x, Size y) const;
  /// `layer` is the constant 0 or a layer above: the first layer is emitted separately.
  Size selectFirst(Size layer, Size first, Size above) const { return isConstantIntValue(layer, 0) ? first : above; }
  Value value(Size size) const;

  //===-- Tensors -------------------------------------------------------------------------------------------------===//
  RankedTensorType typeOf(Sizes sizes, Type element) const;
  Value empty(Sizes sizes, Type element) const;
  Value zeros(Sizes sizes, Type element) const;
  /// A part of `source` without its first `drop` dimensions, whose sizes are 1.
  Value slice(Value source, Sizes offsets, Sizes sizes, unsigned drop = 0) const;
  /// Replaces a part of `dest`. `source` may lack leading dimensions of size 1.
  Value insert(Value source, Value dest, Sizes offsets, Sizes sizes) const;
  /// Row-major reshapes between one dimension and `sizes`.
  Value expand(Value source, Sizes sizes) const;
  Value collapse(Value source) const;
  /// The same tensor with static sizes where `sizes` has them.
  Value withSizes(Value source, Sizes sizes) const;
  Value withType(Value source, Type type) const;
  /// Converts the elements; returns `source` if they have the type.
  Value convert(Value source, Type element) const;

  //===-- Linalg ops ----------------------------------------------------------------------------------------------===//
  /// An operand and the loops that index its dimensions. A scalar has no loops.
  struct Operand {
    Value value;
    SmallVector<unsigned, 4> loops;
  };
  /// Receives one scalar per input and out, floats in the compute type; returns one per out, which is converted back.
  using Body = function_ref<SmallVector<Value>(const ElementBuilder &e, ValueRange scalars)>;
  /// One linalg.generic. A loop that no out has is a reduction.
  SmallVector<Value> generic(unsigned loops, ArrayRef<Operand> inputs, ArrayRef<Operand> outs, Body body) const;
  /// out += sum over the other loops of left * right.
  Value contract(unsigned loops, Operand left, Operand right, Operand out) const;
  /// out += sum over the other loops of `input`.
  Value reduce(unsigned loops, Operand input, Operand out) const;

  //===-- Control flow --------------------------------------------------------------------------------------------===//
  using LoopBody = function_ref<SmallVector<Value>(Value index, ValueRange values)>;
  /// scf.for from `lower` to `upper`, with `values` carried; returns their last values.
  SmallVector<Value> loop(Size lower, Size upper, ValueRange values, LoopBody body) const;
  /// scf.if with results.
  SmallVector<Value> ifElse(Value condition, function_ref<SmallVector<Value>()> yes,
                            function_ref<SmallVector<Value>()> no) const;

  OpBuilder &b;
  Location loc;
  Type compute;
};

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_TRANSFORMS_TENSORBUILDER_H
