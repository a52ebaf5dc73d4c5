//===- StackValues.h - sizes and offsets of a stack of layers as SSA values -*- C++ -*-===//
//
// Shared by the fused lowerings of `rnn.cudnn_forward` and `rnn.cudnn_backprop` on every target. The offsets are those
// of rnn_runtime/layout.h, which the runtime's plans use too: either may run the other pass.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_STACKVALUES_H
#define RNN_LIB_CONVERSION_COMMON_STACKVALUES_H

#include "LayerLowering.h"
#include "rnn/Dialect/RNN/Transforms/DropoutMask.h"
#include "rnn_runtime/layout.h"

namespace mlir::rnn {

/// The arithmetic of `rnn_layout::StackLayout` on index values. Operations on constants fold.
struct IndexArith {
  using Size = Value;

  Value constant(int64_t value) const { return arith::ConstantIndexOp::create(*builder, loc, value); }
  Value add(Value a, Value b) const { return builder->createOrFold<arith::AddIOp>(loc, a, b); }
  Value sub(Value a, Value b) const { return builder->createOrFold<arith::SubIOp>(loc, a, b); }
  Value mul(Value a, Value b) const { return builder->createOrFold<arith::MulIOp>(loc, a, b); }
  Value roundUp(Value size, int64_t unit) const {
    Value units = builder->createOrFold<arith::DivUIOp>(loc, add(size, constant(unit - 1)), constant(unit));
    return mul(units, constant(unit));
  }
  Value selectFirst(Value layer, Value first, Value above) const {
    Value isFirst = builder->createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, layer, constant(0));
    return builder->createOrFold<arith::SelectOp>(loc, isFirst, first, above);
  }

  OpBuilder *builder;
  Location loc;
};

/// Sizes of a stack of layers and the offsets of its parameters and saved values. Results fold where `layer` and
/// `direction` are constants.
class StackValues {
public:
  using Layout = rnn_layout::StackLayout<IndexArith>;
  using Params = Layout::Params;   ///< in `params`
  using Reserve = Layout::Reserve; ///< in `reserve`, behind the header

  /// `isProjected`: see projected().
  template <typename OpTy>
  StackValues(OpBuilder &builder, OpTy op, SymbolicDims &dims, bool isProjected)
      : T(dims["T"]), B(dims["B"]), I(dims["I"]), H(dims["H"]), L(dims["L"]), mode(op.getMode()),
        skips(op.getInputMode() == InputMode::SkipInput), isProjected(isProjected), arith{&builder, op.getLoc()} {
    D = op.getDirection() == Direction::Bidirectional ? 2 : 1;
    G = rnn_layout::numGates(getLayoutMode(mode));
    P = isProjected ? getStateSize(builder, op, dims) : H;
    element = cast<MemRefType>(op.getInput().getType()).getElementType();
    compute = getAccumulatorType(element);
  }

  /// Whether the op has a projection matrix: no if P = H; unknown while H or P is dynamic. Then the lowering emits both
  /// forms and a comparison of H with P.
  template <typename OpTy> static std::optional<bool> projected(OpTy op, SymbolicDims &dims) {
    if (op.getNumProj() == 0)
      return false;
    std::optional<int64_t> H = getConstantIntValue(dims["H"]), P = op.getNumProj();
    if (*P < 0)
      P = getConstantIntValue(dims["P"]);
    return H && P ? std::optional<bool>(*H != *P) : std::nullopt;
  }

  /// Features of a layer's input: I in layer 0, else D*P.
  Value inputWidth(Value layer) const { return layout().inputWidth(layer); }
  Params paramsOf(Value layer, Value direction) const { return layout().paramsOf(layer, direction); }
  Reserve reserveOf(Value layer, Value direction) const { return layout().reserveOf(layer, direction); }
  /// Elements of all parameters.
  Value paramsSize() const { return layout().paramsSize(); }
  /// Elements of the reserve space behind the header.
  Value reserveSize() const { return layout().reserveSize(); }
  Value gateRows() const { return layout().gateRows(); }       ///< G*H
  Value outputWidth() const { return layout().outputWidth(); } ///< D*P

  /// The part of the reserve space (memref<?xi8>) behind the header, in the compute type.
  Value viewReserve(Value reserve) const {
    auto type = MemRefType::get({ShapedType::kDynamic}, compute);
    return memref::ViewOp::create(*arith.builder, arith.loc, type, reserve,
                                  arith.constant(rnn_layout::reserveHeaderBytes), reserveSize());
  }
  /// The draw of the dropout masks in the header, as memref<1xi64>.
  Value viewDraw(Value reserve) const {
    auto type = MemRefType::get({1}, arith.builder->getI64Type());
    return memref::ViewOp::create(*arith.builder, arith.loc, type, reserve, arith.constant(rnn_layout::reserveDrawByte),
                                  ValueRange());
  }

  Value T, B, I, H, P, L;
  int64_t G, D; ///< gates, directions
  CellMode mode;
  bool skips, isProjected;
  Type element, compute; ///< of the tensors; of the reserve space and of all sums

private:
  Layout layout() const {
    return Layout(arith, {T, B, I, H, P, L, D, getLayoutMode(mode), skips, isProjected}, compute.isF64() ? 8 : 4);
  }

  IndexArith arith;
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_STACKVALUES_H
