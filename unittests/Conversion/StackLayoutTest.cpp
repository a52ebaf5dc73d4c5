//===- StackLayoutTest.cpp - offsets of compiler and runtime agree -----------===//
//
// Compares the offsets that lowerings compute as SSA values, those of the runtime's tables, and a reference that lays
// the regions out one after the other (docs/Semantics.md, "Parameter layout" and "Reserve space").
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/Common/StackValues.h"
#include "core/RnnLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "gtest/gtest.h"

using namespace mlir;
using rnn_layout::CellMode;

namespace {

/// Offsets in the order in which `walk` visits them.
using Offsets = std::vector<int64_t>;

::rnnrt::RnnProblem makeProblem(CellMode mode, bool bidirectional, bool skipInput, bool projected, int64_t layers) {
  ::rnnrt::RnnProblem p;
  p.mode = mode, p.bidirectional = bidirectional, p.skipInput = skipInput, p.training = true;
  p.steps = 5, p.batch = 3, p.hidden = 7, p.projection = projected ? 4 : 7, p.layers = layers;
  p.input = skipInput ? p.hidden : 6;
  return p;
}

/// Lays out the matrices of every layer and direction, then their biases.
Offsets layOutParams(const ::rnnrt::RnnProblem &p, int64_t &total) {
  const int64_t rows = p.gates() * p.hidden, D = p.directions();
  Offsets matrices, biases;
  total = 0;
  auto place = [&](Offsets &list, int64_t size) {
    list.push_back(total);
    total += size;
  };
  for (int64_t layer = 0; layer < p.layers; ++layer)
    for (int64_t direction = 0; direction < D; ++direction) {
      place(matrices, rows * (layer > 0 ? D * p.projection : p.skipInput ? 0 : p.input));
      place(matrices, rows * p.projection);
      if (p.projected())
        place(matrices, p.projection * p.hidden);
    }
  for (int64_t k = 0; k < p.layers * D * 2; ++k)
    place(biases, rows);
  matrices.insert(matrices.end(), biases.begin(), biases.end());
  return matrices;
}

/// Lays out the regions of every layer and direction at multiples of 64 bytes, then the states of every layer.
Offsets layOutReserve(const ::rnnrt::RnnProblem &p, int64_t elementBytes, int64_t &total) {
  const int64_t rows = p.steps * p.batch, cells = rows * p.hidden, unit = 64 / elementBytes;
  Offsets list;
  total = 0;
  auto place = [&](int64_t size) {
    list.push_back(total);
    total = (total + size + unit - 1) / unit * unit;
  };
  for (int64_t k = 0; k < p.layers * p.directions(); ++k) {
    place(cells * p.gates());
    if (p.isLstm() || p.mode == CellMode::Gru)
      place(cells);
    if (p.projected()) {
      place(cells);
      place(rows * p.projection);
    }
  }
  for (int64_t layer = 0; layer < p.layers; ++layer)
    place(rows * p.directions() * p.projection);
  return list;
}

class StackLayoutTest : public testing::Test {
protected:
  StackLayoutTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect>();
    module = ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), value); }

  rnn_layout::StackLayout<rnn::IndexArith> makeLayout(const ::rnnrt::RnnProblem &p, int64_t elementBytes) {
    return {{&builder, builder.getUnknownLoc()},
            {constant(p.steps), constant(p.batch), constant(p.input), constant(p.hidden), constant(p.projection),
             constant(p.layers), p.directions(), p.mode, p.skipInput, p.projected()},
            elementBytes};
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

/// The constant that a chain of index operations folds to.
int64_t fold(Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  EXPECT_TRUE(constant) << "expects the offset to fold";
  return constant.value_or(-1);
}

template <typename Fn> void forEachProblem(Fn &&fn) {
  for (CellMode mode : {CellMode::RnnRelu, CellMode::RnnTanh, CellMode::Lstm, CellMode::Gru})
    for (bool bidirectional : {false, true})
      for (bool skipInput : {false, true})
        for (bool projected : {false, true})
          for (int64_t layers : {1, 2, 3})
            if (!projected || mode == CellMode::Lstm) {
              ::rnnrt::RnnProblem p = makeProblem(mode, bidirectional, skipInput, projected, layers);
              SCOPED_TRACE(p.describe());
              fn(p);
            }
}

TEST_F(StackLayoutTest, Params) {
  forEachProblem([&](const ::rnnrt::RnnProblem &p) {
    int64_t total;
    const Offsets expected = layOutParams(p, total);
    ::rnnrt::ParamsLayout table;
    ASSERT_TRUE(table.make(p).ok());
    auto layout = makeLayout(p, 4);
    Offsets matrices, biases, tableMatrices, tableBiases;
    for (int64_t layer = 0; layer < p.layers; ++layer)
      for (int64_t direction = 0; direction < p.directions(); ++direction) {
        auto at = layout.paramsOf(constant(layer), constant(direction));
        auto row = table.layers[size_t(layer * p.directions() + direction)];
        matrices.insert(matrices.end(), {fold(at.inputWeights), fold(at.recurrentWeights)});
        tableMatrices.insert(tableMatrices.end(), {row.inputWeights, row.recurrentWeights});
        if (p.projected()) {
          matrices.push_back(fold(at.projection));
          tableMatrices.push_back(row.projection);
        } else {
          EXPECT_FALSE(at.projection);
        }
        biases.insert(biases.end(), {fold(at.inputBias), fold(at.recurrentBias)});
        tableBiases.insert(tableBiases.end(), {row.inputBias, row.recurrentBias});
      }
    matrices.insert(matrices.end(), biases.begin(), biases.end());
    tableMatrices.insert(tableMatrices.end(), tableBiases.begin(), tableBiases.end());
    EXPECT_EQ(matrices, expected);
    EXPECT_EQ(tableMatrices, expected);
    EXPECT_EQ(fold(layout.paramsSize()), total);
    EXPECT_EQ(table.elements, total);
  });
}

TEST_F(StackLayoutTest, Reserve) {
  forEachProblem([&](const ::rnnrt::RnnProblem &p) {
    for (int64_t elementBytes : {4, 8}) {
      int64_t total;
      const Offsets expected = layOutReserve(p, elementBytes, total);
      ::rnnrt::ReserveLayout table;
      ASSERT_TRUE(table.make(p, elementBytes).ok());
      auto layout = makeLayout(p, elementBytes);
      Offsets regions, states, tableRegions, tableStates;
      for (int64_t layer = 0; layer < p.layers; ++layer) {
        for (int64_t direction = 0; direction < p.directions(); ++direction) {
          auto at = layout.reserveOf(constant(layer), constant(direction));
          auto row = table.pseudo[size_t(layer * p.directions() + direction)];
          auto add = [&](bool isThere, Value offset, int64_t tableOffset) {
            EXPECT_EQ(bool(offset), isThere);
            if (!isThere || !offset)
              return;
            regions.push_back(fold(offset));
            tableRegions.push_back(tableOffset);
          };
          add(true, at.gates, row.gates);
          add(p.isLstm(), at.cell, row.cell);
          add(p.mode == CellMode::Gru, at.linear, row.linear);
          add(p.projected(), at.hidden, row.hidden);
          if (p.projected())
            add(true, layout.deltaOf(at), row.delta);
          if (direction == 0)
            states.push_back(fold(at.states));
        }
        tableStates.push_back(table.states[size_t(layer)]);
      }
      regions.insert(regions.end(), states.begin(), states.end());
      tableRegions.insert(tableRegions.end(), tableStates.begin(), tableStates.end());
      EXPECT_EQ(regions, expected);
      EXPECT_EQ(tableRegions, expected);
      EXPECT_EQ(fold(layout.reserveSize()), total);
      EXPECT_EQ(table.bytes, total * elementBytes + rnn_layout::reserveHeaderBytes);
    }
  });
}

TEST(GateOrder, Blocks) {
  using rnn_layout::GateOrder, rnn_layout::LstmGate, rnn_layout::gateBlock;
  const std::pair<GateOrder, const char *> orders[] = {{GateOrder::Icfo, "icfo"}, {GateOrder::Ifco, "ifco"}};
  for (auto [order, name] : orders) {
    std::string text(4, ' ');
    text[size_t(gateBlock(order, LstmGate::Input))] = 'i';
    text[size_t(gateBlock(order, LstmGate::Cell))] = 'c';
    text[size_t(gateBlock(order, LstmGate::Forget))] = 'f';
    text[size_t(gateBlock(order, LstmGate::Output))] = 'o';
    EXPECT_EQ(text, name);
  }
}

} // namespace
