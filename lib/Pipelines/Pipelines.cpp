//===- Pipelines.cpp - the order of passes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Pipelines/Pipelines.h"
#include "Internal.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Conversion/Passes.h"
#include "rnn/Dialect/RNN/Transforms/Passes.h"
#include "rnn/Target/TargetInfo.h"
#include "rnn/Transforms/Passes.h"
#include "rnn/Transforms/Selection/Passes.h"

using namespace mlir;
using namespace mlir::rnn;

static constexpr std::pair<Stage, llvm::StringLiteral> stageNames[] = {
    {Stage::Import, "import"},       {Stage::Simplify, "simplify"}, {Stage::Select, "select"},
    {Stage::Bufferize, "bufferize"}, {Stage::Lower, "lower"},       {Stage::Emit, "emit"},
    {Stage::Run, "run"}};

StringRef rnn::stringifyStage(Stage stage) { return stageNames[static_cast<size_t>(stage)].second; }

std::optional<Stage> rnn::symbolizeStage(StringRef name) {
  for (auto [stage, stageName] : stageNames)
    if (stageName == name)
      return stage;
  return std::nullopt;
}

static void addContract(OpPassManager &pm, const PipelineOptions &options, Stage stage) {
  if (options.verifyContracts)
    pm.addPass(createRNNVerifyContractPass({stringifyStage(stage).str()}));
}

void rnn::buildImportPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertTFToRNNPass());
  addContract(pm, options, Stage::Import);
}

void rnn::buildSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // Resolves auto_select and lengths, and reads shapes through casts, which selection and bufferization then see.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addContract(pm, options, Stage::Simplify);
}

void rnn::buildRewritePipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target != "cuda")
    return;
  // Before selection, which then finds ops that cuDNN has plans for. The forward that a gradient runs again is the one
  // that is there already, which CSE sees.
  pm.addPass(createRNNBlockToCudnnPass({options.lowering, options.kernelFamily, options.chip, options.tf32,
                                        options.tuningRecords, options.device}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void rnn::buildSelectPipeline(OpPassManager &pm, const PipelineOptions &options) {
  buildRewritePipeline(pm, options);
  // Reads shapes, so it follows their refinement; the last pass that may ask what the target can do.
  pm.addPass(createRNNSelectLoweringPass({options.target, options.lowering, options.kernelFamily,
                                          options.target == "host" ? options.processor : options.chip, options.tf32,
                                          options.tuningRecords, options.device}));
  addContract(pm, options, Stage::Select);
}

void rnn::buildBufferizePipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target == "simt")
    addSimtBuffers(pm);
  // Elementwise arithmetic on tensors has no bufferization of its own.
  pm.addPass(createConvertElementwiseToLinalgPass());
  // Chains of elementwise ops become one loop nest, and one buffer instead of one each.
  pm.addPass(createLinalgElementwiseOpFusionPass());
  // Callers pass values; what they passed must be the same after the call.
  pm.addPass(createRNNProtectArgumentsPass());
  // A result that is written into a slice of a tensor is computed in that slice.
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Callers pass dense tensors, so signatures promise them.
  bufferize.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Every buffer gets an owner who frees it; what a public function returns belongs to the caller.
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCanonicalizerPass());
  addContract(pm, options, Stage::Bufferize);
}

/// Whether a step's kernel may begin before the one in front of it has ended. The emulator knows the instructions.
static bool hasProgrammaticLaunch(const PipelineOptions &options) {
  std::optional<TargetInfo> info = TargetInfo::get(options.target);
  return info && info->hasClusters(options.chip);
}

/// The emulator is there to run kernels, so it multiplies itself only when that is asked for.
static std::string getLargeGemms(const PipelineOptions &options) {
  return options.target == "simt" && options.largeGemms == "auto" ? "kernel" : options.largeGemms;
}

/// Canonicalization of what has become loops and branches. Blocks and their arguments are not looked at: half of the time
/// went to that, and LLVM does it.
static std::unique_ptr<Pass> createLoopCanonicalizer() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

void rnn::buildLowerPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertRNNToRuntimePass());
  if (options.target == "host") {
    // In front of the loops of layers, a hundred times as much code, in which it finds nothing.
    pm.addPass(createConvertLinalgToLoopsPass());
    pm.addPass(createConvertRNNToHostPass({options.vectorBits, options.vectorRegisters,
                                           options.bf16Gemm == "auto" ? "vnni" : options.bf16Gemm}));
    // Layers copy, too.
    pm.addPass(createRNNExpandStridedCopiesPass({/*loops=*/true}));
  } else {
    pm.addPass(createConvertRNNToGPUPass({options.tf32, hasProgrammaticLaunch(options), getLargeGemms(options)}));
    // Before linalg becomes loops, since it makes linalg ops.
    pm.addPass(createRNNExpandStridedCopiesPass());
    addCudaKernels(pm);
    if (options.target == "cuda")
      addCudaMemory(pm);
    else
      addSimtLaunches(pm);
  }
  pm.addPass(createThreadRuntimeCallPass());
  pm.addPass(createLoopCanonicalizer());
  pm.addPass(createCSEPass());
  addContract(pm, options, Stage::Lower);
}

void rnn::buildEmitPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertRuntimeToLLVMPass());
  // Reads the types of arguments, so it stands before the lowerings of func and memref, which translate its calls.
  RNNEmitEntriesPassOptions entries;
  entries.prefix = options.exportPrefix;
  entries.all = options.exportAll;
  entries.deviceMemory = options.target == "cuda";
  pm.addPass(createRNNEmitEntriesPass(entries));
  if (options.target == "cuda")
    addCudaTargets(pm, options);
  if (options.target == "simt")
    addSimtKernels(pm, options);
  pm.addPass(createSCFToControlFlowPass());
  // Buffers of vector ops are memrefs still.
  if (options.target == "host")
    pm.addPass(createConvertVectorToLLVMPass());
  // Subviews and reshapes become arithmetic on strides, whose affine maps are expanded right after.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addPass(createConvertMathToLLVMPass());
  // What LLVM has no intrinsic for is a function of the C library.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertComplexToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  // Memory of compiled code goes through the runtime, which counts it.
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  if (options.target == "cuda")
    addCudaBinaries(pm, options);
  if (options.target == "simt")
    addSimtHost(pm, options);
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLoopCanonicalizer());
  addContract(pm, options, Stage::Emit);
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

llvm::Error rnn::runPipeline(ModuleOp module, const PipelineOptions &options, const RunOptions &passes, Stage first) {
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

namespace {
struct CommandLineOptions : public PassPipelineOptions<CommandLineOptions> {
  PassOptions::Option<std::string> target{*this, "target", llvm::cl::desc("Target: host, cuda or simt"),
                                            llvm::cl::init("host")};
  PassOptions::Option<std::string> lowering{
      *this, "lowering", llvm::cl::desc("Lowering wanted for all ops: auto, runtime or fused"),
      llvm::cl::init("auto")};
  PassOptions::Option<std::string> kernelFamily{
      *this, "kernel-family", llvm::cl::desc("Family of GPU kernels wanted for all fused ops: auto, step or cluster"),
      llvm::cl::init("auto")};
  PassOptions::Option<std::string> tuningRecords{
      *this, "tuning-records", llvm::cl::desc("File of tuning records, as rnn-run --autotune writes it")};
  PassOptions::Option<std::string> device{
      *this, "device", llvm::cl::desc("Device whose measurements count, by its name; default: any")};
  PassOptions::Option<std::string> processor{
      *this, "processor", llvm::cl::desc("Target host: processor whose measurements count, by LLVM's name")};
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("GPU to compile kernels for, as sm_90a; default: PTX for every GPU from sm_80 on")};
  PassOptions::Option<bool> tf32{
      *this, "tf32", llvm::cl::desc("Fused GPU kernels may round factors of f32 products to tf32"), llvm::cl::init(false)};
  PassOptions::Option<std::string> largeGemms{
      *this, "large-gemms",
      llvm::cl::desc("Products over all steps of fused GPU kernels: auto, kernel or library"), llvm::cl::init("auto")};
  PassOptions::Option<bool> simtCheck{
      *this, "simt-check", llvm::cl::desc("Target simt: look at every access of a kernel"), llvm::cl::init(false)};
  PassOptions::Option<unsigned> vectorBits{
      *this, "vector-bits", llvm::cl::desc("Target host: bits of a vector register"), llvm::cl::init(256)};
  PassOptions::Option<unsigned> vectorRegisters{
      *this, "vector-registers", llvm::cl::desc("Target host: number of vector registers"), llvm::cl::init(16)};
  PassOptions::Option<std::string> bf16Gemm{
      *this, "bf16-gemm",
      llvm::cl::desc("Target host: how products of bf16 are made: auto, f32, vnni, dot, avx512 or neon"),
      llvm::cl::init("auto")};
  PassOptions::Option<Stage> stopAfter{
      *this, "stop-after", llvm::cl::desc("Last stage to run"), llvm::cl::init(Stage::Run),
      llvm::cl::values(clEnumValN(Stage::Import, "import", "rnn ops on tensors, no framework ops"),
                       clEnumValN(Stage::Simplify, "simplify", "canonical rnn ops"),
                       clEnumValN(Stage::Select, "select", "every rnn op carries its lowering"),
                       clEnumValN(Stage::Bufferize, "bufferize", "rnn ops on memrefs"),
                       clEnumValN(Stage::Lower, "lower", "rnnrt ops and loops"),
                       clEnumValN(Stage::Emit, "emit", "the LLVM dialect"),
                       clEnumValN(Stage::Run, "run", "all stages"))};
  PassOptions::Option<bool> verifyContracts{*this, "verify-contracts",
                                            llvm::cl::desc("Check the contract of every stage"),
                                            llvm::cl::init(true)};
};
} // namespace

void rnn::registerPipelines() {
  PassPipelineRegistration<CommandLineOptions>(
      "rnn-pipeline", "Compile rnn or TensorFlow ops, from import to the LLVM dialect",
      [](OpPassManager &pm, const CommandLineOptions &flags) {
        PipelineOptions options;
        options.target = flags.target;
        options.lowering = flags.lowering;
        options.kernelFamily = flags.kernelFamily;
        options.tuningRecords = flags.tuningRecords;
        options.device = flags.device;
        options.processor = flags.processor;
        options.chip = flags.chip;
        options.tf32 = flags.tf32;
        options.largeGemms = flags.largeGemms;
        options.simtCheck = flags.simtCheck;
        options.vectorBits = flags.vectorBits;
        options.vectorRegisters = flags.vectorRegisters;
        options.bf16Gemm = flags.bf16Gemm;
        options.stopAfter = flags.stopAfter;
        options.verifyContracts = flags.verifyContracts;
        buildPipeline(pm, options);
      });
}
