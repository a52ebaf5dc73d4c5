//===- SelectCheckedCasts.cpp - checked casts without copies ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSELECTCHECKEDCASTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Replaces a branch between a cast buffer and a new one of zeros. The new one has no elements if the cast is valid.
static void convert(scf::IfOp choice) {
  auto type = dyn_cast<MemRefType>(choice.getType(0));
  auto isCast = [](Operation &op) { return isa<memref::CastOp>(op); };
  // Bufferization may have copied the tensor, to update the copy in place.
  if (!type || !llvm::all_of(choice.thenBlock()->without_terminator(), isCast))
    return;
  Value cast = choice.thenYield().getOperand(0), isValid = choice.getCondition();
  for (Operation &op : llvm::make_early_inc_range(choice.thenBlock()->without_terminator()))
    op.moveBefore(choice);

  IRRewriter b(choice);
  Location loc = choice.getLoc();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes;
  Value rows = type.isDynamicDim(0) ? memref::DimOp::create(b, loc, cast, 0).getResult()
                                    : arith::ConstantIndexOp::create(b, loc, shape[0]).getResult();
  sizes.push_back(arith::SelectOp::create(b, loc, isValid, arith::ConstantIndexOp::create(b, loc, 0), rows));
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, cast, dim));
  shape[0] = ShapedType::kDynamic;
  Value zeros = memref::AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()), sizes);
  if (TypedAttr zero = b.getZeroAttr(type.getElementType()))
    linalg::FillOp::create(b, loc, arith::ConstantOp::create(b, loc, zero).getResult(), zeros);
  zeros = memref::CastOp::create(b, loc, type, zeros);
  b.replaceOpWithNewOp<arith::SelectOp>(choice, isValid, cast, zeros);
}

namespace {
struct SelectCheckedCasts : public rnn::impl::RNNSelectCheckedCastsPassBase<SelectCheckedCasts> {
  using RNNSelectCheckedCastsPassBase::RNNSelectCheckedCastsPassBase;

  void runOnOperation() override {
    SmallVector<scf::IfOp> choices;
    getOperation()->walk([&](scf::IfOp op) {
      Operation *condition = op.getCondition().getDefiningOp();
      if (condition && condition->hasAttr(castIsValidAttrName) && op.getNumResults() == 1)
        choices.push_back(op);
    });
    for (scf::IfOp choice : choices)
      convert(choice);
  }
};
} // namespace
