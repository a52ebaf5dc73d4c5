//===- CopyStridedCasts.cpp - dense copies of buffers of unknown layout -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCOPYSTRIDEDCASTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Marks casts of the program, which states that the buffers are dense.
static constexpr StringLiteral statedAttrName = "rnn.stated";

/// Whether a buffer of another or of unknown layout becomes a dense one.
static bool claimsDense(memref::CastOp op) {
  auto source = dyn_cast<MemRefType>(op.getSource().getType()), result = dyn_cast<MemRefType>(op.getType());
  return source && result && result.getLayout().isIdentity() && !source.getLayout().isIdentity() &&
         !source.areTrailingDimsContiguous(source.getRank());
}

static void copy(memref::CastOp op) {
  IRRewriter b(op);
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(op.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, op.getLoc(), op.getSource(), dim));
  constexpr int64_t alignment = 64; // the default of BufferizationOptions::bufferAlignment
  Value dense = memref::AllocOp::create(b, op.getLoc(), type, sizes, b.getI64IntegerAttr(alignment));
  memref::CopyOp::create(b, op.getLoc(), op.getSource(), dense);
  b.replaceOp(op, dense);
}

namespace {
struct CopyStridedCasts : public rnn::impl::RNNCopyStridedCastsPassBase<CopyStridedCasts> {
  using RNNCopyStridedCastsPassBase::RNNCopyStridedCastsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](memref::CastOp op) {
      if (!claimsDense(op))
        return;
      if (mark)
        op->setDiscardableAttr(statedAttrName, UnitAttr::get(&getContext()));
      else if (!op->removeDiscardableAttr(statedAttrName))
        copy(op);
    });
  }
};
} // namespace
