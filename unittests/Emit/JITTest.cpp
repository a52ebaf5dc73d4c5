//===- JITTest.cpp - calling compiled functions with host tensors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/JIT.h"
#include "../RuntimeSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace mlir;
using namespace mlir::rnn;

namespace {

class JITTest : public ::testing::Test {
protected:
  JITTest() {
    DialectRegistry registry;
    registerJITDialects(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    EXPECT_EQ(rnnrt_device_create("host", nullptr, &device), nullptr);
    EXPECT_EQ(rnnrt_call_create(device, nullptr, nullptr, &call), nullptr);
  }

  ~JITTest() override {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  llvm::Expected<std::unique_ptr<CompiledModule>> tryCompile(llvm::StringRef source, const RunOptions &passes = {},
                                                             llvm::StringRef function = "") {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return llvm::createStringError("the test's module does not parse");
    SmallVector<RuntimeSymbol> symbols = getRuntimeSymbols();
    JITOptions options;
    options.symbols = symbols;
    options.passes = passes;
    options.function = function.str();
    return CompiledModule::compile(*module, options);
  }

  std::unique_ptr<CompiledModule> compile(llvm::StringRef source) {
    auto compiled = tryCompile(source);
    EXPECT_TRUE(static_cast<bool>(compiled)) << llvm::toString(compiled.takeError());
    return std::move(*compiled);
  }

  static HostTensor makeTensor(ElementKind kind, ArrayRef<int64_t> shape, ArrayRef<double> values = {}) {
    HostTensor tensor = llvm::cantFail(HostTensor::allocate(kind, shape));
    for (auto [index, value] : llvm::enumerate(values))
      tensor.setFromDouble(index, value);
    return tensor;
  }

  static std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

  MLIRContext context;
  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

TEST_F(JITTest, ScalarsOfEveryType) {
  auto module = compile(R"(
    func.func @one(%a: f32) -> f32 { %r = arith.addf %a, %a : f32  return %r : f32 }
    func.func @many(%a: i1, %b: i8, %c: i64, %d: f16, %e: f64, %f: index) -> (i1, i8, i64, f16, f64, index) {
      return %a, %b, %c, %d, %e, %f : i1, i8, i64, f16, f64, index
    })");
  auto one = llvm::cantFail(module->invoke("one", call, {makeTensor(ElementKind::F32, {}, {1.5})}));
  EXPECT_EQ(one[0].getAsDouble(0), 3.0);
  ElementKind kinds[] = {ElementKind::I1,  ElementKind::I8,  ElementKind::I64,
                         ElementKind::F16, ElementKind::F64, ElementKind::Index};
  double values[] = {1, -7, 1e12, 0.333251953125, 1e-300, 42};
  SmallVector<HostTensor> inputs;
  for (auto [kind, value] : llvm::zip_equal(kinds, values))
    inputs.push_back(makeTensor(kind, {}, {value}));
  auto many = llvm::cantFail(module->invoke("many", call, inputs));
  ASSERT_EQ(many.size(), 6u);
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    EXPECT_EQ(many[index].getKind(), kind);
    EXPECT_EQ(many[index].getAsDouble(0), values[index]) << "result " << index;
  }
}

TEST_F(JITTest, OneFunctionOfAModule) {
  llvm::StringRef source = R"(
    func.func @one(%a: f32) -> f32 {
      %r = call @two(%a) : (f32) -> f32
      return %r : f32
    }
    func.func @two(%a: f32) -> f32 { %r = arith.addf %a, %a : f32  return %r : f32 }
    func.func @other() { "test.unknown"() : () -> ()  return })";
  auto module = llvm::cantFail(tryCompile(source, {}, "one"));
  EXPECT_EQ(module->getFunctionNames(), ArrayRef<std::string>{"one"});
  auto results = llvm::cantFail(module->invoke("one", call, {makeTensor(ElementKind::F32, {}, {1.5})}));
  EXPECT_EQ(results[0].getAsDouble(0), 3.0);
  // If there is no such function, all are compiled, so that the error of a call can list them.
  auto all = llvm::cantFail(tryCompile("func.func @one() { return } func.func @two() { return }", {}, "missing"));
  EXPECT_EQ(all->getFunctionNames(), ArrayRef<std::string>({"one", "two"}));
}

TEST_F(JITTest, TensorsOfEveryRankAndEmptyOnes) {
  auto module = compile(R"(
    func.func @main(%a: tensor<f64>, %b: tensor<2x?xi32>, %c: tensor<?x0xf32>)
        -> (tensor<f64>, i32, tensor<2x?xi32>, tensor<?x0xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tensor.extract %b[%c1, %c0] : tensor<2x?xi32>
      return %a, %v, %b, %c : tensor<f64>, i32, tensor<2x?xi32>, tensor<?x0xf32>
    })");
  HostTensor b = makeTensor(ElementKind::I32, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto results = llvm::cantFail(
      module->invoke("main", call, {makeTensor(ElementKind::F64, {}, {2.5}), b, makeTensor(ElementKind::F32, {4, 0})}));
  EXPECT_EQ(results[0].getAsDouble(0), 2.5);
  EXPECT_EQ(results[1].getAsInteger(0), 4);
  EXPECT_EQ(results[2].getTypeString(), "2x3xi32");
  EXPECT_EQ(results[2].getAsInteger(5), 6);
  EXPECT_NE(results[2].getData(), b.getData()) << "a result must not be the caller's argument";
  EXPECT_EQ(results[3].getTypeString(), "4x0xf32");
}

TEST_F(JITTest, ResultsThatAreOneBufferAreFreedOnce) {
  int64_t before = rnnrt_memory_live_bytes();
  {
    auto module = compile(R"(
      func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
        %s = arith.addf %a, %a : tensor<4xf32>
        %k = arith.constant dense<7.0> : tensor<4xf32>
        return %s, %s, %k : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
      })");
    auto results = llvm::cantFail(module->invoke("main", call, {makeTensor(ElementKind::F32, {4}, {1, 2, 3, 4})}));
    EXPECT_EQ(results[0].getAsDouble(3), 8.0);
    EXPECT_EQ(results[1].getAsDouble(3), 8.0);
    EXPECT_EQ(results[2].getAsDouble(0), 7.0);
    EXPECT_GT(rnnrt_memory_live_bytes(), before);
  }
  EXPECT_EQ(rnnrt_memory_live_bytes(), before);
}

TEST_F(JITTest, ArgumentsAreNotWritten) {
  auto module = compile(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    })");
  HostTensor input = makeTensor(ElementKind::F32, {2}, {1, 2});
  for (int run = 0; run < 2; ++run) {
    auto results = llvm::cantFail(module->invoke("main", call, {input}));
    EXPECT_EQ(results[0].getAsDouble(1), 4.0);
    EXPECT_EQ(input.getAsDouble(1), 2.0);
  }
}

TEST_F(JITTest, HalfPrecisionConversionsAreDefined) {
  // Without such instructions, LLVM calls functions that the compiler runtime of the system may lack.
  for (const char *wide : {"f32", "f64"})
    for (const char *narrow : {"f16", "bf16"}) {
      std::string w = wide, n = narrow;
      auto module = compile("func.func @main(%x: " + w + ") -> " + w + " {\n%a = arith.truncf %x : " + w + " to " + n +
                            "\n%s = arith.addf %a, %a : " + n + "\n%b = arith.extf %s : " + n + " to " + w +
                            "\nreturn %b : " + w + "\n}");
      auto results = llvm::cantFail(module->invoke("main", call, {makeTensor(*symbolizeElementKind(w), {}, {0.1})}));
      EXPECT_NEAR(results[0].getAsDouble(0), 0.2, n == "f16" ? 1e-4 : 1e-3) << w << " to " << n;
    }
}

TEST_F(JITTest, MismatchesNameTheArgument) {
  auto module = compile("func.func @main(%a: tensor<2x?xf32>, %b: i64) -> i64 { return %b : i64 }");
  HostTensor good = makeTensor(ElementKind::F32, {2, 3}), scalar = makeTensor(ElementKind::I64, {});
  auto fail = [&](ArrayRef<HostTensor> inputs) {
    rnnrt_call_reset(call);
    EXPECT_TRUE(llvm::cantFail(module->invoke("main", call, inputs)).empty());
    EXPECT_EQ(rnnrt_status_code(rnnrt_call_status(call)), RNNRT_STATUS_INVALID_ARGUMENT);
    return std::string(rnnrt_status_message(rnnrt_call_status(call)));
  };
  EXPECT_EQ(fail({good}), "`main` expects 2 argument(s), but got 1");
  EXPECT_EQ(fail({makeTensor(ElementKind::F32, {2}), scalar}),
            "argument 0 of `main`: the rank differs: the function expects tensor<2x?xf32>, but got tensor<2xf32>");
  EXPECT_EQ(fail({makeTensor(ElementKind::F64, {2, 3}), scalar}),
            "argument 0 of `main`: the element type differs: the function expects tensor<2x?xf32>, but got "
            "tensor<2x3xf64>");
  EXPECT_EQ(fail({makeTensor(ElementKind::F32, {3, 3}), scalar}),
            "argument 0 of `main`: dim 0 must be 2: the function expects tensor<2x?xf32>, but got tensor<3x3xf32>");
  EXPECT_EQ(fail({good, good}),
            "argument 1 of `main`: the rank differs: the function expects a scalar i64, but got tensor<2x3xf32>");
  EXPECT_EQ(fail({good, makeTensor(ElementKind::F64, {})}),
            "argument 1 of `main`: the element type differs: the function expects a scalar i64, but got a scalar f64");
  EXPECT_EQ(fail({HostTensor(ElementKind::F32, {2, 3}, nullptr), scalar}),
            "argument 0 of `main`: the data is missing: the function expects tensor<2x?xf32>, but got tensor<2x3xf32>");
  EXPECT_EQ(messageOf(module->invoke("main", call, {makeTensor(ElementKind::F32, {1, 1, 1, 1, 1, 1, 1, 1, 1}), scalar})
                          .takeError()),
            "a tensor of type 1x1x1x1x1x1x1x1x1xf32 cannot be passed to compiled code; it takes up to 8 dimensions");
  EXPECT_EQ(messageOf(module->invoke("other", call, {}).takeError()),
            "the module has no public function `other` with tensors and scalars as arguments and results; it has "
            "`main`");
}

TEST_F(JITTest, UnrankedArgumentsAreChecked) {
  auto module = compile(R"(
    func.func @main(%x: tensor<*xf32>, %y: tensor<*xf32>) -> (tensor<?x2xf32>, tensor<*xf32>) {
      %a = tensor.cast %x : tensor<*xf32> to tensor<?x2xf32>
      %s = arith.addf %a, %a : tensor<?x2xf32>
      %r = func.call @inner(%y) : (tensor<*xf32>) -> tensor<?xf32>
      %u = tensor.cast %r : tensor<?xf32> to tensor<*xf32>
      return %s, %u : tensor<?x2xf32>, tensor<*xf32>
    }
    func.func private @inner(%y: tensor<*xf32>) -> tensor<?xf32> {
      %a = tensor.cast %y : tensor<*xf32> to tensor<?xf32>
      %s = arith.mulf %a, %a : tensor<?xf32>
      return %s : tensor<?xf32>
    })");
  HostTensor matrix = makeTensor(ElementKind::F32, {1, 2}, {1, 2}), vector = makeTensor(ElementKind::F32, {2}, {3, 4});
  auto results = llvm::cantFail(module->invoke("main", call, {matrix, vector}));
  ASSERT_EQ(results.size(), 2u) << rnnrt_status_message(rnnrt_call_status(call));
  EXPECT_EQ(results[0].getTypeString(), "1x2xf32");
  EXPECT_EQ(results[0].getAsDouble(1), 4.0);
  EXPECT_EQ(results[1].getTypeString(), "2xf32");
  EXPECT_EQ(results[1].getAsDouble(0), 9.0);
  EXPECT_TRUE(llvm::cantFail(module->invoke("main", call, {matrix, matrix})).empty());
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)),
               "argument 1 of `main`: the rank differs: the function expects tensor<?xf32>, but got tensor<1x2xf32>");
  rnnrt_call_reset(call);
  EXPECT_TRUE(llvm::cantFail(module->invoke("main", call, {makeTensor(ElementKind::F32, {2, 3}), vector})).empty());
  EXPECT_STREQ(rnnrt_status_message(rnnrt_call_status(call)),
               "argument 0 of `main`: dim 1 must be 2: the function expects tensor<?x2xf32>, but got tensor<2x3xf32>");
}

TEST_F(JITTest, RuntimeErrorsReachTheCall) {
  auto module = compile(R"(
    func.func @main(%x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>,
                    %b: tensor<?xf32>, %n: i64) -> tensor<?x?x?xf32> {
      %r:7 = rnn.block_lstm icfo x(%x : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>)
          weights(%w : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>) seq_len_max(%n)
      return %r#6 : tensor<?x?x?xf32>
    })");
  int64_t live = rnnrt_memory_live_bytes();
  auto run = [&](int64_t weightRows, int64_t steps) {
    rnnrt_call_reset(call);
    auto results = module->invoke("main", call,
                                  {makeTensor(ElementKind::F32, {5, 2, 3}), makeTensor(ElementKind::F32, {2, 4}),
                                   makeTensor(ElementKind::F32, {weightRows, 16}), makeTensor(ElementKind::F32, {4}),
                                   makeTensor(ElementKind::F32, {16}),
                                   makeTensor(ElementKind::I64, {}, {static_cast<double>(steps)})});
    EXPECT_TRUE(static_cast<bool>(results)) << messageOf(results.takeError());
    return std::string(rnnrt_status_message(rnnrt_call_status(call)));
  };
  EXPECT_EQ(run(7, 5), "");
  EXPECT_EQ(run(6, 5), "'rnn.block_lstm' op expects dim 0 of `w` to be I + H [B5]: expected 7, but got 6; `w` is "
                       "argument 2; in function `main`");
  EXPECT_NE(run(7, 6).find("seq_len_max"), std::string::npos);
  EXPECT_NE(run(7, -1).find("seq_len_max"), std::string::npos);
  EXPECT_EQ(run(7, 0), "") << "an error must not outlive rnnrt_call_reset";
  EXPECT_EQ(rnnrt_memory_live_bytes(), live) << "a call that fails frees what it allocated";
}

TEST_F(JITTest, PassErrorsAreErrors) {
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(diagnostics) << diagnostic;
    return success();
  });
  auto compiled = tryCompile("func.func @main() { \"tf.CudnnRNNV9\"() : () -> () return }");
  ASSERT_FALSE(static_cast<bool>(compiled));
  EXPECT_EQ(messageOf(compiled.takeError()), "the module could not be compiled, see the errors above");
  EXPECT_NE(diagnostics.find("tf.CudnnRNNV9"), std::string::npos) << diagnostics;
}

TEST_F(JITTest, ManyThreads) {
  auto module = compile(R"(
    func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
      %s = arith.mulf %a, %a : tensor<64xf32>
      return %s : tensor<64xf32>
    })");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      rnnrt_call_t *own = nullptr;
      ASSERT_EQ(rnnrt_call_create(device, nullptr, nullptr, &own), nullptr);
      for (int run = 0; run < 100; ++run) {
        HostTensor input = makeTensor(ElementKind::F32, {64});
        input.setFromDouble(63, thread);
        auto results = llvm::cantFail(module->invoke("main", own, {input}));
        ASSERT_EQ(results[0].getAsDouble(63), thread * thread);
      }
      rnnrt_call_release(own);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// Steps large enough for threads: one call uses the thread pool, concurrent calls use one thread each.
TEST_F(JITTest, SharedStepsOfCallsAtOnceHaveTheSameBits) {
  auto module = compile(R"(
    func.func @main(%a: tensor<f32>) -> tensor<4x20x130xf32> {
      %x = tensor.generate {
      ^bb0(%t: index, %b: index, %i: index):
        %0 = arith.addi %t, %b : index
        %1 = arith.muli %0, %i : index
        %2 = arith.index_cast %1 : index to i32
        %3 = arith.sitofp %2 : i32 to f32
        %4 = math.sin %3 : f32
        tensor.yield %4 : f32
      } : tensor<4x20x30xf32>
      %h = arith.constant dense<0.25> : tensor<1x20x130xf32>
      %v = tensor.extract %a[] : tensor<f32>
      %p = tensor.splat %v : tensor<63180xf32>
      %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<4x20x30xf32>) state(%h : tensor<1x20x130xf32>)
          params(%p : tensor<63180xf32>) {lowering = #rnn.lowering<fused>}
      return %y : tensor<4x20x130xf32>
    })");
  HostTensor input = makeTensor(ElementKind::F32, {}, {0.05});
  auto expected = llvm::cantFail(module->invoke("main", call, {input}));
  size_t bytes = 4 * 20 * 130 * sizeof(float);
  EXPECT_GT(expected[0].getAsDouble(bytes / sizeof(float) - 1), 0.25);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      rnnrt_call_t *own = nullptr;
      ASSERT_EQ(rnnrt_call_create(device, nullptr, nullptr, &own), nullptr);
      for (int run = 0; run < 30; ++run) {
        auto results = llvm::cantFail(module->invoke("main", own, {input}));
        ASSERT_EQ(std::memcmp(results[0].getData(), expected[0].getData(), bytes), 0);
      }
      rnnrt_call_release(own);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Makes a module invalid before a pass: by a duplicate name, which stays, or by a dead constant of the
/// wrong type, which canonicalization removes.
struct Breaker : public PassInstrumentation {
  Breaker(StringRef pass, bool stays) : pass(pass), stays(stays) {}

  void runBeforePass(Pass *next, Operation *op) override {
    if (next->getArgument() != pass)
      return;
    OpBuilder b = OpBuilder::atBlockBegin(cast<ModuleOp>(op).getBody());
    for (int copy = 0; copy < 2 && stays; ++copy)
      func::FuncOp::create(b, b.getUnknownLoc(), "twice", b.getFunctionType({}, {})).setPrivate();
    if (stays)
      return;
    OperationState state(b.getUnknownLoc(), arith::ConstantOp::getOperationName());
    state.addTypes(b.getI32Type());
    state.addAttribute("value", b.getI64IntegerAttr(1));
    (*cast<ModuleOp>(op).getOps<func::FuncOp>().begin()).getBody().front().push_front(Operation::create(state));
  }

  StringRef pass;
  bool stays;
};

TEST_F(JITTest, PassesAreVerifiedOnTensorsAndAtTheEnd) {
  auto compileBroken = [&](StringRef pass, bool stays, bool verifyEach) {
    std::string diagnostic;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &error) { diagnostic = error.str(); });
    auto configure = [&](PassManager &pm) {
      pm.addInstrumentation(std::make_unique<Breaker>(pass, stays));
      return success();
    };
    RunOptions passes;
    passes.configure = configure;
    passes.verifyEach = verifyEach;
    auto module = tryCompile("func.func @main(%a: f32) -> f32 { return %a : f32 }", passes);
    if (module)
      return std::string("compiled");
    llvm::consumeError(module.takeError());
    return diagnostic;
  };
  const char *wrongType = "'arith.constant' op failed to verify that all of {value, result} have same type";
  for (bool verifyEach : {false, true}) {
    EXPECT_EQ(compileBroken("rnn-protect-arguments", /*stays=*/false, verifyEach), wrongType);
    std::string twice = compileBroken("rnn-expand-strided-copies", /*stays=*/true, verifyEach);
    EXPECT_TRUE(StringRef(twice).starts_with("redefinition of symbol")) << twice;
  }
  EXPECT_EQ(compileBroken("rnn-expand-strided-copies", /*stays=*/false, /*verifyEach=*/true), wrongType);
  EXPECT_EQ(compileBroken("rnn-expand-strided-copies", /*stays=*/false, /*verifyEach=*/false), "compiled");
}

} // namespace
