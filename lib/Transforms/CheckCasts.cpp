//===- CheckCasts.cpp - run-time checks of tensor casts ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCHECKCASTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// The dimensions that are dynamic before the cast and static after it.
static SmallVector<int64_t> getAssumedDims(tensor::CastOp cast) {
  SmallVector<int64_t> dims;
  auto source = dyn_cast<RankedTensorType>(cast.getSource().getType());
  auto type = dyn_cast<RankedTensorType>(cast.getType());
  if (source && type)
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (source.isDynamicDim(dim) && !type.isDynamicDim(dim))
        dims.push_back(dim);
  return dims;
}

static void check(tensor::CastOp cast, ArrayRef<int64_t> dims) {
  OpBuilder b(cast);
  Location loc = cast.getLoc();
  auto type = llvm::cast<RankedTensorType>(cast.getType());
  Value call = rnnrt::CurrentCallOp::create(b, loc, rnnrt::CallType::get(b.getContext()));
  Value areEqual;
  for (int64_t dim : dims) {
    Value actual = b.createOrFold<tensor::DimOp>(loc, cast.getSource(), dim);
    Value expected = arith::ConstantIndexOp::create(b, loc, type.getDimSize(dim));
    std::string message = ("'tensor.cast' op expects dim " + Twine(dim) + " of its operand").str();
    rnnrt::ExpectEqualOp::create(b, loc, call, actual, expected, b.getStringAttr(message));
    Value isEqual = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, actual, expected);
    areEqual = areEqual ? arith::AndIOp::create(b, loc, areEqual, isEqual) : isEqual;
  }
  // A failed check ends exported functions only. In others execution continues, and needs a tensor of the asserted
  // size.
  auto choice = scf::IfOp::create(b, loc, TypeRange(type), areEqual, /*withElseRegion=*/true);
  cast.replaceAllUsesWith(choice.getResult(0));
  OpBuilder then = choice.getThenBodyBuilder();
  cast->moveBefore(choice.thenBlock(), choice.thenBlock()->end());
  then.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(then, loc, cast.getResult());
  OpBuilder otherwise = choice.getElseBodyBuilder();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(otherwise.createOrFold<tensor::DimOp>(loc, cast.getSource(), dim));
  // A memref: one-shot bufferization would take a fill of a tensor for a possible write to the operand of the cast, and
  // copy that operand.
  Value zeros = memref::AllocOp::create(otherwise, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
  if (TypedAttr zeroAttr = otherwise.getZeroAttr(type.getElementType()))
    linalg::FillOp::create(otherwise, loc, arith::ConstantOp::create(otherwise, loc, zeroAttr).getResult(), zeros);
  Value result = bufferization::ToTensorOp::create(otherwise, loc, type, zeros, /*restrict=*/true, /*writable=*/true);
  scf::YieldOp::create(otherwise, loc, result);
}

namespace {
struct CheckCasts : public rnn::impl::RNNCheckCastsPassBase<CheckCasts> {
  void runOnOperation() override {
    SmallVector<tensor::CastOp> casts;
    getOperation()->walk([&](tensor::CastOp cast) { casts.push_back(cast); });
    for (tensor::CastOp cast : casts)
      if (SmallVector<int64_t> dims = getAssumedDims(cast); !dims.empty())
        check(cast, dims);
  }
};
} // namespace
