//===- Pipelines.h - stages, options and the pipelines of passes -*- C++ -*-===//
//
// The only place that orders passes. A stage's pipeline assumes the contract of the stage before it and ends with a
// check of its own (`rnn-verify-contract`).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_PIPELINES_PIPELINES_H
#define RNN_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::rnn {

/// The path of a layer. `Run` is not a pipeline: it means that nothing stops before.
enum class Stage { Import, Simplify, Select, Bufferize, Lower, Emit, Run };

/// "import", "simplify", and so on.
llvm::StringRef stringifyStage(Stage stage);
std::optional<Stage> symbolizeStage(llvm::StringRef name);

/// Options of the whole pipeline; the flags of `rnn-pipeline` and of the tools have the same names.
struct PipelineOptions {
  /// A target that `TargetInfo` knows.
  std::string target = "host";
  /// `auto`, `runtime` or `fused`, for ops that do not carry a lowering already.
  std::string lowering = "auto";
  /// Targets cuda and simt: `auto`, `step` or `cluster`, for fused ops that do not carry a family of kernels already.
  std::string kernelFamily = "auto";
  /// A file of tuning records for `auto` (`rnn-run --autotune`), and the device whose measurements count (empty: any).
  std::string tuningRecords, device;
  /// Of the names of exported symbols, see `rnn-emit-entries`.
  std::string exportPrefix;
  /// Refuse public functions that cannot be exported.
  bool exportAll = false;
  /// The last stage to run.
  Stage stopAfter = Stage::Run;
  /// Target cuda: the GPU architecture to compile kernels for, as `sm_90a`; empty for PTX that every GPU from sm_80 on
  /// takes. With a chip, kernels are machine code when `ptxas` is found, else PTX of that chip.
  std::string chip;
  /// Targets cuda and simt: fused kernels may round factors of f32 products to tf32, which tensor cores take.
  bool tf32 = false;
  /// Targets cuda and simt: who computes the products over all steps of fused kernels: `kernel`, `library` (the device's,
  /// wherever it is there) or `auto` (target cuda: the library where it is there and they are large).
  std::string largeGemms = "auto";
  /// Target simt: look at every access of a kernel, for races, uninitialised memory and wrong addresses.
  bool simtCheck = false;
  /// Target host: vector registers of the processor that fused kernels are shaped for. A JIT and an object file take them
  /// from their target machine.
  unsigned vectorBits = 256, vectorRegisters = 16;
  /// Target host: how products of bf16 are made, as in convert-rnn-to-host, or `auto`: by instructions of the target
  /// machine where it has them.
  std::string bf16Gemm = "auto";
  /// Target host: that processor, by LLVM's name, for `tuningRecords`. Taken from the target machine, too.
  std::string processor;
  /// Check the contract of every stage that runs.
  bool verifyContracts = true;
};

/// tf.* ops become rnn ops on tensors.
void buildImportPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// One canonical form per layer; nothing about devices.
void buildSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// The part of selection in front of rnn-select-lowering: ops become others that the target has plans for.
void buildRewritePipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// `lowering` on every rnn op.
void buildSelectPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// Tensors become memrefs; buffers that a function returns belong to its caller, all others are freed.
void buildBufferizePipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// rnn ops become rnnrt ops, linalg and scf become loops and branches.
void buildLowerPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// The LLVM dialect. Every public function is reached through a uniform entry (`rnn-emit-entries`).
void buildEmitPipeline(OpPassManager &pm, const PipelineOptions &options = {});

/// All stages from `first` up to `options.stopAfter`.
void buildPipeline(OpPassManager &pm, const PipelineOptions &options = {}, Stage first = Stage::Import);

/// How passes are run; for timing, printing and debugging.
struct RunOptions {
  /// Called with each pass manager before it gets its passes.
  llvm::function_ref<llvm::LogicalResult(PassManager &)> configure = nullptr;
  /// Verify the module after every pass. Otherwise that ends with bufferization, while a module is small; the loops of a
  /// layer are a hundred times as much, and are verified once, at the end.
  bool verifyEach = false;
};

/// Runs the stages that `buildPipeline` adds. Diagnostics go to the context.
llvm::Error runPipeline(ModuleOp module, const PipelineOptions &options, const RunOptions &passes,
                        Stage first = Stage::Import);

/// Registers `rnn-pipeline{target=host lowering=auto stop-after=run}`.
void registerPipelines();

} // namespace mlir::rnn

#endif // RNN_PIPELINES_PIPELINES_H
