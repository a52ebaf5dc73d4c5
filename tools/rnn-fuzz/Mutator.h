//===- Mutator.h - changes to the text of a module -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_TOOLS_RNN_FUZZ_MUTATOR_H
#define RNN_TOOLS_RNN_FUZZ_MUTATOR_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::rnn::fuzz {

/// The tokens of a text in MLIR's syntax. White space belongs to the token before; a shape is one token per size.
std::vector<std::string> tokenize(llvm::StringRef text);

/// Changes one to three tokens, attributes, types or lines of `text`. The same seed gives the same change.
std::string mutate(llvm::StringRef text, uint64_t seed);

} // namespace mlir::rnn::fuzz

#endif // RNN_TOOLS_RNN_FUZZ_MUTATOR_H
