//===- JIT.cpp - compile a module in memory ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/JIT.h"
#include "Optimize.h"
#include "Vectors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "rnn/Emit/Object.h"
#include "rnn/InitAllDialects.h"
#include "rnn/Target/Processors.h"
#include "rnn_runtime/function.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::rnn;

void rnn::registerJITDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  rnn::registerAllDialects(registry);
}

/// The rnnrt_dtype_t of a kind.
static int32_t getDType(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return RNNRT_DTYPE_I1;
  case ElementKind::I8:
    return RNNRT_DTYPE_I8;
  case ElementKind::I16:
    return RNNRT_DTYPE_I16;
  case ElementKind::I32:
    return RNNRT_DTYPE_I32;
  case ElementKind::I64:
  case ElementKind::Index:
    return RNNRT_DTYPE_I64;
  case ElementKind::F16:
    return RNNRT_DTYPE_F16;
  case ElementKind::BF16:
    return RNNRT_DTYPE_BF16;
  case ElementKind::F32:
    return RNNRT_DTYPE_F32;
  case ElementKind::F64:
    return RNNRT_DTYPE_F64;
  }
  llvm_unreachable("a kind without a type of the runtime");
}

std::optional<ElementKind> rnn::getElementKind(Type type) {
  if (isa<IndexType>(type))
    return ElementKind::Index;
  if (auto integer = dyn_cast<IntegerType>(type))
    return symbolizeElementKind("i" + std::to_string(integer.getWidth()));
  return isa<Float16Type>(type)    ? std::optional(ElementKind::F16)
         : isa<BFloat16Type>(type) ? std::optional(ElementKind::BF16)
         : isa<Float32Type>(type)  ? std::optional(ElementKind::F32)
         : isa<Float64Type>(type)  ? std::optional(ElementKind::F64)
                                   : std::nullopt;
}

CompiledModule::~CompiledModule() = default;

/// Returns an error that lists the functions without a body that neither the process nor `symbols` defines, or success
/// if there are none. The error of the JIT lists all symbols of the module.
static llvm::Error findExternalFunctions(ModuleOp module, llvm::ArrayRef<RuntimeSymbol> symbols) {
  constexpr llvm::StringLiteral prefix = "_mlir_ciface_"; // of functions that func.func declares
  llvm::SmallVector<std::string> missing;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    llvm::StringRef name = function.getName();
    if (function.isExternal() && name.starts_with(prefix) &&
        llvm::none_of(symbols, [&](const RuntimeSymbol &symbol) { return name == symbol.name; }) &&
        !llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str()))
      missing.push_back("`" + name.drop_front(prefix.size()).str() + "` (symbol `" + name.str() + "`)");
  }
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("the module declares functions without a body: " + llvm::join(missing, ", ") +
                                 "; give them bodies, or define the symbols in the process or among those of the JIT");
}

/// Erases the functions that the public function `name` does not need, if there is one.
static LogicalResult eraseOtherFunctions(ModuleOp module, StringRef name) {
  auto kept = module.lookupSymbol<func::FuncOp>(name);
  if (!kept || kept.isPrivate() || kept.isExternal())
    return success();
  for (auto function : module.getOps<func::FuncOp>())
    if (function != kept)
      function.setPrivate();
  PassManager passes(module.getContext());
  passes.addPass(createSymbolDCEPass());
  return passes.run(module);
}

llvm::Expected<std::unique_ptr<CompiledModule>> CompiledModule::compile(ModuleOp module, const JITOptions &options) {
  std::unique_ptr<CompiledModule> compiled(new CompiledModule);
  if (options.sanitizeAddress &&
      !llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr).getAddressOfSymbol("__asan_init"))
    return llvm::createStringError(
        "code with AddressSanitizer requires its runtime in this process: use a program that is built with it "
        "(scripts/sanitize.sh build address), or set LD_PRELOAD to clang's libclang_rt.asan-x86_64.so");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCPU(getHostProcessorName());
  builder->addFeatures(options.features);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto pipeline = withVectorsOf(**machine, options.pipeline);
  if (!pipeline)
    return pipeline.takeError();
  if (failed(eraseOtherFunctions(module, options.function)))
    return llvm::createStringError("cannot erase functions that are not called");
  if (llvm::Error error = runPipeline(module, *pipeline, options.passes))
    return error;

  auto transformer =
      makeOptimizer(options.optimizationLevel, machine->get(), pipeline->vectorBits, options.sanitizeAddress);
  ExecutionEngineOptions engineOptions;
  engineOptions.llvmModuleBuilder = translateToLLVMIR;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = getCodeGenLevel(*pipeline, options.optimizationLevel);
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (!engine)
    return engine.takeError();
  compiled->engine = std::move(*engine);
  compiled->engine->registerSymbols([&](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap map;
    for (const RuntimeSymbol &symbol : options.symbols) {
      map[intern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address), llvm::JITSymbolFlags::Exported};
      compiled->runtime.set(symbol);
    }
    return map;
  });
  // A constructor registers the kernels of the module with the runtime.
  compiled->engine->initialize();
  if (!compiled->runtime.isComplete())
    return llvm::createStringError("the runtime's symbols lack some of abi.def; pass all of rnnrt_abi_symbols");
  // The lookup generates code now and finds missing symbols before the first call.
  for (const ExportedFunction &exported : getExportedFunctions(module)) {
    auto address = compiled->engine->lookup(exported.symbol);
    if (!address) {
      llvm::Error external = findExternalFunctions(module, options.symbols);
      if (!external)
        return address.takeError();
      llvm::consumeError(address.takeError());
      return std::move(external);
    }
    Function &function = compiled->functions[exported.name];
    function.entry = reinterpret_cast<rnnrt_entry_t>(*address);
    function.deviceMemory = exported.deviceMemory;
    compiled->functionNames.push_back(exported.name);
    for (const ExportedArgument &input : exported.inputs) {
      function.signature.inputs.push_back(input.type);
      function.signature.inputNames.push_back(input.name);
    }
    for (const ExportedArgument &result : exported.results) {
      function.signature.results.push_back(result.type);
      function.signature.resultNames.push_back(result.name);
    }
  }
  return compiled;
}

llvm::Expected<const CompiledModule::Function *> CompiledModule::getFunction(llvm::StringRef name) const {
  auto found = functions.find(name);
  if (found != functions.end())
    return &found->second;
  std::string names;
  for (const std::string &function : functionNames)
    names += (names.empty() ? "`" : ", `") + function + "`";
  return llvm::createStringError("the module has no public function `" + name.str() +
                                 "` with tensors and scalars as arguments and results; it has " +
                                 (names.empty() ? "none" : names));
}

llvm::Expected<const FunctionSignature *> CompiledModule::getSignature(llvm::StringRef name) const {
  auto function = getFunction(name);
  if (!function)
    return function.takeError();
  return &(*function)->signature;
}

llvm::Expected<rnnrt_entry_t> CompiledModule::getEntry(llvm::StringRef name) const {
  auto function = getFunction(name);
  if (!function)
    return function.takeError();
  return (*function)->entry;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

void CompiledModule::Runtime::set(const RuntimeSymbol &symbol) {
  auto match = [&](llvm::StringRef name, auto *&function) {
    if (symbol.name == name)
      function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol.address);
  };
  match("rnnrt_tensor_release", release);
  match("rnnrt_abi_alloc", allocate);
  match("rnnrt_abi_free", free);
  match("rnnrt_abi_copy", copy);
  match("rnnrt_abi_read", read);
}

static Type getElementOrScalar(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

/// Returns true for types in device memory if the function uses it.
static bool isTensor(Type type) {
  return isa<TensorType>(type);
}

llvm::Expected<llvm::SmallVector<HostTensor>> CompiledModule::invoke(llvm::StringRef name, rnnrt_call *call,
                                                                     llvm::ArrayRef<HostTensor> inputs) const {
  auto found = getFunction(name);
  if (!found)
    return found.takeError();
  const Function &function = **found;
  std::vector<rnnrt_tensor_t> tensors, results(function.signature.results.size());
  for (const HostTensor &input : inputs) {
    if (input.getRank() > RNNRT_MAX_RANK)
      return llvm::createStringError("a tensor of type " + input.getTypeString() +
                                     " cannot be passed to compiled code; it takes up to " +
                                     std::to_string(RNNRT_MAX_RANK) + " dimensions");
    tensors.push_back(
        rnnrt_tensor_make(input.getData(), getDType(input.getKind()), input.getRank(), input.getShape().data()));
  }

  std::vector<void *> copies;
  auto isOnDevice = [&](llvm::ArrayRef<Type> types, size_t index) {
    return function.deviceMemory && index < types.size() && isTensor(types[index]);
  };
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    if (!isOnDevice(function.signature.inputs, index))
      continue;
    copies.push_back(runtime.allocate(call, inputs[index].getNumBytes()));
    runtime.copy(call, tensor.data, copies.back(), inputs[index].getNumBytes());
    tensor.data = copies.back();
  }

  std::vector<const rnnrt_tensor_t *> inputPointers;
  std::vector<rnnrt_tensor_t *> resultPointers;
  for (const rnnrt_tensor_t &tensor : tensors)
    inputPointers.push_back(&tensor);
  for (rnnrt_tensor_t &result : results)
    resultPointers.push_back(&result);
  function.entry(call, inputPointers.data(), inputPointers.size(), resultPointers.data(), resultPointers.size());
  for (void *copy : copies)
    runtime.free(call, copy);

  llvm::SmallVector<HostTensor> outputs;
  for (auto [index, result] : llvm::enumerate(results)) {
    // A failed call has no results. Its status has the reason.
    if (!result.allocation)
      continue;
    ElementKind kind = *getElementKind(getElementOrScalar(function.signature.results[index]));
    llvm::ArrayRef<int64_t> shape(result.shape, result.rank);
    std::shared_ptr<rnnrt_tensor_t> owner(new rnnrt_tensor_t(result),
                                          [release = runtime.release](rnnrt_tensor_t *owned) {
                                            release(owned);
                                            delete owned;
                                          });
    HostTensor output(kind, shape, std::shared_ptr<void>(owner, result.data));
    if (isOnDevice(function.signature.results, index)) {
      auto copy = HostTensor::allocate(kind, shape);
      if (!copy)
        return copy.takeError();
      runtime.read(call, result.data, copy->getData(), copy->getNumBytes());
      output = std::move(*copy);
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}
