//===- LayerLowering.h - shared by the lowerings of layer ops -*- C++ -*-===//
//
// Contiguous buffers, symbolic dimensions as values, and run-time shape checks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_LAYERLOWERING_H
#define RNN_LIB_CONVERSION_COMMON_LAYERLOWERING_H

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "rnn/Codegen/AccumulatorType.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/IR/Sequences.h"
#include "rnn/Dialect/RNNRT/IR/ArgumentName.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

namespace mlir::rnn {

/// Names the argument of the exported function that `value` is, for messages at run time: text that follows the sizes.
/// Empty if there is none. `name` is that of the op's operand.
inline std::string describeArgument(Value value, StringRef name) {
  for (;;) {
    if (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    else if (auto cast = value.getDefiningOp<memref::CastOp>())
      value = cast.getSource();
    else if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      value = cast.getIn();
    else
      break;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : FunctionOpInterface();
  if (!function || !function.isPublic() || !argument.getOwner()->isEntryBlock())
    return "";
  std::string text = ("\n`" + name + "` is argument " + Twine(argument.getArgNumber())).str();
  if (StringAttr given = findArgumentName(function, argument))
    text += " (`" + given.str() + "`)";
  return text;
}

/// Returns the `seq_len_max` of a block op as an index, unclamped, and emits its run-time check [B7].
template <typename OpTy> Value checkSeqLenMax(OpBuilder &builder, OpTy op, Value call, Value T) {
  Location loc = op.getLoc();
  Value length = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), op.getSeqLenMax());
  std::string message = ("'" + op->getName().getStringRef() + "' op expects `seq_len_max` to be in [0, T] [B7]").str() +
                        describeArgument(op.getSeqLenMax(), "seq_len_max");
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  rnnrt::ExpectRangeOp::create(builder, loc, call, length, zero, T, builder.getStringAttr(message));
  return length;
}

/// Reports every rnn op in `module` that no conversion of `pass` handles: one on tensors, without a lowering, or with
/// an unresolved input mode.
inline LogicalResult checkConvertible(Operation *module, StringRef pass) {
  bool hasFailed = false;
  module->walk([&](Operation *op) {
    if (!isa_and_nonnull<RNNDialect>(op->getDialect()))
      return;
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    auto inputMode = op->getAttrOfType<InputModeAttr>("input_mode");
    std::string text;
    if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
      text = "has tensor operands or results, but " + pass.str() + " expects buffers; run one-shot-bufferize before";
    else if (!op->getAttrOfType<LoweringAttr>("lowering"))
      text = "has no `lowering`, which " + pass.str() + " expects; run rnn-select-lowering before";
    else if (inputMode && inputMode.getValue() == InputMode::AutoSelect)
      text = "has the input mode auto_select, but " + pass.str() +
             " expects linear_input or skip_input; run canonicalize before";
    if (text.empty())
      return;
    op->emitOpError(text);
    hasFailed = true;
  });
  return failure(hasFailed);
}

/// Contiguous buffers of one op. `finish` copies results back to strided buffers and frees all copies.
class DenseBuffers {
public:
  DenseBuffers(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value read(Value buffer) { return get(buffer, /*copyIn=*/true, /*copyOut=*/false); }
  Value write(Value buffer) { return get(buffer, /*copyIn=*/false, /*copyOut=*/true); }
  Value update(Value buffer) { return get(buffer, /*copyIn=*/true, /*copyOut=*/true); }

  /// Returns a contiguous copy of the buffer, for any layout.
  Value copyOf(Value buffer, bool copyIn, bool copyOut) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<Value> sizes;
    for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
    Value copy = memref::AllocOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
    if (copyIn)
      memref::CopyOp::create(builder, loc, buffer, copy);
    copies.push_back({copyOut ? buffer : Value(), copy});
    return copy;
  }

  /// Allocates a buffer, which `finish` frees.
  Value allocate(MemRefType type, ValueRange sizes) {
    Value buffer = memref::AllocOp::create(builder, loc, type, sizes);
    copies.push_back({Value(), buffer});
    return buffer;
  }

  void finish() {
    for (auto [original, copy] : copies) {
      if (original)
        memref::CopyOp::create(builder, loc, copy, original);
      memref::DeallocOp::create(builder, loc, copy);
    }
  }

private:
  Value get(Value buffer, bool copyIn, bool copyOut) {
    if (!buffer)
      return buffer;
    auto type = cast<MemRefType>(buffer.getType());
    // An offset is supported, since lowerings pass the address of the first element.
    if (type.getLayout().isIdentity() || type.areTrailingDimsContiguous(type.getRank()))
      return buffer;
    return copyOf(buffer, copyIn, copyOut);
  }

  OpBuilder &builder;
  Location loc;
  SmallVector<std::pair<Value, Value>> copies; ///< the buffer to copy back to (or null), and its copy
};

/// A time-major view of a batch-major sequence, or the reverse.
inline Value transposeSequence(OpBuilder &builder, Location loc, Value buffer) {
  SmallVector<int64_t> permutation = getSequencePermutation(cast<MemRefType>(buffer.getType()).getRank());
  auto map = AffineMap::getPermutationMap(permutation, builder.getContext());
  return memref::TransposeOp::create(builder, loc, buffer, AffineMapAttr::get(map));
}

/// The symbolic dimensions of an op as index values.
class SymbolicDims {
public:
  SymbolicDims(OpBuilder &builder, LayerOpInterface op)
      : builder(builder), loc(op.getLoc()), rules(getShapeRules(op)),
        values(materializeSymbolicDims(builder, loc, rules)) {}

  Value operator[](StringRef name) {
    return getValueOrCreateConstantIndexOp(builder, loc, values[rules.getSymbolIndex(name)]);
  }

  /// An actual size and the expected size.
  using Comparison = std::pair<Value, Value>;

  /// Emits the run-time checks of sizes that the types leave open.
  void check(LayerOpInterface op, Value call) {
    emitSizeChecks(builder, op, rules, values, [&](const SizeCheck &check) {
      std::string message =
          ("'" + op->getName().getStringRef() + "' op " + check.rule + " [" + check.label + "]").str();
      if (check.operand)
        message += describeArgument(check.operand, check.name);
      StringAttr text = builder.getStringAttr(message);
      if (check.expected) {
        comparisons.push_back({check.actual, check.expected});
        rnnrt::ExpectEqualOp::create(builder, loc, call, check.actual, check.expected, text);
        return;
      }
      comparisons.push_back({check.actual, arith::MaxSIOp::create(builder, loc, check.actual, check.minimum)});
      Value most = arith::ConstantIndexOp::create(builder, loc, INT64_MAX);
      rnnrt::ExpectRangeOp::create(builder, loc, call, check.actual, check.minimum, most, text);
    });
  }

  /// The comparisons that `check` emitted.
  ArrayRef<Comparison> getComparisons() const { return comparisons; }

private:
  OpBuilder &builder;
  Location loc;
  ShapeRules rules;
  SmallVector<OpFoldResult> values;
  SmallVector<Comparison> comparisons;
};

/// P of a cudnn layer: `num_proj`, the last dimension of `input_h` if that is negative, or H if it is 0.
template <typename OpTy> Value getStateSize(OpBuilder &builder, OpTy op, SymbolicDims &dims) {
  int64_t projection = op.getNumProj();
  if (projection > 0)
    return arith::ConstantIndexOp::create(builder, op.getLoc(), projection);
  return dims[projection < 0 ? "P" : "H"];
}

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_LAYERLOWERING_H
