// Table.cpp - the kinds of devices of this build. A new backend adds its line here, and core needs no change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/CudaBackend.h"
#include "host/HostBackend.h"
#include "simt/SimtBackend.h"

#include <iterator>

using namespace rnnrt;

static const BackendKind *const kinds[] = {&hostKind, &simtKind, &cudaKind};

const BackendTable rnnrt::backendTable = {kinds, std::size(kinds)};
