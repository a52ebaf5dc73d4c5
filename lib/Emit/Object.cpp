//===- Object.cpp - compile a module to an object file or shared library -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Emit/Object.h"
#include "Optimize.h"
#include "Vectors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "rnn/Target/Processors.h"
#include "rnn/Transforms/Selection/Selection.h"
#include "rnn_runtime/abi.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/InterfaceStub/ELFObjHandler.h"
#include "llvm/InterfaceStub/IFSStub.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::rnn;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message.str());
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const ObjectOptions &options) {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(options.triple.empty() ? llvm::sys::getProcessTriple() : llvm::Triple::normalize(options.triple));
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target || !target->hasTargetMachine())
    return makeError("unknown triple `" + triple.str() + "`: " + message);
  const bool has32BitPointers =
      !triple.isArch64Bit() || triple.isX32() || triple.isABIN32() || triple.getEnvironment() == llvm::Triple::GNUILP32;
  if (has32BitPointers || !triple.isOSBinFormatELF() || triple.isNVPTX() || triple.isAMDGPU())
    return makeError("the triple `" + triple.str() +
                     "` is not supported: expected a processor with addresses of 64 bits "
                     "and a system with ELF files, as x86_64-linux-gnu");
  auto [name, differences] = StringRef(options.cpu).split(',');
  std::string cpu = name.str(), features;
  if (cpu == "native") {
    if (triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
      return makeError("cpu `native` is this machine's, which does not run code for `" + triple.str() +
                       "`; name a processor");
    cpu = getHostProcessorName();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  // Without a name, LLVM's RISC-V processor has no multiplication and no floating point. Linux requires these.
  if (cpu.empty() && triple.isRISCV64())
    features = "+m,+a,+f,+d,+c";
  // LLVM's names of the baseline processors.
  if (cpu.empty())
    cpu = triple.getArch() == llvm::Triple::x86_64 ? "x86-64" : "generic";
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, "", ""));
  if (!subtarget || !subtarget->isCPUStringValid(cpu))
    return makeError("unknown cpu `" + cpu + "` for `" + triple.str() +
                     "`; expected `native` or one of LLVM's names, such as x86-64-v3, znver3 or neoverse-n1");
  SmallVector<StringRef> changes;
  differences.split(changes, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef change : changes) {
    auto isNamed = [&](const llvm::SubtargetFeatureKV &known) { return change.drop_front() == known.Key; };
    if ((change.front() != '+' && change.front() != '-') ||
        llvm::none_of(subtarget->getAllProcessorFeatures(), isNamed))
      return makeError("unknown feature `" + change + "` for `" + triple.str() +
                       "`; expected + or - and one of LLVM's names, such as +avx512bf16");
    features += (features.empty() ? "" : ",") + change.str(); // overrides earlier ones
  }
  // Constructors register kernels. LLVM's default section `.ctors` is not run by loaders.
  llvm::TargetOptions targetOptions;
  targetOptions.UseInitArray = true;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
                                  static_cast<llvm::CodeGenOptLevel>(options.optimizationLevel)));
  if (!machine)
    return makeError("no code generator for `" + triple.str() + "`");
  return machine;
}

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

/// Checks that all undefined symbols are available. Code generation may add calls, so this reads the object file.
static llvm::Error checkUndefined(llvm::StringRef object, const llvm::Triple &triple, const llvm::StringSet<> &declared,
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
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  std::string missing;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    llvm::LibFunc known;
    if (!(*flags & llvm::object::BasicSymbolRef::SF_Undefined) || name->empty() || provided.contains(*name) ||
        declared.contains(*name) || (sanitizeAddress && name->starts_with("__asan_")) ||
        library.getLibFunc(*name, known))
      continue;
    missing += (missing.empty() ? "`" : ", `") + name->str() + "`";
  }
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
  if (llvm::Error error = makeOptimizer(options.optimizationLevel, machine->get(), pipeline->vectorBits,
                                        options.sanitizeAddress)(translated.get()))
    return std::move(error);
  if (form == ObjectForm::LLVMIR) {
    llvm::raw_string_ostream(compiled.bytes) << *translated;
    return compiled;
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, os, /*DwoOut=*/nullptr, llvm::CodeGenFileType::ObjectFile))
    return makeError("no object files for `" + (*machine)->getTargetTriple().str() + "`");
  codegen.run(*translated);
  compiled.bytes.assign(bytes.begin(), bytes.end());
  if (llvm::Error error =
          checkUndefined(compiled.bytes, (*machine)->getTargetTriple(), declared, options.sanitizeAddress))
    return std::move(error);
  return compiled;
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

static BuiltinLinker builtinLinker = nullptr;

void rnn::setBuiltinLinker(BuiltinLinker linker) {
  builtinLinker = linker;
}

static llvm::Expected<std::string> findLinker(llvm::StringRef given) {
  if (!given.empty()) {
    if (auto path = llvm::sys::findProgramByName(given); path && llvm::sys::fs::can_execute(*path))
      return *path;
    return makeError("there is no linker `" + given + "`");
  }
  for (llvm::StringRef name : {"ld.lld-22", "ld.lld", "cc", "ld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return makeError(
      "found no linker; looked for ld.lld-22, ld.lld, cc and ld on the path. Install one (Debian: lld-22), name "
      "one, or make an object file and link that elsewhere");
}

/// Runs the linker. The error contains its output.
static llvm::Error runLinker(llvm::StringRef linker, llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallString<128> log;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("rnn-link", "log", log))
    return makeError("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(log);
  std::string message;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  int status = llvm::sys::ExecuteAndWait(linker, command, /*Env=*/std::nullopt, redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status == 0)
    return llvm::Error::success();
  if (auto words = llvm::MemoryBuffer::getFile(log); words && !(*words)->getBuffer().trim().empty())
    message = (*words)->getBuffer().trim().str();
  return makeError("the linker `" + linker + "` failed: " + message);
}

static llvm::Error runBuiltinLinker(llvm::ArrayRef<llvm::StringRef> command) {
  llvm::SmallVector<std::string> words(command.begin(), command.end());
  llvm::SmallVector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string messages;
  llvm::raw_string_ostream os(messages);
  if (builtinLinker(arguments, os))
    return llvm::Error::success();
  return makeError("the linker failed: " + llvm::StringRef(messages).trim());
}

/// The libraries that define the entries which `object` calls: always the runtime, and the emulator for its entries.
static llvm::SmallVector<llvm::StringRef> getNeededLibraries(const llvm::object::ObjectFile &object) {
  static const llvm::StringSet<> emulated = {
#define RNNRT_ENTRY(result, name, parameters) #name,
#include "rnn_runtime/simt.def"
#undef RNNRT_ENTRY
  };
  llvm::SmallVector<llvm::StringRef> libraries = {"librnn_runtime.so"};
  if (llvm::any_of(object.symbols(), [](const llvm::object::SymbolRef &symbol) {
        llvm::Expected<llvm::StringRef> name = symbol.getName();
        if (!name)
          llvm::consumeError(name.takeError());
        return name && emulated.contains(*name);
      }))
    libraries.push_back("librnn_emulator.so");
  return libraries;
}

/// Writes an empty library with the SONAME `name` for the machine of `object`. Linking with it records the dependency,
/// so that the compiler needs no runtime of that machine.
static llvm::Error writeStub(const llvm::object::ObjectFile &object, llvm::StringRef name, llvm::StringRef path) {
  llvm::ifs::IFSStub stub;
  stub.SoName = name;
  stub.Target.Arch = llvm::cast<llvm::object::ELFObjectFileBase>(object).getEMachine();
  stub.Target.BitWidth = llvm::ifs::IFSBitWidthType::IFS64;
  stub.Target.Endianness =
      object.isLittleEndian() ? llvm::ifs::IFSEndiannessType::Little : llvm::ifs::IFSEndiannessType::Big;
  return llvm::ifs::writeBinaryStub(path, stub);
}

llvm::Error rnn::linkSharedLibrary(llvm::StringRef object, llvm::StringRef outputPath, llvm::StringRef soname,
                                   llvm::StringRef linkerPath) {
  if (outputPath.empty())
    return makeError("the path of the library is empty");
  const bool isBuiltin = builtinLinker && linkerPath.empty();
  auto linker = isBuiltin ? llvm::Expected<std::string>("ld.lld") : findLinker(linkerPath);
  if (!linker)
    return linker.takeError();
  llvm::SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("rnn-link", folder))
    return makeError("cannot make a temporary folder, in the folder that TMPDIR names or else in /tmp: " +
                     code.message());
  llvm::scope_exit cleanUp([&] { llvm::sys::fs::remove_directories(folder); });
  llvm::SmallString<128> objectPath(folder);
  llvm::sys::path::append(objectPath, "module.o");
  std::error_code code;
  llvm::raw_fd_ostream os(objectPath, code);
  if (!code) {
    os << object;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return makeError("cannot write `" + objectPath + "`: " + code.message());

  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  llvm::SmallVector<std::string> stubs;
  for (llvm::StringRef name : getNeededLibraries(**file)) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::Error error = writeStub(**file, name, path))
      return error;
    stubs.push_back(path.str().str());
  }
  // ld and ld.lld are called as they are; anything else is a compiler, which passes options on.
  bool isDriver = !llvm::sys::path::filename(*linker).starts_with("ld");
  std::string ownName = (isDriver ? "-Wl,-soname," : "-soname=") + soname.str();
  // Generated code needs no executable stack. The dependencies are recorded even if nothing refers to the library. The
  // table of functions has those of this library, also in a program that has loaded another one with the same names.
  llvm::SmallVector<llvm::StringRef> command{*linker, "-shared", "-o", outputPath, ownName};
  if (isDriver)
    command.append({"-nostdlib", "-Wl,-z,noexecstack", "-Wl,--no-as-needed", "-Wl,-Bsymbolic"});
  else
    command.append({"-znoexecstack", "--no-as-needed", "-Bsymbolic"});
  command.push_back(objectPath);
  command.append(stubs.begin(), stubs.end());
  return isBuiltin ? runBuiltinLinker(command) : runLinker(*linker, command);
}
