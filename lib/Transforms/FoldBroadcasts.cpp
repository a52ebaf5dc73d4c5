//===- FoldBroadcasts.cpp - users of broadcasts read their operands -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldBroadcasts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace {

/// What an op repeats, and the map from its loops to the indices of `value`.
struct Broadcast {
  Value value;
  AffineMap map;
};

/// Matches an op whose results are elements of a value with fewer loops, or one scalar.
FailureOr<Broadcast> matchBroadcast(linalg::GenericOp op) {
  if (!op || op->getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::hasSingleElement(*op.getBody()) || !op.getIndexingMapsArray().back().isPermutation())
    return failure();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBody())
    return Broadcast{yielded, AffineMap::get(op.getNumLoops(), 0, op.getContext())};
  OpOperand *operand = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto isUnused = [&](unsigned loop) { return !map.isFunctionOfDim(loop); };
  if (!op.isDpsInput(operand) || llvm::none_of(llvm::seq<unsigned>(0, op.getNumLoops()), isUnused))
    return failure();
  return Broadcast{operand->get(), map};
}

struct FoldBroadcast : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || linalg::isaContractionOpInterface(op) || linalg::isaConvolutionOpInterface(op))
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
      FailureOr<Broadcast> broadcast = matchBroadcast(producer);
      if (failed(broadcast))
        continue;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      AffineMap loops = inversePermutation(producer.getIndexingMapsArray().back());
      AffineMap &map = maps[operand->getOperandNumber()];
      map = broadcast->map.compose(loops).compose(map);
      // The sizes of all loops must follow from the remaining operands.
      if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(broadcast->value);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

} // namespace

void rnn::populateFoldBroadcastPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldBroadcast>(patterns.getContext());
}
