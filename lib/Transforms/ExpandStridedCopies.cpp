//===- ExpandStridedCopies.cpp - convert strided memref copies to loops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNEXPANDSTRIDEDCOPIESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Whether the LLVM lowering of memref.copy makes one memcpy of a copy between such buffers.
static bool isContiguous(MemRefType type) {
  return type.getLayout().isIdentity() || memref::isStaticShapeAndContiguousRowMajor(type);
}

/// The address of the element at `indices`; missing indices are zero.
static Value getAddress(ImplicitLocOpBuilder &b, Value buffer, ValueRange indices, Value elementBytes) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), value); };
  Value offset = toValue(metadata.getConstifiedMixedOffset());
  for (auto [index, stride] : llvm::zip(indices, metadata.getConstifiedMixedStrides()))
    offset = arith::AddIOp::create(b, offset, arith::MulIOp::create(b, index, toValue(stride)));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value address = arith::AddIOp::create(b, base, arith::MulIOp::create(b, offset, elementBytes));
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), integer);
}

/// Copies the trailing dimensions that are contiguous in both buffers by one memcpy, in loops over the others. Fails if
/// there are none.
static LogicalResult copyRuns(memref::CopyOp copy) {
  auto source = cast<MemRefType>(copy.getSource().getType()), target = cast<MemRefType>(copy.getTarget().getType());
  int64_t rank = source.getRank();
  int64_t inner = std::min(source.getNumContiguousTrailingDims(), target.getNumContiguousTrailingDims());
  if (inner == 0)
    return failure();
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  auto sizeOf = [&](int64_t dim) { return b.createOrFold<memref::DimOp>(copy.getSource(), dim); };
  uint64_t bytes = DataLayout::closest(copy).getTypeSize(source.getElementType());
  Value elementBytes = arith::ConstantIndexOp::create(b, bytes), length = elementBytes;
  for (int64_t dim = rank - inner; dim < rank; ++dim)
    length = arith::MulIOp::create(b, length, sizeOf(dim));
  length = arith::IndexCastOp::create(b, b.getI64Type(), length);
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < rank - inner; ++dim) {
    auto loop = scf::ForOp::create(b, zero, sizeOf(dim), one);
    indices.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  LLVM::MemcpyOp::create(b, getAddress(b, copy.getTarget(), indices, elementBytes),
                         getAddress(b, copy.getSource(), indices, elementBytes), length, /*isVolatile=*/false);
  copy.erase();
  return success();
}

namespace {
struct ExpandStridedCopies : public rnn::impl::RNNExpandStridedCopiesPassBase<ExpandStridedCopies> {
  using RNNExpandStridedCopiesPassBase::RNNExpandStridedCopiesPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](memref::CopyOp copy) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      if (!source || !target || (isContiguous(source) && isContiguous(target)) || (loops && succeeded(copyRuns(copy))))
        return;
      IRRewriter rewriter(copy);
      linalg::GenericOp generic = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
      rewriter.setInsertionPoint(generic);
      if (loops && succeeded(linalg::linalgOpToLoops(rewriter, generic)))
        rewriter.eraseOp(generic);
    });
  }
};
} // namespace
