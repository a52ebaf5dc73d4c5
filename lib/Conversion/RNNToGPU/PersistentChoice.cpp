//===- PersistentChoice.cpp - persistent or per-step kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PersistentChoice.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "convert-rnn-to-gpu"

using namespace mlir;
using namespace mlir::rnn;

/// The discardable attribute `name` of `op` or of the innermost op around it that has it.
template <typename AttrTy> static AttrTy findAttr(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto attr = dyn_cast_or_null<AttrTy>(op->getDiscardableAttr(name)))
      return attr;
  return {};
}

bool rnn::prefersPersistent(Operation *op) {
  auto family = findAttr<StringAttr>(op, "rnn.kernel_family");
  return family && family.getValue() == "cluster";
}

int64_t rnn::getRequestedClusterSize(Operation *op) {
  auto blocks = findAttr<IntegerAttr>(op, "rnn.cluster_blocks");
  return blocks ? blocks.getInt() : 0;
}

void rnn::remarkNotPersistent(Operation *op, StringRef reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("Persistent").category(DEBUG_TYPE))
      << remark::reason("{0}", reason)
      << remark::suggest("{0}", "leave the attribute out: there is one kernel per step");
}
