//===- JSON.h - parsing JSON of any depth -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_TUNING_JSON_H
#define RNN_LIB_TUNING_JSON_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace mlir::rnn::detail {

/// An object or array that opens in a JSON text, outside of strings.
struct JSONBracket {
  unsigned depth; ///< the number of objects and arrays around it
  unsigned line, column;
  size_t offset;
};

/// Calls `visit` for each object or array that opens, in the order of the text, until it returns false.
void forEachJSONBracket(llvm::StringRef text, llvm::function_ref<bool(const JSONBracket &)> visit);

/// `llvm::json::parse`, but with an error for objects and arrays nested more than 64 deep: LLVM's parser is recursive
/// and would overflow the stack. An error is "[line:column, byte=offset]: reason" like LLVM's.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace mlir::rnn::detail

#endif // RNN_LIB_TUNING_JSON_H
