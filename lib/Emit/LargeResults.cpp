//===- LargeResults.cpp - results with many elements --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeResults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

/// The scalars of a type.
static unsigned countScalars(llvm::Type *type) {
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return array->getNumElements() * countScalars(array->getElementType());
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure)
    return 1;
  unsigned count = 0;
  for (llvm::Type *element : structure->elements())
    count += countScalars(element);
  return count;
}

/// Whether the result is stored in memory of the callers, which are all known.
static bool isDemoted(const llvm::Function &function) {
  constexpr unsigned most = 64;
  return !function.isDeclaration() && function.hasLocalLinkage() && !function.isVarArg() &&
         llvm::isa<llvm::StructType>(function.getReturnType()) && countScalars(function.getReturnType()) > most &&
         llvm::all_of(function.uses(), [](const llvm::Use &use) {
           auto *call = llvm::dyn_cast<llvm::CallInst>(use.getUser());
           return call && call->isCallee(&use) && !call->isMustTailCall();
         });
}

static llvm::AttributeList withoutResult(llvm::LLVMContext &context, llvm::AttributeList attributes) {
  return attributes.removeAttributesAtIndex(context, llvm::AttributeList::ReturnIndex);
}

/// Stores the elements of the returned value at `address`: where they are computed, unless that is in a loop, else in
/// the block of the return.
static void storeElements(llvm::ReturnInst &exit, llvm::Value *address, const llvm::LoopInfo &loops) {
  llvm::Value *result = exit.getReturnValue();
  auto *type = llvm::cast<llvm::StructType>(result->getType());
  for (unsigned index = 0; index < type->getNumElements(); ++index) {
    llvm::Value *element = llvm::FindInsertedValue(result, index);
    auto *definition = llvm::dyn_cast_or_null<llvm::Instruction>(element);
    llvm::BasicBlock::iterator position = element ? exit.getParent()->getFirstInsertionPt() : exit.getIterator();
    if (definition && !loops.getLoopFor(definition->getParent()))
      position = definition->getInsertionPointAfterDef().value_or(position);
    llvm::IRBuilder<> builder(position->getParent(), position);
    if (!element)
      element = builder.CreateExtractValue(result, index);
    builder.CreateStore(element, builder.CreateStructGEP(type, address, index));
  }
}

/// Replaces a call by one of `demoted`, which stores its result. Elements are loaded where they are used.
static void replaceCall(llvm::CallInst &call, llvm::Function &demoted) {
  auto *type = llvm::cast<llvm::StructType>(call.getType());
  llvm::IRBuilder<> builder(&call.getFunction()->getEntryBlock(), call.getFunction()->getEntryBlock().begin());
  llvm::Value *memory = builder.CreateAlloca(type);
  builder.SetInsertPoint(&call);
  llvm::SmallVector<llvm::Value *> arguments(call.args());
  arguments.push_back(memory);
  llvm::CallInst *replaced = builder.CreateCall(&demoted, arguments);
  replaced->setCallingConv(call.getCallingConv());
  replaced->setAttributes(withoutResult(call.getContext(), call.getAttributes()));
  for (llvm::User *user : llvm::make_early_inc_range(call.users())) {
    auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (!extract)
      continue;
    auto *next = extract->hasOneUse() ? llvm::cast<llvm::Instruction>(extract->user_back()) : extract;
    builder.SetInsertPoint(llvm::isa<llvm::PHINode>(next) ? extract : next);
    llvm::SmallVector<llvm::Value *> indices = {builder.getInt32(0)};
    for (unsigned index : extract->indices())
      indices.push_back(builder.getInt32(index));
    llvm::Value *address = builder.CreateInBoundsGEP(type, memory, indices);
    extract->replaceAllUsesWith(builder.CreateLoad(extract->getType(), address));
    extract->eraseFromParent();
  }
  if (!call.use_empty()) {
    builder.SetInsertPoint(&call);
    call.replaceAllUsesWith(builder.CreateLoad(type, memory));
  }
  call.eraseFromParent();
}

static void demote(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  llvm::SmallVector<llvm::Type *> parameters(function.getFunctionType()->params());
  parameters.push_back(llvm::PointerType::getUnqual(context));
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, /*isVarArg=*/false);
  llvm::Function *demoted = llvm::Function::Create(type, function.getLinkage(), function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(), demoted);
  demoted->takeName(&function);
  demoted->copyAttributesFrom(&function);
  demoted->setAttributes(withoutResult(context, function.getAttributes()));
  demoted->splice(demoted->begin(), &function);
  for (auto [from, to] : llvm::zip(function.args(), demoted->args())) {
    from.replaceAllUsesWith(&to);
    to.takeName(&from);
  }
  llvm::Argument *address = demoted->getArg(demoted->arg_size() - 1);
  address->addAttr(llvm::Attribute::NoAlias);
  const llvm::LoopInfo loops{llvm::DominatorTree(*demoted)};
  for (llvm::BasicBlock &block : *demoted)
    if (auto *exit = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
      storeElements(*exit, address, loops);
      llvm::ReturnInst::Create(context, /*retVal=*/nullptr, exit->getIterator());
      exit->eraseFromParent();
    }
  for (llvm::User *user : llvm::make_early_inc_range(function.users()))
    replaceCall(*llvm::cast<llvm::CallInst>(user), *demoted);
  function.eraseFromParent();
}

void mlir::rnn::demoteLargeResults(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (isDemoted(function))
      demote(function);
}
