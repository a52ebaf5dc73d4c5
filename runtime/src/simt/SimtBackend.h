// SimtBackend.h - the device `simt`: the host device, on which emulated GPU kernels run too. The emulator itself is
// librnn_emulator (runtime/emulator), which is loaded with the first such device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_SIMT_SIMTBACKEND_H
#define RNNRT_SIMT_SIMTBACKEND_H

#include "core/Backend.h"

namespace rnnrt {

extern const BackendKind simtKind;

/// The schedule of the device, a text that the emulator has accepted; null for a device of another kind.
const char *emulatedSchedule(const Backend &backend);

} // namespace rnnrt

#endif // RNNRT_SIMT_SIMTBACKEND_H
