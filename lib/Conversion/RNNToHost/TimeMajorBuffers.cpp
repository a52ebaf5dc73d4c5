//===- TimeMajorBuffers.cpp - time-major buffers of batch-major layers -------===//
//
// A step of batch-major data has one row per example, each in another page. Few of these rows are in the TLB, and the
// hardware prefetcher does not cross pages. Sequences that no other op accesses do not have that order in memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeMajorBuffers.h"
#include "../Common/LayerLowering.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

/// The numbers of the operands that are batch-major views of time-major buffers.
static constexpr StringLiteral timeMajorAttr = "rnn.time_major_operands";

static ArrayRef<int64_t> getTimeMajorOperands(Operation *op) {
  auto operands = op->getAttrOfType<DenseI64ArrayAttr>(timeMajorAttr);
  return operands ? operands.asArrayRef() : ArrayRef<int64_t>();
}

bool host::isTimeMajorBuffer(OpOperand &operand) {
  return llvm::is_contained(getTimeMajorOperands(operand.getOwner()), operand.getOperandNumber());
}

/// Whether an operand is a sequence with features: `[T, B, ...]`.
static bool isSequence(OpOperand &operand) {
  auto layer = cast<LayerOpInterface>(operand.getOwner());
  const OpSignature &signature = layer.getSignature();
  auto contains = [&](unsigned index) {
    OperandRange values = layer.getOperandsOf(index);
    unsigned first = values.empty() ? 0 : values.getBeginOperandIndex();
    return operand.getOperandNumber() >= first && operand.getOperandNumber() < first + values.size();
  };
  for (auto [index, spec] : llvm::enumerate(signature.operands))
    if (contains(index))
      return spec.isSequence();
  for (auto [index, spec] : llvm::enumerate(signature.results))
    if (contains(signature.outIndex(index)))
      return spec.isSequence();
  return false;
}

static bool canChange(memref::AllocOp alloc, const SmallPtrSetImpl<Operation *> &layers) {
  MemRefType type = alloc.getType();
  // If there is one step or one example, both orders are the same.
  if (type.getRank() != 3 || !type.getLayout().isIdentity() || type.getDimSize(0) == 1 || type.getDimSize(1) == 1)
    return false;
  return llvm::all_of(alloc->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<memref::DeallocOp, memref::DimOp>(user))
      return true;
    return layers.contains(user) && user->hasAttr("batch_major") && isSequence(use);
  });
}

static void change(memref::AllocOp alloc) {
  OpBuilder b(alloc);
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[0], shape[1]);
  SmallVector<Value> sizes(alloc.getDynamicSizes());
  if (type.isDynamicDim(0) && type.isDynamicDim(1))
    std::swap(sizes[0], sizes[1]);
  auto changedType = MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value buffer = memref::AllocOp::create(b, loc, changedType, sizes, alloc.getAlignmentAttr());
  Value view = transposeSequence(b, loc, buffer);
  for (OpOperand &use : llvm::make_early_inc_range(alloc->getUses())) {
    Operation *user = use.getOwner();
    use.set(isa<memref::DeallocOp>(user) ? buffer : view);
    if (isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    SmallVector<int64_t> operands(getTimeMajorOperands(user));
    operands.push_back(use.getOperandNumber());
    llvm::sort(operands); // equal for layers with equal operands, which share a function
    user->setAttr(timeMajorAttr, b.getDenseI64ArrayAttr(operands));
  }
  alloc.erase();
}

void host::makeBuffersTimeMajor(ArrayRef<Operation *> ops) {
  SmallPtrSet<Operation *, 8> layers(llvm::from_range, ops);
  SetVector<Operation *> allocs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (auto alloc = operand.getDefiningOp<memref::AllocOp>(); alloc && canChange(alloc, layers))
        allocs.insert(alloc);
  for (Operation *alloc : allocs)
    change(cast<memref::AllocOp>(alloc));
}

Value host::getTimeMajorView(OpBuilder &b, Location loc, OpOperand &operand) {
  if (isTimeMajorBuffer(operand))
    if (auto view = operand.get().getDefiningOp<memref::TransposeOp>())
      return view.getIn();
  return transposeSequence(b, loc, operand.get());
}
