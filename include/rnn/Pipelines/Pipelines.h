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
#include "rnn/Target/Options.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::rnn {

/// Options of the whole pipeline. Options.def documents each.
struct PipelineOptions {
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help) type member = initial;
#include "rnn/Pipelines/Options.def"

  /// Prefix of the names of exported symbols, see `rnn-emit-entries`.
  std::string exportPrefix;
  /// Refuse public functions that cannot be exported.
  bool exportAll = false;
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
