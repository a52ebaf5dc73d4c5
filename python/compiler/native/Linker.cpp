//===- Linker.cpp - lld inside the static compiler ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "rnn/Emit/Object.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

static bool runLLD(llvm::ArrayRef<const char *> arguments, llvm::raw_ostream &messages) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return lld::lldMain(arguments, llvm::outs(), messages, {{lld::Gnu, &lld::elf::link}}).retCode == 0;
}

static const bool registered = (mlir::rnn::setBuiltinLinker(runLLD), true);
