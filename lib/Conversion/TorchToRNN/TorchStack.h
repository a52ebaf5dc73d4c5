//===- TorchStack.h - a stack of PyTorch's layers under conversion -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_TORCHTORNN_TORCHSTACK_H
#define RNN_LIB_CONVERSION_TORCHTORNN_TORCHSTACK_H

#include "../Common/StackParams.h"
#include "../Common/TorchOp.h"

namespace mlir::rnn {

inline constexpr StringLiteral cudnnForward = "torch.aten._cudnn_rnn", cudnnBackward = "torch.aten._cudnn_rnn_backward";

/// Parameters and attributes that all ops of PyTorch's layers have. The gate orders are those of cuDNN.
class TorchStack : public TorchOp {
public:
  using TorchOp::TorchOp;

protected:
  bool hasCell() const { return sizes.mode == CellMode::Lstm; }
  int64_t numGates() const { return rnn_layout::numGates(getLayoutMode(sizes.mode)); }

  /// A sequence [T, B, last], or [B, T, last] if the op is batch-major.
  Value sequence(unsigned index, StringRef name, StringRef last);
  /// Reads the list of parameters and derives the sizes that are not set: input, hidden and projection.
  void readParams(unsigned index, StringRef name, bool hasBiases);
  Value packParams() { return packStackParams(*this, sizes, cells, gateBlocks()); }
  SmallVector<int64_t> gateBlocks() const;
  /// The attributes of the layer op, without `is_training`.
  SmallVector<NamedAttribute> layerAttributes(double dropout);

  CudnnSizes sizes = {};
  bool isBatchMajor = false;
  SmallVector<CellParams> cells;

private:
  /// A parameter of exactly `shape`.
  Value param(size_t number, StringRef name, ArrayRef<int64_t> shape);

  StringRef listName;
  SmallVector<Value> params;
};

/// Returns true for `_cudnn_rnn` and `_cudnn_rnn_backward`.
bool isCudnnRNN(Operation *op);

/// Converts them. Reports an error if the op is invalid.
LogicalResult convertCudnnRNN(Operation *op, PatternRewriter &rewriter);

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_TORCHTORNN_TORCHSTACK_H
