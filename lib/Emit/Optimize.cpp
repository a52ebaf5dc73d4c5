//===- Optimize.cpp - LLVM's passes over a translated module ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "rnn/Codegen/CPU/HandTiled.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir::rnn;

//===----------------------------------------------------------------------===//
// Functions of tiles
//===----------------------------------------------------------------------===//

/// What functions marked with `handTiledAttribute` get instead of the default pipeline. Their loops are vectors already and
/// unrolled as far as registers go, the counters are as wide as addresses, nothing is idle, and nearly all that does not
/// depend on a loop stands in front of it. The default pipeline takes twice as long for the same code: it combines
/// instructions seven times, and has loop passes that find nothing in long bodies.
static llvm::FunctionPassManager makeHandTiledPasses() {
  auto hoist = [](bool rotate) {
    llvm::LoopPassManager loops;
    if (rotate)
      loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    return llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true);
  };
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  // Descriptors of memrefs go here.
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(hoist(/*rotate=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  // What loops ask of their bounds is known inside of them.
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  // Addresses that have become independent of a loop.
  passes.addPass(hoist(/*rotate=*/false));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  return passes;
}

namespace {
/// Runs those passes.
class HandTiledPass : public llvm::PassInfoMixin<HandTiledPass> {
public:
  /// `running` is set as long as they run.
  explicit HandTiledPass(bool &running) : passes(makeHandTiledPasses()), running(&running) {}

  /// It alone may see these functions.
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    if (!function.hasFnAttribute(handTiledAttribute))
      return llvm::PreservedAnalyses::all();
    *running = true;
    llvm::PreservedAnalyses preserved = passes.run(function, analyses);
    *running = false;
    return preserved;
  }

private:
  llvm::FunctionPassManager passes;
  bool *running;
};
} // namespace

/// The function that a pass is to see.
static const llvm::Function *getFunction(const llvm::Any &ir) {
  if (auto *unit = llvm::any_cast<const llvm::Function *>(&ir))
    return *unit;
  if (auto *loop = llvm::any_cast<const llvm::Loop *>(&ir))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

std::function<llvm::Error(llvm::Module *)> mlir::rnn::makeOptimizer(unsigned level, llvm::TargetMachine *machine) {
  return [level, machine](llvm::Module *module) -> llvm::Error {
    const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                              llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
    bool inHandTiledPasses = false;
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef pass, const llvm::Any &ir) {
      // It looks through all code for what pointers to functions may be.
      if (pass == "CalledValuePropagationPass")
        return false;
      const llvm::Function *function = getFunction(ir);
      return !function || inHandTiledPasses || !function->hasFnAttribute(handTiledAttribute);
    });
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
    // After passes over the whole module, which find constant arguments.
    if (level != 0)
      builder.registerOptimizerEarlyEPCallback(
          [&](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(HandTiledPass(inHandTiledPasses)));
          });
    llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(levels[0])
                                                : builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3u)]);
    passes.run(*module, modules);
    return llvm::Error::success();
  };
}
