//===- CodeGeneration.cpp - from LLVM IR to object files ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGeneration.h"
#include "rnn/Emit/Object.h"
#include "rnn/Target/Processors.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/SplitModule.h"

using namespace mlir;
using namespace mlir::rnn;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> rnn::createTargetMachine(const ObjectOptions &options) {
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
  // Constructors register kernels. Loaders run those in `.init_array`, and ignore `.ctors`, LLVM's default section.
  llvm::TargetOptions targetOptions;
  targetOptions.UseInitArray = true;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
                                  static_cast<llvm::CodeGenOptLevel>(options.optimizationLevel)));
  if (!machine)
    return makeError("no code generator for `" + triple.str() + "`");
  return machine;
}

llvm::Expected<std::string> rnn::generateObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, os, /*DwoOut=*/nullptr, llvm::CodeGenFileType::ObjectFile))
    return makeError("no object files for `" + machine.getTargetTriple().str() + "`");
  codegen.run(module);
  return std::string(bytes.begin(), bytes.end());
}

/// Generates an object file from bitcode, with a context and a machine of its own.
static llvm::Expected<std::string> generateFromBitcode(llvm::StringRef bitcode, const ObjectOptions &options,
                                                       llvm::CodeGenOptLevel level, PartOptimizer optimize) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "part"), context);
  if (!module)
    return module.takeError();
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  (*machine)->setOptLevel(level);
  if (llvm::Error error = optimize(**module, **machine))
    return std::move(error);
  return generateObject(**module, **machine);
}

llvm::Expected<std::string> rnn::generateArchive(std::unique_ptr<llvm::Module> module, const ObjectOptions &options,
                                                 llvm::CodeGenOptLevel level, PartOptimizer optimize) {
  // The number of parts depends on the module only, so that the same module becomes the same archive on each machine.
  constexpr unsigned instructionsOfPart = 3000, mostParts = 16;
  const unsigned count = std::clamp<unsigned>(module->getInstructionCount() / instructionsOfPart, 1, mostParts);
  std::vector<llvm::SmallString<0>> parts;
  llvm::SplitModule(
      *module, count,
      [&](std::unique_ptr<llvm::Module> part) {
        llvm::raw_svector_ostream os(parts.emplace_back());
        llvm::WriteBitcodeToFile(*part, os);
      },
      /*PreserveLocals=*/false, /*RoundRobin=*/true);
  module.reset();

  std::vector<std::optional<llvm::Expected<std::string>>> objects(parts.size());
  // Large parts first: the others fill the time of threads that would wait for them.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, parts.size()));
  llvm::sort(order, [&](size_t left, size_t right) {
    return std::make_pair(parts[right].size(), left) < std::make_pair(parts[left].size(), right);
  });
  llvm::ThreadPoolStrategy threads = llvm::hardware_concurrency(parts.size());
  threads.Limit = true; // to the number of processors
  llvm::DefaultThreadPool pool(threads);
  for (size_t index : order)
    pool.async([&, index] { objects[index].emplace(generateFromBitcode(parts[index], options, level, optimize)); });
  pool.wait();

  llvm::Error error = llvm::Error::success();
  std::vector<llvm::NewArchiveMember> members;
  for (auto [index, object] : llvm::enumerate(objects)) {
    if (!*object)
      error = llvm::joinErrors(std::move(error), object->takeError());
    else
      members.emplace_back(llvm::MemoryBufferRef(**object, "module.o"));
  }
  if (error)
    return error;
  auto archive = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                            llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}

llvm::Error rnn::forObjects(llvm::StringRef bytes,
                            llvm::function_ref<llvm::Error(const llvm::object::ObjectFile &)> body) {
  const llvm::MemoryBufferRef buffer(bytes, "object");
  auto file = llvm::object::createBinary(buffer);
  if (!file)
    return file.takeError();
  if (auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(file->get()))
    return body(*object);
  auto *archive = llvm::dyn_cast<llvm::object::Archive>(file->get());
  if (!archive)
    return makeError("expected an object file or an archive of object files");
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : archive->children(error)) {
    auto member = child.getAsBinary();
    if (!member)
      return llvm::joinErrors(std::move(error), member.takeError());
    if (auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(member->get()))
      if (llvm::Error failed = body(*object))
        return llvm::joinErrors(std::move(error), std::move(failed));
  }
  return error;
}
