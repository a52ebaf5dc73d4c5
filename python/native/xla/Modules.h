// Modules.h - the devices and compiled modules of this process, for the handlers of XLA's foreign function interface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNN_PYTHON_XLA_MODULES_H
#define RNN_PYTHON_XLA_MODULES_H

#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "xla/ffi/api/ffi.h"

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(hidden)
namespace rnn_xla {

namespace ffi = xla::ffi;

//===-- Errors ---------------------------------------------------------------------------------------------------===//

/// Takes ownership of `status`; "" for success.
std::string messageOf(rnnrt_status_t status);

/// The failure of a call; `status` is borrowed.
ffi::Error toError(rnnrt_status_t status);

ffi::Error invalid(const std::string &message);
ffi::Error unavailable(const std::string &message);

//===-- Devices --------------------------------------------------------------------------------------------------===//

/// A device that the process keeps.
struct Device {
  rnnrt_device_t *handle = nullptr;
  int32_t capability = 0; ///< compute capability; 0 unless it is a GPU
};

/// The device of this name; without a handle after a failure. The next call then tries again.
Device getDevice(const std::string &name, std::string &error);

/// The targets of compiled modules. Cuda is that of XLA's platform CUDA; Simt runs its kernels on the emulator, for
/// tests.
enum Target { Host, Cuda, Simt, numTargets };
inline constexpr const char *targetNames[] = {"host", "cuda", "simt"};

std::string nameOfGpu(int32_t ordinal);

/// The first GPU that this process uses.
std::string nameOfFirstGpu();

//===-- Modules --------------------------------------------------------------------------------------------------===//

/// Finds or compiles the module for a device, unless this process has done so. `key` stands for `module` and `name`,
/// the function in it, in the calls below.
ffi::Error resolve(Target target, const std::string &device, int32_t capability, std::string_view module,
                   std::string_view name, int64_t key);

/// Null if the module was not resolved for the compute capability, which is 0 for other devices than GPUs.
const rnnrt_function_t *findFunction(Target target, int64_t key, int32_t capability);

/// The training pass that writes the reserve space of the gradient `key`; null for other functions.
const rnnrt_function_t *findForward(Target target, int64_t key);

} // namespace rnn_xla
#pragma GCC visibility pop

#endif // RNN_PYTHON_XLA_MODULES_H
