//===- FoldInsertedZeros.cpp - convolutions without the zeros of a dilation ---===//
//
// The gradients of a strided convolution are convolutions of gradients that have zeros between their elements.
// Importers insert the elements into a tensor of zeros; most of the products are then zero.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldInsertedZeros.h"
#include "LinalgForms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/ZeroTensors.h"
#include <numeric>

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNFOLDINSERTEDZEROSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// An op is replaced by at most this many.
static constexpr int64_t mostOps = 16;

/// Whether the insertion covers dimension `dim` of the tensor.
static bool coversDim(tensor::InsertSliceOp insert, unsigned dim) {
  int64_t size = insert.getSourceType().getDimSize(dim);
  return insert.getStaticOffsets()[dim] == 0 && insert.getStaticStrides()[dim] == 1 && !ShapedType::isDynamic(size) &&
         size == insert.getType().getDimSize(dim);
}

/// Multiplies the elements of the filter that are not inserted zeros: loops over the filter are shorter, and loops over
/// the image have larger steps. Returns the new op, or `op`.
static linalg::LinalgOp foldIntoFilter(RewriterBase &b, linalg::LinalgOp op, unsigned filter) {
  OpOperand *operand = op.getDpsInputOperand(filter), *other = op.getDpsInputOperand(1 - filter);
  auto insert = getInsertionIntoZeros(operand->get());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // A product of plain matrices has faster forms than one that reads every other column.
  if (!insert || !maps[filter].isProjectedPermutation() || maps[1 - filter].isProjectedPermutation())
    return op;
  SmallVector<AffineExpr> replacements;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    replacements.push_back(b.getAffineDimExpr(loop));
  for (unsigned dim = 0; dim < maps[filter].getNumResults(); ++dim) {
    if (coversDim(insert, dim))
      continue;
    int64_t offset = insert.getStaticOffsets()[dim], stride = insert.getStaticStrides()[dim];
    unsigned loop = maps[filter].getDimPosition(dim);
    // The other operand is then read at some indices only, which a plain dimension of a map does not express.
    AffineExpr expr = b.getAffineDimExpr(loop), replaced = expr * stride + offset;
    bool isPlain = llvm::is_contained(maps[1 - filter].getResults(), expr) && replaced == expr;
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction || isPlain)
      return op;
    replacements[loop] = replaced;
  }
  maps[1 - filter] = maps[1 - filter].replaceDimsAndSymbols(replacements, {}, op.getNumLoops(), 0);
  Value inputs[2];
  inputs[filter] = insert.getSource(), inputs[1 - filter] = other->get();
  b.setInsertionPoint(op);
  linalg::GenericOp folded = createWithBody(b, op, inputs, op.getDpsInits().front(), maps, op.getIteratorTypesArray());
  b.replaceOp(op, folded);
  return folded;
}

namespace {
/// A dimension of the image with index `row + coefficient * tap + constant`, for a row of the result and a tap of the
/// filter.
struct WindowDim {
  unsigned dim;      ///< of the image
  unsigned row, tap; ///< loops
  int64_t coefficient, constant;
  int64_t rows, taps, elements; ///< sizes of the loops, and of the inserted tensor
  int64_t offset, stride;       ///< of the insertion

  /// Rows `row`, `row + stride`, ... of the result read inserted elements at taps `tap`, `tap + stride`, ... only, and
  /// zeros at the others. Row k and tap j of the phase read element `k + coefficient * j + start`.
  struct Phase {
    int64_t row, tap, start;
    int64_t rows, taps;

    int64_t getLeast(int64_t coefficient) const { return start + std::min<int64_t>(coefficient * (taps - 1), 0); }
    int64_t getGreatest(int64_t coefficient) const {
      return start + rows - 1 + std::max<int64_t>(coefficient * (taps - 1), 0);
    }
  };
  SmallVector<Phase> getPhases() const;
};
} // namespace

SmallVector<WindowDim::Phase> WindowDim::getPhases() const {
  SmallVector<Phase> phases;
  for (int64_t row = 0; row < std::min(stride, rows); ++row)
    for (int64_t tap = 0; tap < std::min(stride, taps); ++tap)
      if (int64_t element = row + coefficient * tap + constant - offset; element % stride == 0)
        phases.push_back({row, tap, element / stride, llvm::divideCeilSigned(rows - row, stride),
                          llvm::divideCeilSigned(taps - tap, stride)});
  return phases;
}

/// The dimensions of the image that have inserted zeros, or none if one has another form.
static SmallVector<WindowDim> getWindowDims(linalg::LinalgOp op, unsigned image, tensor::InsertSliceOp insert) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<WindowDim> found;
  for (auto [dim, expr] : llvm::enumerate(maps[image].getResults())) {
    if (coversDim(insert, dim))
      continue;
    WindowDim window;
    window.dim = dim, window.offset = insert.getStaticOffsets()[dim], window.stride = insert.getStaticStrides()[dim];
    window.elements = insert.getSourceType().getDimSize(dim);
    SmallVector<int64_t> coefficients;
    if (failed(getFlattenedAffineExpr(expr, op.getNumLoops(), 0, &coefficients)) ||
        coefficients.size() != op.getNumLoops() + 1)
      return {};
    std::optional<unsigned> row, tap;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (coefficients[loop] == 0)
        continue;
      bool isRow = maps[2].isFunctionOfDim(loop);
      std::optional<unsigned> &place = isRow ? row : tap;
      // The other uses of the loop are a plain dimension of the result, or of the filter.
      bool isPlain = llvm::count_if(maps[image].getResults(),
                                    [&](AffineExpr other) { return other.isFunctionOfDim(loop); }) == 1 &&
                     maps[1 - image].isFunctionOfDim(loop) != isRow;
      if (place || !isPlain || ShapedType::isDynamic(sizes[loop]) || (isRow && coefficients[loop] != 1))
        return {};
      place = loop;
    }
    if (!row || !tap || ShapedType::isDynamic(window.elements) || window.stride > mostOps ||
        std::gcd(coefficients[*tap], window.stride) != 1)
      return {};
    window.row = *row, window.tap = *tap, window.coefficient = coefficients[*tap],
    window.constant = coefficients.back();
    window.rows = sizes[*row], window.taps = sizes[*tap];
    found.push_back(window);
  }
  return found;
}

namespace {
/// Slices of a tensor along loops.
struct Slices {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  Slices(OpBuilder &b, Location loc, Value tensor) : sizes(tensor::getMixedSizes(b, loc, tensor)) {
    offsets.assign(sizes.size(), b.getIndexAttr(0)), strides.assign(sizes.size(), b.getIndexAttr(1));
  }
  /// Along the dimension that `map` maps from `loop`.
  void set(OpBuilder &b, AffineMap map, unsigned loop, int64_t offset, int64_t size, int64_t stride) {
    unsigned dim = *map.getResultPosition(b.getAffineDimExpr(loop));
    offsets[dim] = b.getIndexAttr(offset), sizes[dim] = b.getIndexAttr(size), strides[dim] = b.getIndexAttr(stride);
  }
};
} // namespace

/// Replaces the op by one for each combination of phases of its dimensions, with the rows and taps of the phases. Fails
/// if the image has no inserted zeros.
static LogicalResult divideIntoPhases(RewriterBase &b, linalg::LinalgOp op, unsigned image) {
  const unsigned filter = 1 - image;
  auto insert = getInsertionIntoZeros(op.getDpsInputOperand(image)->get());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!insert || !maps[filter].isProjectedPermutation() || !maps[2].isProjectedPermutation())
    return failure();
  SmallVector<WindowDim> dims = getWindowDims(op, image, insert);
  int64_t count = 1;
  SmallVector<SmallVector<WindowDim::Phase>> phases;
  for (const WindowDim &dim : dims)
    count = std::min<int64_t>(count * phases.emplace_back(dim.getPhases()).size(), mostOps + 1);
  if (count == 0 || count > mostOps || llvm::all_of(dims, [](const WindowDim &dim) { return dim.stride == 1; }))
    return failure();

  Location loc = op.getLoc();
  Type element = insert.getType().getElementType();
  // Zeros before and after the inserted elements, as many as some phase reads.
  Value elements = insert.getSource();
  SmallVector<OpFoldResult> low(insert.getType().getRank(), b.getIndexAttr(0)), high = low;
  SmallVector<int64_t> before;
  for (auto [dim, ofDim] : llvm::zip_equal(dims, phases)) {
    int64_t least = 0, greatest = dim.elements - 1;
    for (const WindowDim::Phase &phase : ofDim) {
      least = std::min(least, phase.getLeast(dim.coefficient));
      greatest = std::max(greatest, phase.getGreatest(dim.coefficient));
    }
    before.push_back(-least);
    low[dim.dim] = b.getIndexAttr(-least), high[dim.dim] = b.getIndexAttr(greatest - (dim.elements - 1));
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  elements = tensor::PadOp::create(b, loc, Type(), elements, low, high, zero);

  Value factors = op.getDpsInputOperand(filter)->get(), result = op.getDpsInits().front();
  for (int64_t number = 0; number < count; ++number) {
    Slices taps(b, loc, factors), rows(b, loc, result);
    SmallVector<AffineExpr> indices(maps[image].getResults());
    int64_t rest = number;
    for (auto [dim, ofDim, least] : llvm::zip_equal(dims, phases, before)) {
      const WindowDim::Phase &phase = ofDim[rest % ofDim.size()];
      rest /= ofDim.size();
      taps.set(b, maps[filter], dim.tap, phase.tap, phase.taps, dim.stride);
      rows.set(b, maps[2], dim.row, phase.row, phase.rows, dim.stride);
      indices[dim.dim] =
          b.getAffineDimExpr(dim.row) + b.getAffineDimExpr(dim.tap) * dim.coefficient + (phase.start + least);
    }
    Value inputs[2];
    inputs[image] = elements;
    inputs[filter] = tensor::ExtractSliceOp::create(b, loc, factors, taps.offsets, taps.sizes, taps.strides);
    Value part = tensor::ExtractSliceOp::create(b, loc, result, rows.offsets, rows.sizes, rows.strides);
    SmallVector<AffineMap> partMaps(maps);
    partMaps[image] = AffineMap::get(op.getNumLoops(), 0, indices, b.getContext());
    Value computed = createWithBody(b, op, inputs, part, partMaps, op.getIteratorTypesArray()).getResult(0);
    result = tensor::InsertSliceOp::create(b, loc, computed, result, rows.offsets, rows.sizes, rows.strides);
  }
  b.replaceOp(op, result);
  return success();
}

namespace {
struct FoldInsertedZeros : public rnn::impl::RNNFoldInsertedZerosPassBase<FoldInsertedZeros> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter b(&getContext());
    for (linalg::LinalgOp op : ops) {
      if (!isSumOfProducts(op)) {
        foldSumOfInsertions(b, op);
        continue;
      }
      for (unsigned input : {0, 1})
        op = foldIntoFilter(b, op, input);
      b.setInsertionPoint(op);
      if (failed(divideIntoPhases(b, op, 0)))
        (void)divideIntoPhases(b, op, 1);
    }
  }
};
} // namespace
