//===- ZeroTensors.h - tensors of zeros -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TRANSFORMS_ZEROTENSORS_H
#define RNN_TRANSFORMS_ZEROTENSORS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::rnn {

/// Whether `value` is known to be zero (of either sign), or a tensor of zeros.
inline bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    value = splat.getInput();
  else if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Zeros with the type and the sizes of an empty tensor.
inline Value fillWithZeros(OpBuilder &b, Location loc, Value empty) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(getElementTypeOrSelf(empty)));
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

} // namespace mlir::rnn

#endif // RNN_TRANSFORMS_ZEROTENSORS_H
