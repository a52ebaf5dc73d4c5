//===- Kernels.cpp - from a gpu.module to functions of the host --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::rnn::simt;

namespace {

/// Offsets of workgroup variables in the shared memory of a block. Each kernel has its own layout; variables that
/// several kernels reach (through functions that they call) have the same offset in all of them.
class SharedLayout {
public:
  SharedLayout(gpu::GPUModuleOp module, const DataLayout &layout) : symbols(module) {
    llvm::MapVector<Operation *, unsigned> users;
    SmallVector<std::pair<LLVM::LLVMFuncOp, llvm::SetVector<Operation *>>> kernels;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!isKernel(function))
        continue;
      llvm::SetVector<Operation *> variables, visited;
      collect(function, variables, visited);
      for (Operation *variable : variables)
        ++users[variable];
      kernels.push_back({function, std::move(variables)});
    }
    int64_t common = 0;
    for (auto [variable, count] : users)
      if (count > 1)
        place(variable, common, layout);
    for (auto &[function, variables] : kernels) {
      int64_t bytes = common;
      for (Operation *variable : variables)
        if (users[variable] == 1)
          place(variable, bytes, layout);
      // The dynamic part begins at a multiple of 128.
      kernelBytes[function] = llvm::alignTo(bytes, 128);
    }
  }

  static bool isKernel(LLVM::LLVMFuncOp function) {
    return function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) || function->hasAttr("nvvm.kernel");
  }
  static bool isShared(LLVM::GlobalOp global) { return global.getAddrSpace() == 3; }
  /// Dynamic shared memory is an array without elements.
  static bool isDynamic(LLVM::GlobalOp global) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    return array && array.getNumElements() == 0;
  }

  LLVM::GlobalOp lookup(StringRef name) const { return symbols.lookup<LLVM::GlobalOp>(name); }
  int64_t getBytes(LLVM::LLVMFuncOp kernel) const { return kernelBytes.lookup(kernel); }
  int64_t getOffset(LLVM::GlobalOp variable) const { return offsets.lookup(variable); }

private:
  /// The static variables that `function` and what it calls use.
  void collect(LLVM::LLVMFuncOp function, llvm::SetVector<Operation *> &variables,
               llvm::SetVector<Operation *> &visited) {
    if (!visited.insert(function))
      return;
    function.walk([&](Operation *op) {
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
        auto global = symbols.lookup<LLVM::GlobalOp>(address.getGlobalName());
        if (global && isShared(global) && !isDynamic(global))
          variables.insert(global);
      } else if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee()) {
        if (auto callee = symbols.lookup<LLVM::LLVMFuncOp>(*call.getCallee()))
          collect(callee, variables, visited);
      }
    });
  }

  void place(Operation *variable, int64_t &bytes, const DataLayout &layout) {
    auto global = cast<LLVM::GlobalOp>(variable);
    // 16 bytes: the alignment of vectors and ldmatrix.
    bytes = llvm::alignTo(bytes, std::max<int64_t>(16, global.getAlignment().value_or(16)));
    offsets[global] = bytes;
    bytes += layout.getTypeSize(global.getGlobalType());
  }

  SymbolTable symbols;
  DenseMap<Operation *, int64_t> offsets, kernelBytes;
};

} // namespace

/// The stack size for the variables of `functions`, as if all were live at the same time. LLVM does not share the slots
/// of variables whose address escapes, such as the registers that collectives pass in memory, so the sum is not far
/// off.
static int64_t getStackBytes(ArrayRef<LLVM::LLVMFuncOp> functions, const DataLayout &layout) {
  int64_t bytes = 0;
  for (LLVM::LLVMFuncOp function : functions)
    function.walk([&](LLVM::AllocaOp alloca) {
      int64_t count = 1;
      if (auto constant = alloca.getArraySize().getDefiningOp<LLVM::ConstantOp>())
        if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
          count = value.getValue().getSExtValue();
      bytes += llvm::alignTo(count * int64_t(layout.getTypeSize(alloca.getElemType())), 16);
    });
  return bytes;
}

/// Verifies that the emulator can run `op` after all rewrites.
static LogicalResult checkOp(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    if (!call.getCallee())
      return op->emitOpError("cannot be emulated on target simt: it calls through a pointer");
    return success();
  }
  bool isForeign =
      isa<LLVM::InlineAsmOp, LLVM::CallIntrinsicOp>(op) || !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
  if (!isForeign)
    return success();
  InFlightDiagnostic diag = op->emitOpError("cannot be emulated on target simt");
  if (isa<LLVM::InlineAsmOp, NVVM::InlinePtxOp>(op))
    diag << ": the effects of assembly are not known; use an op instead";
  else if (!isa_and_nonnull<NVVM::NVVMDialect, LLVM::LLVMDialect>(op->getDialect()))
    diag << ": it was not lowered to the NVVM dialect";
  return failure();
}

static LogicalResult rewriteOp(Operation *op, EntryBuilder &entries) {
  Rewrite result = rewriteThreadOp(op, entries);
  if (result == Rewrite::Unknown)
    result = rewriteClusterOp(op, entries);
  if (result == Rewrite::Unknown)
    result = rewriteMatrixOp(op, entries);
  if (result == Rewrite::Unknown)
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      result = rewriteDeviceCall(call, entries);
  if (result == Rewrite::Unknown)
    return checkOp(op);
  return success(result == Rewrite::Done);
}

/// Reports calls of functions that exist only in the GPU's runtime, which would fail to link.
static LogicalResult checkCalls(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  WalkResult result = function.walk([&](LLVM::CallOp call) -> WalkResult {
    auto callee = entries.getModule().lookupSymbol<LLVM::LLVMFuncOp>(call.getCalleeAttr());
    // The heap of the device is that of the host.
    bool known = callee && (!callee.isExternal() || callee.getName() == "malloc" || callee.getName() == "free" ||
                            !callee->hasAttr("rnn.device_only"));
    if (known)
      return WalkResult::advance();
    call.emitOpError("cannot be emulated on target simt: there is no function `") << *call.getCallee() << "`";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A function that loads the arguments of `function` from an array of pointers and calls it.
static LLVM::LLVMFuncOp makeThunk(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  ImplicitLocOpBuilder builder(function.getLoc(), function.getContext());
  builder.setInsertionPointToEnd(entries.getModule().getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(function.getContext()), {entries.pointer});
  auto thunk = LLVM::LLVMFuncOp::create(builder, entries.uniqueName((function.getName() + "_thunk").str()), type);
  thunk.setPrivate();
  thunk.setLinkage(LLVM::Linkage::Internal);
  Block *block = thunk.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (auto [index, argument] : llvm::enumerate(function.getArgumentTypes())) {
    Value place = LLVM::GEPOp::create(builder, entries.pointer, entries.pointer, block->getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    place = LLVM::LoadOp::create(builder, entries.pointer, place);
    arguments.push_back(LLVM::LoadOp::create(builder, argument, place));
  }
  LLVM::CallOp::create(builder, function, arguments);
  LLVM::ReturnOp::create(builder, ValueRange());
  return thunk;
}

/// Redirects uses of symbols of the gpu.module to their new names or addresses.
static void redirectSymbols(LLVM::LLVMFuncOp function, const SharedLayout &shared,
                            const llvm::StringMap<std::string> &names, EntryBuilder &entries) {
  SmallVector<LLVM::AddressOfOp> addresses;
  function.walk([&](Operation *op) {
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      addresses.push_back(address);
    else if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
      if (auto found = names.find(*call.getCallee()); found != names.end())
        call.setCallee(found->second);
  });
  for (LLVM::AddressOfOp address : addresses) {
    LLVM::GlobalOp global = shared.lookup(address.getGlobalName());
    if (!global || !SharedLayout::isShared(global)) {
      if (auto found = names.find(address.getGlobalName()); found != names.end())
        address.setGlobalName(found->second);
      continue;
    }
    OpBuilder builder(address);
    Location loc = address.getLoc();
    Value place;
    if (SharedLayout::isDynamic(global)) {
      place = entries.call(builder, loc, "rnnrt_abi_simt_dynamic_shared", {}, /*pure=*/true);
    } else {
      Value base = entries.call(builder, loc, "rnnrt_abi_simt_shared_base", {}, /*pure=*/true);
      place = LLVM::GEPOp::create(builder, loc, entries.pointer, entries.i8, base,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(shared.getOffset(global))});
    }
    // Keep the address space until the access checks are inserted.
    address.getResult().replaceAllUsesWith(
        LLVM::AddrSpaceCastOp::create(builder, loc, address.getType(), place).getResult());
    address.erase();
  }
}

/// The host has one address space.
static void flattenAddressSpaces(LLVM::LLVMFuncOp function, EntryBuilder &entries) {
  function.walk([&](LLVM::AddrSpaceCastOp cast) {
    cast.getResult().replaceAllUsesWith(cast.getArg());
    cast.erase();
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](LLVM::LLVMPointerType) -> Type { return entries.pointer; });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

/// The first attribute of `names` that `function` has, as three sizes.
static SmallVector<int32_t> getSizes(LLVM::LLVMFuncOp function, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(name)) {
      SmallVector<int32_t> result(sizes.asArrayRef());
      result.resize(3, 1);
      return result;
    }
  return {};
}

static constexpr StringLiteral kernelAttr = "rnn.simt_kernel";

void Kernel::writeTo(Operation *declaration) const {
  Builder builder(declaration->getContext());
  declaration->setAttr(kernelAttr,
                       builder.getDictionaryAttr({
                           builder.getNamedAttr("block_size", builder.getDenseI32ArrayAttr(blockSize)),
                           builder.getNamedAttr("checked", builder.getBoolAttr(checked)),
                           builder.getNamedAttr("cluster_size", builder.getDenseI32ArrayAttr(clusterSize)),
                           builder.getNamedAttr("cooperative", builder.getBoolAttr(cooperative)),
                           builder.getNamedAttr("resident_clusters", builder.getI32IntegerAttr(residentClusters)),
                           builder.getNamedAttr("shared_bytes", builder.getI64IntegerAttr(sharedBytes)),
                           builder.getNamedAttr("stack_bytes", builder.getI64IntegerAttr(stackBytes)),
                           builder.getNamedAttr("thunk", thunk),
                       }));
}

std::optional<Kernel> Kernel::readFrom(Operation *declaration) {
  auto attributes = declaration->getAttrOfType<DictionaryAttr>(kernelAttr);
  if (!attributes)
    return std::nullopt;
  // The input may contain it, so verify its form.
  auto thunk = attributes.getAs<FlatSymbolRefAttr>("thunk");
  auto shared = attributes.getAs<IntegerAttr>("shared_bytes"), stack = attributes.getAs<IntegerAttr>("stack_bytes");
  auto cooperative = attributes.getAs<BoolAttr>("cooperative"), checked = attributes.getAs<BoolAttr>("checked");
  auto resident = attributes.getAs<IntegerAttr>("resident_clusters");
  auto blockSize = attributes.getAs<DenseI32ArrayAttr>("block_size");
  if (!thunk || !shared || !stack || !cooperative || !checked || !resident || !blockSize ||
      (blockSize.size() != 0 && blockSize.size() != 3))
    return std::nullopt;
  auto clusterSize = attributes.getAs<DenseI32ArrayAttr>("cluster_size");
  if (!clusterSize || (clusterSize.size() != 0 && clusterSize.size() != 3))
    return std::nullopt;
  return Kernel{thunk,
                shared.getInt(),
                stack.getInt(),
                cooperative.getValue(),
                checked.getValue(),
                int32_t(resident.getInt()),
                SmallVector<int32_t>(blockSize.asArrayRef()),
                SmallVector<int32_t>(clusterSize.asArrayRef())};
}

LogicalResult rnn::simt::moveToHost(gpu::GPUModuleOp module, EntryBuilder &entries, bool check) {
  DataLayout layout(entries.getModule());
  SharedLayout shared(module, layout);
  ModuleOp host = entries.getModule();
  SmallVector<Operation *> contents;
  for (Operation &op : *module.getBody())
    contents.push_back(&op);

  // Names are unique within a gpu.module only.
  llvm::StringMap<std::string> names;
  for (Operation *op : contents) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol)
      continue;
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    names[symbol.getName()] = function && function.isExternal()
                                  ? symbol.getName().str()
                                  : entries.uniqueName((module.getName() + "__" + symbol.getName()).str());
  }
  SmallVector<LLVM::LLVMFuncOp> functions;
  SmallVector<LLVM::GlobalOp> globals;
  for (Operation *op : contents) {
    if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
      if (!SharedLayout::isShared(global))
        globals.push_back(global);
      continue;
    }
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function)
      return op->emitOpError("cannot be emulated on target simt: it was not lowered to the NVVM dialect");
    if (!function.isExternal())
      functions.push_back(function);
  }
  SmallVector<std::pair<LLVM::LLVMFuncOp, Kernel>> kernels;
  for (LLVM::LLVMFuncOp function : functions) {
    std::string name = function.getName().str();
    function->remove();
    function.setName(names[name]);
    function.setLinkage(LLVM::Linkage::Internal);
    function.setPrivate();
    host.push_back(function);
    redirectSymbols(function, shared, names, entries);
    poisonUndefined(function, entries);
    if (check)
      addAccessChecks(function, entries);
    addYields(function, entries);
    // Casts last: an error at the op that was not lowered is more useful than one at the casts around it.
    SmallVector<Operation *> ops, casts;
    function.getBody().walk([&](Operation *op) { (isa<UnrealizedConversionCastOp>(op) ? casts : ops).push_back(op); });
    ops.append(casts);
    for (Operation *op : ops)
      if (failed(rewriteOp(op, entries)))
        return failure();
    bool isKernel = SharedLayout::isKernel(function);
    Kernel kernel;
    kernel.sharedBytes = shared.getBytes(function);
    kernel.cooperative = function->hasAttr(rnngpu::RNNGPUDialect::getCooperativeAttrName());
    kernel.checked = check;
    if (auto items = function->getAttrOfType<IntegerAttr>(rnngpu::RNNGPUDialect::getResidentClustersAttrName()))
      kernel.residentClusters = int32_t(items.getInt());
    kernel.blockSize = getSizes(function, {"nvvm.reqntid", "gpu.known_block_size", "nvvm.maxntid"});
    kernel.clusterSize = getSizes(function, {"nvvm.cluster_dim", "gpu.known_cluster_size"});
    // Launches refer to this symbol; the declaration records the function on the host.
    LLVM::LLVMFuncOp declaration;
    if (isKernel) {
      OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
      declaration = LLVM::LLVMFuncOp::create(builder, function.getLoc(), name, function.getFunctionType());
      declaration->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    }
    SmallVector<StringAttr> drop;
    for (NamedAttribute attribute : function->getDiscardableAttrs())
      if (StringRef dialect = attribute.getNameDialect() ? attribute.getNameDialect()->getNamespace() : "";
          dialect == "gpu" || dialect == "nvvm" || dialect == "rnn" || dialect == "rnngpu")
        drop.push_back(attribute.getName());
    for (StringAttr attribute : drop)
      function->removeAttr(attribute);
    flattenAddressSpaces(function, entries);
    if (isKernel) {
      kernel.thunk = FlatSymbolRefAttr::get(makeThunk(function, entries));
      kernels.push_back({declaration, std::move(kernel)});
    }
  }
  int64_t stackBytes = getStackBytes(functions, layout);
  for (auto &[declaration, kernel] : kernels) {
    kernel.stackBytes = stackBytes;
    kernel.writeTo(declaration);
  }
  for (LLVM::GlobalOp global : globals) {
    global->remove();
    global.setSymName(names[global.getSymName()]);
    global.setAddrSpace(0);
    host.getBody()->push_front(global);
  }
  for (LLVM::LLVMFuncOp function : functions)
    if (failed(checkCalls(function, entries)))
      return failure();
  return success();
}
