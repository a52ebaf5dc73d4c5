//===- ExpandStridedCopies.cpp - convert strided memref copies to loops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNEXPANDSTRIDEDCOPIESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ExpandStridedCopies : public rnn::impl::RNNExpandStridedCopiesPassBase<ExpandStridedCopies> {
  using RNNExpandStridedCopiesPassBase::RNNExpandStridedCopiesPassBase;

  void runOnOperation() override {
    auto isContiguous = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && type.getLayout().isIdentity();
    };
    getOperation()->walk([&](memref::CopyOp copy) {
      if ((isContiguous(copy.getSource()) && isContiguous(copy.getTarget())) ||
          !isa<MemRefType>(copy.getSource().getType()) || !isa<MemRefType>(copy.getTarget().getType()))
        return;
      IRRewriter rewriter(copy);
      linalg::GenericOp generic = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
      rewriter.setInsertionPoint(generic);
      if (loops && succeeded(linalg::linalgOpToLoops(rewriter, generic)))
        rewriter.eraseOp(generic);
    });
  }
};
} // namespace
