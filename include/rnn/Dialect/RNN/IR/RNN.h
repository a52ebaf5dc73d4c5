//===- RNN.h - the rnn dialect -*- C++ -*-===//
//
// The public header of the dialect: attributes, interfaces, ops and the functions that build and query them.
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
#include "rnn/Target/TargetInfo.h"
#include "rnn_runtime/layout.h"

#include "rnn/Dialect/RNN/IR/RNNDialect.h.inc"
#include "rnn/Dialect/RNN/IR/RNNEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNN/IR/RNNAttrs.h.inc"

#include "rnn/Dialect/RNN/IR/RNNInterfaces.h.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNN/IR/RNNOps.h.inc"

namespace mlir::rnn {

/// The enumerations of the dialect as those of rnn_runtime/layout.h, which has the gate orders and the offsets.
inline rnn_layout::CellMode getLayoutMode(CellMode mode) {
  return rnn_layout::CellMode(mode);
}
inline rnn_layout::GateOrder getGateOrder(GateLayout layout) {
  return rnn_layout::GateOrder(layout);
}
static_assert(int32_t(CellMode::RnnRelu) == int32_t(rnn_layout::CellMode::RnnRelu) &&
                  int32_t(CellMode::RnnTanh) == int32_t(rnn_layout::CellMode::RnnTanh) &&
                  int32_t(CellMode::Lstm) == int32_t(rnn_layout::CellMode::Lstm) &&
                  int32_t(CellMode::Gru) == int32_t(rnn_layout::CellMode::Gru) &&
                  int32_t(GateLayout::Icfo) == int32_t(rnn_layout::GateOrder::Icfo) &&
                  int32_t(GateLayout::Ifco) == int32_t(rnn_layout::GateOrder::Ifco),
              "the values are those of abi.def");

/// The number of (weight, bias) pairs per layer and direction: lstm 8, gru 6, rnn_* 2. The first half multiplies the
/// input, the second half the state.
int64_t getNumParamPairs(CellMode mode);

/// Sizes of one stack of layers. `projection` equals `hidden` without a projection.
struct CudnnSizes {
  CellMode mode;
  bool skipInput;
  int64_t directions, layers, input, hidden, projection;
};

/// Total elements of all matrices and biases: the size of the dense layout (docs/Semantics.md, "Parameter layout") and
/// the minimum size of `params`. None if the count overflows 64 bits.
std::optional<int64_t> getDenseParamsSize(const CudnnSizes &sizes);

/// Elements of the parameters of a layer: in the dense layout, and of its operand.
struct ParamsCount {
  int64_t dense, actual;
};
/// None unless both are static. With offsets, tensors may be anywhere in the operand: none, too.
std::optional<ParamsCount> getParamsCount(LayerOpInterface op);

/// Rows and columns of canonical weight `index`, in the order of `rnn.cudnn_canonical_to_params`. `index` is less than
/// `getNumWeights(sizes)`.
std::pair<int64_t, int64_t> getWeightShape(const CudnnSizes &sizes, int64_t index);
int64_t getNumWeights(const CudnnSizes &sizes);
int64_t getNumBiases(const CudnnSizes &sizes);

/// Creates a layer op and infers its results. `operands` has one range per signature entry: an absent optional operand
/// is an empty range, and trailing entries may be omitted. With `outs`, one range per result, creates the memref form.
/// Omitted attributes get their defaults. Each op with inferable results has one specialization.
template <typename OpTy>
OpTy createLayerOp(OpBuilder &builder, Location loc, llvm::ArrayRef<ValueRange> operands,
                   llvm::ArrayRef<NamedAttribute> attributes, llvm::ArrayRef<ValueRange> outs = {});

/// As `createLayerOp` in value form, for operands and attributes that are not known to be valid: returns null after a
/// diagnostic at `loc`. The op is verified, and not inserted into a block.
template <typename OpTy>
Operation *tryCreateLayerOp(Location loc, llvm::ArrayRef<ValueRange> operands,
                            llvm::ArrayRef<NamedAttribute> attributes);

/// Returns the size of a dimension of an operand. The default is `tensor.dim` or `memref.dim`.
using SizeFn = llvm::function_ref<OpFoldResult(Value operand, unsigned dim)>;

/// Materializes every symbolic dimension of `rules` as a value or constant, in the order of `rules.getSymbols()`.
SmallVector<OpFoldResult> materializeSymbolicDims(OpBuilder &builder, Location loc, const ShapeRules &rules,
                                                  SizeFn sizeOf = nullptr);
/// Materializes an expression over symbolic dimensions that `materializeSymbolicDims` returned.
OpFoldResult materializeDim(OpBuilder &builder, Location loc, AffineExpr dim, ArrayRef<OpFoldResult> symbols);

/// A condition on sizes that the types of an op leave open: `actual` equals `expected`, or is at least `minimum`.
struct SizeCheck {
  /// The rule, such as "expects dim 0 of `h_prev` to be B", and its label, "B4". With a minimum, the rule names the
  /// size only.
  std::string rule;
  llvm::StringRef label;
  /// The operand with the size, and its name; null for a size of `outs` or of an attribute.
  Value operand;
  llvm::StringRef name;
  Value actual;
  Value expected; ///< null if there is a minimum
  Value minimum;  ///< null if there is an expected size
};

/// Computes the sizes of every condition that must be tested at run time and calls `emit` for it. `rules` are those of
/// the op, and `symbols` their symbolic dimensions.
void emitSizeChecks(OpBuilder &builder, LayerOpInterface op, const ShapeRules &rules, ArrayRef<OpFoldResult> symbols,
                    llvm::function_ref<void(const SizeCheck &)> emit);

/// Creates the op that returns the bytes of the reserve space of a training forward pass.
Value createReserveSize(OpBuilder &builder, CudnnForwardOp op, SizeFn sizeOf = nullptr);

/// Creates the op that returns the elements of the result of `op`.
Value createParamsSize(OpBuilder &builder, CudnnCanonicalToParamsOp op);

/// The resolved shape rules of an existing op.
ShapeRules getShapeRules(LayerOpInterface op);

/// Whether the op resets states inside a sequence, and whether to the initial states.
bool hasResets(LayerOpInterface op);
bool hasResetsToInitial(LayerOpInterface op);

/// The constant value of an operand, or none. Accepts a null value.
std::optional<int64_t> getConstantInt(Value value);

} // namespace mlir::rnn

#endif // RNN_DIALECT_RNN_IR_RNN_H
