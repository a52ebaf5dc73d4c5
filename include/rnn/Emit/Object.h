//===- Object.h - compile a module to an object file or shared library -*- C++ -*-===//
//
// Compiles a module ahead of time. The result depends on librnn_runtime (and on librnn_emulator for target
// simt) and the C library, not on LLVM or MLIR.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_EMIT_OBJECT_H
#define RNN_EMIT_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "rnn/Conversion/RuntimeToLLVM/ExportedFunctions.h"
#include "rnn/Pipelines/Pipelines.h"
#include "rnn/Tuning/Measurements.h"
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
  /// LLVM's optimization level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// The target triple, 64 bits only. Empty for the triple of this machine.
  std::string triple;
  /// LLVM's name of the processor, or `native` for this machine. Empty for the baseline of the architecture, which all
  /// processors run. Features that differ may follow, as in `native,+amx-tile,-avx512fp16`.
  std::string cpu;
  bool listCandidates = false; ///< fill CompiledObject::candidates
  /// AddressSanitizer checks the memory accesses of compiled code. The program links its runtime.
  bool sanitizeAddress = false;
  /// Options of the pass manager: timing, printing and debugging.
  RunOptions passes;
};

/// A module as object files in memory.
struct CompiledObject {
  /// A position-independent object file, an archive of them, or LLVM IR as text.
  std::string bytes;
  /// The exported functions, in order.
  llvm::SmallVector<ExportedFunction> functions;
  /// The functions that run one candidate each. Filled if `listCandidates` is set.
  llvm::SmallVector<CompiledCandidate> candidates;
  /// On target `host`: the width of vectors and the bf16 GEMMs, for several rows and for one, of the fused loops.
  unsigned vectorBits = 0;
  BF16Gemm bf16Gemm = BF16Gemm::Auto, bf16GemmOneRow = BF16Gemm::Auto;
};

/// `Archive`: an archive (`ar`) of object files, which threads generate at the same time. Programs that link it need
/// all of its members, as by `--whole-archive`. The same module becomes the same archive on each machine.
enum class ObjectForm { Object, Archive, LLVMIR };

/// The error that compileObject returns for `cpu` and `triple` of the options: unknown names, processors of another
/// architecture.
llvm::Error checkProcessor(const ObjectOptions &options);

/// Runs the whole pipeline on `module`, which changes, and generates code. Passes report diagnostics to the context.
/// The error names the cause: the pipeline, an unknown triple or processor, or a call of a function that neither the
/// runtime, the C library nor a declaration in the module provides.
llvm::Expected<CompiledObject> compileObject(ModuleOp module, const ObjectOptions &options,
                                             ObjectForm form = ObjectForm::Object);

/// Links the bytes of an object file or of an archive to the shared library `outputPath` with the name `soname`. Uses
/// the linker `linkerPath` or, if that is empty, the built-in linker if there is one, else the first of ld.lld, cc and
/// ld on the path. The library depends on librnn_runtime, and on librnn_emulator if it calls entry points of that
/// library.
llvm::Error linkSharedLibrary(llvm::StringRef bytes, llvm::StringRef outputPath, llvm::StringRef soname,
                              llvm::StringRef linkerPath = "");

/// A linker in this process: called like `ld.lld`, with the name of the program first. Writes errors to `messages` and
/// returns true if the output was written.
using BuiltinLinker = bool (*)(llvm::ArrayRef<const char *> arguments, llvm::raw_ostream &messages);

/// Sets the built-in linker, before any call of `linkSharedLibrary`. Programs that contain lld call it.
void setBuiltinLinker(BuiltinLinker linker);

/// Options of `writeCHeader`.
struct HeaderOptions {
  /// Prefix of the C function names.
  std::string prefix;
  /// The source of the module, for the comment at the top.
  std::string sourceName;
};

/// Returns the C and C++ header of the functions of a module. Fails if two functions have the same C name.
llvm::Expected<std::string> writeCHeader(llvm::ArrayRef<ExportedFunction> functions, const HeaderOptions &options);

/// Translates a module in the LLVM dialect. Adds the conversions of half precision that LLVM's code generator calls on
/// processors without such instructions, so that no compiler runtime library is required. Calls of upstream's GPU
/// runtime become calls of librnn_runtime. Returns null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(Operation *module, llvm::LLVMContext &context);

} // namespace mlir::rnn

#endif // RNN_EMIT_OBJECT_H
