//===- HostCode.cpp - launches and memory of the GPU in host code ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/IR/Builders.h"
#include "rnn_runtime/abi.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::rnn::simt;

static Value widen(OpBuilder &builder, Location loc, Value value, EntryBuilder &entries) {
  if (value.getType() == entries.i64)
    return value;
  return LLVM::ZExtOp::create(builder, loc, entries.i64, value);
}

static LogicalResult convertLaunch(gpu::LaunchFuncOp launch, EntryBuilder &entries) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  std::string name = (launch.getKernelModuleName().getValue() + "::" + launch.getKernelName().getValue()).str();
  Operation *declaration = SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  std::optional<Kernel> found = declaration ? Kernel::readFrom(declaration) : std::nullopt;
  if (!found)
    return launch.emitOpError("launches `") << name << "`, which is not a kernel of a gpu.module here";
  const Kernel &kernel = *found;

  unsigned count = launch.getNumKernelOperands();
  for (Type type : launch.getKernelOperands().getTypes())
    if (!LLVM::isCompatibleType(type))
      return launch.emitOpError("has an argument of type ")
             << type << ", which has to be lowered first; run gpu-to-llvm before simt-to-host";
  // In one struct, which the runtime can copy.
  Type type =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(launch.getKernelOperands().getTypes()));
  Value packed = entries.slot(launch, type);
  Value arguments = entries.slot(launch, LLVM::LLVMArrayType::get(entries.pointer, std::max(count, 1u)));
  for (unsigned index = 0; index < count; ++index) {
    Value value = launch.getKernelOperand(index);
    Value place = LLVM::GEPOp::create(builder, loc, entries.pointer, type, packed,
                                      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, value, place);
    Value element = LLVM::GEPOp::create(builder, loc, entries.pointer, entries.pointer, arguments,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, place, element);
  }
  // The address of the second element of an array at address zero.
  auto getBytes = [&](Type type) {
    Value end =
        LLVM::GEPOp::create(builder, loc, entries.pointer, type, entries.null(builder, loc), ArrayRef<LLVM::GEPArg>{1});
    return LLVM::PtrToIntOp::create(builder, loc, entries.i64, end).getResult();
  };
  auto size = [&](Value value) { return widen(builder, loc, value, entries); };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(), block = launch.getBlockSizeOperandValues();
  Value dynamic = launch.getDynamicSharedMemorySize() ? size(launch.getDynamicSharedMemorySize())
                                                      : entries.constant64(builder, loc, 0);
  auto required = [&](unsigned dim) {
    return entries.constant32(builder, loc, kernel.blockSize.empty() ? 0 : kernel.blockSize[dim]);
  };
  Value function = LLVM::AddressOfOp::create(builder, loc, entries.pointer, kernel.thunk.getValue());
  // The flags of rnnrt_abi_simt_launch.
  Value flags = entries.constant32(
      builder, loc, kernel.cooperative | kernel.checked << 1 | kernel.residentClusters << RNNRT_LAUNCH_ITEMS_SHIFT);
  SmallVector<Value> values{function, entries.string(builder, loc, name), entries.site(builder, launch), flags};
  bool hasClusters = launch.hasClusterSize() || !kernel.clusterSize.empty();
  if (hasClusters) {
    auto requiredCluster = [&](unsigned dim) { return kernel.clusterSize.empty() ? 0 : kernel.clusterSize[dim]; };
    if (launch.hasClusterSize()) {
      gpu::KernelDim3 cluster = launch.getClusterSizeOperandValues();
      values.append({size(cluster.x), size(cluster.y), size(cluster.z)});
    } else { // the size for which the kernel is compiled
      for (unsigned dim = 0; dim < 3; ++dim)
        values.push_back(entries.constant64(builder, loc, requiredCluster(dim)));
    }
    for (unsigned dim = 0; dim < 3; ++dim)
      values.push_back(entries.constant32(builder, loc, requiredCluster(dim)));
  }
  values.append({size(grid.x), size(grid.y), size(grid.z), size(block.x), size(block.y), size(block.z), required(0),
                 required(1), required(2), entries.constant64(builder, loc, kernel.sharedBytes), dynamic,
                 entries.constant64(builder, loc, kernel.stackBytes), arguments,
                 entries.constant32(builder, loc, int32_t(count)), getBytes(type)});
  entries.call(builder, loc, hasClusters ? "rnnrt_abi_simt_launch_clusters" : "rnnrt_abi_simt_launch", values);
  if (Value token = launch.getAsyncToken())
    token.replaceAllUsesWith(launch.getAsyncObject() ? launch.getAsyncObject() : entries.null(builder, loc));
  launch.erase();
  return success();
}

/// Converts a call of the upstream GPU runtime. A launch has ended when it returns, so streams and events are dropped.
static LogicalResult convertRuntimeCall(LLVM::CallOp call, StringRef name, EntryBuilder &entries) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  OperandRange arguments = call.getArgOperands();
  auto replace = [&](Value value) {
    if (call.getNumResults())
      call.getResult().replaceAllUsesWith(value ? value : entries.null(builder, loc));
    call.erase();
    return success();
  };
  auto to32 = [&](Value value) -> Value {
    return value.getType() == entries.i32 ? value : LLVM::ZExtOp::create(builder, loc, entries.i32, value).getResult();
  };
  if (llvm::is_contained({"mgpuStreamCreate", "mgpuStreamDestroy", "mgpuStreamSynchronize", "mgpuStreamWaitEvent",
                          "mgpuEventCreate", "mgpuEventDestroy", "mgpuEventSynchronize", "mgpuEventRecord",
                          "mgpuSetDefaultDevice", "mgpuMemHostRegisterMemRef", "mgpuMemHostUnregisterMemRef",
                          "mgpuMemHostRegister", "mgpuMemHostUnregister"},
                         name))
    return replace({});
  if (name == "mgpuMemAlloc")
    return replace(entries.call(builder, loc, "rnnrt_abi_simt_alloc", {arguments[0]}));
  if (name == "mgpuMemFree")
    return replace(entries.call(builder, loc, "rnnrt_abi_simt_free", {arguments[0]}));
  if (name == "mgpuMemcpy")
    return replace(entries.call(builder, loc, "rnnrt_abi_simt_copy", {arguments[0], arguments[1], arguments[2]}));
  if (name == "mgpuMemset32" || name == "mgpuMemset16")
    return replace(entries.call(builder, loc, "rnnrt_abi_simt_fill",
                                {arguments[0], to32(arguments[1]), arguments[2],
                                 entries.constant32(builder, loc, name == "mgpuMemset32" ? 4 : 2)}));
  return call.emitOpError("cannot be emulated on target simt: it calls `") << name << "` of upstream's GPU runtime";
}

LogicalResult rnn::simt::convertHostCode(EntryBuilder &entries) {
  ModuleOp module = entries.getModule();
  SmallVector<gpu::LaunchFuncOp> launches;
  SmallVector<LLVM::CallOp> calls;
  module.walk([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      launches.push_back(launch);
    else if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee() && call.getCallee()->starts_with("mgpu"))
      calls.push_back(call);
  });
  for (gpu::LaunchFuncOp launch : launches) {
    if (!launch->getParentOfType<LLVM::LLVMFuncOp>())
      return launch.emitOpError("is in a function that is not lowered; run gpu-to-llvm before simt-to-host");
    if (failed(convertLaunch(launch, entries)))
      return failure();
  }
  for (LLVM::CallOp call : calls) {
    std::string name = call.getCallee()->str();
    if (failed(convertRuntimeCall(call, name, entries)))
      return failure();
  }
  // Declarations without callers.
  for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
    if (function.isExternal() && function.getName().starts_with("mgpu"))
      function.erase();
  return success();
}
