// TensorTextFuzzer.cpp - libFuzzer for the parser of command-line values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundTrip.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (!round_trip::isCheap(text))
    return 0;
  std::string problem = round_trip::checkText(text).problem;
  if (problem.empty())
    return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
