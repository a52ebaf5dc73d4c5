//===- Check.cpp - what must hold for a random module -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "../rnn-run/Runtime.h"
#include "Isolated.h"
#include "Random.h"
#include "ReductionPatterns.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Emit/JIT.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <csignal>
#include <cstring>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::fuzz;

namespace {

/// A way to compile and run a module.
struct Configuration {
  std::string name;
  PipelineOptions pipeline;
  unsigned level = 1;
  std::string device = "host";
  /// Decompose the rnn ops into upstream dialects first.
  bool decomposes = false;
  bool sanitizes = false;
};

/// A context whose error messages are kept.
class Compilation {
public:
  explicit Compilation(const DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED), handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return success();
          messages += (messages.empty() ? "" : "; ") + diagnostic.str();
          ++numErrors;
          return success();
        }) {
    context.allowUnregisteredDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) { return parseSourceString<ModuleOp>(text, ParserConfig(&context)); }

  MLIRContext context;
  std::string messages;
  unsigned numErrors = 0;

private:
  ScopedDiagnosticHandler handler;
};

/// A failure as text: the diagnostics and the error.
struct Failure {
  bool isDiagnosed = false;
  std::string text;
};

} // namespace

static Configuration makeConfiguration(StringRef name, TargetKind target, LoweringPreference lowering,
                                       KernelPreference kernel = KernelPreference::Auto) {
  Configuration configuration;
  configuration.name = name.str();
  configuration.pipeline.target = target;
  configuration.pipeline.lowering = lowering;
  configuration.pipeline.fusedKernel = kernel;
  configuration.device = stringifyTargetKind(target).str();
  return configuration;
}

static Configuration makePlans() {
  return makeConfiguration("host plans", TargetKind::Host, LoweringPreference::Runtime);
}

/// The configurations that are compared with the plans in f64. `random` varies options that do not change results.
static std::vector<Configuration> makeCandidates(const GeneratedModule &module, bool decompose, Random &random) {
  std::vector<Configuration> all = {makePlans()};
  Configuration host = makeConfiguration("host loops", TargetKind::Host, LoweringPreference::Fused);
  host.pipeline.vectorBits = random.pick<unsigned>({0, 0, 128, 256, 512});
  host.pipeline.bf16Gemm = random.pick<BF16Gemm>({BF16Gemm::Auto, BF16Gemm::F32, BF16Gemm::VNNI, BF16Gemm::Dot});
  host.level = random.between(0, 3);
  all.push_back(host);
  Configuration simt =
      makeConfiguration("simt kernels", TargetKind::Simt, LoweringPreference::Fused, KernelPreference::PerStep);
  simt.pipeline.simtCheck = random.oneIn(4);
  simt.device =
      random.pick<std::string>({"simt", "simt:reverse", "simt:random:" + std::to_string(random.next() % 1000)});
  all.push_back(simt);
  if (module.elementType != "f64" && random.oneIn(4)) {
    simt.name = "simt persistent kernels";
    simt.pipeline.fusedKernel = KernelPreference::Persistent;
    all.push_back(simt);
  }
  if (decompose && module.hasDecomposition) {
    Configuration decomposed = makeConfiguration("decomposition", TargetKind::Host, LoweringPreference::Auto);
    decomposed.decomposes = true;
    all.push_back(decomposed);
  }
  return all;
}

/// Compiles `text` and runs @main twice. Results own their memory.
static std::optional<Failure>
compileAndRun(const DialectRegistry &registry, const Configuration &configuration, StringRef text,
              llvm::function_ref<llvm::Expected<std::vector<HostTensor>>(const FunctionSignature &)> makeArguments,
              ReportStep report, SmallVector<HostTensor> &results) {
  Compilation compilation(registry);
  auto fail = [&](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    // The error of the pass manager refers to diagnostics.
    bool refers = StringRef(text).contains("see the errors above");
    return Failure{refers ? compilation.numErrors > 0 : !text.empty(),
                   text + (compilation.messages.empty() ? "" : ": ") + compilation.messages};
  };
  report(configuration.name + ": compile");
  OwningOpRef<ModuleOp> module = compilation.parse(text);
  if (!module)
    return Failure{compilation.numErrors > 0, compilation.messages};
  if (configuration.decomposes) {
    PassManager pm(&compilation.context);
    std::string errors;
    llvm::raw_string_ostream os(errors);
    // The draw of the runs.
    if (failed(parsePassPipeline("convert-tf-to-rnn,rnn-decompose{dropout-draw=3}", pm, os)))
      return Failure{false, errors};
    if (failed(pm.run(*module)))
      return Failure{compilation.numErrors > 0, compilation.messages};
  }
  auto symbols = RuntimeSession::getSymbols(stringifyTargetKind(configuration.pipeline.target));
  if (!symbols)
    return fail(symbols.takeError());
  JITOptions options;
  options.pipeline = configuration.pipeline;
  options.optimizationLevel = configuration.level;
  options.sanitizeAddress = configuration.sanitizes;
  options.symbols = *symbols;
  auto compiled = CompiledModule::compile(*module, options);
  if (!compiled)
    return fail(compiled.takeError());
  auto signature = (*compiled)->getSignature("main");
  if (!signature)
    return fail(signature.takeError());
  auto arguments = makeArguments(**signature);
  if (!arguments)
    return fail(arguments.takeError());
  report(configuration.name + ": run");
  auto session = RuntimeSession::create(configuration.device, /*dropoutDraw=*/3);
  if (!session)
    return fail(session.takeError());
  {
    auto first = (*session)->run(**compiled, "main", *arguments);
    if (!first) {
      Failure failure = fail(first.takeError());
      if (rnnrt_memory_live_bytes() != 0)
        return Failure{
            false,
            llvm::formatv("{0} bytes are not released after: {1}", rnnrt_memory_live_bytes(), failure.text).str()};
      return failure;
    }
    // Later calls have the same bits.
    auto second = (*session)->run(**compiled, "main", *arguments);
    if (!second)
      return fail(second.takeError());
    for (auto [index, one, other] : llvm::enumerate(*first, *second))
      if (one.getNumBytes() != other.getNumBytes() ||
          (one.getNumBytes() && std::memcmp(one.getData(), other.getData(), one.getNumBytes()) != 0))
        return Failure{false,
                       llvm::formatv("result {0} of the second call differs from that of the first", index).str()};
    // Copies, since compiled code owns the memory.
    for (const HostTensor &tensor : *first) {
      auto copy = HostTensor::allocate(tensor.getKind(), tensor.getShape());
      if (!copy)
        return fail(copy.takeError());
      if (tensor.getNumBytes())
        std::memcpy(copy->getData(), tensor.getData(), tensor.getNumBytes());
      results.push_back(std::move(*copy));
    }
  }
  if (rnnrt_memory_live_bytes() != 0)
    return Failure{false, llvm::formatv("{0} bytes are not released", rnnrt_memory_live_bytes()).str()};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Valid modules
//===----------------------------------------------------------------------===//

static std::string print(ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (generic)
    flags.printGenericOpForm();
  module.print(os, flags);
  return text;
}

/// Text, generic text and bytecode are read back unchanged. Returns the defect.
static std::string checkRoundTrips(const DialectRegistry &registry, StringRef text) {
  Compilation compilation(registry);
  OwningOpRef<ModuleOp> module = compilation.parse(text);
  if (!module)
    return "a valid module is rejected: " + compilation.messages;
  const std::string printed = print(*module, false);
  for (bool generic : {false, true}) {
    OwningOpRef<ModuleOp> again = compilation.parse(generic ? print(*module, true) : printed);
    if (!again)
      return (generic ? "generic text" : "printed text") + std::string(" is rejected: ") + compilation.messages;
    if (print(*again, false) != printed)
      return generic ? "generic text is read back as another module" : "printed text is read back as another module";
  }
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module, os)))
    return "bytecode is not written: " + compilation.messages;
  OwningOpRef<ModuleOp> again = compilation.parse(bytes);
  if (!again)
    return "bytecode is rejected: " + compilation.messages;
  return print(*again, false) == printed ? "" : "bytecode is read back as another module";
}

/// The pipeline of target cuda up to PTX, which cannot run here. Returns the defect.
static std::string checkCudaPipeline(const DialectRegistry &registry, StringRef text, Random &random) {
  Compilation compilation(registry);
  OwningOpRef<ModuleOp> module = compilation.parse(text);
  PipelineOptions options;
  options.target = TargetKind::Cuda;
  options.lowering = random.pick<LoweringPreference>({LoweringPreference::Auto, LoweringPreference::Fused});
  options.kernelForm = PipelineOptions::KernelForm::PTX;
  options.stopAfter = Stage::Emit;
  RunOptions passes;
  passes.verifyEach = true;
  if (llvm::Error error = runPipeline(*module, options, passes))
    return llvm::toString(std::move(error)) + ": " + compilation.messages;
  return "";
}

/// Replaces the element type of the module. The element types of generated modules are no part of another word.
static std::string replaceElementType(StringRef text, StringRef from, StringRef to) {
  std::string result;
  while (!text.empty()) {
    size_t at = text.find(from);
    result += text.take_front(at).str();
    if (at == StringRef::npos)
      break;
    result += to.str();
    text = text.drop_front(at + from.size());
  }
  return result;
}

static std::string compareFloats(const HostTensor &got, const HostTensor &expected, double tolerance) {
  for (int64_t index = 0, count = got.getNumElements(); index < count; ++index) {
    double one = got.getAsDouble(index), other = expected.getAsDouble(index);
    if (std::isnan(one) != std::isnan(other) || std::fabs(one - other) > tolerance)
      return llvm::formatv("element {0}: got {1}, expected {2}, which differ by {3}; tolerance {4}", index, one, other,
                           std::fabs(one - other), tolerance)
          .str();
  }
  return "";
}

static double getMagnitude(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t index = 0, count = tensor.getNumElements(); index < count; ++index)
    largest = std::max(largest, std::fabs(tensor.getAsDouble(index)));
  return largest;
}

/// Compares the results of a configuration with the plans in f64 and, for sizes, in the same type.
/// `indices` are the original indices of the results, which a reduced module has some of.
static std::string compare(const GeneratedModule &module, ArrayRef<unsigned> indices, ArrayRef<HostTensor> results,
                           ArrayRef<HostTensor> reference, ArrayRef<HostTensor> sameType, bool decomposed) {
  if (results.size() != indices.size())
    return llvm::formatv("got {0} results, expected {1}", results.size(), indices.size()).str();
  for (auto [index, original] : llvm::enumerate(indices)) {
    const ModuleResult &info = module.results[original];
    std::string difference;
    if (results[index].getShape() != reference[index].getShape())
      difference =
          "got " + results[index].getTypeString() + ", expected the shape of " + reference[index].getTypeString();
    else if (info.comparison == Comparison::Exact)
      difference = results[index].getAsInteger(0) == sameType[index].getAsInteger(0) ||
                           (decomposed && info.name == "reserve_size")
                       ? ""
                       : "another size";
    else if (info.comparison != Comparison::Opaque && !(module.hasDiscontinuousGradient && module.elementType != "f64"))
      difference = compareFloats(results[index], reference[index],
                                 module.getTolerance(info.comparison, getMagnitude(reference[index])));
    if (!difference.empty())
      return llvm::formatv("result {0} (`{1}`): {2}", original, info.name, difference).str();
  }
  return "";
}

/// The original indices of the arguments and results of @main.
static std::pair<SmallVector<unsigned>, SmallVector<unsigned>> getIndices(const DialectRegistry &registry,
                                                                          StringRef text) {
  Compilation compilation(registry);
  OwningOpRef<ModuleOp> module = compilation.parse(text);
  return {getArgumentIndices(*module), getResultIndices(*module)};
}

/// In the child: the first problem as `kind\ndetails`, or nothing.
static std::string findProblem(const DialectRegistry &registry, const GeneratedModule &module, StringRef text,
                               uint64_t seed, const Inject &inject, bool decompose, bool sanitize, ReportStep report) {
  Random random(seed);
  report("round trips");
  const bool injects = text.contains(inject.op);
  if (inject.kind == Inject::Signal && injects)
    raise(SIGSEGV);
  if (std::string defect = checkRoundTrips(registry, text); !defect.empty())
    return "round trips\n" + defect;
  if (random.oneIn(2)) {
    report("cuda pipeline");
    if (std::string defect = checkCudaPipeline(registry, text, random); !defect.empty())
      return "cuda pipeline\n" + defect;
  }
  SmallVector<unsigned> argumentIndices, resultIndices;
  std::tie(argumentIndices, resultIndices) = getIndices(registry, text);
  auto isLarger = [](size_t count) { return [count](unsigned index) { return index >= count; }; };
  if (llvm::any_of(argumentIndices, isLarger(module.arguments.size())) ||
      llvm::any_of(resultIndices, isLarger(module.results.size())))
    return "arguments\nthe module has other arguments or results than that of the seed";
  auto arguments = [&](ElementKind kind) {
    return [&, kind](const FunctionSignature &) -> llvm::Expected<std::vector<HostTensor>> {
      auto all = module.makeArguments(seed, kind);
      if (!all)
        return all.takeError();
      std::vector<HostTensor> some;
      for (unsigned index : argumentIndices)
        some.push_back((*all)[index]);
      return some;
    };
  };
  SmallVector<HostTensor> reference, sameType;
  Configuration plans = makePlans();
  plans.name = "plans in f64";
  std::string wide = replaceElementType(text, module.elementType, "f64");
  if (auto failure = compileAndRun(registry, plans, wide, arguments(ElementKind::F64), report, reference))
    return plans.name + "\n" + failure->text;
  for (Configuration &configuration : makeCandidates(module, decompose, random)) {
    configuration.sanitizes = sanitize;
    SmallVector<HostTensor> results;
    if (auto failure = compileAndRun(registry, configuration, text,
                                     arguments(*symbolizeElementKind(module.elementType)), report, results)) {
      if (configuration.pipeline.fusedKernel == KernelPreference::Persistent &&
          StringRef(failure->text).contains("has no persistent kernel"))
        continue;
      return configuration.name + ": error\n" + failure->text;
    }
    if (inject.kind == Inject::Difference && injects && !results.empty() && results.front().getNumElements() > 0)
      results.front().setFromDouble(0, results.front().getAsDouble(0) + 100);
    if (sameType.empty())
      sameType = results;
    if (std::string difference = compare(module, resultIndices, results, reference, sameType, configuration.decomposes);
        !difference.empty())
      return configuration.name + ": difference\n" + difference;
  }
  return "";
}

/// The problem of a child process. `allowTimeout` is true for a step that may take any time.
static Problem toProblem(const Isolated &run, llvm::function_ref<bool(StringRef step)> allowTimeout) {
  if (run.timedOut)
    return allowTimeout(run.step) ? Problem{"", "", run.step}
                                  : Problem{run.step + ": timeout", "the step does not end", run.step};
  if (!run.returned || run.signal != 0) {
    StringRef errors = StringRef(run.errors).trim();
    // The sanitizer's summary is the last line; LLVM's fatal errors are the first one.
    return {run.step + ": signal " + std::to_string(run.signal), errors.take_back(600).str(), run.step};
  }
  auto [kind, details] = StringRef(run.text).split('\n');
  return {kind.str(), details.str(), run.step};
}

Problem Checker::checkValid(const GeneratedModule &module, StringRef text, uint64_t seed) const {
  Isolated run = runIsolated(120, [&](ReportStep report) {
    return findProblem(registry, module, text, seed, inject, decompose, sanitize, report);
  });
  return toProblem(run, [](StringRef) { return false; });
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

/// Tensors for any signature: with the sizes of the original arguments where these fit.
static llvm::Expected<std::vector<HostTensor>> makeAnyArguments(const FunctionSignature &signature,
                                                                const GeneratedModule &origin, Random &random) {
  std::vector<HostTensor> tensors;
  for (auto [index, type] : llvm::enumerate(signature.inputs)) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    auto kind = getElementKind(shaped ? shaped.getElementType() : type);
    if (!kind || (isa<ShapedType>(type) && !shaped))
      return llvm::createStringError("no argument of this type");
    SmallVector<int64_t> shape;
    if (shaped)
      for (auto [dim, size] : llvm::enumerate(shaped.getShape())) {
        bool isKnown = index < origin.arguments.size() && dim < origin.arguments[index].shape.size();
        shape.push_back(!ShapedType::isDynamic(size) ? size
                        : isKnown                    ? origin.arguments[index].shape[dim]
                                                     : random.between(0, 5));
      }
    std::optional<int64_t> bytes = getNumBytes(shape, *kind);
    if (!bytes || *bytes > (1 << 24))
      return llvm::createStringError("an argument is too large to run");
    auto tensor = HostTensor::allocate(*kind, shape);
    if (!tensor)
      return tensor.takeError();
    bool hasValues = index < origin.arguments.size() && !origin.arguments[index].isFloat && random.oneIn(2);
    for (int64_t element = 0, count = tensor->getNumElements(); element < count; ++element)
      if (isFloatKind(*kind))
        tensor->setFromDouble(element, random.uniform());
      else
        tensor->setFromInteger(element,
                               hasValues && element < static_cast<int64_t>(origin.arguments[index].integers.size())
                                   ? origin.arguments[index].integers[element]
                               : *kind == ElementKind::I1 ? random.between(0, 1)
                                                          : random.between(-1, 6));
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

Problem Checker::checkMutant(const GeneratedModule &origin, StringRef text, uint64_t seed) const {
  Isolated run = runIsolated(60, [&](ReportStep report) -> std::string {
    report("parse");
    if (inject.kind == Inject::Signal && text.contains(inject.op))
      raise(SIGSEGV);
    {
      Compilation compilation(registry);
      if (!compilation.parse(text))
        return compilation.numErrors > 0 ? "" : "parse: no message\nthe text is rejected without an error message";
    }
    Random random(seed);
    Configuration configuration = random.pick<Configuration>(
        {makePlans(), makeConfiguration("host loops", TargetKind::Host, LoweringPreference::Fused),
         makeConfiguration("simt kernels", TargetKind::Simt, LoweringPreference::Fused),
         makeConfiguration("simt plans", TargetKind::Simt, LoweringPreference::Runtime)});
    configuration.level = 0;
    configuration.sanitizes = sanitize;
    SmallVector<HostTensor> results;
    // A copy between a tensor and a buffer of another size is undefined, so that mutants with buffers only compile.
    const bool isDefined = !text.contains("bufferization.");
    auto makeArguments = [&](const FunctionSignature &signature) -> llvm::Expected<std::vector<HostTensor>> {
      if (!isDefined)
        return llvm::createStringError("a mutant with buffers does not run");
      return makeAnyArguments(signature, origin, random);
    };
    auto failure = compileAndRun(registry, configuration, text, makeArguments, report, results);
    if (failure && !failure->isDiagnosed)
      return configuration.name + ": undiagnosed\n" + failure->text;
    return "";
  });
  // A mutated size may need any number of steps at run time.
  return toProblem(run, [](StringRef step) { return step.ends_with(": run"); });
}

Problem Checker::checkSource(StringRef text, uint64_t seed) const {
  // MLIR 22's parser crashes on it (docs/status.md).
  if (text.contains("array<index"))
    return {};
  Isolated run = runIsolated(60, [&](ReportStep report) -> std::string {
    report("parse");
    if (inject.kind == Inject::Signal && text.contains(inject.op))
      raise(SIGSEGV);
    Compilation compilation(registry);
    OwningOpRef<ModuleOp> module = compilation.parse(text);
    if (!module)
      return compilation.numErrors > 0 ? "" : "parse: no message\nthe text is rejected without an error message";
    Random random(seed);
    PipelineOptions options;
    options.target = random.pick<TargetKind>({TargetKind::Host, TargetKind::Simt, TargetKind::Cuda});
    options.lowering = random.pick<LoweringPreference>(
        {LoweringPreference::Auto, LoweringPreference::Runtime, LoweringPreference::Fused});
    options.stopAfter = Stage::Lower;
    const std::string name = stringifyTargetKind(options.target).str();
    report(name + ": compile");
    std::string failure;
    if (random.oneIn(4)) {
      PassManager pm(&compilation.context);
      pm.addPass(createCanonicalizerPass());
      std::string errors;
      llvm::raw_string_ostream os(errors);
      if (failed(parsePassPipeline("convert-tf-to-rnn,rnn-decompose", pm, os)))
        return "decomposition: pipeline\n" + errors;
      if (failed(pm.run(*module)))
        failure = "see the errors above";
    }
    if (failure.empty())
      if (llvm::Error error = runPipeline(*module, options, RunOptions()))
        failure = llvm::toString(std::move(error));
    if (compilation.numErrors == 0 && StringRef(failure).contains("see the errors above"))
      return name + ": undiagnosed\n" + failure;
    return "";
  });
  return toProblem(run, [](StringRef) { return false; });
}
