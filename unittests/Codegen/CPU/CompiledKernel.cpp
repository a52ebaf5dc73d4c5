//===- CompiledKernel.cpp - one function of kernel calls, compiled -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "../../RuntimeSymbols.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "rnn_runtime/abi.h"
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::cpu;

KernelContext::KernelContext() {
  DialectRegistry registry;
  registerJITDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  if (rnnrt_device_create("host", nullptr, &device) || rnnrt_call_create(device, nullptr, nullptr, &call))
    std::abort();
}

KernelContext::~KernelContext() {
  rnnrt_call_release(call);
  rnnrt_device_release(device);
}

Type KernelContext::getType(ElementKind kind) {
  Builder b(&context);
  switch (kind) {
  case ElementKind::F16:
    return b.getF16Type();
  case ElementKind::BF16:
    return b.getBF16Type();
  case ElementKind::F64:
    return b.getF64Type();
  default:
    return b.getF32Type();
  }
}

MemRefType KernelContext::getBuffer(ElementKind kind) {
  return MemRefType::get({ShapedType::kDynamic}, getType(kind));
}

MemRefType KernelContext::getMatrix(ElementKind kind) {
  return MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, getType(kind));
}

namespace {

/// Generates the body of `main` after bufferization, where `convert-rnn-to-host` generates its loops.
struct EmitBody : public PassWrapper<EmitBody, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitBody)
  EmitBody(const Tiles &tiles, CompiledKernel::Emit emit) : tiles(tiles), emit(emit) {}

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    KernelLibrary library(getOperation());
    HostBuilder b(function.getLoc(), function.front().getTerminator(), tiles);
    emit(b, library, function.getArguments());
  }

  Tiles tiles;
  CompiledKernel::Emit emit;
};

} // namespace

CompiledKernel::CompiledKernel(KernelContext &context, ArrayRef<Type> arguments, const Tiles &tiles, Emit emit)
    : context(context) {
  OpBuilder b(&context.context);
  OwningOpRef<ModuleOp> source = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(source->getBody());
  auto function = func::FuncOp::create(b, b.getUnknownLoc(), "main", b.getFunctionType(arguments, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, b.getUnknownLoc());

  SmallVector<RuntimeSymbol> symbols = getRuntimeSymbols();
  JITOptions options;
  options.symbols = symbols;
  if (tiles.usesAMX()) // on other processors, AMX is emulated
    options.features = {"+amx-tile", "+amx-bf16"};
  // The first pass manager ends with bufferization, the second one starts behind it.
  int managers = 0;
  auto configure = [&](PassManager &pm) {
    if (++managers == 2)
      pm.addPass(std::make_unique<EmitBody>(tiles, emit));
    return success();
  };
  options.passes.configure = configure;
  module = llvm::cantFail(CompiledModule::compile(*source, options));
}

void CompiledKernel::operator()(ArrayRef<HostTensor> arguments) const {
  llvm::cantFail(module->invoke("main", context.call, arguments));
  if (rnnrt_status_t status = rnnrt_call_status(context.call)) {
    std::fprintf(stderr, "%s\n", rnnrt_status_message(status));
    std::abort();
  }
}

HostTensor cpu::makeTensor(ElementKind kind, ArrayRef<int64_t> shape) {
  return llvm::cantFail(HostTensor::allocate(kind, shape));
}

HostTensor cpu::makeIndex(int64_t value) {
  HostTensor tensor = makeTensor(ElementKind::Index, {});
  tensor.setFromInteger(0, value);
  return tensor;
}
