//===- LinalgToHost.cpp - linalg ops to loops over vectors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Conversion/LinalgToHost/LinalgToHost.h"
#include "Internal.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_CONVERTLINALGTOHOSTPASS
#include "rnn/Conversion/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::host;

namespace {

/// Applies patterns to the ops on vectors that satisfy `filter`.
void rewriteVectorOps(ModuleOp module, RewritePatternSet &&patterns, function_ref<bool(Operation *)> filter) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()) && filter(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps).enableFolding(false);
  (void)applyOpPatternsGreedily(ops, FrozenRewritePatternSet(std::move(patterns)), config);
}

bool isAllocated(Value buffer) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(buffer.getDefiningOp());
}

/// Whether all accesses of an iteration of an scf.forall loop to the same elements use the value `view`.
bool isOnlyView(Value view) {
  auto subview = view.getDefiningOp<memref::SubViewOp>();
  auto loop = subview ? subview->getParentOfType<scf::ForallOp>() : scf::ForallOp();
  return loop && isAllocated(subview.getSource()) && llvm::all_of(subview.getSource().getUsers(), [&](Operation *user) {
           return user == subview || (!loop->isAncestor(user) && !isa<ViewLikeOpInterface>(user));
         });
}

/// The op that fills the result of `op` with zeros, if nothing else uses the buffer before `op`.
linalg::FillOp findZeros(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op) || op.getNumDpsInits() != 1)
    return {};
  Value buffer = op.getDpsInits().front();
  // Buffers that are allocated at the start of the function have users in one block and in its regions, too.
  if (!isAllocated(buffer) && !isOnlyView(buffer))
    return {};
  linalg::FillOp found;
  for (Operation *user : buffer.getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (user == op || (inBlock && op->isBeforeInBlock(inBlock)))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(user);
    if (!fill || found || inBlock != user || !matchPattern(fill.getInputs().front(), m_PosZeroFloat()))
      return {};
    found = fill;
  }
  // The op must not read its result as an input.
  return llvm::is_contained(op.getDpsInputs(), buffer) ? linalg::FillOp() : found;
}

struct ConvertLinalgToHost : public rnn::impl::ConvertLinalgToHostPassBase<ConvertLinalgToHost> {
  using ConvertLinalgToHostPassBase::ConvertLinalgToHostPassBase;

  void runOnOperation() override {
    FailureOr<HostVectors> vectors =
        getHostVectors(&getContext(), vectorBits, vectorRegisters, blockDepth, fmaUnits, bf16Gemm);
    if (failed(vectors))
      return signalPassFailure();
    convertLinalgToHost(getOperation(), *vectors);
  }
};

} // namespace

FailureOr<bool> host::convertToPackedOrLoops(linalg::LinalgOp op, bool isZero, const HostVectors &vectors,
                                             cpu::KernelLibrary &library) {
  Block *block = op->getBlock();
  FailureOr<bool> startsFromZero = convertToPackedGemm(op, isZero, vectors, library);
  if (succeeded(startsFromZero))
    return startsFromZero;
  // With dynamic sizes, the op is now in one branch of an scf.if. The packed GEMM in the other branch overwrites zeros,
  // so that what the loops do decides whether they are stored.
  return convertToVectorLoops(op, isZero, vectors, library, /*isSmall=*/op->getBlock() != block);
}

void rnn::convertLinalgToHost(ModuleOp module, const HostVectors &vectors) {
  SymbolTable symbols(module);
  SmallVector<SharedLoop> loops = findSharedLoops(module);
  outlineEqualLoops(loops, symbols);
  SmallVector<linalg::LinalgOp> found, ops;
  module.walk([&](linalg::LinalgOp op) { found.push_back(op); });
  for (linalg::LinalgOp op : found)
    prepareWindows(op, ops);
  // Fills last: sums that start from zero make one before them unnecessary.
  SmallVector<linalg::FillOp> fills;
  SmallVector<ZeroedOp> zeroed;
  for (linalg::LinalgOp op : ops) {
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
      fills.push_back(fill);
    else
      zeroed.push_back({op, findZeros(op)});
  }
  cpu::KernelLibrary library(module);
  auto chooseThreads = [&](Operation *op) {
    auto around = op->getParentOfType<scf::ForallOp>();
    library.setUsesThreads(llvm::none_of(loops, [&](SharedLoop shared) { return shared.loop == around; }));
  };
  llvm::SmallPtrSet<Operation *, 8> unnecessary;
  for (ArrayRef<ZeroedOp> equal : groupEqualOps(zeroed)) {
    linalg::LinalgOp op = equal.size() > 1 ? outlineEqualOps(equal, symbols) : equal.front().op;
    chooseThreads(op);
    FailureOr<bool> startsFromZero = convertToPackedOrLoops(op, bool(equal.front().zeros), vectors, library);
    if (succeeded(startsFromZero) && *startsFromZero)
      unnecessary.insert_range(llvm::map_range(equal, [](const ZeroedOp &other) { return other.zeros; }));
  }
  for (linalg::FillOp fill : fills) {
    chooseThreads(fill);
    if (unnecessary.contains(fill))
      fill->erase();
    else
      (void)convertToVectorLoops(fill, /*isZero=*/false, vectors, library);
  }
  library.setUsesThreads(true);
  for (const SharedLoop &loop : loops)
    shareLoop(loop, vectors, library);

  MLIRContext *context = module.getContext();
  RewritePatternSet math(context);
  // The functions whose polynomials have small errors in all of their domain.
  const llvm::StringSet<> accurate = {math::LogOp::getOperationName(), math::Log2Op::getOperationName(),
                                      math::Log1pOp::getOperationName(), math::ErfOp::getOperationName(),
                                      math::ErfcOp::getOperationName()};
  populateMathPolynomialApproximationPatterns(math, [&](StringRef name) { return accurate.contains(name); });
  populateVectorMathPatterns(math);
  populateVectorLogarithmPatterns(math);
  rewriteVectorOps(module, std::move(math), [](Operation *op) { return isa<math::MathDialect>(op->getDialect()); });
  if (hasBF16Rounding(vectors.bf16Gemm))
    return;
  // Without a rounding instruction LLVM calls a function for each element.
  RewritePatternSet rounding(context);
  arith::populateExpandBFloat16Patterns(rounding);
  rewriteVectorOps(module, std::move(rounding), [](Operation *op) {
    return isa<arith::TruncFOp>(op) && getElementTypeOrSelf(op->getResult(0)).isBF16();
  });
}
