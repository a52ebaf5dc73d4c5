//===- ExpandStridedCopies.cpp - memref copies with a layout become loops ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNEXPANDSTRIDEDCOPIESPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ExpandStridedCopies : public rnn::impl::RNNExpandStridedCopiesPassBase<ExpandStridedCopies> {
  void runOnOperation() override {
    auto isDense = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && type.getLayout().isIdentity();
    };
    getOperation()->walk([&](memref::CopyOp copy) {
      if ((isDense(copy.getSource()) && isDense(copy.getTarget())) || !isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType()))
        return;
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
    });
  }
};
} // namespace
