// Experiments.h - measurements of the parts of a time step. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_TOOLS_GPU_BUNDLE_EXPERIMENTS_H
#define RNN_TOOLS_GPU_BUNDLE_EXPERIMENTS_H

#include "rnn_runtime/api.h"

namespace bundle {

/// Runs the kernels of ExperimentKernels.cpp, whose PTX is `code`, and prints an answer per question, with the decision
/// that depends on it. An experiment that the device refuses is reported, and the next one runs.
void runExperiments(rnnrt_device_t *device, const char *code);

} // namespace bundle

#endif // RNN_TOOLS_GPU_BUNDLE_EXPERIMENTS_H
