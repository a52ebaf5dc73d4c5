//===- Object.cpp - compile a module to object files --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/Object.h"
#include "CodeGeneration.h"
#include "Optimize.h"
#include "Vectors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "rnn/Transforms/Selection/Selection.h"
#include "rnn_runtime/abi.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Target/TargetMachine.h"
#include <set>

using namespace mlir;
using namespace mlir::rnn;

llvm::Error rnn::checkProcessor(const ObjectOptions &options) {
  return createTargetMachine(options).takeError();
}

/// The symbols of functions without a body in `module`, of their C interfaces, and of MPI if the module has mpi ops.
static llvm::StringSet<> collectDeclared(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isExternal()) {
      names.insert(function.getName());
      names.insert(("_mlir_ciface_" + function.getName()).str());
    }
  // A program of several processes has the library of MPI; the names are those of MPICH and Open MPI.
  bool communicates =
      module
          .walk([](Operation *op) {
            return isa_and_nonnull<mpi::MPIDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (communicates)
    for (const char *name : {"MPI_Allreduce", "MPI_Barrier", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_split",
                             "MPI_Finalize", "MPI_Init", "MPI_Recv", "MPI_Send", "ompi_mpi_comm_world",
                             "ompi_mpi_double", "ompi_mpi_float", "ompi_mpi_max", "ompi_mpi_min", "ompi_mpi_sum"})
      names.insert(name);
  return names;
}

/// Checks that all undefined symbols are available. Code generation may add calls, so this reads the object files.
static llvm::Error checkUndefined(llvm::StringRef bytes, const llvm::Triple &triple, const llvm::StringSet<> &declared,
                                  bool sanitizeAddress) {
  llvm::StringSet<> provided;
#define RNNRT_ENTRY(result, name, parameters) provided.insert(#name);
#include "rnn_runtime/abi.def"
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
  provided.insert("_GLOBAL_OFFSET_TABLE_");
  provided.insert(".TOC."); // on POWER
  // LLVM's table of library functions lacks them. fma is called on processors without FMA.
  for (const char *name : {"fma", "fmaf", "erfc", "erfcf"})
    provided.insert(name);
  llvm::TargetLibraryInfoImpl library(triple);
  std::set<std::string> undefined;
  llvm::StringSet<> defined;
  llvm::Error unreadable = forObjects(bytes, [&](const llvm::object::ObjectFile &file) -> llvm::Error {
    for (const llvm::object::SymbolRef &symbol : file.symbols()) {
      auto flags = symbol.getFlags();
      if (!flags)
        return flags.takeError();
      auto name = symbol.getName();
      if (!name)
        return name.takeError();
      llvm::LibFunc known;
      if (!(*flags & llvm::object::BasicSymbolRef::SF_Undefined))
        defined.insert(*name);
      else if (!name->empty() && !provided.contains(*name) && !declared.contains(*name) &&
               !(sanitizeAddress && name->starts_with("__asan_")) && !library.getLibFunc(*name, known))
        undefined.insert(name->str());
    }
    return llvm::Error::success();
  });
  if (unreadable)
    return unreadable;
  std::string missing;
  for (const std::string &name : undefined)
    if (!defined.contains(name)) // in another object file
      missing += (missing.empty() ? "`" : ", `") + name + "`";
  if (missing.empty())
    return llvm::Error::success();
  return makeError(
      "compiled code needs " + missing +
      ", which is neither in the runtime nor in the C library; declare it in the module (func.func private) "
      "if the program has it");
}

/// Runs the pipeline. With `listCandidates`, stops after selection, lists the candidates and continues.
static llvm::Error runStages(ModuleOp module, const ObjectOptions &options, PipelineOptions pipeline,
                             llvm::SmallVector<CompiledCandidate> &candidates) {
  if (!options.listCandidates)
    return runPipeline(module, pipeline, options.passes);
  PipelineOptions selection = pipeline;
  selection.stopAfter = Stage::Select;
  if (llvm::Error error = runPipeline(module, selection, options.passes))
    return error;
  SelectionContext context(TargetAttr::lookup(module).getInfo());
  candidates = listCompiledCandidates(module, context);
  return runPipeline(module, pipeline, options.passes, Stage::Bufferize);
}

llvm::Expected<CompiledObject> rnn::compileObject(ModuleOp module, const ObjectOptions &options, ObjectForm form) {
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::StringSet<> declared = collectDeclared(module);
  CompiledObject compiled;
  auto pipeline = withVectorsOf(**machine, options.pipeline);
  if (!pipeline)
    return pipeline.takeError();
  compiled.vectorBits = pipeline->vectorBits;
  compiled.bf16Gemm = pipeline->bf16Gemm;
  compiled.bf16GemmOneRow = pipeline->bf16GemmOneRow == BF16Gemm::Auto ? pipeline->bf16Gemm : pipeline->bf16GemmOneRow;
  (*machine)->setOptLevel(getCodeGenLevel(*pipeline, options.optimizationLevel));
  if (llvm::Error error = runStages(module, options, *pipeline, compiled.candidates))
    return error;
  compiled.functions = getExportedFunctions(module);
  llvm::LLVMContext context;
  module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                  StringAttr::get(module.getContext(), (*machine)->getTargetTriple().str()));
  std::unique_ptr<llvm::Module> translated = translateToLLVMIR(module, context);
  if (!translated)
    return makeError("the module could not be translated to LLVM IR, see the errors above");
  translated->setDataLayout((*machine)->createDataLayout());
  translated->setPICLevel(llvm::PICLevel::BigPIC);
  // AddressSanitizer adds one constructor, which registers the globals of the whole module.
  const bool hasParts = form == ObjectForm::Archive && !options.sanitizeAddress;
  auto optimize = [&](llvm::Module &part, llvm::TargetMachine &machine, OptimizerPart passes) {
    return makeOptimizer(options.optimizationLevel, &machine, pipeline->vectorBits, options.sanitizeAddress,
                         passes)(&part);
  };
  if (llvm::Error error = optimize(*translated, **machine, hasParts ? OptimizerPart::Simplify : OptimizerPart::All))
    return std::move(error);
  if (form == ObjectForm::LLVMIR) {
    llvm::raw_string_ostream(compiled.bytes) << *translated;
    return compiled;
  }
  auto bytes = hasParts ? generateArchive(std::move(translated), options, (*machine)->getOptLevel(),
                                          [&](llvm::Module &part, llvm::TargetMachine &machine) {
                                            return optimize(part, machine, OptimizerPart::Optimize);
                                          })
                        : generateObject(*translated, **machine);
  if (!bytes)
    return bytes.takeError();
  compiled.bytes = std::move(*bytes);
  if (llvm::Error error =
          checkUndefined(compiled.bytes, (*machine)->getTargetTriple(), declared, options.sanitizeAddress))
    return std::move(error);
  return compiled;
}
