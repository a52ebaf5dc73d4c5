//===- LinalgToHostTest.h - compiles and runs linalg ops -*- C++ -*--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_UNITTESTS_CONVERSION_LINALGTOHOSTTEST_H
#define RNN_UNITTESTS_CONVERSION_LINALGTOHOSTTEST_H

#include "../RuntimeSymbols.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "rnn/Emit/JIT.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace mlir::rnn {

class LinalgToHostTest : public ::testing::Test {
protected:
  LinalgToHostTest() {
    DialectRegistry registry;
    registerJITDialects(registry);
    context.appendDialectRegistry(registry);
    EXPECT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  }
  ~LinalgToHostTest() override {
    compiled.reset();
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  void compile(llvm::StringRef source) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module) << source.str();
    SmallVector<RuntimeSymbol> symbols = getRuntimeSymbols();
    JITOptions options;
    options.symbols = symbols;
    auto result = CompiledModule::compile(*module, options);
    ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
    compiled = std::move(*result);
  }

  HostTensor run(llvm::StringRef function, ArrayRef<HostTensor> inputs) {
    rnnrt_call_reset(call);
    auto results = llvm::cantFail(compiled->invoke(function, call, inputs));
    EXPECT_EQ(rnnrt_call_status(call), nullptr) << rnnrt_status_message(rnnrt_call_status(call));
    return std::move(results.front());
  }

  HostTensor makeTensor(ElementKind kind, ArrayRef<int64_t> shape) {
    HostTensor tensor = llvm::cantFail(HostTensor::allocate(kind, shape));
    bool isInteger = kind == ElementKind::I8 || kind == ElementKind::I32 || kind == ElementKind::I64;
    for (int64_t index = 0; index < tensor.getNumElements(); ++index) {
      double value = std::uniform_real_distribution<double>(-1, 1)(random);
      tensor.setFromDouble(index, isInteger ? std::round(value * 9) : value);
    }
    return tensor;
  }

  MLIRContext context;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
  std::unique_ptr<CompiledModule> compiled;
  std::mt19937 random{7};
};

/// The rounding unit of a type; 0 for integers.
inline double getEpsilon(ElementKind kind) {
  switch (kind) {
  case ElementKind::BF16:
    return 0x1p-8;
  case ElementKind::F16:
    return 0x1p-11;
  case ElementKind::F32:
    return 0x1p-24;
  case ElementKind::F64:
    return 0x1p-53;
  default:
    return 0;
  }
}

} // namespace mlir::rnn

#endif // RNN_UNITTESTS_CONVERSION_LINALGTOHOSTTEST_H
