// layout.h - gate orders, and the layout of the parameter buffer and of the reserve space, for compiler and runtime.
//
// The one definition of both. It includes nothing of MLIR or of the runtime: the compiler computes the offsets as SSA
// values, the runtime as 64-bit sizes with an overflow flag, and `StackLayout` is a template over that arithmetic.
// docs/Semantics.md ("Parameter layout", "Reserve space") describes the same in prose. C++17 only, not part of the C
// API. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_RUNTIME_LAYOUT_H
#define RNN_RUNTIME_LAYOUT_H

#include <cstdint>

namespace rnn_layout {

//===-- Modes and gates ------------------------------------------------------------------------------------------===//

/// Cell modes, with the values of `mode` in abi.def.
enum class CellMode : int32_t { RnnRelu = 0, RnnTanh = 1, Lstm = 2, Gru = 3 };

/// Number of gates (G) of a cell. Each gate has an [H, .] matrix and a bias for the input, and the same for the state.
constexpr int64_t numGates(CellMode mode) {
  return mode == CellMode::Lstm ? 4 : mode == CellMode::Gru ? 3 : 1;
}

/// Gates of an LSTM: input, cell candidate, forget, output. The values are the block numbers of `GateOrder::Icfo`.
enum class LstmGate : int32_t { Input = 0, Cell = 1, Forget = 2, Output = 3 };
inline constexpr LstmGate lstmGates[] = {LstmGate::Input, LstmGate::Cell, LstmGate::Forget, LstmGate::Output};

/// Order of the gate blocks in the 4H columns of a block LSTM's `w` and `b`, with the values of `layout` in abi.def.
/// Icfo is that of TensorFlow's BlockLSTM, Ifco that of BlockLSTMV2.
enum class GateOrder : int32_t { Icfo = 0, Ifco = 1 };

/// Block number of `gate` in `order`.
constexpr int64_t gateBlock(GateOrder order, LstmGate gate) {
  constexpr int64_t ifco[] = {0, 2, 1, 3};
  return order == GateOrder::Icfo ? int64_t(gate) : ifco[int(gate)];
}

/// Block number of an LSTM gate in the parameters of a stack: the order is that of cuDNN, ifco.
constexpr int64_t stackBlock(LstmGate gate) {
  return gateBlock(GateOrder::Ifco, gate);
}

/// Gates of a GRU: reset (r), update (z) and new (n, the candidate state). The values are the block numbers in the
/// parameters of a stack, in cuDNN's order.
enum class GruGate : int32_t { Reset = 0, Update = 1, New = 2 };
constexpr int64_t stackBlock(GruGate gate) {
  return int64_t(gate);
}

//===-- Reserve header -------------------------------------------------------------------------------------------===//

/// Bytes of the header in front of the reserve space, and the offset in it of the draw of the dropout masks (i64).
inline constexpr int64_t reserveHeaderBytes = 64, reserveDrawByte = 32;
/// Every region of the reserve space starts at a multiple of this many bytes.
inline constexpr int64_t reserveAlignment = 64;

//===-- Offsets --------------------------------------------------------------------------------------------------===//

/// Sizes of a stack of layers. `Size` is an integer type or an SSA value.
template <typename Size> struct StackSizes {
  Size steps, batch, input, hidden, projection, layers; ///< T, B, I, H, P (H without a projection), L
  int64_t directions;                                   ///< D
  CellMode mode;
  bool skipInput;   ///< layer 0 has no input weights
  bool isProjected; ///< the state is a projection of the cell's output
};

/// Offsets of the parameters of one direction of one layer, in elements. A part that the mode does not have is
/// `Size()`.
template <typename Size> struct ParamsOffsets {
  Size inputWeights;     ///< W [G*H, K], row major; K is I in layer 0, else D*P; empty with skipInput in layer 0
  Size recurrentWeights; ///< R [G*H, P]
  Size projection;       ///< [P, H], with a projection
  Size inputBias;        ///< bW [G*H]
  Size recurrentBias;    ///< bR [G*H]
};

/// Columns of a table of offsets (docs/Semantics.md, "Separate parameters"), in the order of `ParamsOffsets`.
enum class ParamsTensor : int32_t { InputWeights, RecurrentWeights, Projection, InputBias, RecurrentBias };
inline constexpr int64_t numParamsTensors = 5;

/// Offsets of the values that one direction of one layer saves for the backward pass, from the end of the header, in
/// elements of the compute type (f64 for f64, else f32). A part that the mode does not have is `Size()`.
template <typename Size> struct ReserveOffsets {
  Size gates;  ///< [T,B,G*H] activations: i f g o, r z n, or the argument of a plain cell; padded steps: zeros
  Size cell;   ///< lstm: [T,B,H] cell states; padded steps: the one before
  Size linear; ///< gru: [T,B,H] q = Rn h + bRn; padded steps: zeros
  Size hidden; ///< projection: [T,B,H] h before the projection; padded steps: zeros
  Size states; ///< of the whole layer: [T,B,D*P]; padded steps: the one before
};

/// The layout of the parameters and of the saved values of a stack.
///
/// The parameter buffer is dense: all matrices, layer by layer and direction by direction (W, R, projection), then all
/// biases in the same order (bW, bR). The G matrices of one kind follow each other, so they form one [G*H, .] matrix.
/// The reserve space holds, per layer and direction, the regions of `ReserveOffsets` and `delta`, then per layer its
/// states.
///
/// `Arith` supplies `Size` and const members constant(int64_t), add, sub, mul, roundUp(Size, int64_t unit) and
/// selectFirst(layer, Size first, Size above): `first` if `layer` is 0. `sub` and the unselected argument may be
/// meaningless for layer 0. `elementBytes` is the size of the compute type.
template <typename Arith> class StackLayout {
public:
  using Size = typename Arith::Size;
  using Params = ParamsOffsets<Size>;
  using Reserve = ReserveOffsets<Size>;

  StackLayout(Arith arith, const StackSizes<Size> &sizes, int64_t elementBytes)
      : arith(arith), sizes(sizes), numGates(rnn_layout::numGates(sizes.mode)),
        reserveUnit(reserveAlignment / elementBytes) {}

  Size gateRows() const { return mul(sizes.hidden, numGates); }                ///< G*H
  Size outputWidth() const { return mul(sizes.projection, sizes.directions); } ///< D*P
  /// Features of a layer's input: I in layer 0, else D*P.
  Size inputWidth(Size layer) const { return arith.selectFirst(layer, sizes.input, outputWidth()); }

  Params paramsOf(Size layer, Size direction) const {
    const Size rows = gateRows(), first = matricesOf(firstColumns()), other = matricesOf(outputWidth()),
               count = constant(sizes.directions);
    const Size above = add(mul(count, first), mul(add(mul(sub(layer, constant(1)), count), direction), other));
    const Size inputWeights = arith.selectFirst(layer, mul(direction, first), above);
    const Size recurrentWeights = add(inputWeights, mul(rows, arith.selectFirst(layer, firstColumns(), outputWidth())));
    Size projection{};
    if (sizes.isProjected)
      projection = add(recurrentWeights, mul(rows, sizes.projection));
    const Size number = add(mul(layer, count), direction);
    const Size inputBias = add(allMatrices(), mul(number, mul(rows, constant(2))));
    return {inputWeights, recurrentWeights, projection, inputBias, add(inputBias, rows)};
  }

  /// Elements of all parameters.
  Size paramsSize() const {
    return add(allMatrices(), mul(mul(sizes.layers, sizes.directions), mul(gateRows(), constant(2))));
  }

  Reserve reserveOf(Size layer, Size direction) const {
    const Size rows = mul(sizes.steps, sizes.batch), cells = mul(rows, sizes.hidden);
    Size next = mul(add(mul(layer, sizes.directions), direction), savedSize());
    auto region = [&](Size size) {
      const Size offset = next;
      next = add(next, roundUp(size));
      return offset;
    };
    const Size gates = region(mul(cells, numGates));
    Size cell{}, linear{}, hidden{};
    if (sizes.mode == CellMode::Lstm)
      cell = region(cells);
    if (sizes.mode == CellMode::Gru)
      linear = region(cells);
    if (sizes.isProjected)
      hidden = region(cells);
    const Size all = mul(mul(sizes.layers, sizes.directions), savedSize());
    return {gates, cell, linear, hidden, add(all, mul(layer, roundUp(mul(rows, outputWidth()))))};
  }

  /// With a projection: [T,B,P], the gradient of the projected h. Only the runtime's plans write it.
  Size deltaOf(const Reserve &reserve) const {
    return add(reserve.hidden, roundUp(mul(mul(sizes.steps, sizes.batch), sizes.hidden)));
  }

  /// Elements behind the header.
  Size reserveSize() const {
    return add(mul(mul(sizes.layers, sizes.directions), savedSize()),
               mul(sizes.layers, roundUp(mul(mul(sizes.steps, sizes.batch), outputWidth()))));
  }

private:
  Size constant(int64_t value) const { return arith.constant(value); }
  Size add(Size a, Size b) const { return arith.add(a, b); }
  Size sub(Size a, Size b) const { return arith.sub(a, b); }
  Size mul(Size a, Size b) const { return arith.mul(a, b); }
  Size mul(Size a, int64_t b) const { return arith.mul(a, constant(b)); }
  Size roundUp(Size size) const { return arith.roundUp(size, reserveUnit); }

  /// Columns of W in layer 0.
  Size firstColumns() const { return sizes.skipInput ? constant(0) : sizes.input; }

  /// Matrices of one direction of a layer whose input has `columns` columns.
  Size matricesOf(Size columns) const {
    const Size size = mul(gateRows(), add(columns, sizes.projection));
    return sizes.isProjected ? add(size, mul(sizes.projection, sizes.hidden)) : size;
  }

  /// Matrices of the whole stack; the biases follow them.
  Size allMatrices() const {
    const Size first = matricesOf(firstColumns()), other = matricesOf(outputWidth());
    return mul(constant(sizes.directions), add(first, mul(sub(sizes.layers, constant(1)), other)));
  }

  /// Saved values of one direction of one layer, `delta` included.
  Size savedSize() const {
    const Size rows = mul(sizes.steps, sizes.batch), cells = mul(rows, sizes.hidden);
    Size size = roundUp(mul(cells, numGates));
    if (sizes.mode == CellMode::Lstm || sizes.mode == CellMode::Gru)
      size = add(size, roundUp(cells));
    if (sizes.isProjected)
      size = add(add(size, roundUp(cells)), roundUp(mul(rows, sizes.projection)));
    return size;
  }

  Arith arith;
  StackSizes<Size> sizes;
  int64_t numGates, reserveUnit;
};

} // namespace rnn_layout

#endif // RNN_RUNTIME_LAYOUT_H
