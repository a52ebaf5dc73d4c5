//===- CudnnLayer.h - sizes, parameters and reserve space of the cudnn ops as values -*- C++ -*-===//
//
// What the fused lowerings of `rnn.cudnn_forward` and `rnn.cudnn_backprop` share on every target. The places are those of
// the runtime's core/RnnLayouts.h: a forward pass of the host's plan and a fused backward pass understand each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_CUDNNLAYER_H
#define RNN_LIB_CONVERSION_COMMON_CUDNNLAYER_H

#include "LayerLowering.h"

namespace mlir::rnn {

/// Bytes of the header in front of the reserve space, and where in it the draw of the dropout masks stands (i64).
inline constexpr int64_t reserveHeaderBytes = 64, reserveDrawByte = 32;

/// A stack of layers. Offsets count elements.
class CudnnLayer {
public:
  /// Parameters of one direction of one layer, in `params`.
  struct Params {
    Value inputWeights;     ///< W [G*H, K], row major, K as inputWidth says; empty with skip_input in layer 0
    Value recurrentWeights; ///< R [G*H, P]
    Value projection;       ///< [P, H]; null without one
    Value inputBias;        ///< [G*H]
    Value recurrentBias;    ///< [G*H]
  };

  /// What one direction of one layer keeps, in `reserve` behind the header. Null where the mode has no such thing.
  struct Reserve {
    Value gates;  ///< [T,B,G*H] activations: i f g o, r z m, or what goes into the plain cell; padded steps: zeros
    Value cell;   ///< lstm: [T,B,H] cell states; padded steps: the one before
    Value linear; ///< gru: [T,B,H] q = Rn h + bRn; padded steps: zeros
    Value hidden; ///< projection: [T,B,H] h before it; padded steps: zeros
    Value states; ///< of the whole layer: [T,B,D*P]; padded steps: the one before
  };

  /// `isProjected`: see projected().
  template <typename OpTy>
  CudnnLayer(OpBuilder &builder, OpTy op, SymbolicDims &dims, bool isProjected)
      : T(dims["T"]), B(dims["B"]), I(dims["I"]), H(dims["H"]), L(dims["L"]), mode(op.getMode()),
        skips(op.getInputMode() == InputMode::SkipInput), isProjected(isProjected), builder(builder), loc(op.getLoc()) {
    D = op.getDirection() == Direction::Bidirectional ? 2 : 1;
    G = mode == CellMode::Lstm ? 4 : mode == CellMode::Gru ? 3 : 1;
    P = isProjected ? index(op.getNumProj()) : H;
    element = cast<MemRefType>(op.getInput().getType()).getElementType();
    compute = getAccumulatorType(element);
  }

  /// Whether the op has a projection matrix: not where P = H, and nothing is known while H is dynamic. Then both are
  /// emitted, and a comparison of H with num_proj chooses.
  template <typename OpTy>
  static std::optional<bool> projected(OpTy op, SymbolicDims &dims) {
    if (op.getNumProj() == 0)
      return false;
    std::optional<int64_t> H = getConstantIntValue(dims["H"]);
    return H ? std::optional<bool>(*H != int64_t(op.getNumProj())) : std::nullopt;
  }

  /// Features of a layer's input: I, or above layer 0 D*P.
  Value inputWidth(Value layer) const { return select(layer, I, outputWidth()); }

  /// Folds where `layer` and `direction` are constants.
  Params paramsOf(Value layer, Value direction) const {
    Value rows = gateRows(), first = blockSize(firstColumns()), other = blockSize(outputWidth()), count = index(D);
    Value above = add(mul(count, first), mul(add(mul(sub(layer, index(1)), count), direction), other));
    Params p;
    p.inputWeights = select(layer, mul(direction, first), above);
    p.recurrentWeights = add(p.inputWeights, mul(rows, select(layer, firstColumns(), outputWidth())));
    if (isProjected)
      p.projection = add(p.recurrentWeights, mul(rows, P));
    Value number = add(mul(layer, count), direction);
    p.inputBias = add(matrices(), mul(number, mul(rows, index(2))));
    p.recurrentBias = add(p.inputBias, rows);
    return p;
  }

  /// Elements of all parameters.
  Value paramsSize() const { return add(matrices(), mul(mul(L, index(D)), mul(gateRows(), index(2)))); }

  Reserve reserveOf(Value layer, Value direction) const {
    Value points = mul(T, B), cells = mul(points, H);
    Value next = mul(add(mul(layer, index(D)), direction), savedSize());
    auto place = [&](bool isThere, Value size) {
      if (!isThere)
        return Value();
      Value here = next;
      next = add(next, roundUp(size));
      return here;
    };
    Reserve s;
    s.gates = place(true, mul(cells, index(G)));
    s.cell = place(mode == CellMode::Lstm, cells);
    s.linear = place(mode == CellMode::Gru, cells);
    s.hidden = place(isProjected, cells);
    Value all = mul(mul(L, index(D)), savedSize());
    s.states = add(all, mul(layer, roundUp(mul(points, outputWidth()))));
    return s;
  }

  /// Elements behind the header.
  Value reserveSize() const {
    return add(mul(mul(L, index(D)), savedSize()), mul(L, roundUp(mul(mul(T, B), outputWidth()))));
  }

  /// The part of the reserve space (memref<?xi8>) behind the header, in the type that is computed in.
  Value viewReserve(Value reserve) const {
    auto type = MemRefType::get({ShapedType::kDynamic}, compute);
    return memref::ViewOp::create(builder, loc, type, reserve, index(reserveHeaderBytes), reserveSize());
  }
  /// The part of the header that holds the draw, as memref<1xi64>.
  Value viewDraw(Value reserve) const {
    auto type = MemRefType::get({1}, builder.getI64Type());
    return memref::ViewOp::create(builder, loc, type, reserve, index(reserveDrawByte), ValueRange());
  }

  Value gateRows() const { return mul(H, index(G)); }       ///< G*H
  Value outputWidth() const { return mul(P, index(D)); } ///< D*P

  Value T, B, I, H, P, L;
  int64_t G, D; ///< gates, directions
  CellMode mode;
  bool skips, isProjected;
  Type element, compute; ///< of the tensors; of the reserve space and of all sums

private:
  Value index(int64_t value) const { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value a, Value b) const { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value sub(Value a, Value b) const { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
  Value mul(Value a, Value b) const { return builder.createOrFold<arith::MulIOp>(loc, a, b); }

  /// `first` in layer 0, `above` elsewhere.
  Value select(Value layer, Value first, Value above) const {
    Value isFirst = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, layer, index(0));
    return builder.createOrFold<arith::SelectOp>(loc, isFirst, first, above);
  }
  /// Columns of W in layer 0.
  Value firstColumns() const { return skips ? index(0) : I; }
  /// Elements of all matrices, behind which the biases stand.
  Value matrices() const {
    Value first = blockSize(firstColumns()), other = blockSize(outputWidth());
    return mul(index(D), add(first, mul(sub(L, index(1)), other)));
  }

  /// Matrices of one direction of a layer whose input has `columns` columns.
  Value blockSize(Value columns) const {
    Value size = mul(gateRows(), add(columns, P));
    return isProjected ? add(size, mul(P, H)) : size;
  }

  /// Every region of the reserve starts at a multiple of 64 bytes.
  Value roundUp(Value size) const {
    int64_t unit = compute.isF64() ? 8 : 16;
    Value units = builder.createOrFold<arith::DivUIOp>(loc, add(size, index(unit - 1)), index(unit));
    return mul(units, index(unit));
  }

  /// One direction of one layer, with the region that the host's backward pass keeps to itself.
  Value savedSize() const {
    Value points = mul(T, B), cells = mul(points, H);
    Value size = roundUp(mul(cells, index(G)));
    if (mode == CellMode::Lstm || mode == CellMode::Gru)
      size = add(size, roundUp(cells));
    if (isProjected)
      size = add(add(size, roundUp(cells)), roundUp(mul(points, P)));
    return size;
  }

  OpBuilder &builder;
  Location loc;
};

/// The masks of dropout between the layers of one op, as the runtime's host/Philox.h draws them.
struct DropoutMask {
  uint64_t seed;
  double rate;

  template <typename OpTy>
  explicit DropoutMask(OpTy op)
      : seed((uint64_t(op.getSeed()) << 32) | uint64_t(op.getSeed2())), rate(op.getDropout().convertToDouble()) {}

  /// What a kept element is multiplied with.
  double scale() const { return rate < 1 ? 1 / (1 - rate) : 0; }
  /// i1: whether `element` (index) of the output of `layer` (index), all directions [T,B,D*P], is kept. `draw`: i64.
  Value emitKept(OpBuilder &builder, Location loc, Value layer, Value draw, Value element) const;
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_CUDNNLAYER_H
