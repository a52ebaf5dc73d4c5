//===- TorchOp.h - one op of torch-mlir under conversion -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CONVERSION_COMMON_TORCHOP_H
#define RNN_LIB_CONVERSION_COMMON_TORCHOP_H

#include "ImportedOp.h"
#include "TorchTypes.h"

namespace mlir::rnn {

/// An op with operands and results of torch-mlir's types, or of builtin types. Operands of type `none` are absent.
class TorchOp : public ImportedOp {
public:
  TorchOp(Operation *op, PatternRewriter &rewriter);

  /// The values of a list, as builtin tensors.
  SmallVector<Value> list(unsigned index, StringRef name);
  /// Constant scalars.
  bool boolean(unsigned index, StringRef name);
  int64_t integerOperand(unsigned index, StringRef name);
  double numberOperand(unsigned index, StringRef name);

protected:
  Type declaredType(unsigned index) const override;
  Value toResult(unsigned index, Value value) override;

private:
  Attribute constantOperand(unsigned index, StringRef name, StringRef opName);
};

} // namespace mlir::rnn

#endif // RNN_LIB_CONVERSION_COMMON_TORCHOP_H
