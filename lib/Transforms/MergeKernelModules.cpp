//===- MergeKernelModules.cpp - one gpu module for all kernels ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "rnn/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNMERGEKERNELMODULESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Renames `kernel` if `kernels` has its name already.
static void makeUnique(gpu::GPUFuncOp kernel, const SymbolTable &kernels) {
  std::string plain = kernel.getName().str(), unique = plain;
  for (unsigned number = 0; kernels.lookup(unique); ++number)
    unique = plain + "_" + std::to_string(number);
  kernel.setName(unique);
}

/// Asynchronous copies and ldmatrix need addresses aligned to 16 bytes; by default LLVM uses the alignment of the
/// element type.
static void alignBuffers(gpu::GPUFuncOp kernel) {
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  for (unsigned index = 0; index < kernel.getNumWorkgroupAttributions(); ++index)
    if (!kernel.getWorkgroupAttributionAttr(index, name))
      kernel.setWorkgroupAttributionAttr(index, name, Builder(kernel.getContext()).getI64IntegerAttr(16));
}

/// The cluster size; none if the launch has no clusters or a dimension is not constant.
static std::optional<std::array<int32_t, 3>> getClusterSize(gpu::LaunchFuncOp launch) {
  if (!launch.hasClusterSize())
    return std::nullopt;
  gpu::KernelDim3 size = launch.getClusterSizeOperandValues();
  std::optional<int64_t> x = getConstantIntValue(size.x), y = getConstantIntValue(size.y),
                         z = getConstantIntValue(size.z);
  if (!x || !y || !z)
    return std::nullopt;
  return std::array{int32_t(*x), int32_t(*y), int32_t(*z)};
}

/// Sets `known_cluster_size` of kernels whose launches all have the same constant cluster size. Outlining does not copy
/// the size from the launch, and the driver needs it to report how many clusters fit.
static void setClusterSizes(ModuleOp module) {
  llvm::MapVector<gpu::GPUFuncOp, std::optional<std::array<int32_t, 3>>> sizes;
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, launch.getKernelAttr());
    if (!kernel || kernel.getKnownClusterSizeAttr())
      return;
    auto size = getClusterSize(launch);
    auto [entry, isFirst] = sizes.insert({kernel, size});
    if (!isFirst && entry->second != size)
      entry->second = std::nullopt;
  });
  for (auto &[kernel, size] : sizes)
    if (size)
      gpu::GPUFuncOp(kernel).setKnownClusterSizeAttr(Builder(module.getContext()).getDenseI32ArrayAttr(*size));
}

namespace {
struct MergeKernelModules : public rnn::impl::RNNMergeKernelModulesPassBase<MergeKernelModules> {
  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (!module.getTargetsAttr() && llvm::all_of(module.getOps(), llvm::IsaPred<gpu::GPUFuncOp>))
        modules.push_back(module);
    for (gpu::GPUModuleOp module : modules)
      module.walk(alignBuffers);
    setClusterSizes(getOperation());
    if (modules.size() < 2)
      return;
    gpu::GPUModuleOp target = modules.front();
    SymbolTable kernels(target);
    // Old kernel symbol to new kernel symbol.
    DenseMap<SymbolRefAttr, SymbolRefAttr> moved;
    for (gpu::GPUModuleOp module : llvm::drop_begin(modules)) {
      for (auto kernel : llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
        auto from = SymbolRefAttr::get(module.getNameAttr(), {SymbolRefAttr::get(kernel.getNameAttr())});
        kernel->remove();
        makeUnique(kernel, kernels);
        StringAttr name = kernels.insert(kernel);
        moved[from] = SymbolRefAttr::get(target.getNameAttr(), {SymbolRefAttr::get(name)});
      }
      module.erase();
    }
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (SymbolRefAttr to = moved.lookup(launch.getKernel()))
        launch.setKernelAttr(to);
    });
  }
};
} // namespace
