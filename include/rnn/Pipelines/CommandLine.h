//===- CommandLine.h - the pipeline's options as flags of a tool -*- C++ -*-===//
//
// rnn-run and rnn-compile have the flags that `rnn-pipeline` has, from the same list (Options.def).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_PIPELINES_COMMANDLINE_H
#define RNN_PIPELINES_COMMANDLINE_H

#include "rnn/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include <memory>

namespace mlir::rnn {

/// Registers the flags, and those that control how passes run. Created in `main`, after LLVM's own flags exist: it
/// replaces LLVM's `--stop-after`, a debugging flag of the code generator.
class PipelineCommandLine {
public:
  explicit PipelineCommandLine(llvm::cl::OptionCategory &category);
  ~PipelineCommandLine();

  /// The values of the flags. An error names a flag that the target does not have.
  llvm::Expected<PipelineOptions> getOptions() const;
  /// For `runPipeline`: timing, printing and verification according to the flags.
  RunOptions getRunOptions() const;
  /// Lets the context print optimization remarks, if `--remarks` is given.
  LogicalResult enableRemarks(MLIRContext &context) const;

private:
  struct Flags;
  std::unique_ptr<Flags> flags;
};

} // namespace mlir::rnn

#endif // RNN_PIPELINES_COMMANDLINE_H
