//===- JSON.cpp - parsing JSON of any depth ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JSON.h"

using namespace mlir::rnn;

void detail::forEachJSONBracket(llvm::StringRef text, llvm::function_ref<bool(const JSONBracket &)> visit) {
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
      if (!visit({depth++, line, static_cast<unsigned>(offset - lineStart + 1), offset}))
        return;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

llvm::Expected<llvm::json::Value> detail::parseJSON(llvm::StringRef text) {
  constexpr unsigned mostNested = 64;
  std::optional<JSONBracket> tooDeep;
  forEachJSONBracket(text, [&](const JSONBracket &bracket) {
    if (bracket.depth == mostNested)
      tooDeep = bracket;
    return !tooDeep;
  });
  if (tooDeep)
    return llvm::createStringError("[%u:%u, byte=%zu]: objects and arrays are nested more than %u deep", tooDeep->line,
                                   tooDeep->column, tooDeep->offset, mostNested);
  return llvm::json::parse(text);
}
