//===- RNN.cpp - the plain recurrent cell ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Codegen/Cells/RNN.h"

using namespace mlir;
using namespace mlir::rnn;

Value rnn::stepRNN(const CellBuilder &b, Activation activation, Value argument) {
  if (activation == Activation::Tanh)
    return b.tanh(argument);
  Value zero = b.constant(0.0, argument);
  return b.select(arith::CmpFPredicate::OLE, argument, zero, zero, argument);
}

Value rnn::stepRNNBackward(const CellBuilder &b, Activation activation, Value h, Value dh) {
  if (activation == Activation::Tanh)
    return b.mul(dh, b.tanhSlope(h));
  Value zero = b.constant(0.0, h);
  return b.select(arith::CmpFPredicate::OGT, h, zero, dh, zero);
}
