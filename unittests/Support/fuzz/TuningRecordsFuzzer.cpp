// TuningRecordsFuzzer.cpp - libFuzzer for files of tuning records: an error, or records that are printed and read back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rnn/Tuning/TuningRecords.h"

#include <cstdio>
#include <cstdlib>

using mlir::rnn::TuningRecords;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto first = TuningRecords::parse({reinterpret_cast<const char *>(data), size}, "input.json");
  if (!first) {
    if (!llvm::toString(first.takeError()).empty())
      return 0;
    std::fprintf(stderr, "an error without a message\n");
    std::abort();
  }
  std::string printed = first->print();
  auto second = TuningRecords::parse(printed, "printed.json");
  if (second && second->print() == printed)
    return 0;
  std::fprintf(stderr, "not read back: %s\n%s\n",
               second ? second->print().c_str() : llvm::toString(second.takeError()).c_str(), printed.c_str());
  std::abort();
}
