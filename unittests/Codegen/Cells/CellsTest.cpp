//===- CellsTest.cpp - the equations of the cells ----------------------------===//
//
// The ops that a builder creates are evaluated in f64. Each backward step is compared with central differences of the
// forward step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "rnn/Codegen/Cells/GRU.h"
#include "rnn/Codegen/Cells/LSTM.h"
#include "rnn/Codegen/Cells/RNN.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <vector>

using namespace mlir;
using namespace mlir::rnn;

namespace {

using Numbers = std::vector<double>;

class CellsTest : public ::testing::Test {
protected:
  CellsTest() { context.loadDialect<arith::ArithDialect, math::MathDialect>(); }

  /// Builds ops with f64 arguments by `build` and evaluates the values that it returns.
  Numbers evaluate(const Numbers &arguments, function_ref<SmallVector<Value>(const CellBuilder &, ValueRange)> build) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    Block *block = module->getBody();
    DenseMap<Value, double> values;
    SmallVector<Value> inputs;
    for (double argument : arguments) {
      inputs.push_back(block->addArgument(builder.getF64Type(), builder.getUnknownLoc()));
      values[inputs.back()] = argument;
    }
    SmallVector<Value> results = build(CellBuilder(builder, builder.getUnknownLoc()), inputs);
    for (Operation &op : *block)
      values[op.getResult(0)] = evaluate(op, values);
    Numbers numbers;
    for (Value result : results)
      numbers.push_back(values.lookup(result));
    block->clear();
    block->eraseArguments(0, block->getNumArguments());
    return numbers;
  }

  /// Expects that `backward` returns the gradients of sum(cotangents * forward) for the first `count` arguments. It
  /// gets the arguments, the results of `forward`, and the cotangents.
  void expectGradients(const Numbers &arguments, const Numbers &cotangents, size_t count,
                       function_ref<SmallVector<Value>(const CellBuilder &, ValueRange)> forward,
                       function_ref<SmallVector<Value>(const CellBuilder &, ValueRange)> backward) {
    Numbers inputs = arguments, outputs = evaluate(arguments, forward);
    inputs.insert(inputs.end(), outputs.begin(), outputs.end());
    inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
    Numbers gradients = evaluate(inputs, backward);
    ASSERT_EQ(gradients.size(), count);
    // The error of a central difference is h^2 / 6 of the third derivative, below 1, and 1e-16 / h of rounding.
    constexpr double h = 1e-5, tolerance = 1e-9;
    for (size_t index = 0; index < count; ++index) {
      auto sumAt = [&](double value) {
        Numbers moved = arguments;
        moved[index] = value;
        Numbers results = evaluate(moved, forward);
        double sum = 0;
        for (size_t k = 0; k < cotangents.size(); ++k)
          sum += cotangents[k] * results[k];
        return sum;
      };
      double expected = (sumAt(arguments[index] + h) - sumAt(arguments[index] - h)) / (2 * h);
      EXPECT_NEAR(gradients[index], expected, tolerance) << "argument " << index;
    }
  }

  MLIRContext context;

private:
  static double evaluate(Operation &op, const DenseMap<Value, double> &values) {
    auto operand = [&](unsigned index) { return values.lookup(op.getOperand(index)); };
    return TypeSwitch<Operation *, double>(&op)
        .Case([&](arith::ConstantOp constant) { return cast<FloatAttr>(constant.getValue()).getValueAsDouble(); })
        .Case([&](arith::AddFOp) { return operand(0) + operand(1); })
        .Case([&](arith::SubFOp) { return operand(0) - operand(1); })
        .Case([&](arith::MulFOp) { return operand(0) * operand(1); })
        .Case([&](arith::DivFOp) { return operand(0) / operand(1); })
        .Case([&](arith::NegFOp) { return -operand(0); })
        .Case([&](math::ExpOp) { return std::exp(operand(0)); })
        .Case([&](math::TanhOp) { return std::tanh(operand(0)); })
        .Case([&](arith::CmpFOp compare) {
          return double(arith::applyCmpPredicate(compare.getPredicate(), APFloat(operand(0)), APFloat(operand(1))));
        })
        .Case([&](arith::SelectOp) { return operand(0) != 0 ? operand(1) : operand(2); })
        .Default([](Operation *other) {
          ADD_FAILURE() << "no rule for " << other->getName().getStringRef().str();
          return 0.0;
        });
  }
};

// Arguments of an LSTM: those of the gates i, g, f, o, the previous cell, and the peephole weights of i, f, o.
const Numbers lstmArguments = {0.3, -0.7, 0.2, 1.1, -0.4, 0.5, -0.25, 0.75};

TEST_F(CellsTest, LSTMForward) {
  Numbers results = evaluate(lstmArguments, [](const CellBuilder &b, ValueRange v) {
    LSTMStep s = stepLSTM(b, {v[0], v[1], v[2], v[3]}, v[4], {{v[5], v[6], v[7]}, /*forgetBias=*/1.0});
    return SmallVector<Value>{s.cell, s.h};
  });
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  double i = sigmoid(0.3 - 0.4 * 0.5), f = sigmoid(0.2 + 1.0 + 0.4 * 0.25), cell = f * -0.4 + i * std::tanh(-0.7);
  EXPECT_NEAR(results[0], cell, 1e-15);
  EXPECT_NEAR(results[1], sigmoid(1.1 + cell * 0.75) * std::tanh(cell), 1e-15);
}

TEST_F(CellsTest, LSTMClipsTheCell) {
  auto cell = [&](double clip) {
    return evaluate(lstmArguments, [&](const CellBuilder &b, ValueRange v) {
      LSTMOptions options;
      options.clip = clip;
      return SmallVector<Value>{stepLSTM(b, {v[0], v[1], v[2], v[3]}, v[4], options).cell};
    })[0];
  };
  ASSERT_LT(cell(0), -0.5);
  EXPECT_EQ(cell(0.1), -0.1);
  EXPECT_EQ(cell(10), cell(0));
}

TEST_F(CellsTest, LSTMBackward) {
  for (bool hasPeephole : {false, true}) {
    auto peephole = [&](ValueRange v) { return hasPeephole ? Peephole{v[5], v[6], v[7]} : Peephole(); };
    auto forward = [&](const CellBuilder &b, ValueRange v) {
      LSTMStep s = stepLSTM(b, {v[0], v[1], v[2], v[3]}, v[4], {peephole(v)});
      return SmallVector<Value>{s.h, s.cell, s.gates.i, s.gates.g, s.gates.f, s.gates.o, s.cellTanh};
    };
    // Cotangents of h and of the cell.
    expectGradients(lstmArguments, {0.6, -0.9}, 5, forward, [&](const CellBuilder &b, ValueRange v) {
      ValueRange saved = v.drop_front(8);
      LSTMGradients d = stepLSTMBackward(b, {saved[2], saved[3], saved[4], saved[5]}, saved[6], v[4], saved[7],
                                         saved[8], peephole(v));
      return SmallVector<Value>{d.arguments.i, d.arguments.g, d.arguments.f, d.arguments.o, d.cellBefore};
    });
  }
}

TEST_F(CellsTest, GRUBackward) {
  // The arguments of r, z and n, the linear part of the state, and the previous state.
  auto forward = [](const CellBuilder &b, ValueRange v) {
    GRUStep s = stepGRU(b, {v[0], v[1], v[2]}, v[3], v[4]);
    return SmallVector<Value>{s.h, s.gates.r, s.gates.z, s.gates.n};
  };
  expectGradients({0.4, -0.3, 0.9, 0.7, -0.5}, {0.8}, 5, forward, [](const CellBuilder &b, ValueRange v) {
    GRUGradients d = stepGRUBackward(b, {v[6], v[7], v[8]}, v[3], v[4], v[9]);
    return SmallVector<Value>{d.arguments.r, d.arguments.z, d.arguments.n, d.linear, d.hBefore};
  });
}

TEST_F(CellsTest, RNNBackward) {
  for (Activation activation : {Activation::Tanh, Activation::Relu})
    for (double argument : {-0.6, 0.6})
      expectGradients(
          {argument}, {0.7}, 1,
          [&](const CellBuilder &b, ValueRange v) { return SmallVector<Value>{stepRNN(b, activation, v[0])}; },
          [&](const CellBuilder &b, ValueRange v) {
            return SmallVector<Value>{stepRNNBackward(b, activation, v[1], v[2])};
          });
}

TEST_F(CellsTest, ReluOfSpecialValues) {
  auto relu = [&](double x) {
    return evaluate({x}, [](const CellBuilder &b, ValueRange v) {
      return SmallVector<Value>{stepRNN(b, Activation::Relu, v[0])};
    })[0];
  };
  EXPECT_FALSE(std::signbit(relu(-0.0)));
  EXPECT_EQ(relu(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isnan(relu(std::numeric_limits<double>::quiet_NaN())));
}

TEST_F(CellsTest, SigmoidOfLargeArguments) {
  Numbers results = evaluate({-1000, -40, 40}, [](const CellBuilder &b, ValueRange v) {
    return SmallVector<Value>{b.sigmoid(v[0]), b.sigmoid(v[1]), b.sigmoid(v[2])};
  });
  EXPECT_EQ(results[0], 0);
  EXPECT_NEAR(results[1] / std::exp(-40.0), 1, 1e-15);
  EXPECT_EQ(results[2], 1);
}

TEST_F(CellsTest, ConstantsFillVectors) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto type = VectorType::get({8}, builder.getF32Type());
  CellBuilder b(builder, builder.getUnknownLoc());
  Value zero = arith::ConstantOp::create(builder, builder.getUnknownLoc(), builder.getZeroAttr(type));
  Value one = b.constant(1.0, zero);
  EXPECT_EQ(one.getType(), type);
  EXPECT_EQ(b.tanhSlope(zero).getType(), type);
}

} // namespace
