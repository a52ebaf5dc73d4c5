//===- Gemm.h - tiled GEMM kernels -*- C++ -*-===//
//
// The caller supplies the operands and the epilogue as callbacks; tiling, copies to shared memory and the micro-kernel
// are chosen by `launchGemm`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_GEMM_H
#define RNN_CODEGEN_GPU_GEMM_H

#include "rnn/Codegen/GPU/Emitter.h"

namespace mlir::rnn {

/// One operand of a GEMM. `outer` is the row of an element of the left operand and the column of one of the right
/// operand; `depth` is the index that the GEMM reduces over.
struct GemmOperand {
  using Function = std::function<Value(const Emitter &e, int64_t panel, Value outer, Value depth)>;

  /// A matrix in global memory: `address` returns the address of an element (see `Emitter::address`) and is also called
  /// for indices outside of the matrix. Copies are asynchronous, and of 16 bytes where the address is aligned.
  /// `isAffine`: elements along the depth are a constant distance apart, and rows start at multiples of it or of their
  /// length, so that pointers advance through the matrix, and one test decides whether all vectors are aligned.
  static GemmOperand inMemory(bool depthIsContiguous, Function address, bool isAffine = true) {
    return {nullptr, depthIsContiguous, std::move(address), isAffine};
  }

  /// Computes an element inside of the matrix; null for a matrix in memory.
  Function read;
  /// True if elements that are adjacent along `depth` are adjacent in memory; false if those along `outer` are.
  bool depthIsContiguous;
  Function address = nullptr;
  bool isAffine = false;
};

/// sums[panel][row][column] = sum over depth of left[row][depth] * right[panel][depth][column], passed to `finish`. All
/// panels share the left operand. Sums are accumulated in getAccumulatorType(element), in an order that depends on the
/// sizes alone.
struct Gemm {
  StringRef name;
  Type element;
  int64_t panels;
  Value rows, columns, depth;
  GemmOperand left, right;
  /// The epilogue; emitted once per sum of a thread, guarded by the bounds of the matrix.
  std::function<void(const Emitter &e, Value row, Value column, ArrayRef<Value> sums)> finish;
  /// Rows of the left operand at or after this one are not read, and their sums are zero. Null: all rows are valid.
  Value validRows = nullptr;
  /// True if the previous launch is a kernel of this library that does not write the right operand; the kernel then
  /// reads it before the previous launch has ended.
  bool chained = false;
  /// Number of independent GEMMs of these sizes in one launch; `start` receives the index of the current one in the
  /// kernel.
  int64_t copies = 1;
  std::function<void(const Emitter &e, Value copy)> start = nullptr;
  /// False: no clusters, on devices that cannot hold them.
  bool mayUseClusters = true;
  /// True: the kernel has to fit a multiprocessor beside a block of a persistent kernel. In 16 bits: 128 threads with
  /// 64 registers each, which 256 threads with 224 registers leave. Other types have no such kernel.
  bool isNarrow = false;
};

/// True if the blocks of a cluster multiply slices of the depth. The sums then differ in rounding from those without
/// clusters.
bool usesClusters(const Emitter &host, const Gemm &gemm);
void launchGemm(const Emitter &host, const Gemm &gemm);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_GEMM_H
