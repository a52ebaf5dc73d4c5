//===- SharedLayers.cpp - one function for identical layers ------------------===//
//
// The loops of a layer depend on its attributes, the types of its operands, and operands that are constants. Modules
// with many layers of one shape would otherwise contain, and LLVM would compile, the same loops many times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLayers.h"
#include "../Common/LayerLowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::rnn;

/// An operand that the function contains instead of taking it as an argument: loops are specialized for constants, and
/// the packed weights of a constant belong to the module.
static Operation *getConstantOp(Value operand) {
  Operation *op = operand.getDefiningOp();
  return op && isa<arith::ConstantOp, memref::GetGlobalOp>(op) ? op : nullptr;
}

/// Equal for layers with the same loops.
static ArrayAttr getKey(Operation *op) {
  SmallVector<Attribute> parts = {op->getName().getIdentifier(), op->getAttrDictionary()};
  for (Value operand : op->getOperands()) {
    parts.push_back(TypeAttr::get(operand.getType()));
    if (Operation *constant = getConstantOp(operand))
      parts.push_back(constant->getAttrDictionary());
  }
  return ArrayAttr::get(op->getContext(), parts);
}

/// The results of a layer are allocated before its call, so all checks that their sizes depend on must be at the call.
/// The size of `params`, which is that of its gradient unless the op has offsets, is checked in the function.
static bool canShare(Operation *op, ModuleOp module) {
  if (SymbolTable::getNearestSymbolTable(op) != module)
    return false;
  auto backprop = dyn_cast<CudnnBackpropOp>(op);
  return !backprop || !backprop.getParamsBackpropOut() || backprop.getParamsOffsets() ||
         cast<MemRefType>(backprop.getParams().getType()).hasStaticShape();
}

/// Creates a function with a copy of the layer. Returns the copy.
static Operation *createFunction(Operation *op, SymbolTable &symbols) {
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (!getConstantOp(operand))
      inputs.push_back(operand);
  OpBuilder b(op->getContext());
  Location loc = op->getLoc();
  std::string name = "rnn_layer_" + op->getName().stripDialect().str();
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(TypeRange(ValueRange(inputs)), {}));
  function.setPrivate();
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  symbols.insert(function);
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  IRMapping mapping;
  // By position: a layer may have the same buffer as two operands, and another one of its kind two buffers.
  SmallVector<Value> operands;
  unsigned next = 0;
  for (Value operand : op->getOperands()) {
    Operation *constant = getConstantOp(operand);
    operands.push_back(constant ? b.clone(*constant)->getResult(0) : Value(block->getArgument(next++)));
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  func::ReturnOp::create(b, loc);
  return copy;
}

/// Emits the run-time checks of `op`. Returns whether all hold, or null if there are none.
static Value createChecks(OpBuilder &b, LayerOpInterface op) {
  Location loc = op.getLoc();
  Value call = rnnrt::CurrentCallOp::create(b, loc, rnnrt::CallType::get(b.getContext())), isValid;
  SymbolicDims dims(b, op);
  auto require = [&](Value condition) {
    isValid = isValid ? b.createOrFold<arith::AndIOp>(loc, isValid, condition) : condition;
  };
  dims.check(op, call);
  for (auto [actual, expected] : dims.getComparisons())
    require(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, actual, expected));
  auto checkSteps = [&](auto block) {
    if (!block || !block.getSeqLenMax())
      return;
    Value T = dims["T"], steps = checkSeqLenMax(b, block, call, T), zero = arith::ConstantIndexOp::create(b, loc, 0);
    require(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, steps, zero));
    require(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, steps, T));
  };
  checkSteps(dyn_cast<BlockLSTMOp>(op.getOperation()));
  checkSteps(dyn_cast<BlockLSTMGradOp>(op.getOperation()));
  return isValid;
}

static void replaceByCall(Operation *op, func::FuncOp function) {
  OpBuilder b(op);
  Value isValid = createChecks(b, cast<LayerOpInterface>(op));
  if (isValid) {
    auto choice = scf::IfOp::create(b, op->getLoc(), isValid, /*withElseRegion=*/false);
    b.setInsertionPointToStart(choice.thenBlock());
  }
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (!getConstantOp(operand))
      inputs.push_back(operand);
  func::CallOp::create(b, op->getLoc(), function, inputs);
  op->erase();
}

void host::shareLayers(ModuleOp module, SmallVectorImpl<Operation *> &ops) {
  llvm::MapVector<ArrayAttr, SmallVector<Operation *>> groups;
  SmallVector<Operation *> kept;
  for (Operation *op : ops) {
    if (canShare(op, module))
      groups[getKey(op)].push_back(op);
    else
      kept.push_back(op);
  }
  SymbolTable symbols(module);
  for (auto &[key, group] : groups) {
    if (group.size() == 1) {
      kept.push_back(group.front());
      continue;
    }
    Operation *copy = createFunction(group.front(), symbols);
    auto function = copy->getParentOfType<func::FuncOp>();
    for (Operation *op : group)
      replaceByCall(op, function);
    kept.push_back(copy);
  }
  ops.assign(kept.begin(), kept.end());
}
