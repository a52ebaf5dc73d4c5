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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "rnn/Transforms/Passes.h"

namespace mlir::rnn {
#define GEN_PASS_DEF_RNNCONVERTMPITOLLVMPASS
#include "rnn/Transforms/Passes.h.inc"
} // namespace mlir::rnn

using namespace mlir;

/// Creates a function with the type of MPI_Comm_split that keeps the communicator of its first call, for later calls
/// with the same color and key.
static LLVM::LLVMFuncOp createCachedSplit(ModuleOp module, LLVM::CallOp split, Type communicator) {
  ImplicitLocOpBuilder b(split.getLoc(), OpBuilder::atBlockEnd(module.getBody()));
  SymbolTable symbols(module);
  Type i32 = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  // Whether there is a communicator, its color, its key, and the communicator.
  auto cacheType = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, communicator});
  auto cache = LLVM::GlobalOp::create(b, cacheType, /*isConstant=*/false, LLVM::Linkage::Internal,
                                      "rnn_mpi_communicator", Attribute());
  symbols.insert(cache);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&cache.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, cacheType).getResult());
  }
  auto type = LLVM::LLVMFunctionType::get(i32, llvm::to_vector(split.getArgOperands().getTypes()));
  auto function = LLVM::LLVMFuncOp::create(b, "rnn_mpi_comm_split", type, LLVM::Linkage::Internal);
  symbols.insert(function);
  Block *begin = function.addEntryBlock(b), *kept = b.createBlock(&function.getBody()),
        *create = b.createBlock(&function.getBody());
  Value color = begin->getArgument(1), key = begin->getArgument(2), out = begin->getArgument(3);

  b.setInsertionPointToStart(begin);
  Value address = LLVM::AddressOfOp::create(b, cache);
  auto field = [&](int32_t index) -> Value {
    return LLVM::GEPOp::create(b, pointer, cacheType, address, ArrayRef<LLVM::GEPArg>{0, index});
  };
  auto load = [&](int32_t index, Type type) -> Value { return LLVM::LoadOp::create(b, type, field(index)); };
  auto isEqual = [&](Value x, Value y) -> Value { return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, x, y); };
  Value zero = LLVM::ConstantOp::create(b, i32, 0), one = LLVM::ConstantOp::create(b, i32, 1);
  Value isKept = LLVM::AndOp::create(b, isEqual(load(0, i32), one), isEqual(load(1, i32), color));
  isKept = LLVM::AndOp::create(b, isKept, isEqual(load(2, i32), key));
  LLVM::CondBrOp::create(b, isKept, kept, create);

  b.setInsertionPointToStart(kept);
  LLVM::StoreOp::create(b, load(3, communicator), out);
  LLVM::ReturnOp::create(b, zero);

  b.setInsertionPointToStart(create);
  Value status = LLVM::CallOp::create(b, TypeRange(i32), split.getCalleeAttr(), begin->getArguments()).getResult();
  LLVM::StoreOp::create(b, color, field(1));
  LLVM::StoreOp::create(b, key, field(2));
  LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, communicator, out), field(3));
  LLVM::StoreOp::create(b, LLVM::ZExtOp::create(b, i32, isEqual(status, zero)), field(0));
  LLVM::ReturnOp::create(b, status);
  return function;
}

/// Calls of compiled functions do not create communicators, except the first ones.
static void cacheCommunicators(ModuleOp module) {
  SmallVector<LLVM::CallOp> splits;
  module.walk([&](LLVM::CallOp call) {
    auto out = call.getCallee() == "MPI_Comm_split" && call.getNumOperands() == 4
                   ? call.getOperand(3).getDefiningOp<LLVM::AllocaOp>()
                   : LLVM::AllocaOp();
    if (out)
      splits.push_back(call);
  });
  for (LLVM::CallOp split : splits) {
    Type communicator = split.getOperand(3).getDefiningOp<LLVM::AllocaOp>().getElemType();
    split.setCallee(createCachedSplit(module, split, communicator).getSymName());
  }
}

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
      return signalPassFailure();
    cacheCommunicators(module);
  }
};
} // namespace
