//===- RNN.h - the rnn dialect -*- C++ -*-===//
//
// The one header that users of the dialect include.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_DIALECT_RNN_IR_RNN_H
#define RNN_DIALECT_RNN_IR_RNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Dialect/RNN/IR/OpSignature.h"

#include "rnn/Dialect/RNN/IR/RNNDialect.h.inc"
#include "rnn/Dialect/RNN/IR/RNNEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNN/IR/RNNAttrs.h.inc"

#include "rnn/Dialect/RNN/IR/RNNInterfaces.h.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNN/IR/RNNOps.h.inc"

namespace mlir::rnn {

/// (weight, bias) pairs per layer and direction: lstm 8, gru 6, rnn_* 2. Half of them belong to the input.
int64_t getNumParamPairs(CellMode mode);

/// Sizes of one stack of layers. `projection` equals `hidden` where there is none.
struct CudnnSizes {
  CellMode mode;
  bool skipInput;
  int64_t directions, layers, input, hidden, projection;
};

/// Elements of all matrices and biases together: the dense layout of semantics, the least that `params` can hold.
/// None if the number does not fit in 64 bits.
std::optional<int64_t> getDenseParamsSize(const CudnnSizes &sizes);

/// Elements of canonical weight (or bias) number `index`, in the order of `rnn.cudnn_canonical_to_params`; with
/// `shape`, the matrix's rows and columns. `index` is below `getNumWeights(sizes)` (or `getNumBiases`).
std::pair<int64_t, int64_t> getWeightShape(const CudnnSizes &sizes, int64_t index);
int64_t getNumWeights(const CudnnSizes &sizes);
int64_t getNumBiases(const CudnnSizes &sizes);

/// Creates a layer op from its operands by signature entry (absent optional ones are empty ranges, trailing entries may
/// be left out) with the results that follow from them; with `outs`, one range per result, the memref form. Attributes
/// that are left out have their defaults. There is one specialization for each op whose results can be inferred.
template <typename OpTy>
OpTy createLayerOp(OpBuilder &builder, Location loc, llvm::ArrayRef<ValueRange> operands,
                   llvm::ArrayRef<NamedAttribute> attributes, llvm::ArrayRef<ValueRange> outs = {});

/// Gives the size of a dimension of an operand; the default asks the tensor or memref itself.
using SizeFn = llvm::function_ref<OpFoldResult(Value operand, unsigned dim)>;

/// Every letter of `rules` as a value or constant, in their order.
SmallVector<OpFoldResult> materializeLetters(OpBuilder &builder, Location loc, const ShapeRules &rules,
                                             SizeFn sizeOf = nullptr);
/// An expression over letters that were materialized.
OpFoldResult materializeDim(OpBuilder &builder, Location loc, AffineExpr dim, ArrayRef<OpFoldResult> letters);

/// Creates the op that gives the bytes of the reserve space of a training forward.
Value createReserveSize(OpBuilder &builder, CudnnForwardOp op, SizeFn sizeOf = nullptr);

/// Creates the op that gives the elements of the result of `op`.
Value createParamsSize(OpBuilder &builder, CudnnCanonicalToParamsOp op);

/// The tables of an existing op, resolved.
ShapeRules getShapeRules(LayerOpInterface op);

/// The value of an operand that is written by a constant, if it is one.
std::optional<int64_t> getConstantInt(Value value);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_IR_RNN_H
