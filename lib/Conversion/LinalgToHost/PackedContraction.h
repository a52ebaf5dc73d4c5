//===- PackedContraction.h - contractions that GEMMs compute -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_LINALGTOHOST_PACKEDCONTRACTION_H
#define RNN_LIB_CONVERSION_LINALGTOHOST_PACKEDCONTRACTION_H

#include "Internal.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace mlir::rnn::host {

/// The loops that a dimension of a matrix consists of.
enum Group : unsigned { M, N, K, numGroups };

/// An operand as a matrix inside of batch dimensions.
struct Matrix {
  Value buffer;
  SmallVector<ReassociationIndices> merged; ///< consecutive dimensions of `buffer` that are one of `type`
  MemRefType type;
  SmallVector<unsigned> batchDims; ///< for each batch loop, its dimension of `type`
  Group rows = M, columns = N;     ///< elements of a row are contiguous
  unsigned rowDim = 0;
};

/// A contraction c += a b over the loops (batch, m, n, k) on buffers, and its code by GEMMs.
class PackedContraction {
public:
  PackedContraction(linalg::LinalgOp op, const HostVectors &vectors, cpu::KernelLibrary &library)
      : op(op), vectors(vectors), library(library) {}

  /// Fails if the op has no packed form, or if its sizes are known to be too small.
  LogicalResult analyze();
  /// `isZero`: the result is zero before the op. Fails if the op remains in a branch for small sizes; otherwise erases
  /// it and returns whether the result is overwritten without being read.
  FailureOr<bool> emit(bool isZero);
  /// If `analyze` failed only because the dimensions of a group are not consecutive in some operands, and copies of
  /// these pay, copies them and converts the op on the copies. Otherwise fails without a change. The result is that of
  /// `emit`.
  FailureOr<bool> arrange(bool isZero);

private:
  bool matchBody();
  FailureOr<Matrix> analyzeOperand(OpOperand &operand, Group rows, Group columns);
  bool hasDotProducts(Type element, bool isLeftTransposed) const;
  cpu::Tiles makeTiles() const;
  int64_t leastRight(bool hasManyRows) const;
  bool canReadLeft() const;
  unsigned getLastLoop(unsigned operand);
  bool areCopiesWorthwhile();
  SmallVector<unsigned> getArrangedLoops(unsigned operand);
  std::optional<bool> isKnownLarge();
  Value isLarge(cpu::HostBuilder &b) const;

  static int64_t leftPadding(cpu::HostBuilder &b) { return b.tiles.usesBF16Dot() ? 6 : 7; }
  /// The rows and panels of c that a thread computes.
  struct Part {
    Value firstRow, endRow, firstPanel, endPanel;
  };

  void chooseRight(cpu::HostBuilder &b);
  void chooseOwn(cpu::HostBuilder &b);
  void emitBatch(cpu::HostBuilder &b, SmallVector<Value> batch);
  void emitGemm(cpu::HostBuilder &b, ValueRange batch);
  SmallVector<Value> allocateOwn(cpu::HostBuilder &b, const Part &part);
  void packAtOnce(cpu::HostBuilder &b, const cpu::Team &team, const Part &part) const;
  void multiplyPart(cpu::HostBuilder &b, const Part &part);
  Value view(cpu::HostBuilder &b, const Matrix &matrix, ValueRange batch) const;
  void packRight(cpu::HostBuilder &b, Value first, Value end) const;
  void packLeft(cpu::HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const;
  void copyLeft(cpu::HostBuilder &b, Value first, Value end, Value firstRow, Value endRow) const;
  bool needsBlock(cpu::HostBuilder &b) const;
  void multiply(cpu::HostBuilder &b, Value block, const Part &part) const;
  void multiplyBlock(cpu::HostBuilder &b, Value block, Value firstRow, Value rows, Value firstPanel, Value count) const;
  void multiplyInPlace(cpu::HostBuilder &b, const cpu::Gemm &gemm, Value firstPanel) const;
  void callGemm(cpu::HostBuilder &b, cpu::Gemm gemm, Value firstRow, Value rows, Value firstPanel, Value count) const;
  void callPackedGemm(cpu::HostBuilder &b, cpu::Gemm gemm, Value firstRow) const;

  linalg::LinalgOp op;
  const HostVectors &vectors;
  cpu::KernelLibrary &library;
  SmallVector<unsigned> batchLoops, loops[numGroups];
  unsigned leftIndex = 0, rightIndex = 1; ///< the operands of c^T = b^T a^T are swapped
  SmallVector<unsigned> scattered;        ///< the operands in which the dimensions of a group are not consecutive
  Matrix left, right, result;

  bool startsFromZero = false;
  bool readsLeft = false; ///< tiles of the left operand are loaded from the matrix itself

  // Values of the generated code.
  Value sizes[numGroups];
  SmallVector<Value> batchSizes;
  Value panels, depthPanels; ///< of the columns, and of the reduction
  Value byRows;              ///< threads divide rows of c, not columns
  Value readsRight;          ///< the right operand is not packed
  Value packsGroups;         ///< each thread packs `groupPanels` panels of it at a time
  Value groupPanels;
  Value isRightLate;                                    ///< readsRight or packsGroups
  Value sharesNothing;                                  ///< each thread packs all that it reads of packed operands
  Value hasOwnLeft, hasOwnRight;                        ///< in a buffer of its own
  Value packedLeft, leftPanel, packedRight, rightPanel; ///< buffers and panel strides of the current thread
  Value leftOrigin;                                     ///< the first row in packedLeft
  Value rightOrigin;                                    ///< the first panel in packedRight
  Value leftView, rightView, resultView;                ///< the current matrices
  Value zeros;                                          ///< with AMX, a row of a panel, if the sums start from zero
};

} // namespace mlir::rnn::host

#endif // RNN_LIB_CONVERSION_LINALGTOHOST_PACKEDCONTRACTION_H
