//===- Diagnostics.h - collects diagnostics for the C API -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_LIB_CAPI_DIAGNOSTICS_H
#define RNN_LIB_CAPI_DIAGNOSTICS_H

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "rnn-c/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <optional>
#include <string>

namespace mlir::rnn::capi {

struct Entry {
  MlirDiagnosticSeverity severity;
  std::string message, file;
  unsigned line = 0, column = 0;
  std::deque<Entry> notes;
};

/// A deque: entries keep their address, and so their strings, when others are added.
using Entries = std::deque<Entry>;

inline Entries *unwrap(RnnDiagnostics diagnostics) {
  return static_cast<Entries *>(diagnostics.ptr);
}

/// Appends an error without a location; prints it if there is no list.
void addError(RnnDiagnostics diagnostics, const llvm::Twine &message);
void addError(RnnDiagnostics diagnostics, llvm::Error error);

/// While it lives, diagnostics of the context go to the list, if there is one, and else to the other handlers.
class Collector {
public:
  Collector(MLIRContext *context, RnnDiagnostics diagnostics);
  bool hasErrors() const { return errors; }

private:
  bool errors = false;
  std::optional<ScopedDiagnosticHandler> handler;
};

/// Calls `function`. An exception, such as std::bad_alloc, becomes an error, and the result `failed`.
template <typename Result, typename Function>
Result guard(RnnDiagnostics diagnostics, Result failed, Function function) {
  try {
    return function();
  } catch (...) {
    addError(diagnostics, "an exception was thrown; the system may lack memory");
    return failed;
  }
}

} // namespace mlir::rnn::capi

#endif // RNN_LIB_CAPI_DIAGNOSTICS_H
