//===- CarriedSums.h - tensors to which a loop adds -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TRANSFORMS_CARRIEDSUMS_H
#define RNN_LIB_TRANSFORMS_CARRIEDSUMS_H

#include "LinalgForms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "rnn/Transforms/ZeroTensors.h"

namespace mlir::rnn {

/// Returns the op if it adds two tensors elementwise, else null.
inline linalg::LinalgOp getAddition(Operation *op) {
  auto addition = dyn_cast<linalg::LinalgOp>(op);
  return addition && isa_and_present<arith::AddFOp, arith::AddIOp>(getCombiner(addition)) ? addition
                                                                                          : linalg::LinalgOp();
}

/// If the loop only adds tensors to the carried value with this number, returns the additions, in their order: the
/// first one adds to the carried value, the others to the result of the one before. Otherwise returns none.
inline SmallVector<linalg::LinalgOp> getAdditions(scf::ForOp loop, unsigned carried) {
  SmallVector<linalg::LinalgOp> additions;
  Value sum = loop.getRegionIterArg(carried);
  while (sum.hasOneUse()) {
    OpOperand &use = *sum.use_begin();
    if (use.getOwner() == loop.getBody()->getTerminator()) {
      if (use.getOperandNumber() == carried)
        return additions;
      break;
    }
    linalg::LinalgOp addition = getAddition(use.getOwner());
    if (!addition || addition->getBlock() != loop.getBody() || addition.isDpsInit(&use))
      break;
    additions.push_back(addition);
    sum = addition->getResult(0);
  }
  return {};
}

/// The tensor that the addition adds to `sum`.
inline Value getAddend(linalg::LinalgOp addition, Value sum) {
  return addition.getDpsInputs()[addition.getDpsInputs()[0] == sum];
}

/// Zeros of the type of another tensor, which has static sizes.
inline Value createZeros(OpBuilder &b, Value like) {
  Location loc = like.getLoc();
  return fillWithZeros(b, loc, tensor::EmptyOp::create(b, loc, cast<RankedTensorType>(like.getType()), ValueRange()));
}

/// Adds tensors of equal types and static sizes as the op `like` does.
inline Value add(OpBuilder &b, linalg::LinalgOp like, Value left, Value right) {
  auto type = cast<RankedTensorType>(left.getType());
  Value empty = tensor::EmptyOp::create(b, like.getLoc(), type, ValueRange());
  SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return createWithBody(b, like, {left, right}, empty, maps, loops).getResult(0);
}

} // namespace mlir::rnn

#endif // RNN_LIB_TRANSFORMS_CARRIEDSUMS_H
