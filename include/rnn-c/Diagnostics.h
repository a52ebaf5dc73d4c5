/* Diagnostics.h - the messages of one or more calls as data.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#ifndef RNN_C_DIAGNOSTICS_H
#define RNN_C_DIAGNOSTICS_H

#include "mlir-c/Diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of diagnostics. Functions append to it; strings are valid until it is cleared or destroyed. Every function
   accepts a null list (`ptr` is NULL): then the handlers of the context receive the diagnostics, and errors that no op
   has, such as those of the linker, are printed. */
typedef struct RnnDiagnostics {
  void *ptr;
} RnnDiagnostics;

/* One diagnostic or note. */
typedef struct RnnDiagnostic {
  MlirDiagnosticSeverity severity;
  MlirStringRef message;
  MlirStringRef file; /* empty without a location in a file */
  unsigned line, column;
  intptr_t num_notes; /* 0 for a note */
} RnnDiagnostic;

MLIR_CAPI_EXPORTED RnnDiagnostics rnnDiagnosticsCreate(void);
MLIR_CAPI_EXPORTED void rnnDiagnosticsDestroy(RnnDiagnostics diagnostics);
MLIR_CAPI_EXPORTED void rnnDiagnosticsClear(RnnDiagnostics diagnostics);
MLIR_CAPI_EXPORTED intptr_t rnnDiagnosticsGetCount(RnnDiagnostics diagnostics);
/* Diagnostic `index`, or an empty one if there is none. */
MLIR_CAPI_EXPORTED RnnDiagnostic rnnDiagnosticsGet(RnnDiagnostics diagnostics, intptr_t index);
/* Note `note` of diagnostic `index`, or an empty one if there is none. */
MLIR_CAPI_EXPORTED RnnDiagnostic rnnDiagnosticsGetNote(RnnDiagnostics diagnostics, intptr_t index, intptr_t note);

#ifdef __cplusplus
}
#endif

#endif /* RNN_C_DIAGNOSTICS_H */
