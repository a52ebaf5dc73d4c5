//===- Diagnostics.cpp - collects diagnostics for the C API ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rnn::capi;

/// The first location in a file, in `location` or in the locations that it consists of.
static FileLineColLoc findFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static MlirDiagnosticSeverity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("unknown severity");
}

static Entry makeEntry(const Diagnostic &diagnostic) {
  Entry entry{getSeverity(diagnostic.getSeverity()), diagnostic.str(), "", 0, 0, {}};
  if (FileLineColLoc location = findFile(diagnostic.getLocation())) {
    entry.file = location.getFilename().str();
    entry.line = location.getLine();
    entry.column = location.getColumn();
  }
  for (const Diagnostic &note : const_cast<Diagnostic &>(diagnostic).getNotes())
    entry.notes.push_back(makeEntry(note));
  return entry;
}

void rnn::capi::addError(RnnDiagnostics diagnostics, const llvm::Twine &message) {
  if (Entries *entries = unwrap(diagnostics))
    entries->push_back({MlirDiagnosticError, message.str(), "", 0, 0, {}});
  else
    llvm::errs() << "error: " << message << "\n";
}

void rnn::capi::addError(RnnDiagnostics diagnostics, llvm::Error error) {
  addError(diagnostics, llvm::toString(std::move(error)));
}

Collector::Collector(MLIRContext *context, RnnDiagnostics diagnostics) {
  handler.emplace(context, [this, entries = unwrap(diagnostics)](Diagnostic &diagnostic) {
    errors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (entries)
      entries->push_back(makeEntry(diagnostic));
    return success(entries);
  });
}

static RnnDiagnostic toC(const Entry &entry) {
  return {entry.severity, wrap(entry.message), wrap(entry.file),
          entry.line,     entry.column,        intptr_t(entry.notes.size())};
}

/// Entry `index`, or null.
static const Entry *find(const Entries *entries, intptr_t index) {
  return entries && index >= 0 && index < intptr_t(entries->size()) ? &(*entries)[index] : nullptr;
}

RnnDiagnostics rnnDiagnosticsCreate(void) {
  return guard(RnnDiagnostics{}, RnnDiagnostics{}, [] { return RnnDiagnostics{new Entries}; });
}

void rnnDiagnosticsDestroy(RnnDiagnostics diagnostics) {
  delete unwrap(diagnostics);
}

void rnnDiagnosticsClear(RnnDiagnostics diagnostics) {
  if (Entries *entries = unwrap(diagnostics))
    entries->clear();
}

intptr_t rnnDiagnosticsGetCount(RnnDiagnostics diagnostics) {
  const Entries *entries = unwrap(diagnostics);
  return entries ? entries->size() : 0;
}

RnnDiagnostic rnnDiagnosticsGet(RnnDiagnostics diagnostics, intptr_t index) {
  const Entry *entry = find(unwrap(diagnostics), index);
  return entry ? toC(*entry) : RnnDiagnostic{};
}

RnnDiagnostic rnnDiagnosticsGetNote(RnnDiagnostics diagnostics, intptr_t index, intptr_t note) {
  const Entry *entry = find(unwrap(diagnostics), index);
  const Entry *found = entry ? find(&entry->notes, note) : nullptr;
  return found ? toC(*found) : RnnDiagnostic{};
}
