//===- Corpus.h - malformed calls and modules as data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_CORPUS_H
#define RNN_TOOLS_RNN_FUZZ_CORPUS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::rnn::fuzz {

/// Runs every case of a corpus file (test/Corpus/calls.txt describes the format): with dynamic sizes in every lowering
/// on targets host and simt, where the call must fail with the message of the case; with static sizes, where the module
/// must be rejected with the rule's label; and as a call of the valid static module, whose entry must reject the
/// arguments. Prints the cases that fail and a summary. With `update`, prints the file with the messages of the host
/// plans instead. With `sanitize`, AddressSanitizer checks compiled code. Returns true if all cases pass.
bool runCorpus(const DialectRegistry &registry, llvm::StringRef path, bool update, bool sanitize);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_CORPUS_H
