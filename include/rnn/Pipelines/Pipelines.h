//===- Pipelines.h - stages, options and the pipelines of passes -*- C++ -*-===//
//
// The only code that orders passes. The pipeline of a stage requires the contract of the previous stage and checks its
// own at the end (`rnn-verify-contract`).
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

  /// Target cuda: the form of kernels. `Default` is machine code if there are a chip and ptxas, else PTX.
  enum class KernelForm { Default, PTX, Cubin } kernelForm = KernelForm::Default;
  /// Prefix of the names of exported symbols, see `rnn-emit-entries`.
  std::string exportPrefix;
  /// Refuse public functions that cannot be exported.
  bool exportAll = false;
};

/// Whether this machine has NVIDIA's assembler, which machine code of kernels needs.
bool hasPtxas();

/// tf.* ops become rnn ops on tensors.
void buildImportPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// One canonical form per layer; nothing about devices.
void buildSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// The first part of selection: rewrites ops to others that the target has plans for.
void buildRewritePipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// Writes `lowering` on every rnn op.
void buildSelectPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// Tensors become memrefs. The caller owns buffers that a function returns; all others are freed.
void buildBufferizePipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// rnn ops become rnnrt ops, linalg and scf become loops and branches.
void buildLowerPipeline(OpPassManager &pm, const PipelineOptions &options = {});
/// The LLVM dialect. Every public function is reached through a uniform entry (`rnn-emit-entries`).
void buildEmitPipeline(OpPassManager &pm, const PipelineOptions &options = {});

/// All stages from `first` up to `options.stopAfter`.
void buildPipeline(OpPassManager &pm, const PipelineOptions &options = {}, Stage first = Stage::Import);

/// How passes run: timing, printing and verification.
struct RunOptions {
  /// Called with each pass manager before passes are added.
  llvm::function_ref<llvm::LogicalResult(PassManager &)> configure = nullptr;
  /// Verify the module after every pass. By default, it is verified after every pass up to bufferization, and once at
  /// the end: the loops of a layer are a hundred times as much IR.
  bool verifyEach = false;
};

/// Runs the stages that `buildPipeline` adds. The context receives diagnostics.
llvm::Error runPipeline(ModuleOp module, const PipelineOptions &options, const RunOptions &passes,
                        Stage first = Stage::Import);

/// Registers `rnn-pipeline`, with the options of Options.def.
void registerPipelines();

} // namespace mlir::rnn

#endif // RNN_PIPELINES_PIPELINES_H
