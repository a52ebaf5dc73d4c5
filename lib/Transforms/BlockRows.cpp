//===- BlockRows.cpp - linalg ops in blocks of rows ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNBLOCKROWSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;

/// Ops between those of a group that do not belong to it.
constexpr size_t mostOthers = 16;

namespace {
/// A group, and the ops between its members.
struct Chain {
  Chain(RowGroup &&group, linalg::LinalgOp first) : group(std::move(group)), last(first) {}

  RowGroup group;
  linalg::LinalgOp last;                ///< of the group, without sums over rows
  SmallVector<linalg::LinalgOp> others; ///< the ops that do not belong to the group, in their order
  SmallVector<Operation *> deferred;    ///< those of them that run after the group, and sums
  SmallVector<memref::DeallocOp> freed; ///< deallocations before `last`
  Operation *end = nullptr;             ///< the op at which the search ended

  bool isSum(Operation *op) const {
    return llvm::any_of(group.getMembers(),
                        [&](const RowGroup::Member &member) { return member.isSum && member.op == op; });
  }
  void emit();
};

/// Replaces the ops of a group by loops over tiles.
class TileEmitter {
public:
  TileEmitter(const RowGroup &group) : group(group), loops(group.getRowLoops()) {}
  /// Inserts the loops before `last`. The ops of the group remain.
  void emitLoops(linalg::LinalgOp last);
  /// Adds the sums of all parts to the result of `op`, before it.
  void addParts(linalg::LinalgOp op);
  /// Erases the ops of the group, and the buffers that only they use.
  void eraseOps();

private:
  void findOwnBuffers();
  void allocateParts(ImplicitLocOpBuilder &b, int64_t parts);
  OpFoldResult getSize(ImplicitLocOpBuilder &b, Value buffer, unsigned dim);
  void emitTiles(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to, int64_t firstPart,
                 int64_t count);
  Value countTiles(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                   SmallVectorImpl<Value> &counts);
  void startSums(ImplicitLocOpBuilder &b, Value number);
  void emitTile(ImplicitLocOpBuilder &b);
  Value getTile(ImplicitLocOpBuilder &b, const RowGroup::Member &member, const RowAccess &access);
  Value reshapeTile(ImplicitLocOpBuilder &b, Value value, const RowAccess &access, Value tile);
  void cloneMember(ImplicitLocOpBuilder &b, const RowGroup::Member &member);
  /// The row loop that is this loop of a member.
  std::optional<size_t> getRow(const RowGroup::Member &member, std::optional<unsigned> loop) const;

  const RowGroup &group;
  ArrayRef<RowLoop> loops;
  SetVector<Value> own; ///< buffers that nothing else uses: a tile has its own part
  /// For each op that sums over rows, its results for all parts, and a view of that of the current part.
  llvm::SmallMapVector<Operation *, Value, 4> parts, part;
  // Of the current loops:
  SmallVector<Value> starts;
  SmallVector<int64_t> sizes;
  /// The tiles of each buffer in the current iteration. The first part of an entry is the row loop that indexes each
  /// dimension of the buffer: two ops may read a buffer with one row loop along different dimensions.
  llvm::DenseMap<Value, SmallVector<std::pair<SmallVector<std::optional<size_t>>, Value>, 1>> tiles;
};
} // namespace

/// A buffer that only members, and views for them, use.
void TileEmitter::findOwnBuffers() {
  llvm::SmallPtrSet<Operation *, 16> members;
  for (const RowGroup::Member &member : group.getMembers())
    members.insert(member.op);
  auto isOwn = [&](auto &&isOwn, Value value) -> bool {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(user))
        return isOwn(isOwn, user->getResult(0));
      return members.contains(user) || isa<memref::DeallocOp>(user);
    });
  };
  for (const auto &[buffer, dim] : loops.front().dims)
    if (isOwn(isOwn, buffer))
      own.insert(buffer);
}

std::optional<size_t> TileEmitter::getRow(const RowGroup::Member &member, std::optional<unsigned> loop) const {
  const size_t index = &member - group.getMembers().data();
  for (auto [number, row] : llvm::enumerate(loops))
    if (loop && row.loops[index] == loop)
      return number;
  return std::nullopt;
}

/// The reshapes between a buffer and an operand, for the tile of the buffer.
Value TileEmitter::reshapeTile(ImplicitLocOpBuilder &b, Value value, const RowAccess &access, Value tile) {
  if (value == access.buffer)
    return tile;
  Operation *op = value.getDefiningOp();
  Value source = reshapeTile(b, op->getOperand(0), access, tile);
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return memref::CollapseShapeOp::create(b, source, collapse.getReassociationIndices());
  auto expand = cast<memref::ExpandShapeOp>(op);
  // Of the dimensions of a group, at most one is not 1.
  auto sourceType = cast<MemRefType>(source.getType());
  SmallVector<int64_t> shape(expand.getType().getShape());
  SmallVector<OpFoldResult> mixedShape(shape.size(), b.getIndexAttr(1));
  for (auto [dim, dims] : llvm::enumerate(expand.getReassociationIndices()))
    for (int64_t wide : dims)
      if (shape[wide] != 1) {
        shape[wide] = sourceType.getDimSize(dim);
        mixedShape[wide] = memref::getMixedSize(b, b.getLoc(), source, dim);
      }
  return memref::ExpandShapeOp::create(b, shape, source, expand.getReassociationIndices(), mixedShape);
}

Value TileEmitter::getTile(ImplicitLocOpBuilder &b, const RowGroup::Member &member, const RowAccess &access) {
  auto type = cast<MemRefType>(access.buffer.getType());
  SmallVector<OpFoldResult> offsets, shape, strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<std::optional<size_t>> rows;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    std::optional<size_t> row = getRow(member, access.loops[dim]);
    rows.push_back(row);
    offsets.push_back(row ? OpFoldResult(starts[*row]) : b.getIndexAttr(0));
    shape.push_back(row ? b.getIndexAttr(sizes[*row]) : getSize(b, access.buffer, dim));
  }
  auto &known = tiles[access.buffer];
  auto *found = llvm::find_if(known, [&](const auto &entry) { return entry.first == rows; });
  if (found != known.end())
    return reshapeTile(b, access.value, access, found->second);
  Value tile = access.buffer;
  if (own.contains(access.buffer)) {
    auto alloc = memref::AllocOp::create(b, shape, type.getElementType());
    alloc.setAlignment(64);
    tile = alloc;
  } else if (llvm::any_of(rows, [](std::optional<size_t> row) { return row.has_value(); })) {
    tile = memref::SubViewOp::create(b, access.buffer, offsets, shape, strides);
  }
  known.emplace_back(rows, tile);
  return reshapeTile(b, access.value, access, tile);
}

void TileEmitter::cloneMember(ImplicitLocOpBuilder &b, const RowGroup::Member &member) {
  linalg::LinalgOp op = member.op;
  SmallVector<Value> operands;
  for (const RowAccess &access : ArrayRef(member.accesses).drop_back(member.isSum))
    operands.push_back(access.buffer ? getTile(b, member, access) : access.value);
  if (member.isSum)
    operands.push_back(part.lookup(op));
  Operation *clone = b.clone(*op);
  clone->setOperands(operands);
  clone->walk([&](linalg::IndexOp position) {
    if (std::optional<size_t> row = getRow(member, position.getDim())) {
      ImplicitLocOpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(position);
      auto sum = arith::AddIOp::create(b, position, starts[*row]);
      position.getResult().replaceAllUsesExcept(sum, sum);
    }
  });
}

/// The size of a dimension. Buffers that the function allocates may be erased.
OpFoldResult TileEmitter::getSize(ImplicitLocOpBuilder &b, Value buffer, unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (Operation *alloc = buffer.getDefiningOp(); own.contains(buffer) && type.isDynamicDim(dim))
    return alloc->getOperand(type.getDynamicDimIndex(dim));
  return memref::getMixedSize(b, b.getLoc(), buffer, dim);
}

/// The ops of one tile.
void TileEmitter::emitTile(ImplicitLocOpBuilder &b) {
  Block *block = b.getInsertionBlock();
  tiles.clear();
  for (const RowGroup::Member &member : group.getMembers())
    cloneMember(b, member);
  SmallVector<memref::AllocOp> allocated(block->getOps<memref::AllocOp>());
  for (memref::AllocOp alloc : allocated)
    memref::DeallocOp::create(b, alloc);
}

/// Buffers for the sums over rows, of each part.
void TileEmitter::allocateParts(ImplicitLocOpBuilder &b, int64_t count) {
  for (const RowGroup::Member &member : group.getMembers())
    if (member.isSum) {
      auto type = cast<MemRefType>(member.accesses.back().value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), count);
      parts[member.op] =
          memref::AllocOp::create(b, MemRefType::get(shape, type.getElementType()), b.getI64IntegerAttr(64));
    }
}

/// The number of all tiles. Appends those of each row loop to `counts`.
Value TileEmitter::countTiles(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                              SmallVectorImpl<Value> &counts) {
  Value all = b.createOrFold<arith::ConstantIndexOp>(1);
  for (auto [first, last, size] : llvm::zip_equal(from, to, sizes)) {
    AffineExpr begin = b.getAffineSymbolExpr(0), end = b.getAffineSymbolExpr(1);
    OpFoldResult count =
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), (end - begin).ceilDiv(size), {first, last});
    counts.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), count));
    all = b.createOrFold<arith::MulIOp>(all, counts.back());
  }
  return all;
}

/// Fills the sums over rows of one part with zeros.
void TileEmitter::startSums(ImplicitLocOpBuilder &b, Value number) {
  for (auto [op, all] : parts) {
    auto type = cast<MemRefType>(all.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> shape = memref::getMixedSizes(b, b.getLoc(), all);
    offsets.front() = number;
    shape.front() = b.getIndexAttr(1);
    MemRefType rowType =
        memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, shape, strides);
    part[op] = memref::SubViewOp::create(b, rowType, all, offsets, shape, strides);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    linalg::FillOp::create(b, zero, part[op]);
  }
}

/// Tiles of one size, in the ranges of the row loops. Sums over rows are computed in parts, each of consecutive tiles.
void TileEmitter::emitTiles(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                            int64_t firstPart, int64_t count) {
  ImplicitLocOpBuilder::InsertionGuard guard(b);
  if (parts.empty()) {
    auto steps = llvm::map_to_vector(sizes, [&](int64_t size) -> OpFoldResult { return b.getIndexAttr(size); });
    auto loop = scf::ForallOp::create(b, from, to, steps, /*outputs=*/ValueRange(), /*mapping=*/std::nullopt);
    b.setInsertionPointToStart(loop.getBody());
    starts = loop.getInductionVars();
    return emitTile(b);
  }
  auto index = [&](int64_t value) { return b.createOrFold<arith::ConstantIndexOp>(value); };
  SmallVector<Value> counts;
  Value tileCount = countTiles(b, from, to, counts);
  auto loop = scf::ForallOp::create(b, ArrayRef<OpFoldResult>(b.getIndexAttr(count)), /*outputs=*/ValueRange(),
                                    /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  Value current = loop.getInductionVar(0);
  startSums(b, b.createOrFold<arith::AddIOp>(current, index(firstPart)));
  auto firstTile = [&](Value number) {
    return b.createOrFold<arith::DivUIOp>(b.createOrFold<arith::MulIOp>(number, tileCount), index(count));
  };
  Value begin = firstTile(current), end = firstTile(arith::AddIOp::create(b, current, index(1)));
  auto sequence = scf::ForOp::create(b, begin, end, index(1));
  b.setInsertionPointToStart(sequence.getBody());
  Value rest = sequence.getInductionVar();
  starts.resize(loops.size());
  for (size_t row = loops.size(); row-- > 0;) {
    Value number = row == 0 ? rest : b.createOrFold<arith::RemUIOp>(rest, counts[row]);
    rest = b.createOrFold<arith::DivUIOp>(rest, counts[row]);
    starts[row] = b.createOrFold<arith::AddIOp>(getValueOrCreateConstantIndexOp(b, b.getLoc(), from[row]),
                                                b.createOrFold<arith::MulIOp>(number, index(sizes[row])));
  }
  emitTile(b);
}

void TileEmitter::emitLoops(linalg::LinalgOp last) {
  findOwnBuffers();
  ImplicitLocOpBuilder b(last.getLoc(), last);
  SmallVector<OpFoldResult> from(loops.size(), b.getIndexAttr(0)), to;
  std::optional<size_t> divided; // the loop that whole tiles may not cover
  for (auto [index, row] : llvm::enumerate(loops)) {
    int64_t tile = row.tile;
    while (tile * 2 > row.tile && row.size % tile != 0)
      --tile;
    const bool isStatic = !ShapedType::isDynamic(row.size);
    sizes.push_back(isStatic && row.size % tile == 0 ? tile : row.tile);
    if (isStatic ? row.size % sizes.back() != 0 : row.tile > 1)
      divided = index;
    const RowAccess &output = group.getMembers().front().accesses.back();
    to.push_back(getSize(b, output.buffer, *output.getDim(*row.loops.front())));
  }
  allocateParts(b, divided ? sumParts + 1 : sumParts);
  if (!divided)
    return emitTiles(b, from, to, /*firstPart=*/0, sumParts);
  AffineExpr size = b.getAffineSymbolExpr(0);
  OpFoldResult end = to[*divided];
  OpFoldResult whole = affine::makeComposedFoldedAffineApply(b, b.getLoc(), size - size % sizes[*divided], {end});
  to[*divided] = whole;
  emitTiles(b, from, to, /*firstPart=*/0, sumParts);
  from[*divided] = whole, to[*divided] = end;
  // The last rows in one tile, or in tiles of one row if their number is not known.
  const int64_t known = loops[*divided].size;
  sizes[*divided] = ShapedType::isDynamic(known) ? 1 : known % sizes[*divided];
  emitTiles(b, from, to, /*firstPart=*/sumParts, 1);
}

void TileEmitter::addParts(linalg::LinalgOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value all = parts.lookup(op), result = op.getDpsInits().front();
  const unsigned rank = cast<MemRefType>(all.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap withoutPart = AffineMap::get(rank, 0, identity.getResults().drop_front(), b.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  linalg::GenericOp::create(b, all, result, ArrayRef({identity, withoutPart}), iterators,
                            [](OpBuilder &b, Location loc, ValueRange values) {
                              Value sum = arith::AddFOp::create(b, loc, values[1], values[0]);
                              linalg::YieldOp::create(b, loc, sum);
                            });
  memref::DeallocOp::create(b, all);
}

void TileEmitter::eraseOps() {
  for (linalg::LinalgOp op :
       llvm::map_range(group.getMembers(), [](const RowGroup::Member &member) { return member.op; }))
    op->erase();
  auto eraseAll = [](auto &&eraseAll, Value buffer) -> void {
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
      if (user->getNumResults() > 0)
        eraseAll(eraseAll, user->getResult(0));
      else
        user->erase();
    }
    buffer.getDefiningOp()->erase();
  };
  for (Value buffer : own)
    eraseAll(eraseAll, buffer);
}

/// The longest chain that begins with `first`, or none if this op cannot be computed by rows.
static std::optional<Chain> findChain(linalg::LinalgOp first, RowGroup &&group, const BufferAliases &aliases) {
  Chain chain(std::move(group), first);
  if (!chain.group.add(first))
    return std::nullopt;
  BufferEffects deferred;
  Operation *op = first->getNextNode();
  for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    if (auto free = dyn_cast<memref::DeallocOp>(op)) {
      chain.freed.push_back(free);
      continue;
    }
    if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    std::optional<BufferEffects> effects = linalgOp ? BufferEffects::of(linalgOp) : std::nullopt;
    if (!effects || chain.others.size() >= mostOthers)
      break;
    const bool mayPrecede = !aliases.conflict(*effects, deferred);
    if (mayPrecede && chain.group.add(linalgOp))
      continue;
    chain.others.push_back(linalgOp);
    if (mayPrecede && !aliases.conflict(*effects, chain.group.getEffects()))
      continue;
    deferred.add(*effects);
    chain.deferred.push_back(op);
  }
  chain.end = op;
  chain.group.removeUnusedFills();
  chain.last = chain.group.getMembers().back().op;
  llvm::erase_if(chain.freed, [&](Operation *other) { return chain.last->isBeforeInBlock(other); });
  return chain;
}

/// Computes sums over rows with the group. Their inputs are buffers of the group, which no op before them changes.
static void addSums(Chain &chain, const BufferAliases &aliases) {
  SmallVector<Value> known = chain.group.getEffects().reads, changed;
  llvm::append_range(known, chain.group.getEffects().writes);
  for (Operation *op : chain.deferred) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    const BufferEffects effects = *BufferEffects::of(linalgOp);
    const bool isUnchanged = llvm::all_of(effects.reads, [&](Value read) {
      return llvm::is_contained(known, read) &&
             llvm::none_of(changed, [&](Value written) { return aliases.mayAlias(read, written); });
    });
    if (isUnchanged && chain.group.addSum(linalgOp))
      continue;
    llvm::append_range(changed, effects.writes);
  }
}

void Chain::emit() {
  TileEmitter emitter(group);
  emitter.emitLoops(last);
  Operation *place = last->getNextNode();
  for (Operation *op : deferred) {
    if (!last->isBeforeInBlock(op))
      op->moveBefore(place);
    if (isSum(op))
      emitter.addParts(cast<linalg::LinalgOp>(op));
  }
  for (memref::DeallocOp free : freed)
    free->moveBefore(place);
  emitter.eraseOps();
}

namespace {
struct BlockRows : public rnn::impl::RNNBlockRowsPassBase<BlockRows> {
  using RNNBlockRowsPassBase::RNNBlockRowsPassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()) && !block->empty())
        blocks.push_back(block);
    });
    const BufferAliases aliases(getOperation());
    for (Block *block : blocks) {
      // Rows of unknown number: examples in the steps of a loop, or those of all steps.
      const bool isInLoop = isa<LoopLikeOpInterface>(block->getParentOp()) ||
                            block->getParentOp()->getParentOfType<LoopLikeOpInterface>();
      const int64_t assumedRows = isInLoop ? 64 : 1024;
      for (Operation *op = &block->front(); op;) {
        auto first = dyn_cast<linalg::LinalgOp>(op);
        std::optional<Chain> chain =
            first ? findChain(first, RowGroup(aliases, leastBytes, assumedRows), aliases) : std::nullopt;
        if (!chain) {
          op = op->getNextNode();
          continue;
        }
        const bool isProfitable = chain->group.isProfitable();
        if (isProfitable)
          addSums(*chain, aliases);
        // The search goes on at the first op that is not computed.
        auto *next = llvm::find_if(chain->others, [&](linalg::LinalgOp other) { return !chain->isSum(other); });
        op = next == chain->others.end() ? chain->end : next->getOperation();
        if (isProfitable)
          chain->emit();
      }
    }
  }
};
} // namespace
