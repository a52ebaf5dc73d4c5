//===- ConvertMPI.cpp - mpi ops to the LLVM dialect --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTMPITOLLVMPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

namespace {
struct ConvertMPIToLLVM : public rnn::impl::RNNConvertMPIToLLVMPassBase<ConvertMPIToLLVM> {
  void runOnOperation() override {
    bool hasCommunication = false;
    SmallVector<mpi::CommSplitOp> splits;
    getOperation().walk([&](Operation *op) {
      hasCommunication |= isa_and_nonnull<mpi::MPIDialect>(op->getDialect());
      if (auto split = dyn_cast<mpi::CommSplitOp>(op))
        splits.push_back(split);
    });
    if (!hasCommunication)
      return;
    for (mpi::CommSplitOp split : splits)
      if (matchPattern(split.getColor(), m_Constant())) {
        split.getNewcomm().replaceAllUsesWith(split.getComm());
        if (split.use_empty())
          split.erase();
      }
    // The conversion reports an error if it finds no attribute.
    ModuleOp module = getOperation();
    Builder b(&getContext());
    StringRef name = DLTIDialect::kMapAttrName;
    if (!module->hasAttr(name)) {
      DataLayoutEntryInterface entry =
          DataLayoutEntryAttr::get(b.getStringAttr("MPI:Implementation"), b.getStringAttr("MPICH"));
      module->setAttr(name, MapAttr::get(&getContext(), entry));
    }
    for (auto grid : llvm::make_early_inc_range(module.getOps<shard::GridOp>()))
      if (SymbolTable::symbolKnownUseEmpty(grid, module))
        grid.erase();
    OpPassManager pipeline(ModuleOp::getOperationName());
    ConvertToLLVMPassOptions options;
    options.filterDialects = {mpi::MPIDialect::getDialectNamespace().str()};
    pipeline.addPass(createConvertToLLVMPass(options));
    if (failed(runPipeline(pipeline, module)))
      signalPassFailure();
  }
};
} // namespace
