//===- VectorTiles.cpp - the parallel loops of a linalg op --------------------===//
//
// The loops over tiles of rows and vectors, in blocks if an operand is larger than L2, and which of them threads
// divide.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "rnn/Codegen/CollapseShape.h"

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

int64_t host::getCost(Block &body) {
  int64_t cost = 0;
  for (Operation &op : body)
    cost += isa<math::MathDialect>(op.getDialect()) ? 16 : isa<arith::DivFOp>(op) || isIntegerDivision(&op) ? 8 : 1;
  return cost;
}

/// The vector unit for elements of `width` bits. If the vectorized loop has fewer iterations than a vector has lanes,
/// the vectors are shorter. With a masked long vector, loads of the next op would wait for the store, and LLVM would
/// not keep the buffer in registers.
HostVectors VectorLoops::getVectors(unsigned width) const {
  HostVectors result = vectors;
  const int64_t size = staticSizes[vectorLoop];
  constexpr uint64_t leastBits = 128;
  if (!ShapedType::isDynamic(size) && size < vectors.bits / width)
    result.bits = std::clamp<uint64_t>(llvm::PowerOf2Ceil(size) * width, std::min<uint64_t>(leastBits, vectors.bits),
                                       vectors.bits);
  return result;
}

void VectorLoops::emit() {
  const unsigned width = hasF64() ? 64 : 32;
  OpBuilder types(op);
  HostBuilder b(op.getLoc(), op, Tiles(width == 64 ? types.getF64Type() : types.getF32Type(), getVectors(width)));
  for (Range range : op.createLoopRanges(b, op.getLoc()))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
  if (isCollapsed) {
    Value count = b.index(1);
    for (Value size : sizes)
      count = b.mul(count, size);
    sizes.assign(1, count);
    for (Buffer &buffer : buffers) {
      if (buffer.type && buffer.map.getNumResults() > 0) {
        ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(0, buffer.type.getRank()));
        buffer.value = collapseShape(b, b.getLoc(), buffer.value, all);
        buffer.type = cast<MemRefType>(buffer.value.getType());
        buffer.map = AffineMap::getMultiDimIdentityMap(1, b.getContext());
      }
    }
  }
  position.assign(sizes.size(), Value());

  chooseShared(b);
  if (isReduction(shared.front()))
    return emitFullReduction(b);
  Value work = getWork(b), most = b.index(1);
  for (unsigned loop : shared)
    most = b.mul(most, b.ceilDiv(sizes[loop], getStep(b, loop)));
  library.parallel(b, most, b.div(work, b.index(leastShare)), [&](const Team &team) { emitLoops(b, outer, team); });
}

/// The iterations of a loop that one tile computes.
int64_t VectorLoops::getStep(HostBuilder &b, unsigned loop) const {
  return isVectorized(loop) ? getUnroll() * b.tiles.lanes : loop == rowLoop ? getTileRows(b) : 1;
}

/// Threads divide the loop with most tiles. If these are few, they divide several loops as one, or the columns of
/// blocks.
void VectorLoops::chooseShared(HostBuilder &b) {
  constexpr int64_t assumed = 64, enough = 16; // iterations of a loop of unknown size, and parts for a few threads
  auto countParts = [&](ArrayRef<unsigned> loops) {
    int64_t parts = 1;
    for (unsigned loop : loops)
      parts *=
          llvm::divideCeil(ShapedType::isDynamic(staticSizes[loop]) ? assumed : staticSizes[loop], getStep(b, loop));
    return parts;
  };
  int64_t most = 0;
  auto consider = [&](ArrayRef<unsigned> loops) {
    if (int64_t parts = countParts(loops); !loops.empty() && (shared.empty() || parts > most))
      most = parts, shared.assign(loops.begin(), loops.end());
  };
  for (unsigned loop : outer)
    consider(loop);
  if (most < enough) {
    // Consecutive loops, without that over rows.
    ArrayRef<unsigned> loops = ArrayRef(outer).drop_back(rowLoop.has_value());
    size_t numOuter = blocks ? std::min(blocks->numOuter, loops.size()) : loops.size();
    consider(loops.take_front(numOuter)), consider(loops.drop_front(numOuter));
    if (blocks && staticSizes[vectorLoop] % getStep(b, vectorLoop) == 0)
      consider(vectorLoop);
  }
  // The others have one iteration.
  if (shared.empty() || (most == 1 && !isReduction(vectorLoop)))
    shared.assign(1, vectorLoop);
}

/// The part of a loop, in whole tiles, that the current thread computes.
std::pair<Value, Value> VectorLoops::getShare(HostBuilder &b, unsigned loop, const Team &team) {
  if (!isShared(loop))
    return {b.index(0), sizes[loop]};
  int64_t step = getStep(b, loop);
  Value tiles = b.ceilDiv(sizes[loop], step);
  return {b.mul(team.begin(b, tiles), step), b.min(b.mul(team.end(b, tiles), step), sizes[loop])};
}

/// The op's work in multiply-adds.
Value VectorLoops::getWork(HostBuilder &b) {
  int64_t cost = getCost(body);
  // Each iteration loads or stores another element.
  constexpr int64_t elementCost = 2;
  for (const Buffer &buffer : buffers)
    if (buffer.type && llvm::all_of(llvm::seq<unsigned>(0, sizes.size()),
                                    [&](unsigned loop) { return buffer.map.isFunctionOfDim(loop); }))
      cost += elementCost;
  Value work = b.index(cost);
  for (Value size : sizes)
    work = b.mul(work, size);
  return work;
}

/// The parallel loops `loops` and the body.
void VectorLoops::emitLoops(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team) {
  if (blocks && !blocks->firstColumn && loops.size() + blocks->numOuter == outer.size())
    return emitBlocks(b, loops, team);
  if (loops.empty())
    return isReduction(vectorLoop) ? emitReduction(b) : emitVectorLoop(b, team);
  unsigned loop = loops.front();
  if (loop == rowLoop)
    return emitRows(b, loop, team);
  if (shared.size() > 1 && loop == shared.front())
    return emitSharedLoops(b, loops.drop_front(shared.size()), team);
  auto [from, to] = getShare(b, loop, team);
  b.loop(from, to, 1, [&](Value iteration) {
    position[loop] = iteration;
    emitLoops(b, loops.drop_front(), team);
  });
}

/// Several loops as one, which threads divide, and the loops `loops` inside of them.
void VectorLoops::emitSharedLoops(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team) {
  Value count = b.index(1);
  for (unsigned loop : shared)
    count = b.mul(count, sizes[loop]);
  b.loop(team.begin(b, count), team.end(b, count), 1, [&](Value iteration) {
    for (unsigned loop : llvm::reverse(shared)) {
      position[loop] = b.createOrFold<arith::RemUIOp>(iteration, sizes[loop]);
      iteration = b.div(iteration, sizes[loop]);
    }
    emitLoops(b, loops, team);
  });
}

/// The loop over tiles of rows, and then the remaining rows. Threads divide whole tiles, so that a row is
/// in the same tile for any number of threads.
void VectorLoops::emitRows(HostBuilder &b, unsigned loop, const Team &team) {
  auto emitTile = [&](Value first, int64_t count) {
    rows.clear();
    for (int64_t row = 0; row < count; ++row)
      rows.push_back(b.add(first, row));
    if (blocks)
      return emitParallelGroup(b, blocks->firstColumn, blocks->masks);
    emitVectorLoop(b, team);
  };
  int64_t height = getTileRows(b);
  auto [from, to] = getShare(b, loop, team);
  int64_t size = staticSizes[loop];
  Value whole = b.add(from, b.mul(b.div(b.sub(to, from), b.index(height)), height));
  if (ShapedType::isDynamic(size) || size >= height)
    b.loop(from, whole, height, [&](Value first) { emitTile(first, height); });
  if (ShapedType::isDynamic(size)) {
    // The rest in tiles of 4, 2 and 1 rows, not row by row: each tile reads all of the right operand.
    Value rest = b.sub(to, whole), first = whole;
    for (int64_t count = llvm::bit_floor<uint64_t>(std::max<int64_t>(height - 1, 1)); count > 0; count /= 2) {
      Value part = b.createOrFold<arith::AndIOp>(rest, b.index(count));
      b.ifThen(b.compare(arith::CmpIPredicate::ne, part, b.index(0)), [&] { emitTile(first, count); });
      first = b.add(first, part);
    }
    return;
  }
  if (int64_t rest = size % height)
    b.ifThen(b.compare(arith::CmpIPredicate::ne, whole, to), [&] { emitTile(whole, rest); });
}

void VectorLoops::emitVectorLoop(HostBuilder &b, const Team &team) {
  auto [from, to] = getShare(b, vectorLoop, team);
  forVectorGroups(b, from, to, [&](Value first, ArrayRef<Value> masks) { emitParallelGroup(b, first, masks); });
}

/// Calls `body` for groups of vectors along the vectorized loop, with their first iteration and masks.
void VectorLoops::forVectorGroups(HostBuilder &b, Value from, Value to,
                                  function_ref<void(Value, ArrayRef<Value>)> body) {
  int64_t unroll = getUnroll(), width = getStep(b, vectorLoop);
  Value rest = b.createOrFold<arith::RemUIOp>(b.sub(to, from), b.index(width)), whole = b.sub(to, rest);
  std::optional<int64_t> knownRest = getConstantIntValue(rest), knownWhole = getConstantIntValue(b.sub(whole, from));
  if (!knownWhole || *knownWhole > 0)
    b.loop(from, whole, width, [&](Value first) { body(first, SmallVector<Value>(unroll)); });
  // The last group has masks. A constant size needs one for the last vector only.
  int64_t count = knownRest ? llvm::divideCeil(*knownRest, b.tiles.lanes) : unroll;
  b.ifThen(b.compare(arith::CmpIPredicate::ne, rest, b.index(0)), [&] { body(whole, getMasks(b, rest, count)); });
}

/// The loops `loops` and the body in blocks. The result is read and written once per block.
void VectorLoops::emitBlocks(HostBuilder &b, ArrayRef<unsigned> loops, const Team &team) {
  auto [from, to] = getShare(b, vectorLoop, team);
  forVectorGroups(b, from, to, [&](Value first, ArrayRef<Value> masks) {
    blocks->firstColumn = first;
    blocks->masks.assign(masks.begin(), masks.end());
    emitDepthBlocks(b, blocks->depth, [&] { emitLoops(b, loops, team); });
    blocks->firstColumn = Value();
  });
}

/// The loops over blocks of the reduction loops.
void VectorLoops::emitDepthBlocks(HostBuilder &b, ArrayRef<unsigned> loops, function_ref<void()> body) {
  if (!loops.empty())
    return b.loop(sizes[loops.front()], [&](Value iteration) {
      position[loops.front()] = iteration;
      emitDepthBlocks(b, loops.drop_front(), body);
    });
  if (!blocks->part)
    return body();
  partLoop = blocks->part;
  b.loop(b.index(0), sizes[*partLoop], blocks->partSize, [&](Value first) {
    partBegin = first, partEnd = b.min(b.add(first, blocks->partSize), sizes[*partLoop]);
    body();
  });
  partLoop.reset();
}
