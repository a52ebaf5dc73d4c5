//===- Optimize.cpp - LLVM's optimization pipeline ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "LargeResults.h"
#include "MaskedStores.h"
#include "rnn/Codegen/CPU/HandTiled.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
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
// Hand-tiled functions
//===----------------------------------------------------------------------===//

/// The pipeline of functions with `handTiledAttribute`. Their loops are already vectorized, unrolled and mostly free of
/// invariants. The default pipeline takes twice as long for the same code: it runs InstCombine seven times, and its
/// loop passes have no effect on these long bodies.
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
  // Removes memref descriptors.
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(hoist(/*rotate=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  // Removes comparisons with loop bounds inside the loops.
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  // Hoists addresses that have become loop-invariant.
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
/// Runs this pipeline.
class HandTiledPass : public llvm::PassInfoMixin<HandTiledPass> {
public:
  /// `running` is true while the pipeline runs.
  explicit HandTiledPass(bool &running) : passes(makeHandTiledPasses()), running(&running) {}

  /// The only pass that runs on these functions.
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

/// The function that a pass runs on, or null.
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

static void addAttributes(llvm::Module &module, unsigned vectorBits, bool sanitizeAddress) {
  for (llvm::Function &function : module) {
    // Overrides the preference of the processor (`prefer-256-bit`); only x86 reads it.
    if (!function.isDeclaration())
      function.addFnAttr("prefer-vector-width", std::to_string(vectorBits));
    // No specialized copies of kernels for constant arguments: 4 % of the LLVM IR of char-lstm, for packing alone.
    if (function.hasFnAttribute(handTiledAttribute))
      function.addFnAttr(llvm::Attribute::NoDuplicate);
    if (sanitizeAddress && !function.isDeclaration())
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
}

std::function<llvm::Error(llvm::Module *)> mlir::rnn::makeOptimizer(unsigned level, llvm::TargetMachine *machine,
                                                                    unsigned vectorBits, bool sanitizeAddress,
                                                                    OptimizerPart part) {
  return [level, machine, vectorBits, sanitizeAddress, part](llvm::Module *module) -> llvm::Error {
    if (part != OptimizerPart::Optimize) {
      addAttributes(*module, vectorBits, sanitizeAddress);
      demoteLargeResults(*module);
    }
    const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                              llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
    bool inHandTiledPasses = false;
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef pass, const llvm::Any &ir) {
      // This pass scans the whole module for function pointers.
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
    // After the module passes, which propagate constant arguments.
    if (level != 0)
      builder.registerOptimizerEarlyEPCallback(
          [&](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(HandTiledPass(inHandTiledPasses)));
          });
    // Last, so that accesses which the optimizer removes are not instrumented. Detection of uses after return would
    // move frames to the heap, which the fibers of the emulator and `longjmp` out of compiled code do not support.
    if (sanitizeAddress)
      builder.registerOptimizerLastEPCallback(
          [](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
            llvm::AddressSanitizerOptions options;
            options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
            // No metadata sections for globals: the JIT does not define their start and end.
            passes.addPass(llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false));
          });
    const llvm::OptimizationLevel used = levels[std::min(level, 3u)];
    llvm::ModulePassManager passes;
    if (level == 0 && part != OptimizerPart::Optimize)
      passes = builder.buildO0DefaultPipeline(used);
    else if (level != 0 && part == OptimizerPart::All)
      passes = builder.buildPerModuleDefaultPipeline(used);
    else if (level != 0 && part == OptimizerPart::Simplify)
      passes = builder.buildModuleSimplificationPipeline(used, llvm::ThinOrFullLTOPhase::None);
    else if (level != 0)
      passes = builder.buildModuleOptimizationPipeline(used, llvm::ThinOrFullLTOPhase::None);
    passes.run(*module, modules);
    if (part != OptimizerPart::Simplify)
      expandSingleElementStores(*module);
    return llvm::Error::success();
  };
}
