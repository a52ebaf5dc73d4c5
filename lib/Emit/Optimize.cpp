//===- Optimize.cpp - LLVM's passes over a translated module ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "rnn/Conversion/RNNToHost/RNNToHost.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::rnn;

/// Whether the pass, named as its class, is to see `ir`.
static bool wants(llvm::StringRef pass, const llvm::Any &ir) {
  // Loops of tiles are unrolled as far as registers go, and are vectors already; loops around them run long bodies. Half of
  // the time went to the search for stores that the next turn of a loop loads, a third to code of unrolled loops. The counters
  // are as wide as addresses, nothing is idle, and what does not depend on a loop stands in front of it.
  static const llvm::StringSet<> heavy = {"IndVarSimplifyPass",      "LoopDeletionPass",    "LoopFullUnrollPass",
                                          "LoopIdiomRecognizePass",  "LoopLoadEliminationPass",
                                          "LoopUnrollPass",          "LoopVectorizePass",   "SLPVectorizerPass",
                                          "SimpleLoopUnswitchPass"};
  if (!heavy.contains(pass))
    return true;
  const llvm::Function *function = nullptr;
  if (auto *unit = llvm::any_cast<const llvm::Function *>(&ir))
    function = *unit;
  else if (auto *loop = llvm::any_cast<const llvm::Loop *>(&ir))
    function = (*loop)->getHeader()->getParent();
  return !function || !function->hasFnAttribute(handTiledAttribute);
}

std::function<llvm::Error(llvm::Module *)> mlir::rnn::makeOptimizer(unsigned level, llvm::TargetMachine *machine) {
  return [level, machine](llvm::Module *module) -> llvm::Error {
    const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                              llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback(wants);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(levels[0])
                                                : builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3u)]);
    passes.run(*module, modules);
    return llvm::Error::success();
  };
}
