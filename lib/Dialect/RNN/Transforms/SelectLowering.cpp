//===- SelectLowering.cpp - runtime call or fused kernel, per op -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "rnn/Dialect/RNN/IR/RNN.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Target/TargetInfo.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNSELECTLOWERINGPASS
#include "rnn/Dialect/RNN/Transforms/Passes.h.inc"
} // namespace mlir::rnn

#define DEBUG_TYPE "rnn-select-lowering"

using namespace mlir;
using namespace mlir::rnn;

namespace {

struct SelectLowering : public rnn::impl::RNNSelectLoweringPassBase<SelectLowering> {
  using RNNSelectLoweringPassBase::RNNSelectLoweringPassBase;

  void runOnOperation() override {
    std::optional<TargetInfo> info = TargetInfo::get(target);
    if (!info) {
      InFlightDiagnostic diag = emitError(UnknownLoc::get(&getContext()), "unknown target `") << target
                                                                                              << "`; expected ";
      llvm::interleave(TargetInfo::getNames(), diag, [&](StringRef name) { diag << "`" << name << "`"; }, " or ");
      return signalPassFailure();
    }
    std::optional<Lowering> preferred = symbolizeLowering(prefer);
    if (!preferred && prefer != "auto") {
      emitError(UnknownLoc::get(&getContext()), "unknown lowering `")
          << prefer << "`; expected `auto`, `runtime` or `fused`";
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](LayerOpInterface op) { return select(op, *info, preferred); });
    if (result.wasInterrupted() || (!info->plansShareBuffers() && failed(checkPairs())))
      signalPassFailure();
  }

private:
  static bool hasPlan(LayerOpInterface op, const TargetInfo &info) {
    return isa<BlockLSTMOp, BlockLSTMGradOp>(op) ? info.hasBlockPlans() : info.hasRuntimePlans();
  }

  /// Reserve spaces and parameters go from an op to one that reads them as it wrote them.
  LogicalResult checkPairs() {
    WalkResult result = getOperation()->walk([&](LayerOpInterface reader) {
      auto check = [&](Value buffer, StringRef what) {
        while (auto cast = buffer ? buffer.getDefiningOp<tensor::CastOp>() : tensor::CastOp())
          buffer = cast.getSource();
        auto writer = buffer ? buffer.getDefiningOp<LayerOpInterface>() : LayerOpInterface();
        if (!writer || writer.getLowering() == reader.getLowering())
          return success();
        InFlightDiagnostic diag = reader->emitError("runs as `")
                                  << stringifyLowering(*reader.getLowering()) << "`, but `" << what << "` is written by '"
                                  << writer->getName() << "', which runs as `"
                                  << stringifyLowering(*writer.getLowering()) << "` and lays it out in another way on target `"
                                  << target << "`; give both the same lowering";
        diag.attachNote(writer->getLoc()) << "`" << what << "` is written here";
        return failure();
      };
      LogicalResult both = success();
      if (auto forward = dyn_cast<CudnnForwardOp>(reader.getOperation()))
        both = check(forward.getParams(), "params");
      else if (auto unpack = dyn_cast<CudnnParamsToCanonicalOp>(reader.getOperation()))
        both = check(unpack.getParams(), "params");
      else if (auto backprop = dyn_cast<CudnnBackpropOp>(reader.getOperation()))
        both = failed(check(backprop.getReserveSpace(), "reserve_space")) ? failure()
                                                                          : check(backprop.getParams(), "params");
      return failed(both) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static WalkResult select(LayerOpInterface op, const TargetInfo &info, std::optional<Lowering> preferred) {
    std::optional<Lowering> wanted = op.getLowering() ? op.getLowering() : preferred;
    if (wanted == Lowering::Runtime && !hasPlan(op, info)) {
      op->emitError("lowering `runtime` is not available for '")
          << op->getName() << "' on target `" << info.getName()
          << "`, which has plans for the cudnn ops alone, and this op could not be rewritten to them (the remarks of "
             "rnn-block-to-cudnn say why); use `fused` or `auto`";
      return WalkResult::interrupt();
    }
    if (op.getLowering())
      return WalkResult::advance();
    Lowering chosen = wanted.value_or(hasPlan(op, info) ? Lowering::Runtime : Lowering::Fused);
    op.setLoweringAttr(LoweringAttr::get(op->getContext(), chosen));
    remark::passed(op->getLoc(), remark::RemarkOpts::name("Lowering").category(DEBUG_TYPE))
        << ("'" + op->getName().getStringRef() + "' runs as `" + stringifyLowering(chosen) + "`").str()
        << remark::reason("{0}", wanted              ? "asked for by the pipeline"
                                : hasPlan(op, info) ? "plans come first where there are some"
                                                    : "the target has no plans for this op");
    return WalkResult::advance();
  }
};

} // namespace
