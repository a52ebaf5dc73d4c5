//===- FlattenReversedAccesses.cpp - accesses with negative strides ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNFLATTENREVERSEDACCESSESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Whether an element with a larger index may have a smaller address.
static bool mayBeReversed(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return !type.getLayout().isIdentity() && succeeded(type.getStridesAndOffset(strides, offset)) &&
         llvm::any_of(strides, [](int64_t stride) { return stride < 0; }); // also those that are not known
}

/// The buffer of `view` as a memref with one dimension, and the index of an element of `view` in it.
static std::pair<Value, Value> flatten(OpBuilder &b, Location loc, Value view, ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view);
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); };
  Value index = toValue(metadata.getConstifiedMixedOffset());
  for (auto [position, stride] : llvm::zip_equal(indices, metadata.getConstifiedMixedStrides()))
    index = arith::AddIOp::create(b, loc, index, arith::MulIOp::create(b, loc, position, toValue(stride)));
  Value size = arith::AddIOp::create(b, loc, index, arith::ConstantIndexOp::create(b, loc, 1));
  auto type = cast<MemRefType>(view.getType());
  auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType(), AffineMap(), type.getMemorySpace());
  Value flat =
      memref::ReinterpretCastOp::create(b, loc, flatType, metadata.getBaseBuffer(), /*offset=*/b.getIndexAttr(0),
                                        /*sizes=*/OpFoldResult(size), /*strides=*/OpFoldResult(b.getIndexAttr(1)));
  return {flat, index};
}

namespace {
struct FlattenReversedAccesses : public rnn::impl::RNNFlattenReversedAccessesPassBase<FlattenReversedAccesses> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      OpBuilder b(op);
      if (auto load = dyn_cast<memref::LoadOp>(op); load && mayBeReversed(load.getMemRefType())) {
        auto [buffer, index] = flatten(b, load.getLoc(), load.getMemRef(), load.getIndices());
        load.getMemrefMutable().assign(buffer), load.getIndicesMutable().assign(index);
      }
      if (auto store = dyn_cast<memref::StoreOp>(op); store && mayBeReversed(store.getMemRefType())) {
        auto [buffer, index] = flatten(b, store.getLoc(), store.getMemRef(), store.getIndices());
        store.getMemrefMutable().assign(buffer), store.getIndicesMutable().assign(index);
      }
    });
  }
};
} // namespace
