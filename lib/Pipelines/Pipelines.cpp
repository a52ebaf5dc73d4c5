//===- Pipelines.cpp - the order of passes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Pipelines/Pipelines.h"
#include "Internal.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Dialect/RNNRT/IR/RNNRT.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/Selection/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::rnn;

static void addContract(OpPassManager &pm, const PipelineOptions &options, Stage stage) {
  if (options.verifyContracts)
    pm.addPass(createRNNVerifyContractPass({stage}));
}

/// `auto` is `kernel` on the emulator, whose purpose is to run kernels.
static LargeGemms getLargeGemms(const PipelineOptions &options) {
  if (options.target == TargetKind::Host ||
      (options.target == TargetKind::Simt && options.largeGemms == LargeGemms::Auto))
    return LargeGemms::Kernel;
  return options.largeGemms;
}

void rnn::buildImportPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // First, since later passes read facts about the target from the module.
  pm.addPass(
      createRNNAttachTargetPass({options.target, options.target == TargetKind::Host ? options.processor : options.chip,
                                 options.tf32, getLargeGemms(options), options.wavefrontChunk}));
  pm.addPass(createConvertTFToRNNPass());
  pm.addPass(createConvertJAXToRNNPass());
  pm.addPass(createConvertONNXToRNNPass());
  // After the conversions of ops with torch-mlir's types, since it converts functions too.
  pm.addPass(createConvertTorchToRNNPass());
  // After the framework's ops, whose conversions may use its results.
  pm.addPass(createRNNConvertUpstreamDialectsPass());
  // Before the canonicalizer and the fusion, which see the ops that the decompositions consist of.
  pm.addPass(createRNNDecomposeLinalgPass());
  addContract(pm, options, Stage::Import);
}

void rnn::buildSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createRNNSplitSlicesPass()); // before canonicalization, which changes such ops
  // Resolves auto_select and lengths, and folds casts, so that selection and bufferization get static shapes.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addContract(pm, options, Stage::Simplify);
}

void rnn::buildRewritePipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target != TargetKind::Cuda)
    return;
  // Before selection, which then has ops with cuDNN plans. CSE merges the forward that a gradient runs again with the
  // existing one.
  pm.addPass(createRNNBlockToCudnnPass({options.lowering, options.fusedKernel, options.tuningRecords, options.device}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void rnn::buildSelectPipeline(OpPassManager &pm, const PipelineOptions &options) {
  buildRewritePipeline(pm, options);
  // After shape refinement, since it reads shapes.
  pm.addPass(
      createRNNSelectLoweringPass({options.lowering, options.fusedKernel, options.tuningRecords, options.device}));
  addContract(pm, options, Stage::Select);
}

void rnn::buildBufferizePipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createRNNCheckCastsPass());
  if (options.target == TargetKind::Simt)
    addSimtBuffers(pm);
  pm.addPass(createRNNKeepDeallocationsPass());
  // Before the next pass, which takes them for elementwise ops. A canonicalizer before bufferization would restore
  // them.
  pm.addPass(createRNNConvertTensorSelectsPass());
  // Elementwise ops on tensors have no bufferization model.
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createRNNConvertComplexPass());
  pm.addNestedPass<func::FuncOp>(createRNNFoldShapesPass()); // bounds of loops become scalars
  pm.addNestedPass<func::FuncOp>(createRNNUpliftLoopsPass());
  pm.addNestedPass<func::FuncOp>(createRNNFoldShapesPass()); // sizes of what `scf.for` carries
  pm.addNestedPass<func::FuncOp>(createRNNUnrollLoopsPass());
  if (options.target == TargetKind::Host) { // more and smaller kernels were not measured on a GPU
    pm.addNestedPass<func::FuncOp>(createRNNPrepareContractionsPass());
    pm.addNestedPass<func::FuncOp>(createRNNDropUnitDimsPass());
    pm.addNestedPass<func::FuncOp>(createRNNSplitContractionsPass());
  }
  pm.addNestedPass<func::FuncOp>(createRNNHoistInvariantsPass());
  if (options.target == TargetKind::Host) { // not measured on a GPU
    pm.addNestedPass<func::FuncOp>(createRNNRecomputeRowsPass());
    pm.addNestedPass<func::FuncOp>(createRNNSplitSumsPass());
    pm.addNestedPass<func::FuncOp>(createRNNMergeSumsPass());
    pm.addNestedPass<func::FuncOp>(createRNNDistributeLoopsPass());
    pm.addNestedPass<func::FuncOp>(createRNNTransposeInvariantsPass());
  }
  // On a GPU, the host would wait for the elements.
  pm.addNestedPass<func::FuncOp>(createRNNCheckBoundsPass({/*elements=*/options.target != TargetKind::Cuda}));
  pm.addNestedPass<func::FuncOp>(createRNNCheckSizesPass());
  if (options.target == TargetKind::Host) {
    // Conditions of checks that always hold. Not in kernels: the analysis takes special registers without a known
    // range for unreachable values (LLVM 22).
    pm.addNestedPass<func::FuncOp>(arith::createIntRangeOptimizationsPass());
    // More and smaller kernels were not measured on a GPU.
    pm.addNestedPass<func::FuncOp>(createRNNFoldInsertedZerosPass());
  }
  // Chains of elementwise ops become one loop nest with one buffer.
  pm.addPass(createRNNFuseElementwisePass());
  if (options.target == TargetKind::Host) // not measured on a GPU
    pm.addNestedPass<func::FuncOp>(createRNNMergeElementwisePass());
  // Arguments are values: a call must not change their buffers.
  pm.addPass(createRNNProtectArgumentsPass());
  // After selection, and before the effects of ops are those of loops and calls.
  pm.addPass(createRNNMarkWrittenArgumentsPass());
  if (options.target == TargetKind::Host)
    pm.addNestedPass<func::FuncOp>(createRNNCarryInPlacePass());
  // A result that is inserted into a slice is computed in place.
  pm.addPass(createRNNEliminateEmptyTensorsPass());
  // Right before bufferization, which assumes what these two passes establish.
  pm.addPass(createRNNSeparateResultsPass());
  pm.addPass(createRNNCopyStridedCastsPass({/*mark=*/true}));
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Callers pass dense tensors.
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createRNNCopyStridedCastsPass()); // right after bufferization, which creates the casts
  pm.addPass(createRNNSplitSlicesPass());      // before canonicalization, which changes such ops
  // Every buffer gets an owner that frees it; the caller owns what a public function returns. These are the passes of
  // bufferization::buildBufferDeallocationPipeline, which refuses functions that free buffers themselves.
  pm.addNestedPass<func::FuncOp>(memref::createExpandReallocPass({/*emitDeallocs=*/false}));
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  if (options.target == TargetKind::Host) // device memory is not on the stack
    pm.addNestedPass<func::FuncOp>(createRNNPromoteBuffersPass());
  pm.addNestedPass<func::FuncOp>(createRNNDeallocateBuffersPass());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCanonicalizerPass());
  addContract(pm, options, Stage::Bufferize);
}

/// Canonicalizes loops and branches, without region simplification: that takes half of the time, and LLVM does the
/// same.
static std::unique_ptr<Pass> createLoopCanonicalizer() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

/// Passes on each function, and each module of GPU kernels, by itself: threads run them at the same time. Passes that
/// declare functions, as the conversion of vector ops may, are not among them.
static OpPassManager &forFunctions(OpPassManager &pm) {
  return pm.nestAny();
}

void rnn::buildLowerPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // Before the conversions, whose buffers have sizes of existing buffers.
  pm.addPass(createRNNCheckAllocationsPass());
  pm.addPass(createConvertRNNToRuntimePass());
  if (options.target == TargetKind::Host) {
    // Before convert-linalg-to-host, which vectorizes the copies and shares them among threads.
    pm.addPass(createRNNExpandStridedCopiesPass());
    // Replaces the size of an allocated buffer by the value that it was allocated with. A memref.dim is a use of the
    // buffer, with which the next pass could not shrink it.
    pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
    pm.addNestedPass<func::FuncOp>(createRNNBlockRowsPass());
    // Before convert-rnn-to-host, whose loops are a hundred times as much IR without linalg ops.
    pm.addPass(createConvertLinalgToHostPass({options.vectorBits ? options.vectorBits : 256, options.vectorRegisters,
                                              options.blockDepth, options.fmaUnits, options.bf16Gemm}));
    forFunctions(pm).addPass(createConvertLinalgToLoopsPass());
    pm.addPass(
        createConvertRNNToHostPass({options.vectorBits ? options.vectorBits : 256, options.vectorRegisters,
                                    options.blockDepth, options.fmaUnits, options.bf16Gemm, options.bf16GemmOneRow}));
    // After convert-rnn-to-host, which creates copies too.
    pm.addPass(createRNNExpandStridedCopiesPass({/*loops=*/true}));
  } else {
    pm.addPass(createConvertRNNToGPUPass());
    // Before linalg ops become loops, since it creates linalg ops.
    pm.addPass(createRNNExpandStridedCopiesPass());
    addCudaKernels(pm);
    if (options.target == TargetKind::Cuda)
      addCudaMemory(pm);
    else
      addSimtLaunches(pm);
  }
  pm.addPass(createThreadRuntimeCallPass());
  pm.addPass(createLoopCanonicalizer());
  pm.addPass(createCSEPass());
  // After the canonicalizer, which folds uses of buffers in size computations.
  pm.addPass(createRNNSinkAllocationsPass());
  addContract(pm, options, Stage::Lower);
}

void rnn::buildEmitPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertRuntimeToLLVMPass());
  // Before the lowerings of func and memref: it reads argument types, and its calls are lowered with the others.
  RNNEmitEntriesPassOptions entries;
  entries.prefix = options.exportPrefix;
  entries.all = options.exportAll;
  entries.deviceMemory = options.target == TargetKind::Cuda;
  pm.addPass(createRNNEmitEntriesPass(entries));
  if (options.target == TargetKind::Cuda)
    addCudaTargets(pm, options);
  if (options.target == TargetKind::Simt)
    addSimtKernels(pm, options);
  pm.addPass(createRNNConvertMPIToLLVMPass());
  OpPassManager &control = forFunctions(pm);
  control.addPass(createLowerAffinePass()); // loops of the program; later passes create affine.apply
  control.addPass(createSCFToControlFlowPass());
  pm.addPass(createRNNConvertAssertsPass()); // before convert-cf-to-llvm, whose assertions abort the process
  // Before memrefs are lowered: vector ops access memrefs. May declare functions, for vector.print.
  if (options.target == TargetKind::Host)
    pm.addPass(createConvertVectorToLLVMPass());
  // Subviews and reshapes become arithmetic on strides with affine maps, which the next pass lowers.
  OpPassManager &views = forFunctions(pm);
  views.addPass(createRNNFlattenReversedAccessesPass());
  views.addPass(createRNNReinterpretExpandShapesPass()); // the next pass crashes on such ops
  views.addPass(createRNNExpandStridedMetadataPass());
  views.addPass(createLowerAffinePass());
  views.addPass(memref::createExpandOpsPass());
  if (options.target == TargetKind::Host)
    pm.addPass(createRNNConvertScalarMathPass());
  forFunctions(pm).addPass(createConvertMathToLLVMPass());
  // Ops without an LLVM intrinsic become calls of the C library.
  pm.addPass(createConvertMathToLibmPass());
  forFunctions(pm).addPass(createConvertComplexToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  // Compiled code allocates through the runtime, which counts the bytes.
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  OpPassManager &arithmetic = forFunctions(pm);
  arithmetic.addPass(createConvertIndexToLLVMPass());
  arithmetic.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  forFunctions(pm).addPass(createUBToLLVMConversionPass());
  if (options.target == TargetKind::Cuda)
    addCudaBinaries(pm, options);
  if (options.target == TargetKind::Simt)
    addSimtHost(pm, options);
  OpPassManager &last = forFunctions(pm);
  last.addPass(createReconcileUnrealizedCastsPass());
  last.addPass(createLoopCanonicalizer());
  addContract(pm, options, Stage::Emit);
  pm.addPass(createRNNDetachTargetPass()); // tools for the LLVM dialect do not have the attribute's dialect
}

void rnn::buildPipeline(OpPassManager &pm, const PipelineOptions &options, Stage first) {
  using Build = void (*)(OpPassManager &, const PipelineOptions &);
  const Build builders[] = {buildImportPipeline,    buildSimplifyPipeline, buildSelectPipeline,
                            buildBufferizePipeline, buildLowerPipeline,    buildEmitPipeline};
  for (auto [index, build] : llvm::enumerate(builders)) {
    Stage stage = static_cast<Stage>(index);
    if (stage >= first)
      build(pm, options);
    if (options.stopAfter == stage)
      return;
  }
}

/// Refuses the output of --stop-after=lower, whose functions have their call as an argument: the passes of earlier
/// stages do not support its ops.
static llvm::Error checkStageOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (llvm::none_of(function.getArgumentTypes(), llvm::IsaPred<rnnrt::CallType>))
      continue;
    function.emitOpError(
        "has an argument of type '!rnnrt.call', so the module is of stage lower, from which a "
        "compilation cannot continue; expected a module of stage import, simplify, select or bufferize, "
        "as --stop-after prints it");
    return llvm::createStringError("the module could not be compiled, see the errors above");
  }
  return llvm::Error::success();
}

llvm::Error rnn::runPipeline(ModuleOp module, const PipelineOptions &options, const RunOptions &passes, Stage first) {
  if (first == Stage::Import)
    if (llvm::Error error = checkStageOf(module))
      return error;
  auto run = [&](const PipelineOptions &options, Stage first, bool verifyEach) -> llvm::Error {
    PassManager pm(module.getContext());
    if (passes.configure && failed(passes.configure(pm)))
      return llvm::createStringError("the pass manager could not be configured");
    pm.enableVerifier(verifyEach);
    buildPipeline(pm, options, first);
    if (failed(pm.run(module)) || (!verifyEach && failed(verify(module))))
      return llvm::createStringError("the module could not be compiled, see the errors above");
    return llvm::Error::success();
  };
  if (passes.verifyEach || options.stopAfter <= Stage::Bufferize)
    return run(options, first, /*verifyEach=*/true);
  if (first <= Stage::Bufferize) {
    PipelineOptions buffers = options;
    buffers.stopAfter = Stage::Bufferize;
    if (llvm::Error error = run(buffers, first, /*verifyEach=*/true))
      return error;
  }
  return run(options, std::max(first, Stage::Lower), /*verifyEach=*/false);
}

llvm::Error rnn::checkOptionOfTarget(StringRef name, TargetKind target, StringRef prefix) {
  using Targets = SmallVector<TargetKind, 2>;
  const Targets host = {TargetKind::Host}, cuda = {TargetKind::Cuda}, simt = {TargetKind::Simt};
  const Targets gpus = {TargetKind::Cuda, TargetKind::Simt};
  const auto targets = llvm::StringSwitch<Targets>(name)
                           .Case("chip", cuda)
                           .Cases({"tf32", "fused-kernel", "large-gemms", "wavefront-chunk"}, gpus)
                           .Cases({"bf16-gemm", "vector-bits"}, host)
                           .Case("simt-check", simt)
                           .Default({target});
  if (llvm::is_contained(targets, target))
    return llvm::Error::success();
  std::string expected;
  llvm::raw_string_ostream stream(expected);
  llvm::interleave(
      targets, stream, [&](TargetKind kind) { stream << prefix << "target=" << stringifyTargetKind(kind); }, " or ");
  return llvm::createStringError(prefix + name + " requires " + expected + ", but the target is `" +
                                 stringifyTargetKind(target) + "`");
}

namespace {
/// The options of `rnn-pipeline`.
struct PipelinePassOptions : public PassPipelineOptions<PipelinePassOptions> {
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help)                                                         \
  PassOptions::Option<type> member{*this, flag, llvm::cl::desc(help), llvm::cl::init(initial)};
#include "rnn/Pipelines/Options.def"
};
} // namespace

void rnn::registerPipelines() {
  // PassPipelineRegistration has no way to report an error, and a pass of modules in a pipeline of functions ends the
  // process.
  registerPassPipeline(
      "rnn-pipeline", "Compile rnn or TensorFlow ops, from import to the LLVM dialect",
      [](OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> emitError) -> LogicalResult {
        if (pm.getOpName() && *pm.getOpName() != ModuleOp::getOperationName())
          return emitError("rnn-pipeline compiles modules, and cannot be nested in `" + *pm.getOpName() +
                           "`; use builtin.module(rnn-pipeline)");
        PipelinePassOptions flags;
        if (failed(flags.parseFromString(text)))
          return failure();
        PipelineOptions options;
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help) options.member = flags.member;
#include "rnn/Pipelines/Options.def"
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help)                                                         \
  if (flags.member.hasValue())                                                                                         \
    if (llvm::Error error = checkOptionOfTarget(flag, options.target, ""))                                             \
      return emitError("rnn-pipeline: " + llvm::toString(std::move(error)));
#include "rnn/Pipelines/Options.def"
        buildPipeline(pm, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> visit) { visit(PipelinePassOptions()); });
}
