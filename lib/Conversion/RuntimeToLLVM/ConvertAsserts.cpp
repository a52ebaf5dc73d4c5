//===- ConvertAsserts.cpp - assertions become the status of the call ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "rnn/Conversion/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTASSERTSPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// "FILE:LINE: " of the op, or "".
static std::string describeLocation(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place ? (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ": ").str() : "";
}

/// Branches to a block that ends the call unless the condition holds.
static void convert(cf::AssertOp assertion) {
  Location loc = assertion.getLoc();
  Block *block = assertion->getBlock();
  Block *holds = block->splitBlock(assertion);
  OpBuilder builder(assertion.getContext());
  Block *fails = builder.createBlock(block->getParent());
  std::string message = "assertion failed: " + describeLocation(loc) + assertion.getMsg().str();
  rnn::callEntry(builder, assertion->getParentOfType<ModuleOp>(), loc, "rnnrt_abi_fail",
                 rnn::getMessage(builder, assertion, message));
  LLVM::UnreachableOp::create(builder, loc);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, assertion.getArg(), holds, fails);
  assertion.erase();
}

namespace {
struct ConvertAsserts : public rnn::impl::RNNConvertAssertsPassBase<ConvertAsserts> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp>(op)) // the device has assertions of its own
        return WalkResult::skip();
      if (auto assertion = dyn_cast<cf::AssertOp>(op))
        assertions.push_back(assertion);
      return WalkResult::advance();
    });
    for (cf::AssertOp assertion : assertions)
      convert(assertion);
  }
};
} // namespace
