//===- ConvertUpstreamDialects.cpp - tosa, shape and ml_program ops ----------===//
//
// Upstream's bufferization of ml_program returns the memory of a global for a load, which a later store changes. So
// globals are converted here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTUPSTREAMDIALECTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

static void addTosaPasses(OpPassManager &pm) {
  // First, since tosa-to-linalg refuses the ops of variables.
  pm.addPass(createTosaToMLProgram());
  // Without validation: that is a check against a profile of hardware.
  tosa::addTosaToLinalgPasses(pm, TosaToLinalgOptions(), TosaToLinalgNamedOptions(), std::nullopt);
  TosaToArithPassOptions arith;
  arith.includeApplyRescale = true;
  pm.addNestedPass<func::FuncOp>(createTosaToArithPass(arith));
  pm.addNestedPass<func::FuncOp>(createTosaToTensorPass());
  pm.addNestedPass<func::FuncOp>(createTosaToSCFPass());
  // Removes the constant shapes of reshapes.
  pm.addPass(createCanonicalizerPass());
}

static void addShapePasses(OpPassManager &pm) {
  pm.addPass(createConvertShapeConstraintsPass());
  // Inlines the regions of constraints.
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createShapeToShapeLoweringPass());
  pm.addPass(createConvertShapeToStandardPass());
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

namespace {
/// The accesses of one global, in the order of the module.
struct GlobalUses {
  ml_program::GlobalOp global;
  SmallVector<Operation *> loads;
  SmallVector<ml_program::GlobalStoreOp> stores;
};
} // namespace

/// Collects the accesses that this file converts. Graph ops stay, as do accesses of unknown globals.
static llvm::MapVector<Operation *, GlobalUses> collectGlobals(ModuleOp module) {
  llvm::MapVector<Operation *, GlobalUses> uses;
  for (auto global : module.getOps<ml_program::GlobalOp>())
    uses[global].global = global;
  SymbolTableCollection symbols;
  auto find = [&](Operation *op, SymbolRefAttr name) -> GlobalUses * {
    auto global = symbols.lookupNearestSymbolFrom<ml_program::GlobalOp>(op, name);
    auto found = uses.find(global);
    return found == uses.end() ? nullptr : &found->second;
  };
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op)) {
      if (GlobalUses *found = find(op, load.getGlobalAttr()))
        found->loads.push_back(op);
    } else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op)) {
      if (GlobalUses *found = find(op, load.getGlobalAttr()))
        found->loads.push_back(op);
    } else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
      if (GlobalUses *found = find(op, store.getGlobalAttr()))
        found->stores.push_back(store);
    }
  });
  return uses;
}

static void replaceByConstants(const GlobalUses &uses, TypedAttr value) {
  for (Operation *load : uses.loads) {
    OpBuilder b(load);
    Type type = load->getResult(0).getType();
    Value constant = arith::ConstantOp::create(b, load->getLoc(), value);
    if (constant.getType() != type)
      constant = tensor::CastOp::create(b, load->getLoc(), type, constant);
    load->getResult(0).replaceAllUsesWith(constant);
    load->erase();
  }
}

/// Loads and stores copy, so that no tensor is the memory of the global.
static void replaceByMemory(const GlobalUses &uses, ElementsAttr value) {
  ml_program::GlobalOp global = uses.global;
  auto tensorType = cast<RankedTensorType>(value.getType());
  auto type = MemRefType::get(tensorType.getShape(), tensorType.getElementType());
  StringAttr name = global.getSymNameAttr();
  OpBuilder b(global);
  memref::GlobalOp::create(b, global.getLoc(), name, b.getStringAttr("private"), TypeAttr::get(type), value,
                           /*constant=*/UnitAttr(),
                           /*alignment=*/IntegerAttr());
  auto getMemory = [&](Operation *op) -> Value {
    b.setInsertionPoint(op);
    return memref::GetGlobalOp::create(b, op->getLoc(), type, name);
  };
  for (Operation *load : uses.loads) {
    Value memory = getMemory(load), copy = memref::AllocOp::create(b, load->getLoc(), type);
    memref::CopyOp::create(b, load->getLoc(), memory, copy);
    Value result = bufferization::ToTensorOp::create(b, load->getLoc(), tensorType, copy, /*restrict=*/true,
                                                     /*writable=*/true);
    Type declared = load->getResult(0).getType();
    if (declared != tensorType)
      result = tensor::CastOp::create(b, load->getLoc(), declared, result);
    load->getResult(0).replaceAllUsesWith(result);
    load->erase();
  }
  for (ml_program::GlobalStoreOp store : uses.stores) {
    Value memory = getMemory(store), stored = store.getValue();
    if (stored.getType() != tensorType)
      stored = tensor::CastOp::create(b, store.getLoc(), tensorType, stored);
    auto materialize = bufferization::MaterializeInDestinationOp::create(b, store.getLoc(), stored, memory);
    materialize.setWritable(true);
    store.erase();
  }
}

static LogicalResult convertGlobal(const GlobalUses &uses, TargetAttr target) {
  ml_program::GlobalOp global = uses.global;
  std::optional<Attribute> initial = global.getValue();
  auto value = dyn_cast_or_null<TypedAttr>(initial.value_or(Attribute()));
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (uses.loads.empty() && uses.stores.empty()) {
    // A remaining use, which SymbolTable finds, is that of another op.
    if (SymbolTable::symbolKnownUseEmpty(global, global->getParentOp()))
      global.erase();
    return success();
  }
  if (!value || isa<ml_program::ExternAttr>(value)) {
    return global.emitOpError("`")
           << global.getSymName()
           << "` is declared without a value, and compiled code has no values of other modules; "
              "write its value into the module, or pass it as an argument";
  }
  if (uses.stores.empty()) {
    replaceByConstants(uses, value);
  } else if (target && target.getKind() == TargetKind::Cuda) {
    InFlightDiagnostic diag =
        uses.stores.front()->emitOpError("changes the global `")
        << global.getSymName()
        << "`, but target `cuda` keeps no values between calls; pass the value as an argument and "
           "return the new one, or use target `host`";
    diag.attachNote(global.getLoc()) << "the global is here";
    return diag;
  } else if (!elements || !isa<RankedTensorType>(elements.getType())) {
    return global.emitOpError("`") << global.getSymName() << "` is stored to and has the type " << global.getType()
                                   << ", but only tensors can be stored; use a tensor of rank 0";
  } else {
    replaceByMemory(uses, elements);
  }
  global.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Replaces the sizes of dimensions that do not exist by zero. Upstream defines no value for them, and the
/// canonicalizer of MLIR 22 crashes on those of `memref.dim` with a negative dimension.
static void replaceUndefinedSizes(ModuleOp module) {
  SmallVector<Operation *> undefined;
  auto collect = [&](auto op) {
    auto type = dyn_cast<ShapedType>(op.getSource().getType());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (dim && type.hasRank() && (*dim < 0 || *dim >= type.getRank()))
      undefined.push_back(op);
  };
  module.walk([&](tensor::DimOp op) { collect(op); });
  module.walk([&](memref::DimOp op) { collect(op); });
  for (Operation *op : undefined) {
    OpBuilder b(op);
    op->replaceAllUsesWith(ValueRange{arith::ConstantIndexOp::create(b, op->getLoc(), 0)});
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertUpstreamDialects : public rnn::impl::RNNConvertUpstreamDialectsPassBase<ConvertUpstreamDialects> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    replaceUndefinedSizes(module);
    bool hasTosa = false, hasShape = false, hasGlobals = false;
    module.walk([&](Operation *op) {
      Dialect *dialect = op->getDialect();
      hasTosa |= isa_and_nonnull<tosa::TosaDialect>(dialect);
      hasShape |= isa_and_nonnull<shape::ShapeDialect>(dialect);
      hasGlobals |= isa_and_nonnull<ml_program::MLProgramDialect>(dialect);
    });
    if (!hasTosa && !hasShape && !hasGlobals)
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    if (hasTosa)
      addTosaPasses(pipeline);
    if (hasShape)
      addShapePasses(pipeline);
    if ((hasTosa || hasShape) && failed(runPipeline(pipeline, module)))
      return signalPassFailure();
    // After the variables of tosa have become globals.
    bool hasFailed = false;
    TargetAttr target = TargetAttr::lookup(module);
    for (auto &entry : collectGlobals(module))
      hasFailed |= failed(convertGlobal(entry.second, target));
    if (hasFailed)
      signalPassFailure();
  }
};
} // namespace
