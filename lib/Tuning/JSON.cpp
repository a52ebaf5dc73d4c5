//===- JSON.cpp - parsing JSON of any depth ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JSON.h"

llvm::Expected<llvm::json::Value> mlir::rnn::detail::parseJSON(llvm::StringRef text) {
  constexpr unsigned mostNested = 64;
  unsigned depth = 0, line = 1;
  bool inString = false;
  size_t lineStart = 0;
  for (size_t offset = 0; offset < text.size(); ++offset) {
    char c = text[offset];
    if (c == '\n') {
      ++line;
      lineStart = offset + 1;
    }
    if (inString) {
      if (c == '\\')
        ++offset;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > mostNested)
        return llvm::createStringError("[%u:%zu, byte=%zu]: objects and arrays are nested more than %u deep", line,
                                       offset - lineStart + 1, offset, mostNested);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return llvm::json::parse(text);
}
