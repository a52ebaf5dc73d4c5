// Trace.h - RNNRT_TRACE: one comma-separated line per event on stderr.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RNNRT_CORE_TRACE_H
#define RNNRT_CORE_TRACE_H

namespace rnnrt {

enum class TraceKind { Dispatch = 1, Plan = 2, Memory = 4 };

/// True if RNNRT_TRACE contains this kind. The variable is read once.
bool tracing(TraceKind kind);

/// Writes one line; `format` must not contain a newline. Lines of several threads do not interleave.
__attribute__((format(printf, 1, 2))) void trace(const char *format, ...);

} // namespace rnnrt

#endif // RNNRT_CORE_TRACE_H
