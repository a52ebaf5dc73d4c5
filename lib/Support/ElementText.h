//===- ElementText.h - elements and quoted input in messages -*- C++ -*-===//
//
// Shared by the readers and printers of this folder. Not installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_SUPPORT_ELEMENTTEXT_H
#define RNN_LIB_SUPPORT_ELEMENTTEXT_H

#include "rnn/Support/HostTensor.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rnn::detail {

/// Returns true for decimal digits with an optional sign.
bool isInteger(llvm::StringRef text);

/// Reads the number `text` into element `index`, rounded once. A number out of range is an error.
llvm::Error parseElement(const HostTensor &tensor, int64_t index, llvm::StringRef text);

/// Prints the shortest number that reads back as element `index`. Every NaN is `nan`.
void printElement(llvm::raw_ostream &os, const HostTensor &tensor, int64_t index);

/// Returns `text` in backticks, with unprintable bytes escaped and the middle of a long text omitted.
std::string quote(llvm::StringRef text);

} // namespace mlir::rnn::detail

#endif // RNN_LIB_SUPPORT_ELEMENTTEXT_H
