// Trace.cpp - reads RNNRT_TRACE and writes the lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/Trace.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace rnnrt;

static int readKinds() {
  const char *text = std::getenv("RNNRT_TRACE");
  int kinds = 0;
  while (text && *text) {
    size_t length = std::strcspn(text, ",");
    auto is = [&](const char *word) { return length == std::strlen(word) && !std::strncmp(text, word, length); };
    if (is("dispatch"))
      kinds |= int(TraceKind::Dispatch);
    else if (is("plan"))
      kinds |= int(TraceKind::Plan);
    else if (is("memory"))
      kinds |= int(TraceKind::Memory);
    else if (length)
      std::fprintf(stderr, "rnnrt,warning,RNNRT_TRACE accepts dispatch, plan and memory, but got `%.*s`\n", int(length),
                   text);
    text += length + (text[length] == ',');
  }
  return kinds;
}

bool rnnrt::tracing(TraceKind kind) {
  static const int kinds = readKinds();
  return kinds & int(kind);
}

void rnnrt::trace(const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(line, sizeof(line) - 1, format, arguments);
  va_end(arguments);
  if (length < 0)
    return;
  if (length > int(sizeof(line)) - 2)
    length = sizeof(line) - 2;
  line[length] = '\n';
  // One write per line, so that lines of several threads do not interleave.
  std::fwrite(line, 1, length + 1, stderr);
}
