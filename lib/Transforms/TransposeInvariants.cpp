//===- TransposeInvariants.cpp - layouts of weights that loops read -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgForms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNTRANSPOSEINVARIANTSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Fewer iterations are not worth a copy. Fewer rows are multiplied by dot products, which read columns.
constexpr int64_t fewestIterations = 4, fewestRows = 4;

/// The outermost loop around `loop` that does not compute the tensor.
static scf::ForOp findOutermost(scf::ForOp loop, Value tensor) {
  auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
  return outer && outer.isDefinedOutsideOfLoop(tensor) ? findOutermost(outer, tensor) : loop;
}

/// The iterations of the parallel loops that use the same elements of an input. Unknown ones count as enough.
static int64_t countRows(linalg::LinalgOp op, AffineMap input) {
  int64_t rows = 1;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!input.isFunctionOfDim(loop))
      rows *= ShapedType::isDynamic(size) ? fewestRows : std::min(size, fewestRows);
  return rows;
}

namespace {
struct TransposeInvariants : public rnn::impl::RNNTransposeInvariantsPassBase<TransposeInvariants> {
  void runOnOperation() override {
    copies.clear();
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isa<scf::ForOp>(op->getParentOp()) && isSumOfProducts(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      transposeInputs(op);
  }

private:
  void transposeInputs(linalg::LinalgOp op);
  Value getTransposed(Value tensor, unsigned dim, scf::ForOp loop);

  /// The copies of a tensor before a loop with a dimension last.
  DenseMap<std::tuple<Value, unsigned, Operation *>, Value> copies;
};
} // namespace

Value TransposeInvariants::getTransposed(Value tensor, unsigned dim, scf::ForOp loop) {
  Value &copy = copies[{tensor, dim, loop}];
  if (copy)
    return copy;
  OpBuilder b(loop);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  permutation.erase(permutation.begin() + dim);
  permutation.push_back(dim);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loop.getLoc(), tensor);
  applyPermutationToVector(sizes, permutation);
  Value empty = tensor::EmptyOp::create(b, loop.getLoc(), sizes, type.getElementType());
  return copy = linalg::TransposeOp::create(b, loop.getLoc(), tensor, empty, permutation)->getResult(0);
}

/// Vectors are along the last dimension of the result.
void TransposeInvariants::transposeInputs(linalg::LinalgOp op) {
  auto loop = cast<scf::ForOp>(op->getParentOp());
  if (std::optional<llvm::APInt> count = loop.getStaticTripCount(); count && count->ult(fewestIterations))
    return;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      maps.back().getNumResults() == 0)
    return;
  AffineExpr vectors = maps.back().getResults().back();
  SmallVector<Value> inputs(op.getDpsInputs());
  bool isChanged = false;
  for (auto [input, map] : llvm::zip(inputs, maps)) {
    std::optional<unsigned> dim = map.getResultPosition(vectors);
    if (!dim || *dim + 1 == map.getNumResults() || !loop.isDefinedOutsideOfLoop(input) ||
        countRows(op, map) < fewestRows)
      continue;
    input = getTransposed(input, *dim, findOutermost(loop, input));
    SmallVector<AffineExpr> exprs(map.getResults());
    exprs.erase(exprs.begin() + *dim);
    exprs.push_back(vectors);
    map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
    isChanged = true;
  }
  if (!isChanged)
    return;
  OpBuilder b(op);
  op->replaceAllUsesWith(createWithBody(b, op, inputs, op.getDpsInits().front(), maps, op.getIteratorTypesArray()));
  op->erase();
}
