//===- MaskedStores.cpp - masked stores of one element ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedStores.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <optional>

/// The index of the only element of a constant mask, or none.
static std::optional<unsigned> getSingleElement(llvm::Value *value) {
  auto *mask = llvm::dyn_cast<llvm::Constant>(value);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!mask || !type)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned index = 0; index < type->getNumElements(); ++index) {
    auto *element = llvm::dyn_cast_or_null<llvm::ConstantInt>(mask->getAggregateElement(index));
    if (!element || (element->isOne() && found))
      return std::nullopt;
    if (element->isOne())
      found = index;
  }
  return found;
}

void mlir::rnn::expandSingleElementStores(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      std::optional<unsigned> index = getSingleElement(call->getArgOperand(2));
      if (!index)
        continue;
      llvm::IRBuilder<> builder(call);
      llvm::Value *element = builder.CreateExtractElement(call->getArgOperand(0), *index);
      llvm::Value *address = builder.CreateConstInBoundsGEP1_64(element->getType(), call->getArgOperand(1), *index);
      llvm::Align align = call->getParamAlign(1).valueOrOne();
      uint64_t bytes = module.getDataLayout().getTypeStoreSize(element->getType());
      builder.CreateAlignedStore(element, address, llvm::commonAlignment(align, *index * bytes));
      call->eraseFromParent();
    }
}
