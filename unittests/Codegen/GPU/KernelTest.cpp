//===- KernelTest.cpp - the GPU tile kernels on the emulator -------------------===//
//
// Every kernel is compiled for target simt, run by the emulator, and compared with a naive reference. Inputs are small
// integers, so all sums are exact in every type and the comparison is for equality.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/GPU/Kernel.h"
#include "../../RuntimeSymbols.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "rnn/Codegen/GPU/ColumnSums.h"
#include "rnn/Codegen/GPU/Gemm.h"
#include "rnn/Emit/JIT.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::rnn;

namespace {

/// The element type of a test, by its name in MLIR; "tf32" is f32 on tensor cores.
struct ElementCase {
  const char *name;
  ElementKind kind, sums;
  bool tf32 = false;
};
constexpr ElementCase elementCases[] = {{"f16", ElementKind::F16, ElementKind::F32},
                                        {"bf16", ElementKind::BF16, ElementKind::F32},
                                        {"f32", ElementKind::F32, ElementKind::F32},
                                        {"tf32", ElementKind::F32, ElementKind::F32, true},
                                        {"f64", ElementKind::F64, ElementKind::F64}};

class KernelTest : public ::testing::TestWithParam<ElementCase> {
protected:
  KernelTest() {
    DialectRegistry registry;
    registerJITDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    EXPECT_EQ(rnnrt_device_create("simt", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  }
  ~KernelTest() override {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  Type getType(ElementKind kind) {
    OpBuilder builder(&context);
    return kind == ElementKind::F16    ? Type(builder.getF16Type())
           : kind == ElementKind::BF16 ? Type(builder.getBF16Type())
           : kind == ElementKind::F64  ? Type(builder.getF64Type())
                                       : Type(builder.getF32Type());
  }

  /// Integers in [-3, 3] that depend on `seed`.
  static HostTensor makeInput(ElementKind kind, ArrayRef<int64_t> shape, uint32_t seed) {
    HostTensor tensor = llvm::cantFail(HostTensor::allocate(kind, shape));
    for (int64_t index = 0; index < tensor.getNumElements(); ++index) {
      seed = seed * 1664525u + 1013904223u;
      tensor.setFromDouble(index, double(seed >> 16) - std::floor(double(seed >> 16) / 7) * 7 - 3);
    }
    return tensor;
  }

  /// Runs what `emit` launches on the buffers of `inputs` and of the result.
  HostTensor run(ArrayRef<HostTensor> inputs, ElementKind kind, ArrayRef<int64_t> shape,
                 function_ref<void(const Emitter &host, ArrayRef<Value> inputs, Value result)> emit,
                 bool isDynamic = false) {
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> types;
    for (const HostTensor &input : inputs) {
      SmallVector<int64_t> sizes(input.getShape());
      if (isDynamic)
        sizes.assign(sizes.size(), ShapedType::kDynamic);
      types.push_back(RankedTensorType::get(sizes, getType(input.getKind())));
    }
    auto resultType = RankedTensorType::get(shape, getType(kind));
    auto function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, resultType));
    builder.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<Value> buffers;
    for (BlockArgument argument : function.getArguments()) {
      // A copy, since a launch cannot use a buffer of a tensor before bufferization.
      auto type = cast<RankedTensorType>(argument.getType());
      auto bufferType = MemRefType::get(type.getShape(), type.getElementType());
      Value source = bufferization::ToBufferOp::create(builder, loc, bufferType, argument, /*read_only=*/true);
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(memref::DimOp::create(builder, loc, source, dim));
      buffers.push_back(memref::AllocOp::create(builder, loc, bufferType, sizes));
      memref::CopyOp::create(builder, loc, source, buffers.back());
    }
    Value result = memref::AllocOp::create(builder, loc, MemRefType::get(shape, getType(kind)));
    emit(Emitter(builder, loc, {GetParam().tf32, /*programmatic=*/true}), buffers, result);
    Value tensor = bufferization::ToTensorOp::create(builder, loc, resultType, result, /*restrict=*/true);
    func::ReturnOp::create(builder, loc, tensor);

    SmallVector<RuntimeSymbol> symbols = getRuntimeSymbols();
    size_t count = 0;
    const rnnrt_abi_symbol_t *emulator = nullptr;
    EXPECT_EQ(rnnrt_abi_target_symbols("simt", &emulator, &count), nullptr);
    for (size_t index = 0; index < count; ++index)
      symbols.push_back({emulator[index].name, emulator[index].address});
    JITOptions options;
    options.pipeline.target = TargetKind::Simt;
    options.optimizationLevel = 0;
    options.symbols = symbols;
    std::unique_ptr<CompiledModule> compiled = llvm::cantFail(CompiledModule::compile(*module, options));
    SmallVector<HostTensor> results = llvm::cantFail(compiled->invoke("main", call, inputs));
    EXPECT_EQ(rnnrt_call_status(call), nullptr);
    return results.empty() ? llvm::cantFail(HostTensor::allocate(kind, shape)) : results[0];
  }

  struct GemmCase {
    int64_t rows, columns, depth, panels = 1;
    bool leftIsContiguous = true, rightIsContiguous = false;
    bool computesLeft = false, chained = false, isDynamic = false;
    int64_t copies = 1, validRows = -1;
  };

  void testGemm(const GemmCase &c);

  MLIRContext context;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

/// left: [copies * rows, depth] or [depth, copies * rows]; right: [panels * columns, depth] or [depth, panels *
/// columns].
void KernelTest::testGemm(const GemmCase &c) {
  const ElementCase element = GetParam();
  auto shapeOf = [](int64_t outer, int64_t depth, bool isContiguous) {
    return isContiguous ? SmallVector<int64_t>{outer, depth} : SmallVector<int64_t>{depth, outer};
  };
  HostTensor left = makeInput(element.kind, shapeOf(c.copies * c.rows, c.depth, c.leftIsContiguous), 1);
  HostTensor right = makeInput(element.kind, shapeOf(c.panels * c.columns, c.depth, c.rightIsContiguous), 2);
  HostTensor result = run(
      {left, right}, element.sums, {c.copies * c.panels, c.rows, c.columns},
      [&](const Emitter &host, ArrayRef<Value> inputs, Value result) {
        Value l = inputs[0], r = inputs[1], copy;
        Value rows = c.isDynamic && c.copies == 1 ? host.size(l, c.leftIsContiguous ? 0 : 1) : host.index(c.rows);
        Value depth = c.isDynamic ? host.size(l, c.leftIsContiguous ? 1 : 0) : host.index(c.depth);
        Gemm gemm{"gemm", getType(element.kind), c.panels, rows, host.index(c.columns), depth, {}, {}, {}};
        auto indices = [](bool isContiguous, Value outer, Value k) {
          return isContiguous ? SmallVector<Value>{outer, k} : SmallVector<Value>{k, outer};
        };
        auto leftIndices = [&, indices](const Emitter &e, Value row, Value k) {
          return indices(c.leftIsContiguous, c.copies > 1 ? e.add(e.mul(copy, e.index(c.rows)), row) : row, k);
        };
        if (c.computesLeft)
          gemm.left = {[&](const Emitter &e, int64_t, Value row, Value k) { return e.load(l, leftIndices(e, row, k)); },
                       c.leftIsContiguous};
        else
          gemm.left = GemmOperand::inMemory(c.leftIsContiguous, [&](const Emitter &e, int64_t, Value row, Value k) {
            return e.address(l, leftIndices(e, row, k));
          });
        gemm.right = GemmOperand::inMemory(
            c.rightIsContiguous, [&, indices](const Emitter &e, int64_t panel, Value column, Value k) {
              return e.address(r, indices(c.rightIsContiguous, e.add(column, e.index(panel * c.columns)), k));
            });
        gemm.finish = [&](const Emitter &e, Value row, Value column, ArrayRef<Value> sums) {
          for (auto [panel, sum] : llvm::enumerate(sums)) {
            Value index = e.index(panel);
            if (c.copies > 1)
              index = e.add(e.mul(copy, e.index(c.panels)), index);
            e.store(sum, result, {index, row, column});
          }
        };
        if (c.validRows >= 0)
          gemm.validRows = host.index(c.validRows);
        gemm.chained = c.chained;
        gemm.copies = c.copies;
        gemm.start = [&](const Emitter &, Value number) { copy = number; };
        launchGemm(host, gemm);
      },
      c.isDynamic);

  const int64_t leftOuter = c.copies * c.rows, rightOuter = c.panels * c.columns;
  auto at = [&](const HostTensor &tensor, bool isContiguous, int64_t outers, int64_t outer, int64_t k) {
    return tensor.getAsDouble(isContiguous ? outer * c.depth + k : k * outers + outer);
  };
  int64_t index = 0;
  for (int64_t copy = 0; copy < c.copies; ++copy)
    for (int64_t panel = 0; panel < c.panels; ++panel)
      for (int64_t row = 0; row < c.rows; ++row)
        for (int64_t column = 0; column < c.columns; ++column, ++index) {
          double expected = 0;
          if (c.validRows < 0 || row < c.validRows)
            for (int64_t k = 0; k < c.depth; ++k)
              expected += at(left, c.leftIsContiguous, leftOuter, copy * c.rows + row, k) *
                          at(right, c.rightIsContiguous, rightOuter, panel * c.columns + column, k);
          ASSERT_EQ(result.getAsDouble(index), expected)
              << "copy " << copy << " panel " << panel << " row " << row << " column " << column;
        }
}

TEST_P(KernelTest, GemmOfOddSizes) {
  testGemm({37, 21, 45});
}
TEST_P(KernelTest, GemmOfOneElement) {
  testGemm({1, 1, 1});
}
TEST_P(KernelTest, GemmWithoutDepthIsZero) {
  testGemm({3, 5, 0});
}
TEST_P(KernelTest, GemmOfAlignedRows) {
  testGemm({32, 64, 64});
}
TEST_P(KernelTest, GemmOfDynamicSizes) {
  GemmCase c{37, 21, 45};
  c.isDynamic = true;
  testGemm(c);
}
TEST_P(KernelTest, GemmOfOtherOrders) {
  for (bool leftIsContiguous : {true, false})
    for (bool rightIsContiguous : {true, false})
      testGemm({19, 34, 70, 1, leftIsContiguous, rightIsContiguous});
}
TEST_P(KernelTest, GemmOfPanelsAndCopies) {
  GemmCase c{9, 11, 50, 4};
  c.copies = 2;
  c.chained = true;
  testGemm(c);
}
TEST_P(KernelTest, GemmOfComputedOperand) {
  GemmCase c{33, 17, 40};
  c.computesLeft = true;
  testGemm(c);
  c.leftIsContiguous = false;
  testGemm(c);
}
TEST_P(KernelTest, GemmOfValidRows) {
  GemmCase c{37, 10, 20};
  c.validRows = 18;
  testGemm(c);
}
// 12 x 8 tiles of 64 x 64, and for 16-bit types 12 x 16 of 128 x 64, occupy a large GPU.
TEST_P(KernelTest, GemmOfLargeTiles) {
  testGemm({750, 500, 20});
}

TEST_P(KernelTest, ColumnSumsOfOddSizes) {
  const int64_t rows = 71, columns = 45;
  const ElementCase element = GetParam();
  HostTensor input = makeInput(element.kind, {rows, columns}, 3);
  HostTensor result =
      run({input}, element.sums, {2, columns}, [&](const Emitter &host, ArrayRef<Value> inputs, Value result) {
        Type sum = getType(element.sums);
        ColumnSums sums{"sums", sum, 2, host.index(rows), host.index(columns), {}, {}};
        sums.terms = [&](const Emitter &e, Value row, Value column) {
          Value value = e.convert(e.load(inputs[0], {row, column}), sum);
          return SmallVector<Value>{value, e.mul(value, value)};
        };
        sums.finish = [&](const Emitter &e, Value column, ArrayRef<Value> totals) {
          for (auto [index, total] : llvm::enumerate(totals))
            e.store(total, result, {e.index(index), column});
        };
        launchColumnSums(host, sums);
      });
  for (int64_t column = 0; column < columns; ++column) {
    double sum = 0, squares = 0;
    for (int64_t row = 0; row < rows; ++row) {
      double value = input.getAsDouble(row * columns + column);
      sum += value;
      squares += value * value;
    }
    EXPECT_EQ(result.getAsDouble(column), sum) << "column " << column;
    EXPECT_EQ(result.getAsDouble(columns + column), squares) << "column " << column;
  }
}

TEST_P(KernelTest, ElementwiseVisitsEveryElementOnce) {
  const int64_t rows = 7, columns = 131;
  const ElementCase element = GetParam();
  HostTensor input = makeInput(element.kind, {rows, columns}, 4);
  HostTensor result =
      run({input}, element.kind, {rows, columns}, [&](const Emitter &host, ArrayRef<Value> inputs, Value result) {
        launchElementwise(host, "twice", host.index(rows), host.index(columns),
                          [&](const Emitter &e, Value row, Value column) {
                            Value value = e.load(inputs[0], {row, column});
                            e.store(e.add(value, value), result, {row, column});
                          });
      });
  for (int64_t index = 0; index < rows * columns; ++index)
    EXPECT_EQ(result.getAsDouble(index), 2 * input.getAsDouble(index));
}

INSTANTIATE_TEST_SUITE_P(Elements, KernelTest, ::testing::ValuesIn(elementCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
