//===- StackParams.h - parameters of a framework as those of a stack -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_STACKPARAMS_H
#define RNN_LIB_CONVERSION_COMMON_STACKPARAMS_H

#include "ImportedOp.h"

namespace mlir::rnn {

/// The parameters of one direction of one layer: matrices and vectors with the gates in blocks of H rows. A bias and
/// the projection may be null.
struct CellParams {
  Value inputWeights, recurrentWeights, inputBias, recurrentBias, projection;
};

/// Rows `first` to `first + count` of a tensor with static sizes; a constant for a constant.
Value sliceRows(OpBuilder &b, Location loc, Value value, int64_t first, int64_t count);

/// The same without its first dimension, of which it is `index`.
Value selectFirst(OpBuilder &b, Location loc, Value value, int64_t index);

/// Packs the parameters of all cells, pseudo layer by pseudo layer. `blocks[g]` is the block of the framework's order
/// that holds gate `g` of our order. Returns null after an error of the verifier.
Value packStackParams(ImportedOp &op, const CudnnSizes &sizes, ArrayRef<CellParams> cells, ArrayRef<int64_t> blocks);

/// The inverse for gradients: matrices and vectors in the framework's order of gates, from opaque `params`. A bias or
/// the projection is null where that of `cells` is. Returns an empty list after an error of the verifier.
SmallVector<CellParams> unpackStackParams(ImportedOp &op, const CudnnSizes &sizes, ArrayRef<CellParams> cells,
                                          ArrayRef<int64_t> blocks, Value params);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_STACKPARAMS_H
