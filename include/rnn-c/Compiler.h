/* Compiler.h - from text or bytecode to passes, object files, shared libraries and code in memory.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A function that fails returns a null object or a failure, and appends at least one error to `diagnostics`. Contexts
   must be prepared by rnnContextRegister or rnnContextCreate. Modules change: clone one to keep it. */

#ifndef RNN_C_COMPILER_H
#define RNN_C_COMPILER_H

#include "mlir-c/IR.h"
#include "rnn-c/Diagnostics.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Options
 * -----------------------------------------------------------------------------------------------------===*/

typedef enum RnnTarget { RnnTargetHost, RnnTargetCuda, RnnTargetSimt } RnnTarget;
typedef enum RnnStage {
  RnnStageImport,
  RnnStageSimplify,
  RnnStageSelect,
  RnnStageBufferize,
  RnnStageLower,
  RnnStageEmit,
  RnnStageRun
} RnnStage;
typedef enum RnnLoweringPreference {
  RnnLoweringPreferenceAuto,
  RnnLoweringPreferenceRuntime,
  RnnLoweringPreferenceFused
} RnnLoweringPreference;
typedef enum RnnKernelPreference {
  RnnKernelPreferenceAuto,
  RnnKernelPreferencePerStep,
  RnnKernelPreferencePersistent
} RnnKernelPreference;
typedef enum RnnLargeGemms { RnnLargeGemmsKernel, RnnLargeGemmsAuto, RnnLargeGemmsLibrary } RnnLargeGemms;
typedef enum RnnBF16Gemm {
  RnnBF16GemmAuto,
  RnnBF16GemmF32,
  RnnBF16GemmVNNI,
  RnnBF16GemmDot,
  RnnBF16GemmAVX512,
  RnnBF16GemmNEON,
  RnnBF16GemmAMX
} RnnBF16Gemm;

/* The flags of rnn-compile with the same names. Strings are not copied: they must live until the call that reads them
   returns. */
typedef struct RnnCompileOptions {
  size_t size; /* of this structure; rnnCompileOptionsGetDefault sets it */
  RnnTarget target;
  RnnLoweringPreference lowering;
  RnnKernelPreference fused_kernel;
  RnnLargeGemms large_gemms;
  RnnBF16Gemm bf16_gemm;
  RnnStage stop_after;         /* pipelines only */
  unsigned vector_bits;        /* 0: the fastest of the processor */
  unsigned optimization_level; /* of LLVM, 0 to 3 */
  int wavefront_chunk;         /* targets cuda and simt: time steps, 0 or -1 */
  bool tf32, simt_check, verify_each;
  bool export_all;              /* a function that cannot be exported is an error */
  MlirStringRef chip;           /* target cuda: as sm_90a */
  MlirStringRef tuning_records; /* a file */
  MlirStringRef device;         /* the device of these records */
  MlirStringRef triple;         /* objects only; empty: this machine */
  MlirStringRef cpu;            /* objects only; as --cpu of rnn-compile; empty: the baseline of the architecture */
  MlirStringRef export_prefix;  /* prefix of exported symbols */
} RnnCompileOptions;

MLIR_CAPI_EXPORTED RnnCompileOptions rnnCompileOptionsGetDefault(void);

/*===-- Modules and passes
 * ------------------------------------------------------------------------------------------===*/

/* Parses a module from text or bytecode. `name` is the file name of locations. The caller owns the module. Ops of
   TensorFlow, ONNX, StableHLO and torch in generic form belong to no registered dialect: call
   mlirContextSetAllowUnregisteredDialects(context, true) before parsing. */
MLIR_CAPI_EXPORTED MlirModule rnnModuleParse(MlirContext context, MlirStringRef source, MlirStringRef name,
                                             RnnDiagnostics diagnostics);

/* The same. Arguments and results of public functions of a text get the attribute `rnn.name` with their names in the
   text, which compiled functions export. */
MLIR_CAPI_EXPORTED MlirModule rnnModuleParseNamed(MlirContext context, MlirStringRef source, MlirStringRef name,
                                                  RnnDiagnostics diagnostics);

/* Runs the stages from `first` to `options.stop_after`. */
MLIR_CAPI_EXPORTED MlirLogicalResult rnnModuleRunStages(MlirModule module, const RnnCompileOptions *options,
                                                        RnnStage first, RnnDiagnostics diagnostics);

/* Runs a textual pipeline, as "builtin.module(canonicalize,rnn-decompose)". Passes of this project are registered by
   rnnRegisterPasses, upstream's by mlirRegisterAllPasses. */
MLIR_CAPI_EXPORTED MlirLogicalResult rnnModuleRunPassPipeline(MlirModule module, MlirStringRef pipeline,
                                                              RnnDiagnostics diagnostics);

/*===-- Objects and libraries
 * ---------------------------------------------------------------------------------------===*/

/* A compiled module as the bytes of an object file, or of an archive of object files. */
typedef struct RnnObject {
  void *ptr;
} RnnObject;

/* Runs all stages and generates code. The module may be the result of rnnModuleRunStages for any stage but lower, which
   is an error: deallocations cannot be inserted into it. */
MLIR_CAPI_EXPORTED RnnObject rnnModuleCompileObject(MlirModule module, const RnnCompileOptions *options,
                                                    RnnDiagnostics diagnostics);
/* The same as an archive (`ar`) of object files, which threads generate at the same time. The same module becomes the
   same archive on each machine. To be linked by rnnObjectLinkLibrary, or as a whole (`--whole-archive`). */
MLIR_CAPI_EXPORTED RnnObject rnnModuleCompileArchive(MlirModule module, const RnnCompileOptions *options,
                                                     RnnDiagnostics diagnostics);
MLIR_CAPI_EXPORTED void rnnObjectDestroy(RnnObject object);
/* Valid until the object is destroyed. */
MLIR_CAPI_EXPORTED MlirStringRef rnnObjectGetBytes(RnnObject object);
/* The C header of the exported functions, whose C names start with `prefix` and `_` unless it is empty. `source` is the
   name of the source in the comment. Valid until the object is destroyed or this function is called again. Empty on
   failure. */
MLIR_CAPI_EXPORTED MlirStringRef rnnObjectGetHeader(RnnObject object, MlirStringRef prefix, MlirStringRef source,
                                                    RnnDiagnostics diagnostics);
/* Links a shared library, which depends on librnn_runtime, by ld.lld, cc or ld, whichever is found first. */
MLIR_CAPI_EXPORTED MlirLogicalResult rnnObjectLinkLibrary(RnnObject object, MlirStringRef path, MlirStringRef soname,
                                                          RnnDiagnostics diagnostics);

/*===-- Code in memory
 * ----------------------------------------------------------------------------------------------===*/

/* An entry of the runtime, with the layout of rnnrt_abi_symbol_t. */
typedef struct RnnRuntimeSymbol {
  const char *name;
  void *address;
} RnnRuntimeSymbol;

/* Compiled code in memory. Several threads may call its functions. */
typedef struct RnnJIT {
  void *ptr;
} RnnJIT;

/* Compiles for this machine, from the stages that rnnModuleCompileObject accepts. `symbols` are those of
   rnnrt_abi_symbols and rnnrt_abi_target_symbols of librnn_runtime, which this library does not depend on. Add
   `_mlir_ciface_NAME` for each function NAME that the module declares without a body, unless the process exports that
   symbol (docs/Embedding.md, "External functions"). */
MLIR_CAPI_EXPORTED RnnJIT rnnModuleCompileJIT(MlirModule module, const RnnCompileOptions *options, intptr_t num_symbols,
                                              const RnnRuntimeSymbol *symbols, RnnDiagnostics diagnostics);
/* Code must not run, and results of calls must be released. */
MLIR_CAPI_EXPORTED void rnnJITDestroy(RnnJIT jit);
/* The entry of a public function, to be cast to rnnrt_entry_t (rnn_runtime/function.h); NULL on failure. */
MLIR_CAPI_EXPORTED void *rnnJITLookup(RnnJIT jit, MlirStringRef function, RnnDiagnostics diagnostics);

#ifdef __cplusplus
}
#endif

#endif /* RNN_C_COMPILER_H */
