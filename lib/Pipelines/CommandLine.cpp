//===- CommandLine.cpp - the pipeline's options as flags of a tool -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Pipelines/CommandLine.h"
#include "Internal.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::rnn;
namespace cl = llvm::cl;

struct PipelineCommandLine::Flags {
  explicit Flags(cl::OptionCategory &category) : category(category) {}

  cl::OptionCategory &category;
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help)                                                         \
  cl::opt<type> member{flag, cl::desc(help), cl::init(initial), cl::cat(category)};
#define RNN_PIPELINE_ONLY_OPTION(type, member, flag, initial, help)
#include "rnn/Pipelines/Options.def"
  cl::opt<bool> verifyEach{
      "verify-each", cl::desc("Verify the module after every pass (default: up to bufferization, and at the end)"),
      cl::cat(category)};
  cl::opt<std::string> remarks{
      "remarks",
      cl::desc("Print optimization remarks of the passes whose whole name the regular expression matches, as "
               "rnn-select-lowering or rnn-.* (default: of all passes)"),
      cl::value_desc("PASSES"), cl::ValueOptional, cl::cat(category)};
};

PipelineCommandLine::PipelineCommandLine(cl::OptionCategory &category) {
  if (cl::Option *theirs = cl::getRegisteredOptions().lookup("stop-after"))
    theirs->removeArgument();
  flags = std::make_unique<Flags>(category);
}

PipelineCommandLine::~PipelineCommandLine() = default;

llvm::Expected<PipelineOptions> PipelineCommandLine::getOptions() const {
  PipelineOptions options;
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help) options.member = flags->member;
#define RNN_PIPELINE_ONLY_OPTION(type, member, flag, initial, help)
#include "rnn/Pipelines/Options.def"
#define RNN_PIPELINE_OPTION(type, member, flag, initial, help)                                                         \
  if (flags->member.getNumOccurrences() > 0)                                                                           \
    if (llvm::Error error = checkOptionOfTarget(flag, options.target, "--"))                                           \
      return error;
#define RNN_PIPELINE_ONLY_OPTION(type, member, flag, initial, help)
#include "rnn/Pipelines/Options.def"
  if (std::string error; !flags->remarks.empty() && !llvm::Regex(flags->remarks).isValid(error))
    return llvm::createStringError("--remarks expects a regular expression, but got `" + flags->remarks +
                                   "`: " + error);
  return options;
}

static LogicalResult configurePassManager(PassManager &pm) {
  applyDefaultTimingPassManagerCLOptions(pm);
  return applyPassManagerCLOptions(pm);
}

RunOptions PipelineCommandLine::getRunOptions() const {
  RunOptions options;
  options.configure = configurePassManager;
  options.verifyEach = flags->verifyEach;
  return options;
}

LogicalResult PipelineCommandLine::enableRemarks(MLIRContext &context) const {
  if (flags->remarks.getNumOccurrences() == 0)
    return success();
  std::string passes = flags->remarks.empty() ? ".*" : flags->remarks.getValue();
  // `all` alone enables no kind of remark.
  remark::RemarkCategories categories{/*all=*/std::nullopt, passes, passes, passes, passes};
  return remark::enableOptimizationRemarks(context, /*streamer=*/nullptr,
                                           std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
                                           /*printAsEmitRemarks=*/true);
}
