//===- JIT.cpp - from a module to functions of this process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/JIT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "rnn/InitAllDialects.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include <cstring>

using namespace mlir;
using namespace mlir::rnn;

// LLVM calls these by name where the processor has no instruction. Only their addresses are used here; they are in
// MLIR's library mlir_float16_utils, since the system's compiler runtime may lack the newer ones.
extern "C" {
void __truncsfbf2();
void __truncdfbf2();
}

void rnn::registerJITDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  rnn::registerAllDialects(registry);
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

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A dense memref type as the tensor that its caller sees; other types stay.
static Type toTensor(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity() ? RankedTensorType::get(memref.getShape(), memref.getElementType())
                                                   : type;
}

static bool canCrossBoundary(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return getElementKind(tensor.getElementType()).has_value();
  return getElementKind(type).has_value();
}

/// The public functions with bodies. A type that no host tensor can hold is an error only when the function is called,
/// so such a function is left out here.
static llvm::StringMap<FunctionSignature> collectSignatures(ModuleOp module) {
  llvm::StringMap<FunctionSignature> signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    FunctionSignature signature;
    llvm::append_range(signature.inputs, llvm::map_range(function.getArgumentTypes(), toTensor));
    llvm::append_range(signature.results, llvm::map_range(function.getResultTypes(), toTensor));
    if (llvm::all_of(signature.inputs, canCrossBoundary) && llvm::all_of(signature.results, canCrossBoundary))
      signatures[function.getSymName()] = std::move(signature);
  }
  return signatures;
}

static llvm::Error runPipeline(ModuleOp module, const JITOptions &options,
                               llvm::function_ref<void(OpPassManager &)> build, llvm::StringRef what) {
  PassManager pm(module.getContext());
  if (options.configurePassManager && failed(options.configurePassManager(pm)))
    return llvm::createStringError("the pass manager could not be configured");
  build(pm);
  if (failed(pm.run(module)))
    return llvm::createStringError("the module could not be compiled: " + what + " failed, see the errors above");
  return llvm::Error::success();
}

CompiledModule::~CompiledModule() = default;

llvm::Expected<std::unique_ptr<CompiledModule>> CompiledModule::compile(ModuleOp module, const JITOptions &options) {
  std::unique_ptr<CompiledModule> compiled(new CompiledModule);
  const PipelineOptions &pipeline = options.pipeline;
  // Signatures are those of the tensors that users wrote, after import has typed reserve spaces as bytes.
  if (llvm::Error error = runPipeline(
          module, options,
          [&](OpPassManager &pm) {
            buildImportPipeline(pm, pipeline);
            buildSimplifyPipeline(pm, pipeline);
            buildSelectPipeline(pm, pipeline);
          },
          "a stage from import to select"))
    return std::move(error);
  compiled->signatures = collectSignatures(module);
  if (llvm::Error error = runPipeline(
          module, options,
          [&](OpPassManager &pm) {
            buildBufferizePipeline(pm, pipeline);
            buildLowerPipeline(pm, pipeline);
            buildEmitPipeline(pm, pipeline);
          },
          "a stage from bufferize to emit"))
    return std::move(error);

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto transformer = makeOptimizingTransformer(options.optimizationLevel, /*sizeLevel=*/0, machine->get());
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = static_cast<llvm::CodeGenOptLevel>(options.optimizationLevel);
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (!engine)
    return engine.takeError();
  compiled->engine = std::move(*engine);
  compiled->engine->registerSymbols([&](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap map;
    std::pair<llvm::StringRef, void (*)()> conversions[] = {{"__truncsfbf2", __truncsfbf2},
                                                            {"__truncdfbf2", __truncdfbf2}};
    for (auto [name, address] : conversions)
      map[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    for (const RuntimeSymbol &symbol : options.symbols) {
      map[intern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address), llvm::JITSymbolFlags::Exported};
      if (symbol.name == "_mlir_memref_to_llvm_free")
        compiled->freeResult = reinterpret_cast<void (*)(void *)>(symbol.address);
    }
    return map;
  });
  if (!compiled->freeResult)
    return llvm::createStringError("the runtime's symbols do not include _mlir_memref_to_llvm_free");
  // Look every function up once, so that code is generated (and missing symbols are found) before the first call.
  for (const auto &entry : compiled->signatures) {
    auto address = compiled->engine->lookupPacked(("_mlir_ciface_" + entry.getKey()).str());
    if (!address)
      return address.takeError();
  }
  return compiled;
}

llvm::Expected<const FunctionSignature *> CompiledModule::getSignature(llvm::StringRef name) const {
  auto found = signatures.find(name);
  if (found != signatures.end())
    return &found->second;
  std::string names;
  for (const auto &entry : signatures)
    names += (names.empty() ? "`" : ", `") + entry.getKey().str() + "`";
  return llvm::createStringError("the module has no public function `" + name.str() +
                                 "` with tensors and scalars as arguments and results; it has " +
                                 (names.empty() ? "none" : names));
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

namespace {

/// A memref descriptor as MLIR lays it out: allocated, aligned, offset, sizes, strides.
class Descriptor {
public:
  static size_t getSize(int64_t rank) { return 8 * (3 + 2 * rank); }

  static void write(void *place, void *data, llvm::ArrayRef<int64_t> shape) {
    auto *words = static_cast<int64_t *>(place);
    words[0] = words[1] = reinterpret_cast<intptr_t>(data);
    words[2] = 0;
    int64_t stride = 1;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      words[3 + dim] = shape[dim];
      words[3 + shape.size() + dim] = stride;
      stride *= std::max<int64_t>(shape[dim], 1);
    }
  }

  Descriptor(const void *place, int64_t rank) : words(static_cast<const int64_t *>(place)), rank(rank) {}
  void *getAllocated() const { return reinterpret_cast<void *>(words[0]); }
  void *getAligned() const { return reinterpret_cast<void *>(words[1]); }
  int64_t getOffset() const { return words[2]; }
  llvm::ArrayRef<int64_t> getShape() const { return llvm::ArrayRef<int64_t>(words + 3, rank); }

private:
  const int64_t *words;
  int64_t rank;
};

/// Where each result stands in the struct that a function returns.
struct ResultLayout {
  llvm::SmallVector<size_t> offsets;
  size_t size = 0;

  explicit ResultLayout(llvm::ArrayRef<Type> results) {
    size_t maxAlignment = 1;
    for (Type type : results) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      size_t bytes = tensor ? Descriptor::getSize(tensor.getRank()) : getElementSize(*getElementKind(type));
      size_t alignment = tensor ? 8 : bytes;
      maxAlignment = std::max(maxAlignment, alignment);
      size = llvm::alignTo(size, alignment);
      offsets.push_back(size);
      size += bytes;
    }
    size = llvm::alignTo(std::max<size_t>(size, 8), maxAlignment);
  }
};

} // namespace

static std::string describe(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? toString(type) : "a scalar " + toString(type);
}

/// Compares one input with what the function wants.
static llvm::Error checkInput(llvm::StringRef name, size_t index, Type wanted, const HostTensor &got) {
  auto mismatch = [&](const llvm::Twine &what) {
    return llvm::createStringError(("argument " + llvm::Twine(index) + " of `" + name + "`: " + what + ": the function wants " +
                                    describe(wanted) + ", but got " +
                                    (got.getRank() ? "tensor<" + got.getTypeString() + ">"
                                                   : "a scalar " + got.getTypeString()))
                                       .str());
  };
  auto tensor = dyn_cast<RankedTensorType>(wanted);
  ElementKind kind = *getElementKind(tensor ? tensor.getElementType() : wanted);
  if (got.getRank() != (tensor ? tensor.getRank() : 0))
    return mismatch("the rank differs");
  if (got.getKind() != kind)
    return mismatch("the element type differs");
  if (!got.getData())
    return mismatch("there is no data");
  for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim)
    if (!tensor.isDynamicDim(dim) && tensor.getDimSize(dim) != got.getShape()[dim])
      return mismatch("dim " + llvm::Twine(dim) + " must be " + llvm::Twine(tensor.getDimSize(dim)));
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<HostTensor>> CompiledModule::invoke(llvm::StringRef name, rnnrt_call *call,
                                                                     llvm::ArrayRef<HostTensor> inputs) const {
  auto signature = getSignature(name);
  if (!signature)
    return signature.takeError();
  llvm::ArrayRef<Type> inputTypes = (*signature)->inputs, resultTypes = (*signature)->results;
  if (inputs.size() != inputTypes.size())
    return llvm::createStringError("`" + name.str() + "` takes " + std::to_string(inputTypes.size()) +
                                   " argument(s), but got " + std::to_string(inputs.size()));
  for (auto [index, wanted, got] : llvm::enumerate(inputTypes, inputs))
    if (llvm::Error error = checkInput(name, index, wanted, got))
      return std::move(error);
  auto function = engine->lookupPacked(("_mlir_ciface_" + name).str());
  if (!function)
    return function.takeError();

  // The C interface takes a pointer to a descriptor for each tensor, scalars by value, and first, if the results are
  // more than one scalar, a pointer to where they go. The packed form takes pointers to all of these.
  std::vector<std::vector<int64_t>> descriptors(inputs.size());
  std::vector<void *> pointers(inputs.size() + 2);
  std::vector<void *> packed;
  ResultLayout layout(resultTypes);
  std::vector<int64_t> results((layout.size + 7) / 8, 0);
  void *resultPlace = results.data();
  bool returnsScalar = resultTypes.size() == 1 && !isa<RankedTensorType>(resultTypes.front());
  if (!resultTypes.empty() && !returnsScalar)
    packed.push_back(&resultPlace);
  packed.push_back(&call);
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!isa<RankedTensorType>(inputTypes[index])) {
      packed.push_back(input.getData());
      continue;
    }
    descriptors[index].resize(Descriptor::getSize(input.getRank()) / 8);
    Descriptor::write(descriptors[index].data(), input.getData(), input.getShape());
    pointers[index] = descriptors[index].data();
    packed.push_back(&pointers[index]);
  }
  if (returnsScalar)
    packed.push_back(resultPlace);
  (*function)(packed.data());

  llvm::SmallVector<HostTensor> outputs;
  llvm::DenseMap<void *, std::shared_ptr<void>> owners;
  for (auto [index, type] : llvm::enumerate(resultTypes)) {
    const char *place = reinterpret_cast<const char *>(results.data()) + layout.offsets[index];
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      auto scalar = HostTensor::allocate(*getElementKind(type), {});
      if (!scalar)
        return scalar.takeError();
      std::memcpy(scalar->getData(), place, scalar->getNumBytes());
      outputs.push_back(std::move(*scalar));
      continue;
    }
    Descriptor descriptor(place, tensor.getRank());
    ElementKind kind = *getElementKind(tensor.getElementType());
    // A function may return one buffer twice; it is freed once.
    std::shared_ptr<void> &owner = owners[descriptor.getAllocated()];
    if (!owner)
      owner = std::shared_ptr<void>(descriptor.getAllocated(), freeResult);
    void *data = static_cast<char *>(descriptor.getAligned()) + descriptor.getOffset() * getElementSize(kind);
    outputs.emplace_back(kind, descriptor.getShape(), std::shared_ptr<void>(owner, data));
  }
  return outputs;
}
