//===- IsolateScalarLoops.cpp - wrap sequential linalg ops in parallel loops -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNISOLATESCALARLOOPSPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct IsolateScalarLoops : public rnn::impl::RNNIsolateScalarLoopsPassBase<IsolateScalarLoops> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> scalar;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && op.getNumParallelLoops() == 0 && !op->getParentOfType<scf::ParallelOp>())
        scalar.push_back(op);
    });
    for (linalg::LinalgOp op : scalar) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      auto loop = scf::ParallelOp::create(builder, loc, zero, one, one);
      op->moveBefore(loop.getBody()->getTerminator());
    }
  }
};
} // namespace
