//===- ColumnSums.h - reductions over the rows of matrices -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CODEGEN_GPU_COLUMNSUMS_H
#define RNN_CODEGEN_GPU_COLUMNSUMS_H

#include "rnn/Codegen/GPU/Emitter.h"

namespace mlir::rnn {

/// For each column, sums `terms` over all rows and passes the sums to `finish`. The order of summation depends on the
/// number of rows alone.
struct ColumnSums {
  StringRef name;
  Type accumulator;
  int64_t count; ///< sums per column
  Value rows, columns;
  std::function<SmallVector<Value>(const Emitter &e, Value row, Value column)> terms;
  std::function<void(const Emitter &e, Value column, ArrayRef<Value> sums)> finish;
};

void launchColumnSums(const Emitter &host, const ColumnSums &sums);

} // namespace mlir::rnn

#endif // RNN_CODEGEN_GPU_COLUMNSUMS_H
