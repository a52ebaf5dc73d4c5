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

/// The dimensions in their order, but with `dim` at the end.
static SmallVector<int64_t> moveLast(unsigned rank, int64_t dim) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  permutation.erase(permutation.begin() + dim);
  permutation.push_back(dim);
  return permutation;
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
  Value getTransposed(Value tensor, ArrayRef<int64_t> permutation, scf::ForOp loop);

  /// The copy of a tensor before a loop that has this dimension of it last.
  DenseMap<std::tuple<Value, int64_t, Operation *>, Value> copies;
};
} // namespace

Value TransposeInvariants::getTransposed(Value tensor, ArrayRef<int64_t> permutation, scf::ForOp loop) {
  Value &copy = copies[{tensor, permutation.back(), loop}];
  if (copy)
    return copy;
  OpBuilder b(loop);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loop.getLoc(), tensor);
  applyPermutationToVector(sizes, permutation);
  Value empty = tensor::EmptyOp::create(b, loop.getLoc(), sizes, getElementTypeOrSelf(tensor));
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
    const SmallVector<int64_t> permutation = moveLast(map.getNumResults(), *dim);
    input = getTransposed(input, permutation, findOutermost(loop, input));
    map = AffineMap::getPermutationMap(permutation, op.getContext()).compose(map);
    isChanged = true;
  }
  if (isChanged)
    replaceInputs(op, inputs, maps);
}
