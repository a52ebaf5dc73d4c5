//===- RNNGPUDialect.cpp - the rnngpu dialect and its ops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "rnn/Dialect/RNNGPU/IR/RNNGPU.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnngpu;

#include "rnn/Dialect/RNNGPU/IR/RNNGPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNNGPU/IR/RNNGPUAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "rnn/Dialect/RNNGPU/IR/RNNGPUOps.cpp.inc"

void RNNGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "rnn/Dialect/RNNGPU/IR/RNNGPUOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rnn/Dialect/RNNGPU/IR/RNNGPUAttrs.cpp.inc"
      >();
}

LogicalResult RNNGPUDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name != getCooperativeAttrName() && name != getProgrammaticAttrName() && name != getResidentClustersAttrName())
    return op->emitOpError("has an unknown attribute `") << name << "` of the rnngpu dialect";
  if (name == getResidentClustersAttrName()) {
    auto items = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!items || !items.getType().isInteger(32) || items.getInt() < 1 || items.getInt() > 255)
      return op->emitOpError("expects `") << name << "` to be an i32 in [1, 255], but got " << attribute.getValue();
  } else if (!isa<UnitAttr>(attribute.getValue())) {
    return op->emitOpError("expects `") << name << "` to be a unit attribute, but got " << attribute.getValue();
  }
  if (!isa<gpu::LaunchOp, gpu::GPUFuncOp, LLVM::LLVMFuncOp>(op))
    return op->emitOpError("cannot have `") << name << "`; set it on gpu.launch, or on the function of the kernel";
  if (auto function = dyn_cast<gpu::GPUFuncOp>(op); function && !function.isKernel())
    return op->emitOpError("expects to be a kernel, since it has `") << name << "`";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult StoreAsyncOp::verify() {
  if (getValues().empty() || !llvm::all_equal(getValues().getTypes()))
    return emitOpError("expects one or more `values` of one type, but got ") << getValues().getTypes() << " [S1]";
  if (unsigned bytes = getBytes(); bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError("expects `values` of 4, 8 or 16 bytes together, but got ") << bytes << " [S1]";
  return success();
}

void StoreAsyncOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getAddressMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBarrierMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBarrierMutable());
}

std::string StoreAsyncOp::getPTX() {
  unsigned count = getValues().size();
  Type type = getValues().front().getType();
  std::string values;
  for (unsigned index = 1; index <= count; ++index)
    values += (index == 1 ? "$" : ", $") + std::to_string(index);
  if (count > 1)
    values = "{" + values + "}";
  return "st.async.shared::cluster.mbarrier::complete_tx::bytes" +
         (count > 1 ? ".v" + std::to_string(count) : std::string()) + (isa<FloatType>(type) ? ".f" : ".b") +
         std::to_string(type.getIntOrFloatBitWidth()) + " [$0], " + values + ", [$" + std::to_string(count + 1) + "];";
}
