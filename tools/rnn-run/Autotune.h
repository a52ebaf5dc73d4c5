//===- Autotune.h - measures the candidates of every rnn op -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_RUN_AUTOTUNE_H
#define RNN_TOOLS_RNN_RUN_AUTOTUNE_H

#include "Runtime.h"

namespace mlir::rnn {

/// What this machine's measurements are filed under, as rnnrt_device_properties has it.
std::string getDeviceName(const RuntimeSession &session);

/// Times calls of `function` with the rnn ops in it run in every way that there is, and writes the tuning records to the file at
/// `path`, beside those of other ops that are there. `module` is not changed.
llvm::Error autotune(ModuleOp module, const JITOptions &options, llvm::StringRef function,
                     llvm::ArrayRef<HostTensor> arguments, RuntimeSession &session, llvm::StringRef path);

/// The same from a file of measurements that were made elsewhere. An error if no tuning record can be made of them.
llvm::Error autotuneByMeasurements(llvm::StringRef measurementsPath, llvm::StringRef path);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_RUN_AUTOTUNE_H
