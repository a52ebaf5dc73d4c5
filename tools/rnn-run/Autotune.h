//===- Autotune.h - measures the candidates of every rnn op -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_RUN_AUTOTUNE_H
#define RNN_TOOLS_RNN_RUN_AUTOTUNE_H

#include "Runtime.h"

namespace mlir::rnn {

/// The name of the device, from rnnrt_device_properties, for TuningRecord::device.
std::string getDeviceName(const RuntimeSession &session);

/// Measures `function` with every candidate of its rnn ops, and writes tuning records to the file at `path`. Records of
/// other ops in that file stay. `module` is not changed.
llvm::Error autotune(ModuleOp module, const JITOptions &options, llvm::StringRef function,
                     llvm::ArrayRef<HostTensor> arguments, RuntimeSession &session, llvm::StringRef path);

/// The same from a file of measurements of another machine. An error if they yield no tuning record.
llvm::Error autotuneByMeasurements(llvm::StringRef measurementsPath, llvm::StringRef path);

} // namespace mlir::rnn

#endif // RNN_TOOLS_RNN_RUN_AUTOTUNE_H
