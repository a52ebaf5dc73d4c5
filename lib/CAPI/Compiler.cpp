//===- Compiler.cpp - C API: passes, objects, libraries and code in memory ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn-c/Compiler.h"
#include "Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "rnn/Emit/JIT.h"
#include "rnn/Emit/Object.h"
#include "rnn/Emit/Parse.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::capi;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// The C enumerations have the values of Target/Options.td.
static_assert(int(RnnTargetSimt) == int(TargetKind::Simt) && int(RnnStageRun) == int(Stage::Run) &&
              int(RnnStageBufferize) == int(Stage::Bufferize) &&
              int(RnnLoweringPreferenceFused) == int(LoweringPreference::Fused) &&
              int(RnnKernelPreferencePersistent) == int(KernelPreference::Persistent) &&
              int(RnnLargeGemmsLibrary) == int(LargeGemms::Library) && int(RnnBF16GemmAMX) == int(BF16Gemm::AMX) &&
              int(RnnBF16GemmDot) == int(BF16Gemm::Dot));

RnnCompileOptions rnnCompileOptionsGetDefault(void) {
  RnnCompileOptions options = {};
  const MlirStringRef empty = wrap(llvm::StringRef(""));
  PipelineOptions defaults;
  options.size = sizeof(options);
  options.target = RnnTarget(defaults.target);
  options.lowering = RnnLoweringPreference(defaults.lowering);
  options.fused_kernel = RnnKernelPreference(defaults.fusedKernel);
  options.large_gemms = RnnLargeGemms(defaults.largeGemms);
  options.bf16_gemm = RnnBF16Gemm(defaults.bf16Gemm);
  options.stop_after = RnnStage(defaults.stopAfter);
  options.optimization_level = 3;
  options.wavefront_chunk = defaults.wavefrontChunk;
  options.chip = options.tuning_records = options.device = options.triple = options.cpu = options.export_prefix = empty;
  return options;
}

/// The value of an enumeration of C, which may hold any integer. In C++, the load of another value than those of the
/// type would be undefined.
template <typename Enum> static unsigned toInteger(const Enum &value) {
  static_assert(sizeof(Enum) == sizeof(unsigned));
  unsigned integer;
  std::memcpy(&integer, &value, sizeof(integer));
  return integer;
}

/// Checks values that C does not: an enumeration may hold any integer.
static llvm::Expected<PipelineOptions> toPipelineOptions(const RnnCompileOptions *options) {
  PipelineOptions pipeline;
  if (!options)
    return pipeline;
  if (options->size != sizeof(RnnCompileOptions))
    return llvm::createStringError(
        "options->size is " + llvm::Twine(options->size) + ", but this library expects " +
        llvm::Twine(sizeof(RnnCompileOptions)) +
        "; start from rnnCompileOptionsGetDefault(), and compile with the library's headers");
  auto check = [](const char *name, unsigned value, unsigned most) {
    return value <= most ? llvm::Error::success()
                         : llvm::createStringError("options->" + llvm::Twine(name) + " is " + llvm::Twine(value) +
                                                   "; expected a value from 0 to " + llvm::Twine(most));
  };
  for (auto [name, value, most] :
       {std::tuple<const char *, unsigned, unsigned>("target", toInteger(options->target), RnnTargetSimt),
        {"lowering", toInteger(options->lowering), RnnLoweringPreferenceFused},
        {"fused_kernel", toInteger(options->fused_kernel), RnnKernelPreferencePersistent},
        {"large_gemms", toInteger(options->large_gemms), RnnLargeGemmsLibrary},
        {"bf16_gemm", toInteger(options->bf16_gemm), RnnBF16GemmAMX},
        {"stop_after", toInteger(options->stop_after), RnnStageRun},
        {"optimization_level", options->optimization_level, 3}})
    if (llvm::Error error = check(name, value, most))
      return std::move(error);
  for (auto [name, string] : {std::pair<const char *, MlirStringRef>("chip", options->chip),
                              {"tuning_records", options->tuning_records},
                              {"device", options->device},
                              {"triple", options->triple},
                              {"cpu", options->cpu},
                              {"export_prefix", options->export_prefix}})
    if (!string.data && string.length != 0)
      return llvm::createStringError("options->" + llvm::Twine(name) + " is null and has the length " +
                                     llvm::Twine(string.length));
  auto text = [](MlirStringRef string) { return unwrap(string).str(); };
  pipeline.target = TargetKind(options->target);
  pipeline.lowering = LoweringPreference(options->lowering);
  pipeline.fusedKernel = KernelPreference(options->fused_kernel);
  pipeline.largeGemms = LargeGemms(options->large_gemms);
  pipeline.bf16Gemm = BF16Gemm(options->bf16_gemm);
  pipeline.stopAfter = Stage(options->stop_after);
  pipeline.vectorBits = options->vector_bits;
  pipeline.wavefrontChunk = options->wavefront_chunk;
  pipeline.tf32 = options->tf32;
  pipeline.simtCheck = options->simt_check;
  pipeline.exportAll = options->export_all;
  pipeline.chip = text(options->chip);
  pipeline.tuningRecords = text(options->tuning_records);
  pipeline.device = text(options->device);
  pipeline.exportPrefix = text(options->export_prefix);
  return pipeline;
}

static RunOptions getRunOptions(const RnnCompileOptions *options) {
  RunOptions passes;
  passes.verifyEach = options && options->verify_each;
  return passes;
}

/// Adds an error if the list `name` has a negative count, or elements without an address.
static bool checkList(const char *name, const void *first, intptr_t count, RnnDiagnostics diagnostics) {
  if (count >= 0 && (first || count == 0))
    return true;
  addError(diagnostics, llvm::Twine(name) + (first ? "" : " is null and") + " has the count " + llvm::Twine(count));
  return false;
}

/// Adds an error if the module is null.
static bool checkModule(MlirModule module, RnnDiagnostics diagnostics) {
  if (!mlirModuleIsNull(module))
    return true;
  addError(diagnostics, "the module is null");
  return false;
}

/// Calls `body` with the pipeline options, and collects the diagnostics of the module's context. Returns `failed` if
/// the module is null or an option is invalid.
template <typename Result, typename Body>
static Result withOptions(MlirModule module, const RnnCompileOptions *options, RnnDiagnostics diagnostics,
                          Result failed, Body body) {
  return guard(diagnostics, failed, [&] {
    if (!checkModule(module, diagnostics))
      return failed;
    Collector collector(unwrap(module).getContext(), diagnostics);
    llvm::Expected<PipelineOptions> pipeline = toPipelineOptions(options);
    if (!pipeline) {
      addError(diagnostics, pipeline.takeError());
      return failed;
    }
    return body(*pipeline);
  });
}

//===----------------------------------------------------------------------===//
// Modules and passes
//===----------------------------------------------------------------------===//

/// `parse` reads the source from a SourceMgr.
template <typename Parse>
static MlirModule parseSource(MlirContext context, MlirStringRef source, MlirStringRef name, RnnDiagnostics diagnostics,
                              Parse parse) {
  return guard(diagnostics, MlirModule{}, [&] {
    if (mlirContextIsNull(context)) {
      addError(diagnostics, "the context is null");
      return MlirModule{};
    }
    if (!checkList("the source", source.data, intptr_t(source.length), diagnostics) ||
        !checkList("the name of the source", name.data, intptr_t(name.length), diagnostics))
      return MlirModule{};
    Collector collector(unwrap(context), diagnostics);
    // The text parser requires a terminating zero, which the caller's string may lack.
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(source), unwrap(name)), llvm::SMLoc());
    OwningOpRef<ModuleOp> module = parse(sources);
    if (!module && !collector.hasErrors())
      addError(diagnostics, "the source has no module");
    return MlirModule{module ? wrap(module.release()) : MlirModule{}};
  });
}

MlirModule rnnModuleParse(MlirContext context, MlirStringRef source, MlirStringRef name, RnnDiagnostics diagnostics) {
  return parseSource(context, source, name, diagnostics, [&](const std::shared_ptr<llvm::SourceMgr> &sources) {
    return parseSourceFile<ModuleOp>(sources, ParserConfig(unwrap(context)));
  });
}

MlirModule rnnModuleParseNamed(MlirContext context, MlirStringRef source, MlirStringRef name,
                               RnnDiagnostics diagnostics) {
  return parseSource(context, source, name, diagnostics, [&](const std::shared_ptr<llvm::SourceMgr> &sources) {
    return parseModule(sources, *unwrap(context), unwrap(name));
  });
}

MlirLogicalResult rnnModuleRunStages(MlirModule module, const RnnCompileOptions *options, RnnStage first,
                                     RnnDiagnostics diagnostics) {
  return withOptions(module, options, diagnostics, mlirLogicalResultFailure(), [&](const PipelineOptions &pipeline) {
    if (toInteger(first) > unsigned(RnnStageRun)) {
      addError(diagnostics, "the first stage is " + llvm::Twine(toInteger(first)) + ", which is no stage");
      return mlirLogicalResultFailure();
    }
    if (llvm::Error error = runPipeline(unwrap(module), pipeline, getRunOptions(options), Stage(toInteger(first)))) {
      addError(diagnostics, std::move(error));
      return mlirLogicalResultFailure();
    }
    return mlirLogicalResultSuccess();
  });
}

MlirLogicalResult rnnModuleRunPassPipeline(MlirModule module, MlirStringRef pipeline, RnnDiagnostics diagnostics) {
  return guard(diagnostics, mlirLogicalResultFailure(), [&] {
    if (!checkModule(module, diagnostics) ||
        !checkList("the pipeline", pipeline.data, intptr_t(pipeline.length), diagnostics))
      return mlirLogicalResultFailure();
    Collector collector(unwrap(module).getContext(), diagnostics);
    std::string message;
    llvm::raw_string_ostream os(message);
    FailureOr<OpPassManager> parsed = parsePassPipeline(unwrap(pipeline), os);
    if (failed(parsed)) {
      addError(diagnostics, "the pipeline `" + unwrap(pipeline) + "` is invalid: " + llvm::StringRef(message).trim());
      return mlirLogicalResultFailure();
    }
    PassManager passes(unwrap(module).getContext());
    if (parsed->getOpAnchorName() != ModuleOp::getOperationName()) {
      addError(diagnostics, "the pipeline `" + unwrap(pipeline) + "` is for `" + parsed->getOpAnchorName() +
                                "`; write builtin.module(...)");
      return mlirLogicalResultFailure();
    }
    static_cast<OpPassManager &>(passes) = std::move(*parsed);
    if (failed(passes.run(unwrap(module)))) {
      addError(diagnostics, "the pipeline failed, see the errors above");
      return mlirLogicalResultFailure();
    }
    return mlirLogicalResultSuccess();
  });
}

//===----------------------------------------------------------------------===//
// Objects and libraries
//===----------------------------------------------------------------------===//

namespace {
struct Object {
  CompiledObject compiled;
  std::string header;
};
} // namespace

static Object *unwrap(RnnObject object) {
  return static_cast<Object *>(object.ptr);
}

static RnnObject compileForm(MlirModule module, const RnnCompileOptions *options, ObjectForm form,
                             RnnDiagnostics diagnostics) {
  return withOptions(module, options, diagnostics, RnnObject{}, [&](const PipelineOptions &pipeline) {
    ObjectOptions objectOptions;
    objectOptions.pipeline = pipeline;
    objectOptions.pipeline.stopAfter = Stage::Run;
    objectOptions.passes = getRunOptions(options);
    if (options) {
      objectOptions.optimizationLevel = options->optimization_level;
      objectOptions.triple = unwrap(options->triple).str();
      objectOptions.cpu = unwrap(options->cpu).str();
    }
    llvm::Expected<CompiledObject> compiled = compileObject(unwrap(module), objectOptions, form);
    if (!compiled) {
      addError(diagnostics, compiled.takeError());
      return RnnObject{};
    }
    return RnnObject{new Object{std::move(*compiled), ""}};
  });
}

RnnObject rnnModuleCompileObject(MlirModule module, const RnnCompileOptions *options, RnnDiagnostics diagnostics) {
  return compileForm(module, options, ObjectForm::Object, diagnostics);
}

RnnObject rnnModuleCompileArchive(MlirModule module, const RnnCompileOptions *options, RnnDiagnostics diagnostics) {
  return compileForm(module, options, ObjectForm::Archive, diagnostics);
}

void rnnObjectDestroy(RnnObject object) {
  delete unwrap(object);
}

MlirStringRef rnnObjectGetBytes(RnnObject object) {
  return wrap(object.ptr ? llvm::StringRef(unwrap(object)->compiled.bytes) : llvm::StringRef());
}

MlirStringRef rnnObjectGetHeader(RnnObject object, MlirStringRef prefix, MlirStringRef source,
                                 RnnDiagnostics diagnostics) {
  return guard(diagnostics, wrap(llvm::StringRef()), [&] {
    if (!object.ptr) {
      addError(diagnostics, "the object is null");
      return wrap(llvm::StringRef());
    }
    auto header = writeCHeader(unwrap(object)->compiled.functions, {unwrap(prefix).str(), unwrap(source).str()});
    if (!header) {
      addError(diagnostics, header.takeError());
      return wrap(llvm::StringRef());
    }
    unwrap(object)->header = std::move(*header);
    return wrap(llvm::StringRef(unwrap(object)->header));
  });
}

MlirLogicalResult rnnObjectLinkLibrary(RnnObject object, MlirStringRef path, MlirStringRef soname,
                                       RnnDiagnostics diagnostics) {
  return guard(diagnostics, mlirLogicalResultFailure(), [&] {
    if (!checkList("the path", path.data, intptr_t(path.length), diagnostics) ||
        !checkList("the soname", soname.data, intptr_t(soname.length), diagnostics))
      return mlirLogicalResultFailure();
    llvm::Error error =
        object.ptr ? linkSharedLibrary(unwrap(object)->compiled.bytes, unwrap(path).str(), unwrap(soname).str())
                   : llvm::createStringError("the object is null");
    if (!error)
      return mlirLogicalResultSuccess();
    addError(diagnostics, std::move(error));
    return mlirLogicalResultFailure();
  });
}

//===----------------------------------------------------------------------===//
// Code in memory
//===----------------------------------------------------------------------===//

RnnJIT rnnModuleCompileJIT(MlirModule module, const RnnCompileOptions *options, intptr_t numSymbols,
                           const RnnRuntimeSymbol *symbols, RnnDiagnostics diagnostics) {
  return withOptions(module, options, diagnostics, RnnJIT{}, [&](const PipelineOptions &pipeline) {
    if (!checkList("the list of symbols", symbols, numSymbols, diagnostics))
      return RnnJIT{};
    llvm::SmallVector<RuntimeSymbol> runtime;
    for (intptr_t index = 0; index < numSymbols; ++index) {
      if (!symbols[index].name) {
        addError(diagnostics, "the name of symbol " + llvm::Twine(index) + " is null");
        return RnnJIT{};
      }
      runtime.push_back({symbols[index].name, symbols[index].address});
    }
    JITOptions jitOptions;
    jitOptions.pipeline = pipeline;
    jitOptions.pipeline.stopAfter = Stage::Run;
    jitOptions.optimizationLevel = options ? options->optimization_level : 3;
    jitOptions.symbols = runtime;
    jitOptions.passes = getRunOptions(options);
    auto compiled = CompiledModule::compile(unwrap(module), jitOptions);
    if (!compiled) {
      addError(diagnostics, compiled.takeError());
      return RnnJIT{};
    }
    return RnnJIT{compiled->release()};
  });
}

void rnnJITDestroy(RnnJIT jit) {
  delete static_cast<CompiledModule *>(jit.ptr);
}

void *rnnJITLookup(RnnJIT jit, MlirStringRef function, RnnDiagnostics diagnostics) {
  return guard(diagnostics, static_cast<void *>(nullptr), [&]() -> void * {
    if (!jit.ptr) {
      addError(diagnostics, "the compiled module is null");
      return nullptr;
    }
    auto entry = static_cast<CompiledModule *>(jit.ptr)->getEntry(unwrap(function));
    if (entry)
      return reinterpret_cast<void *>(*entry);
    addError(diagnostics, entry.takeError());
    return nullptr;
  });
}
