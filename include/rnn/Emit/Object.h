//===- Object.h - from a module to an object file or a shared library -*- C++ -*-===//
//
// Compiles a module ahead of time. The result needs librnn_runtime (for target simt also librnn_emulator) and the C
// library, and nothing of LLVM or MLIR.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_EMIT_OBJECT_H
#define RNN_EMIT_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "rnn/Pipelines/Pipelines.h"
#include "rnn/Target/Measurements.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::rnn {

struct ObjectOptions {
  PipelineOptions pipeline;
  /// LLVM's level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// Whose code is made; empty for this machine's system. Addresses must have 64 bits.
  std::string triple;
  /// A processor by LLVM's name, or `native` for the one of this machine. Empty for the oldest of its architecture, so
  /// that the result runs on all of them.
  std::string cpu;
  bool listCandidates = false; ///< fill CompiledObject::candidates
  /// How the passes run, for timing, printing and debugging.
  RunOptions passes;
};

/// A module as an object file in memory.
struct CompiledObject {
  /// What the linker reads (position independent), or LLVM IR as text.
  std::string bytes;
  /// What the module exports, in order.
  llvm::SmallVector<ExportedFunction> functions;
  /// Those that run one op, and in which way, when options ask for them.
  llvm::SmallVector<CompiledCandidate> candidates;
};

enum class ObjectForm { Object, LLVMIR };

/// Runs the whole pipeline on `module` (which is changed) and generates code. Diagnostics of passes go to the context;
/// the error says what failed: the pipeline, an unknown triple or processor, or code that would need a function which
/// neither the runtime, the C library nor a declaration in the module provides.
llvm::Expected<CompiledObject> compileObject(ModuleOp module, const ObjectOptions &options,
                                             ObjectForm form = ObjectForm::Object);

/// Links the bytes of an object file to the shared library `outputPath`, which is known to loaders as `soname`, by the
/// linker `linkerPath` or, if that is empty, by the first of ld.lld, cc and ld that the system has. The library
/// depends on librnn_runtime, and on librnn_emulator if it calls entries of that.
llvm::Error linkSharedLibrary(llvm::StringRef object, llvm::StringRef outputPath, llvm::StringRef soname,
                              llvm::StringRef linkerPath = "");

/// How a header is written.
struct HeaderOptions {
  /// Begins the names of functions in C.
  std::string prefix;
  /// Where the module came from, for the comment at the top.
  std::string sourceName;
};

/// The header for C and C++ of a module's functions. It fails if two of their names are the same in C.
llvm::Expected<std::string> writeCHeader(llvm::ArrayRef<ExportedFunction> functions, const HeaderOptions &options);

/// Translates a module in the LLVM dialect, and adds what code for half precision needs: conversions that processors
/// without instructions for them take from a compiler's runtime library, which need not be there. Calls of upstream's
/// GPU runtime become calls of librnn_runtime. Null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(Operation *module, llvm::LLVMContext &context);

} // namespace mlir::rnn

#endif // RNN_EMIT_OBJECT_H
