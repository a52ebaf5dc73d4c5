// NpyFuzzer.cpp - libFuzzer for the npy reader. The first byte selects the requested type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundTrip.h"

#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <cstdlib>

using mlir::rnn::ElementKind;

static std::string makeScratch() {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("npy-fuzzer", "npy", path))
    std::abort();
  return path.str().str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string scratch = makeScratch();
  if (size == 0)
    return 0;
  std::optional<ElementKind> requested;
  if (data[0] <= static_cast<uint8_t>(ElementKind::Index))
    requested = static_cast<ElementKind>(data[0]);
  llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  std::string problem = round_trip::checkNpy(bytes, requested, scratch).problem;
  if (problem.empty())
    return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
