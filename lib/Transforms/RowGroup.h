//===- RowGroup.h - linalg ops that compute the same rows -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_ROWGROUP_H
#define RNN_LIB_TRANSFORMS_ROWGROUP_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::rnn {

/// The buffers that an op reads and writes: allocations, arguments, and other values that are no views.
struct BufferEffects {
  SmallVector<Value> reads, writes;

  /// The effects of a linalg op on buffers, or none if its body has other effects than loads.
  static std::optional<BufferEffects> of(linalg::LinalgOp op);
  void add(const BufferEffects &other) {
    llvm::append_range(reads, other.reads);
    llvm::append_range(writes, other.writes);
  }
};

/// Whether buffers are the same memory.
class BufferAliases {
public:
  explicit BufferAliases(Operation *function) : flow(function) {}

  /// The buffer of which `value` is a view.
  static Value getRoot(Value value);
  bool mayAlias(Value left, Value right) const;
  /// Whether the order of ops with these effects matters.
  bool conflict(const BufferEffects &left, const BufferEffects &right) const;

private:
  BufferViewFlowAnalysis flow;
};

/// A buffer as an op accesses it.
struct RowAccess {
  Value value;                                ///< the op's operand
  Value buffer;                               ///< `value` without reshapes that only add or drop dimensions of size 1
  SmallVector<std::optional<unsigned>> loops; ///< for each dimension of `buffer`, the loop of its index

  std::optional<unsigned> getDim(unsigned loop) const {
    auto *found = llvm::find(loops, std::optional<unsigned>(loop));
    return found == loops.end() ? std::nullopt : std::optional<unsigned>(found - loops.begin());
  }
};

/// A parallel loop of every op of a group, such that each iteration reads only what the same iteration of the ops
/// before wrote.
struct RowLoop {
  int64_t size = 0; ///< may be unknown
  int64_t tile = 1;
  SmallVector<std::optional<unsigned>> loops; ///< of each op; none for a fill of a buffer that no other op uses
  llvm::SmallDenseMap<Value, unsigned> dims;  ///< of the buffers that the group writes
};

/// Sums over all rows are computed in parts, whose number does not depend on that of the threads.
constexpr int64_t sumParts = 64;

/// Ops in one block, in their order, that can be computed row by row.
class RowGroup {
public:
  struct Member {
    linalg::LinalgOp op;
    SmallVector<RowAccess> accesses; ///< of all operands; those that are no memrefs have no buffer
    bool isSum = false;              ///< adds all rows to its result
  };

  /// `leastBytes`: of buffers that several ops access, for which a group pays. `assumedRows`: an unknown number of
  /// rows.
  RowGroup(const BufferAliases &aliases, int64_t leastBytes, int64_t assumedRows)
      : aliases(aliases), leastBytes(leastBytes), assumedRows(assumedRows) {}

  /// Adds the next op. Returns false, and changes nothing, if the ops would have no common rows then, or if the data of
  /// one row would not fit into the L2 cache.
  bool add(linalg::LinalgOp op);
  /// Adds an op that runs after the others, and adds rows of their results, and other buffers, to one result. Returns
  /// false if it is no such op.
  bool addSum(linalg::LinalgOp op);
  /// Removes fills of buffers that no other op of the group uses.
  void removeUnusedFills();
  /// Whether several ops access so many bytes that the second one would not find them in the L1 cache.
  bool isProfitable() const;

  ArrayRef<Member> getMembers() const { return members; }
  /// The common loops, from the outermost on, and the iterations of each that one tile computes. Empty if the ops are
  /// small.
  ArrayRef<RowLoop> getRowLoops() const { return rowLoops; }
  const BufferEffects &getEffects() const { return effects; }

private:
  int64_t getRows(const RowLoop &row) const { return ShapedType::isDynamic(row.size) ? assumedRows : row.size; }
  /// The bytes of a buffer, or none if they are not known for assumed sizes.
  std::optional<int64_t> getAssumedBytes(MemRefType type) const;
  int64_t getBytes(Value buffer) const { return *getAssumedBytes(cast<MemRefType>(buffer.getType())); }
  /// The accesses of an op, or none if they have other indices than loops, or no elements.
  std::optional<SmallVector<RowAccess>> getAccesses(linalg::LinalgOp op) const;
  /// Whether all accesses of the op to `written`, a buffer that the group writes, are operands that have all of its
  /// elements: no parts of the buffer, and no loads in the op's body.
  bool accessesWhole(const Member &member, Value written) const;
  bool isWritten(Value buffer) const { return llvm::is_contained(effects.writes, buffer); }
  std::optional<RowLoop> follow(unsigned firstLoop) const;
  bool isUseful(const RowLoop &loop) const;
  SmallVector<RowLoop> findRowLoops() const;
  int64_t countSharedBytes() const;
  int64_t countBytes(ArrayRef<RowLoop> loops) const;
  bool chooseTiles(MutableArrayRef<RowLoop> loops) const;

  const BufferAliases &aliases;
  const int64_t leastBytes, assumedRows;
  SmallVector<Member> members;
  BufferEffects effects;
  SmallVector<RowLoop> rowLoops;
};

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_ROWGROUP_H
