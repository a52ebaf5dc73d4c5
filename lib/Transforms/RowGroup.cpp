//===- RowGroup.cpp - linalg ops that compute the same rows -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "SmallBuffers.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/bit.h"
#include <utility>

using namespace mlir;
using namespace mlir::rnn;

/// The data of a tile are in L1 if their bytes are at most those of the first limit. With at least `fewestRows` rows
/// they may be in L2 instead. A group with a row of more than the last limit is none.
constexpr int64_t bytesInL1 = 32 * 1024, bytesInL2 = 256 * 1024, mostRowBytes = 3 << 18;
constexpr int64_t fewestRows = 8;
/// Threads divide the tiles. Rows are divided into at least the second number of them, if they are as many.
constexpr int64_t fewestTiles = 8, enoughTiles = 16;
constexpr size_t mostMembers = 48;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

Value BufferAliases::getRoot(Value value) {
  return memref::skipViewLikeOps(cast<MemrefValue>(value));
}

static bool isEntryArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

/// Whether the function allocates the buffer.
static bool isOwn(Value value) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(value.getDefiningOp());
}

bool BufferAliases::mayAlias(Value left, Value right) const {
  if (left == right)
    return true;
  auto isFromOutside = [](Value value) {
    return isEntryArgument(value) || isa_and_nonnull<memref::GetGlobalOp>(value.getDefiningOp());
  };
  if (!isOwn(left))
    std::swap(left, right);
  if (!isOwn(left))
    return true;
  if (isOwn(right) || isFromOutside(right))
    return false;
  return flow.resolve(left).contains(right);
}

bool BufferAliases::conflict(const BufferEffects &left, const BufferEffects &right) const {
  auto overlap = [&](ArrayRef<Value> first, ArrayRef<Value> second) {
    return llvm::any_of(first, [&](Value a) { return llvm::any_of(second, [&](Value b) { return mayAlias(a, b); }); });
  };
  return overlap(left.writes, right.writes) || overlap(left.writes, right.reads) || overlap(left.reads, right.writes);
}

std::optional<BufferEffects> BufferEffects::of(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return std::nullopt;
  BufferEffects effects;
  for (Value input : op.getDpsInputs())
    if (isa<MemRefType>(input.getType()))
      effects.reads.push_back(BufferAliases::getRoot(input));
  for (Value output : op.getDpsInits())
    effects.writes.push_back(BufferAliases::getRoot(output));
  for (Operation &inner : *op.getBlock())
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      effects.reads.push_back(BufferAliases::getRoot(load.getMemRef()));
    else if (!isMemoryEffectFree(&inner))
      return std::nullopt;
  return effects;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// If a reshape only adds or drops dimensions of size 1, replaces `value` by its source, and `dims`, dimensions of the
/// result, by those of the source.
static bool skipUnitReshape(Value &value, SmallVectorImpl<std::optional<unsigned>> &dims) {
  SmallVector<ReassociationIndices> groups;
  Value source, wide, narrow;
  if (auto expand = value.getDefiningOp<memref::ExpandShapeOp>())
    groups = expand.getReassociationIndices(), source = narrow = expand.getSrc(), wide = expand;
  else if (auto collapse = value.getDefiningOp<memref::CollapseShapeOp>())
    groups = collapse.getReassociationIndices(), source = wide = collapse.getSrc(), narrow = collapse;
  else
    return false;
  auto wideType = cast<MemRefType>(wide.getType());
  SmallVector<std::optional<unsigned>> toNarrow(wideType.getRank()), toWide(groups.size());
  for (auto [index, group] : llvm::enumerate(groups))
    for (int64_t dim : group) {
      if (wideType.getDimSize(dim) == 1)
        continue;
      if (toWide[index])
        return false;
      toWide[index] = dim, toNarrow[dim] = index;
    }
  for (std::optional<unsigned> &dim : dims)
    if (dim)
      dim = source == narrow ? toNarrow[*dim] : toWide[*dim];
  value = source;
  return true;
}

/// Returns none if an index is neither a loop nor zero.
static std::optional<RowAccess> getAccess(Value value, AffineMap map) {
  RowAccess access;
  access.value = access.buffer = value;
  SmallVector<std::optional<unsigned>> dims; // for each dimension of `value`, that of the buffer
  if (!isa<MemRefType>(value.getType()))
    return access.buffer = Value(), access;
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    dims.push_back(dim);
  while (skipUnitReshape(access.buffer, dims))
    ;
  access.loops.resize(cast<MemRefType>(access.buffer.getType()).getRank());
  for (auto [dim, expr] : llvm::zip_equal(dims, map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr); dim && loop)
      access.loops[*dim] = loop.getPosition();
  return access;
}

/// Whether the op multiplies matrices of a type for which packed GEMMs are always faster than loops over vectors.
static bool isExcluded(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) && !llvm::all_of(op->getOperands(), [](Value operand) {
           Type element = getElementTypeOrSelf(operand.getType());
           return element.isF32() || element.isF64();
         });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The assumed size of a dimension whose size is not known, if it is not that of the rows.
constexpr int64_t assumedColumns = 256;

std::optional<int64_t> RowGroup::getAssumedBytes(MemRefType type) const {
  // The first unknown size is that of the rows.
  int64_t assumed = assumedRows;
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = std::exchange(assumed, assumedColumns);
  return getKnownBytes(type.clone(shape));
}

/// Follows a parallel loop of the first op to the other ops: through the dimension of a buffer that it indexes, to the
/// loops that index this dimension. Fails if an op accesses a buffer of the group by another dimension.
std::optional<RowLoop> RowGroup::follow(unsigned firstLoop) const {
  RowLoop row;
  linalg::LinalgOp first = members.front().op;
  row.size = first.getStaticLoopRanges()[firstLoop];
  row.loops.resize(members.size());
  row.loops.front() = firstLoop;
  llvm::SmallDenseMap<Value, unsigned> readDims; // of buffers that the group only reads
  SmallVector<bool> isKnown(members.size());
  auto visit = [&](size_t index) {
    const Member &member = members[index];
    const unsigned loop = *row.loops[index];
    isKnown[index] = true;
    linalg::LinalgOp op = member.op;
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
      return false;
    for (const RowAccess &access : member.accesses) {
      if (!access.buffer)
        continue;
      std::optional<unsigned> dim = access.getDim(loop);
      if (!isWritten(access.buffer)) {
        if (dim)
          readDims.try_emplace(access.buffer, *dim);
        continue;
      }
      if (!dim || row.dims.try_emplace(access.buffer, *dim).first->second != *dim)
        return false;
    }
    return true;
  };
  auto findLoop = [&](const Member &member, const llvm::SmallDenseMap<Value, unsigned> &dims) {
    for (const RowAccess &access : member.accesses)
      if (auto found = dims.find(access.buffer); access.buffer && found != dims.end())
        return std::make_pair(true, access.loops[found->second]);
    return std::make_pair(false, std::optional<unsigned>());
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t index = 0; index < members.size(); ++index) {
      if (isKnown[index])
        continue;
      if (!row.loops[index]) {
        auto [isConnected, loop] = findLoop(members[index], row.dims);
        if (isConnected && !loop)
          return std::nullopt;
        row.loops[index] = loop;
      }
      if (!row.loops[index])
        continue;
      if (!visit(index))
        return std::nullopt;
      changes = true;
    }
    // Ops that only read the same buffers.
    for (size_t index = 0; index < members.size() && !changes; ++index)
      if (!isKnown[index])
        if (std::optional<unsigned> loop = findLoop(members[index], readDims).second)
          row.loops[index] = loop, changes = true;
  }
  for (auto [member, loop] : llvm::zip_equal(members, row.loops))
    if (!loop && !isa<linalg::FillOp>(member.op))
      return std::nullopt;
  return row;
}

/// Whether products of matrices are whole, and rows of the largest buffers contiguous.
bool RowGroup::isUseful(const RowLoop &row) const {
  int64_t mostBytes = 0;
  for (const Member &member : members)
    for (const RowAccess &access : member.accesses)
      if (access.buffer)
        mostBytes = std::max(mostBytes, getBytes(access.buffer));
  for (auto [member, loop] : llvm::zip_equal(members, row.loops)) {
    if (!loop)
      continue;
    const bool isContraction = linalg::isaContractionOpInterface(member.op);
    for (const RowAccess &access : member.accesses) {
      if (!access.buffer)
        continue;
      std::optional<unsigned> dim = access.getDim(*loop);
      if (isContraction && !dim)
        return false;
      ArrayRef<int64_t> shape = cast<MemRefType>(access.buffer.getType()).getShape();
      auto isLong = [](int64_t size) { return size != 1; };
      if (dim && getBytes(access.buffer) == mostBytes && llvm::count_if(shape, isLong) > 1 &&
          llvm::none_of(shape.drop_front(*dim + 1), isLong))
        return false;
    }
  }
  return true;
}

SmallVector<RowLoop> RowGroup::findRowLoops() const {
  SmallVector<RowLoop> found;
  const Member &first = members.front();
  linalg::LinalgOp op = first.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  // In the order of the dimensions of the first op's result, from the outermost on.
  for (std::optional<unsigned> loop : first.accesses.back().loops)
    if (loop && sizes[*loop] != 1)
      if (std::optional<RowLoop> row = follow(*loop))
        found.push_back(std::move(*row));
  return found;
}

/// The bytes that the iterations of one tile access.
int64_t RowGroup::countBytes(ArrayRef<RowLoop> loops) const {
  llvm::SmallDenseSet<Value> counted;
  int64_t bytes = 0;
  for (auto [index, member] : llvm::enumerate(members)) {
    if (!loops.front().loops[index])
      continue;
    for (const RowAccess &access : member.accesses) {
      if (!access.buffer || !counted.insert(access.buffer).second)
        continue;
      auto type = cast<MemRefType>(access.buffer.getType());
      SmallVector<int64_t> shape(type.getShape());
      for (int64_t &size : shape)
        size = ShapedType::isDynamic(size) ? assumedColumns : size;
      for (const RowLoop &row : loops)
        if (std::optional<unsigned> dim = access.getDim(*row.loops[index]))
          shape[*dim] = row.tile;
      bytes += *getKnownBytes(type.clone(shape));
    }
  }
  return bytes;
}

/// Returns false if the tiles would be too few, or too large.
bool RowGroup::chooseTiles(MutableArrayRef<RowLoop> loops) const {
  if (loops.empty())
    return false;
  for (RowLoop &row : loops)
    row.tile = 1;
  const int64_t rowBytes = countBytes(loops);
  if (rowBytes > mostRowBytes)
    return false;
  int64_t rows = bytesInL1 / rowBytes;
  if (rows < fewestRows)
    rows = std::clamp<int64_t>(bytesInL2 / rowBytes, 1, fewestRows);
  int64_t tiles = 1;
  for (RowLoop &row : loops)
    tiles *= getRows(row);
  rows = std::min<int64_t>(llvm::bit_floor<uint64_t>(rows), std::max<int64_t>(tiles / enoughTiles, 1));
  // Whole inner loops first.
  for (RowLoop &row : llvm::reverse(loops)) {
    const int64_t size = getRows(row);
    if (ShapedType::isDynamic(row.size)) // the last rows, which fill no tile, are computed one by one
      rows = std::min(rows, fewestRows);
    row.tile = std::min(size, rows);
    rows /= row.tile;
    tiles = tiles / size * llvm::divideCeil(size, row.tile);
    if (row.tile < size || ShapedType::isDynamic(row.size))
      break;
  }
  return tiles >= fewestTiles;
}

std::optional<SmallVector<RowAccess>> RowGroup::getAccesses(linalg::LinalgOp op) const {
  SmallVector<RowAccess> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    std::optional<RowAccess> access = getAccess(operand.get(), op.getMatchingIndexingMap(&operand));
    if (!access || (type && getAssumedBytes(type).value_or(0) == 0))
      return std::nullopt;
    accesses.push_back(std::move(*access));
  }
  return accesses;
}

bool RowGroup::accessesWhole(const Member &member, Value written) const {
  linalg::LinalgOp op = member.op;
  return llvm::all_of(member.accesses,
                      [&](const RowAccess &access) {
                        return !access.buffer || access.buffer == written ||
                               !aliases.mayAlias(written, BufferAliases::getRoot(access.buffer));
                      }) &&
         llvm::none_of(op.getBlock()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
           return aliases.mayAlias(written, BufferAliases::getRoot(load.getMemRef()));
         });
}

bool RowGroup::add(linalg::LinalgOp op) {
  std::optional<BufferEffects> added = BufferEffects::of(op);
  if (!added || members.size() >= mostMembers || isExcluded(op))
    return false;
  std::optional<SmallVector<RowAccess>> accesses = getAccesses(op);
  if (!accesses)
    return false;
  BufferEffects before = effects;
  SmallVector<RowLoop> loops;
  members.push_back({op, std::move(*accesses)});
  effects.add(*added);
  const bool isValid = llvm::all_of(effects.writes, [&](Value root) {
    return isOwn(root) && llvm::all_of(members, [&](const Member &member) { return accessesWhole(member, root); });
  });
  if (isValid)
    loops = findRowLoops();
  // Small ops before large ones may have few rows, or none whose elements are contiguous.
  const bool isSmall = countSharedBytes() < leastBytes;
  SmallVector<RowLoop> useful = llvm::filter_to_vector(loops, [&](const RowLoop &row) { return isUseful(row); });
  const bool hasTiles = chooseTiles(useful);
  if (!hasTiles && (loops.empty() || !isSmall)) {
    members.pop_back();
    effects = std::move(before);
    return false;
  }
  rowLoops = hasTiles ? std::move(useful) : SmallVector<RowLoop>();
  return true;
}

bool RowGroup::addSum(linalg::LinalgOp op) {
  SmallVector<Operation *> combiners;
  auto type = cast<MemRefType>(op.getDpsInits().front().getType());
  // A product of matrices is computed as a whole, but not sums of products of two elements each.
  const SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  const bool isMatrixProduct =
      linalg::isaContractionOpInterface(op) &&
      llvm::any_of(ArrayRef(maps).drop_back(), [](AffineMap map) { return !map.isPermutation(); });
  if (rowLoops.empty() || op.getNumDpsInits() != 1 || isMatrixProduct ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) || !type.hasStaticShape() ||
      !matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
      !isa<arith::AddFOp>(combiners.front()) || !op.getRegionOutputArgs().front().hasOneUse())
    return false;
  std::optional<SmallVector<RowAccess>> accesses = getAccesses(op);
  // Bufferization may reuse a buffer that the group writes by rows for the result of this op. A tile has its own part
  // of such a buffer, if nothing else uses it.
  const Value output = BufferAliases::getRoot(op.getDpsInits().front());
  if (!accesses || llvm::any_of(effects.writes, [&](Value written) { return aliases.mayAlias(output, written); }))
    return false;
  Member member = {op, std::move(*accesses), /*isSum=*/true};
  int64_t inputBytes = 0;
  for (const RowAccess &access : ArrayRef(member.accesses).drop_back())
    inputBytes += access.buffer ? getBytes(access.buffer) : 0;
  // Each part of the rows has sums of its own.
  if (*getKnownBytes(type) * sumParts * 4 > inputBytes ||
      !llvm::all_of(effects.writes, [&](Value root) { return accessesWhole(member, root); }))
    return false;
  SmallVector<unsigned> loops;
  for (const RowLoop &row : rowLoops) {
    std::optional<unsigned> loop;
    for (const RowAccess &access : ArrayRef(member.accesses).drop_back())
      if (auto dim = row.dims.find(access.buffer); access.buffer && dim != row.dims.end()) {
        std::optional<unsigned> found = access.loops[dim->second];
        if (!found || (loop && loop != found))
          return false;
        loop = found;
      }
    if (!loop || op.getIteratorTypesArray()[*loop] != utils::IteratorType::reduction)
      return false;
    loops.push_back(*loop);
  }
  for (auto [row, loop] : llvm::zip_equal(rowLoops, loops))
    row.loops.push_back(loop);
  members.push_back(std::move(member));
  return true;
}

void RowGroup::removeUnusedFills() {
  if (rowLoops.empty())
    return;
  for (size_t index = members.size(); index-- > 0;)
    if (!rowLoops.front().loops[index]) {
      members.erase(members.begin() + index);
      for (RowLoop &row : rowLoops)
        row.loops.erase(row.loops.begin() + index);
    }
  effects = {};
  for (const Member &member : members)
    effects.add(*BufferEffects::of(member.op));
}

int64_t RowGroup::countSharedBytes() const {
  llvm::SmallDenseMap<Value, unsigned> uses;
  for (const Member &member : members) {
    llvm::SmallDenseSet<Value> used;
    for (const RowAccess &access : member.accesses)
      if (access.buffer && used.insert(access.buffer).second && !isa<linalg::FillOp>(member.op))
        ++uses[access.buffer];
  }
  int64_t bytes = 0;
  for (auto [buffer, count] : uses)
    if (count > 1)
      bytes += getBytes(buffer);
  return bytes;
}

bool RowGroup::isProfitable() const {
  return !rowLoops.empty() && countSharedBytes() >= std::max<int64_t>(leastBytes, 1);
}
