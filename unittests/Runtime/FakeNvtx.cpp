// FakeNvtx.cpp - an NVTX injection library: counts the ranges of the domain `rnn-mlir` and prints the first name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdio>
#include <nvtx3/nvToolsExt.h>

static int pushes = 0, pops = 0;

static int pushed(nvtxDomainHandle_t, const nvtxEventAttributes_t *attributes) {
  if (pushes++ == 0)
    std::fprintf(stderr, "nvtx,%s\n", attributes->message.ascii);
  return 0;
}
static int popped(nvtxDomainHandle_t) {
  ++pops;
  return 0;
}
static nvtxDomainHandle_t created(const char *name) {
  std::fprintf(stderr, "nvtx,domain,%s\n", name);
  return reinterpret_cast<nvtxDomainHandle_t>(&pushes);
}
__attribute__((destructor)) static void report() {
  std::fprintf(stderr, "nvtx,%d pushed,%d popped\n", pushes, pops);
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
  auto *callbacks = static_cast<const NvtxExportTableCallbacks *>(getTable(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table;
  unsigned int size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
    return 0;
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(pushed);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(popped);
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(created);
  return 1;
}
