//===- JSON.h - parsing JSON of any depth -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TUNING_JSON_H
#define RNN_LIB_TUNING_JSON_H

#include "llvm/Support/JSON.h"

namespace mlir::rnn::detail {

/// `llvm::json::parse`, but with an error for objects and arrays nested more than 64 deep: LLVM's parser is recursive
/// and would overflow the stack. An error is "[line:column, byte=offset]: reason" like LLVM's.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace mlir::rnn::detail

#endif // RNN_LIB_TUNING_JSON_H
