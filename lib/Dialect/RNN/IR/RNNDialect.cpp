//===- RNNDialect.cpp - registration of the rnn dialect ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rnn;

#include "rnn/Dialect/RNN/IR/RNNDialect.cpp.inc"
#include "rnn/Dialect/RNN/IR/RNNEnums.cpp.inc"
#include "rnn/Dialect/RNN/IR/RNNInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "rnn/Dialect/RNN/IR/RNNAttrs.cpp.inc"

void RNNDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rnn/Dialect/RNN/IR/RNNAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "rnn/Dialect/RNN/IR/RNNOps.cpp.inc"
      >();
}
