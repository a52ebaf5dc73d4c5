//===- Reduce.h - smaller modules with the same problem -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_REDUCE_H
#define RNN_TOOLS_RNN_FUZZ_REDUCE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::rnn::fuzz {

/// Reduces a module by upstream's `opt-reduction-pass` and `reduction-tree`, while `tester testerArguments... FILE`
/// exits with 1. The tester writes the smallest such module to the file of its last argument, `--smallest=FILE`, so
/// that a reduction that runs out of time keeps what it has reached. Returns the text unchanged if nothing is smaller.
std::string reduceModule(const DialectRegistry &registry, llvm::StringRef text, llvm::StringRef tester,
                         const std::vector<std::string> &testerArguments, unsigned seconds);

/// Reduces a text that need not be a module: removes lines, then tokens, while `isInteresting` returns true, for up to
/// `seconds`.
std::string reduceText(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef)> isInteresting, unsigned seconds);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_REDUCE_H
