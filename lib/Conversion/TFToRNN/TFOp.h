//===- TFOp.h - one TensorFlow op under conversion -*- C++ -*-===//
//
// The names and attributes that only TensorFlow's ops have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_TFTORNN_TFOP_H
#define RNN_LIB_CONVERSION_TFTORNN_TFOP_H

#include "../Common/ImportedOp.h"

namespace mlir::rnn::tf {

class TFOp : public ImportedOp {
public:
  TFOp(Operation *op, PatternRewriter &rewriter) : ImportedOp(op, rewriter) {
    renames = {{"`layers`", "`num_layers`"}, {"`units`", "`num_units`"}};
  }

  /// Reports attributes of other versions of the op, and misspelled ones.
  void checkAttributes(ArrayRef<StringRef> known);
  /// A required element type.
  Type elementType(StringRef name);
  /// Operand `index` as an i8 tensor of rank 1.
  Value reserve(unsigned index, StringRef name) { return integers(index, name, 8, 1, "bytes (tensor<?xi8>)", "bytes"); }
  /// Swaps the first two dimensions of a rank-3 tensor. Returns null for null.
  Value transpose(Value value);
};

// The converters check the op, build its replacement and replace it. `version` is the suffix of the op name.
void convertCudnnForward(TFOp &op, int version);
void convertCudnnBackprop(TFOp &op, int version);
void convertCudnnParamsSize(TFOp &op);
void convertCudnnCanonicalToParams(TFOp &op, int version);
void convertCudnnParamsToCanonical(TFOp &op, int version);
void convertBlockLSTM(TFOp &op, int version);
void convertBlockLSTMGrad(TFOp &op, int version);

} // namespace mlir::rnn::tf

#endif // RNN_LIB_CONVERSION_TFTORNN_TFOP_H
