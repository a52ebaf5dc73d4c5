// Range.cpp - ranges of NVTX 3, a header-only library which finds the profiler at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Range.h"

#include <cstdlib>

#ifdef RNNRT_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

using namespace rnnrt;

#ifdef RNNRT_HAS_NVTX

static nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t handle = nvtxDomainCreateA("rnn-mlir");
  return handle;
}

bool rnnrt::rangesAreSeen() {
  // Tools set the variable so that NVTX loads them. The test avoids building names that no tool reads.
  static const bool injected = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  return injected;
}

Range::Range(const std::string &key, const char *what) {
  if (!rangesAreSeen())
    return;
  const std::string name = std::string(what) + " " + key;
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name.c_str(); // copied by the tool
  nvtxDomainRangePushEx(domain(), &attributes);
  open = true;
}

Range::~Range() {
  if (open)
    nvtxDomainRangePop(domain());
}

#else

bool rnnrt::rangesAreSeen() {
  return false;
}
Range::Range(const std::string &, const char *) {}
Range::~Range() = default;

#endif
