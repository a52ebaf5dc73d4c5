//===- rnn-run.cpp - compile a module in process and run a function ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Autotune.h"
#include "Runtime.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "rnn/InitAllPasses.h"
#include "rnn/Support/Compare.h"
#include "rnn/Support/Npy.h"
#include "rnn/Support/TensorText.h"
#include "rnn/Target/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>

using namespace mlir;
using namespace mlir::rnn;
namespace cl = llvm::cl;

static cl::OptionCategory category("rnn-run options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE.mlir, or - for standard input"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string> functionName("function", cl::desc("Public function to run"), cl::init("main"),
                                         cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("Target: host, cuda or simt"), cl::init("host"),
                                   cl::cat(category));
static cl::opt<std::string> lowering("lowering",
                                     cl::desc("Lowering wanted for all rnn ops: auto, runtime or fused"),
                                     cl::init("auto"), cl::cat(category));
static cl::opt<std::string> kernelFamily("kernel-family",
                                         cl::desc("Targets cuda and simt: family of kernels wanted for all fused ops: "
                                                  "auto, step or cluster"),
                                         cl::init("auto"), cl::cat(category));
static cl::opt<std::string> autotuneFile("autotune",
                                         cl::desc("Time the function with its rnn ops run in every way that there is, and "
                                                  "write the tuning records to FILE; those of other ops in it stay"),
                                         cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> measurementsFile("measurements",
                                             cl::desc("With --autotune: make the tuning records of what was measured elsewhere, of "
                                                      "functions that rnn-compile --emit-candidates has listed"),
                                             cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> tuningFile("tuning-records",
                                          cl::desc("What --lowering=auto uses: tuning records that --autotune has written"),
                                          cl::value_desc("FILE"), cl::cat(category));
static cl::list<std::string>
    inputs("input", cl::desc("Argument, one flag each, in order: @file.npy, 7, f32=1.5, 2x3xf32=0.5 (all elements) or "
                             "2x3xf32=[[1,2,3],[4,5,6]]. A type that is left out is the function's own; a <u2 npy file "
                             "is read as bf16 or f16 where the function wants that"),
           cl::value_desc("value"), cl::cat(category));
static cl::list<std::string> outputs("output",
                                     cl::desc("Where a result goes, one flag each, in order: @file.npy, or - to print "
                                              "it. Without any, all results are printed"),
                                     cl::value_desc("place"), cl::cat(category));
static cl::list<std::string> expectedOutputs("expected_output",
                                             cl::desc("What a result must be, one flag each, in order; same forms as "
                                                      "--input. `-` skips a result"),
                                             cl::value_desc("value"), cl::cat(category));
static cl::opt<double> absoluteTolerance("atol", cl::desc("Absolute tolerance of --expected_output (default 0)"), cl::init(0.0),
                            cl::cat(category));
static cl::opt<double> relativeTolerance("rtol", cl::desc("Relative tolerance of --expected_output (default 0)"), cl::init(0.0),
                            cl::cat(category));
static cl::opt<int> benchmark("benchmark", cl::desc("After one warm-up, time N calls and print min, median and max"),
                              cl::value_desc("N"), cl::init(0), cl::cat(category));
static cl::opt<bool> printStatistics("print-statistics", cl::desc("Print compile time, memory and plans"),
                                     cl::cat(category));
static cl::opt<std::string> chip("chip",
                                 cl::desc("Target cuda: GPU to compile kernels for, as sm_90a (default: PTX, which the "
                                          "driver compiles for its GPU)"),
                                 cl::value_desc("CHIP"), cl::cat(category));
static cl::opt<bool> tf32("tf32",
                          cl::desc("Targets cuda and simt: fused kernels may round factors of f32 products to tf32"),
                          cl::cat(category));
static cl::opt<std::string> largeGemms("large-gemms",
                                          cl::desc("Targets cuda and simt: products over all steps of fused kernels by "
                                                   "auto (cuda: the device's library where it is there and they are "
                                                   "large, the default), kernel or library"),
                                          cl::init("auto"), cl::cat(category));
static cl::opt<std::string>
    bf16Gemm("bf16-gemm",
                 cl::desc("Target host, fused loops: products of bf16 by auto (dot products where "
                          "the processor has them, else vnni; the default), f32 (factors become "
                          "f32 when they are packed), vnni (weights stay bf16) or dot (all do)"),
                 cl::init("auto"), cl::cat(category));
static cl::opt<std::string> simtSchedule("simt-schedule",
                                         cl::desc("Target simt: how threads take turns: fifo, reverse or random:SEED "
                                                  "(default: RNNRT_SIMT_SCHEDULE, else fifo)"),
                                         cl::value_desc("schedule"), cl::cat(category));
static cl::opt<bool> simtCheck("simt-check",
                               cl::desc("Target simt: look at every access of a kernel, for races, uninitialised shared "
                                        "memory and wrong addresses (also: RNN_SIMT_CHECK=1)"),
                               cl::cat(category));
static cl::opt<int64_t> dropoutDraw("dropout-draw",
                                    cl::desc("Draw of the dropout stream to use in every call (default: the next one)"),
                                    cl::value_desc("N"), cl::init(-1), cl::cat(category));

static cl::opt<bool> verifyEach("verify-each",
                                cl::desc("Verify the module after every pass (default: as long as it has tensors, and "
                                         "at the end)"),
                                cl::cat(category));

static llvm::ExitOnError exitOnError;

static llvm::Error makeError(const Twine &message) { return llvm::createStringError(message.str()); }

/// The type that a value on the command line stands for when it names none itself.
static std::optional<WantedType> getWantedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementKind> kind = getElementKind(tensor ? tensor.getElementType() : type);
  if (!kind)
    return std::nullopt;
  WantedType wanted{*kind, {}};
  if (tensor)
    for (int64_t size : tensor.getShape())
      wanted.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return wanted;
}

/// Reads `@file.npy` or a value. Errors name the flag.
static llvm::Expected<HostTensor> readValue(StringRef text, Type type, const Twine &flag) {
  std::optional<WantedType> wanted = getWantedType(type);
  auto tensor = text.consume_front("@")
                    ? readNpy(text, wanted ? std::optional(wanted->kind) : std::nullopt)
                    : parseTensorText(text, wanted ? &*wanted : nullptr);
  if (tensor)
    return tensor;
  return makeError(flag + ": " + llvm::toString(tensor.takeError()));
}

static std::string describeTypes(ArrayRef<Type> types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(types, os);
  return text;
}

/// Lists of flags are given one each; a wrong number is said with what the function has.
static llvm::Error checkCount(StringRef flag, size_t given, ArrayRef<Type> types, StringRef what, bool mayBeEmpty) {
  if (given == types.size() || (mayBeEmpty && given == 0))
    return llvm::Error::success();
  return makeError("`" + functionName + "` has " + Twine(types.size()) + " " + what + "(s) (" +
                   describeTypes(types) + "), but got " + Twine(given) + " --" + flag + " flag(s)");
}

static llvm::Error writeOutputs(ArrayRef<HostTensor> results) {
  for (auto [index, result] : llvm::enumerate(results)) {
    StringRef place = outputs.empty() ? "-" : StringRef(outputs[index]);
    if (place.consume_front("@")) {
      if (llvm::Error error = writeNpy(place, result))
        return error;
      continue;
    }
    if (place != "-")
      return makeError("--output takes @file.npy or -, but got `" + place + "`");
    llvm::outs() << printTensorText(result) << "\n";
  }
  return llvm::Error::success();
}

static llvm::Error checkExpected(ArrayRef<HostTensor> results, ArrayRef<Type> types) {
  llvm::Error errors = llvm::Error::success();
  for (auto [index, text] : llvm::enumerate(expectedOutputs)) {
    if (text == "-")
      continue;
    auto expected = readValue(text, types[index], "--expected_output " + Twine(index));
    if (!expected) {
      errors = llvm::joinErrors(std::move(errors), expected.takeError());
      continue;
    }
    errors = llvm::joinErrors(std::move(errors), compareTensors(("result " + Twine(index)).str(), results[index],
                                                                *expected, {absoluteTolerance, relativeTolerance}));
  }
  return errors;
}

using Clock = std::chrono::steady_clock;
static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

static llvm::Error runBenchmark(const CompiledModule &module, RuntimeSession &session, ArrayRef<HostTensor> arguments) {
  std::vector<double> times;
  for (int run = 0; run < benchmark; ++run) {
    Clock::time_point start = Clock::now();
    auto results = session.run(module, functionName, arguments);
    times.push_back(millisecondsSince(start));
    if (!results)
      return results.takeError();
  }
  llvm::sort(times);
  llvm::outs() << llvm::formatv("{0} calls of {1}: min {2:f3} ms, median {3:f3} ms, max {4:f3} ms\n", times.size(),
                                functionName.getValue(), times.front(), times[times.size() / 2], times.back());
  return llvm::Error::success();
}

static LogicalResult configurePassManager(PassManager &pm) {
  applyDefaultTimingPassManagerCLOptions(pm);
  return applyPassManagerCLOptions(pm);
}

static RunOptions getRunOptions() {
  RunOptions passes;
  passes.configure = configurePassManager;
  passes.verifyEach = verifyEach;
  return passes;
}

/// What the flags say.
static PipelineOptions getPipelineOptions() {
  PipelineOptions options;
  options.target = target;
  options.chip = chip;
  options.tf32 = tf32;
  options.largeGemms = largeGemms;
  options.bf16Gemm = bf16Gemm;
  options.lowering = lowering;
  options.kernelFamily = kernelFamily;
  options.tuningRecords = tuningFile;
  options.simtCheck = simtCheck;
  return options;
}

static llvm::Error run(ModuleOp module) {
  std::unique_ptr<RuntimeSession> session;
  auto openSession = [&]() -> llvm::Error {
    return RuntimeSession::create(simtSchedule.empty() ? target : target + ":" + simtSchedule, dropoutDraw)
        .moveInto(session);
  };
  JITOptions options;
  options.pipeline = getPipelineOptions();
  if (target == "cuda" && !tuningFile.empty()) {
    if (llvm::Error error = openSession())
      return error;
    options.pipeline.device = getDeviceName(*session);
  }
  auto symbols = RuntimeSession::getSymbols(target);
  if (!symbols)
    return symbols.takeError();
  options.symbols = *symbols;
  options.passes = getRunOptions();
  OwningOpRef<ModuleOp> original;
  if (!autotuneFile.empty())
    original = module.clone();
  Clock::time_point start = Clock::now();
  auto compiled = CompiledModule::compile(module, options);
  if (!compiled)
    return compiled.takeError();
  double compileTime = millisecondsSince(start);

  auto signature = (*compiled)->getSignature(functionName);
  if (!signature)
    return signature.takeError();
  ArrayRef<Type> inputTypes = (*signature)->inputs, resultTypes = (*signature)->results;
  if (llvm::Error error = checkCount("input", inputs.size(), inputTypes, "argument", /*mayBeEmpty=*/false))
    return error;
  if (llvm::Error error = checkCount("output", outputs.size(), resultTypes, "result", /*mayBeEmpty=*/true))
    return error;
  if (llvm::Error error =
          checkCount("expected_output", expectedOutputs.size(), resultTypes, "result", /*mayBeEmpty=*/true))
    return error;
  SmallVector<HostTensor> arguments;
  for (auto [index, text] : llvm::enumerate(inputs)) {
    auto argument = readValue(text, inputTypes[index], "--input " + Twine(index));
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }

  if (!session)
    if (llvm::Error error = openSession())
      return error;
  if (!autotuneFile.empty())
    return autotune(*original, options, functionName, arguments, *session, autotuneFile);
  auto results = session->run(**compiled, functionName, arguments);
  if (!results)
    return results.takeError();
  // A benchmark or a comparison says what it was asked to say; results are printed on demand only.
  if (!outputs.empty() || (expectedOutputs.empty() && benchmark == 0))
    if (llvm::Error error = writeOutputs(*results))
      return error;
  if (llvm::Error error = checkExpected(*results, resultTypes))
    return error;
  if (!expectedOutputs.empty())
    llvm::outs() << "all results are as expected\n";
  if (benchmark > 0)
    if (llvm::Error error = runBenchmark(**compiled, *session, arguments))
      return error;
  if (printStatistics) {
    results->clear();
    rnnrt_plan_stats_t plans;
    rnnrt_status_release(rnnrt_device_plan_stats(session->getDevice(), &plans));
    llvm::outs() << llvm::formatv("compile time: {0:f1} ms\nmemory of compiled code: {1} bytes live, {2} bytes at "
                                  "most\nplans: {3} created, {4} reused\n",
                                  compileTime, rnnrt_memory_live_bytes(), rnnrt_memory_peak_bytes(), plans.created,
                                  plans.hits);
  }
  return llvm::Error::success();
}

/// Prints the IR after a stage.
static llvm::Error printStage(ModuleOp module, Stage stage) {
  PipelineOptions options = getPipelineOptions();
  options.processor = llvm::sys::getHostCPUName().str();
  options.stopAfter = stage;
  if (llvm::Error error = runPipeline(module, options, getRunOptions()))
    return error;
  module.print(llvm::outs());
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  // LLVM has options of these names, which nothing here could use.
  for (StringRef name : {"stop-after", "threads"})
    if (cl::Option *theirs = cl::getRegisteredOptions().lookup(name))
      theirs->removeArgument();
  cl::opt<std::string> stopAfter("stop-after",
                                 cl::desc("Print the IR after this stage and run nothing: import, simplify, select, "
                                          "bufferize, lower or emit"),
                                 cl::value_desc("STAGE"), cl::init("run"), cl::cat(category));
  cl::opt<int> threads("threads",
                       cl::desc("Target host: threads of compiled loops; results do not depend on it (0, the default: "
                                "RNNRT_THREADS, else as many as processors)"),
                       cl::value_desc("N"), cl::init(0), cl::cat(category));
  rnn::registerAllPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category); // LLVM's hundreds stay usable, and --help-hidden lists them
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a module in process and runs one of its functions. TensorFlow's RNN ops in "
                              "generic form are imported first.\n");
  exitOnError.setBanner("rnn-run: error: ");

  std::optional<Stage> stage = symbolizeStage(stopAfter);
  if (!stage)
    exitOnError(makeError("unknown stage `" + stopAfter +
                          "` in --stop-after; expected import, simplify, select, bufferize, lower, emit or run"));
  if (!TargetInfo::get(target))
    exitOnError(makeError("unknown target `" + target + "` in --target; this build has " +
                          llvm::join(llvm::map_range(TargetInfo::getNames(),
                                                     [](StringRef name) { return "`" + name.str() + "`"; }),
                                     ", ")));
  if (target != "cuda" && !chip.empty())
    exitOnError(makeError("--chip needs --target=cuda, but the target is `" + target + "`"));
  if (target == "host" && tf32)
    exitOnError(makeError("--tf32 needs --target=cuda or --target=simt, but the target is `host`"));
  if (target != "simt" && (simtCheck || !simtSchedule.empty()))
    exitOnError(makeError("--simt-schedule and --simt-check need --target=simt, but the target is `" + target + "`"));
  if (target == "simt")
    if (std::optional<std::string> wanted = llvm::sys::Process::GetEnv("RNN_SIMT_CHECK"))
      simtCheck = simtCheck || (!wanted->empty() && *wanted != "0");
  if (largeGemms != "auto" && largeGemms != "kernel" && largeGemms != "library")
    exitOnError(makeError("unknown value `" + largeGemms + "` in --large-gemms; expected auto, kernel or library"));
  if (!llvm::is_contained({"auto", "f32", "vnni", "dot"}, StringRef(bf16Gemm)))
    exitOnError(
        makeError("unknown value `" + bf16Gemm + "` in --bf16-gemm; expected auto, f32, vnni or dot"));
  if (target != "host" && bf16Gemm != "auto")
    exitOnError(makeError("--bf16-gemm needs --target=host, but the target is `" + target + "`"));
  if (lowering != "auto" && lowering != "runtime" && lowering != "fused")
    exitOnError(makeError("unknown lowering `" + lowering + "` in --lowering; expected auto, runtime or fused"));
  if (kernelFamily != "auto" && kernelFamily != "step" && kernelFamily != "cluster")
    exitOnError(makeError("unknown kernel family `" + kernelFamily + "` in --kernel-family; expected auto, step or cluster"));
  if (target == "host" && kernelFamily != "auto")
    exitOnError(makeError("--kernel-family needs --target=cuda or --target=simt, but the target is `host`"));
  if (!measurementsFile.empty()) {
    if (autotuneFile.empty())
      exitOnError(makeError("--measurements needs --autotune=FILE, where the tuning records go"));
    if (inputFile.getNumOccurrences() > 0 || functionName.getNumOccurrences() > 0 || !inputs.empty())
      exitOnError(makeError("--measurements holds what was measured of functions elsewhere; leave the module, --function and "
                            "--input out"));
    exitOnError(autotuneByMeasurements(measurementsFile, autotuneFile));
    return 0;
  }
  if (!autotuneFile.empty()) {
    if (target == "simt")
      exitOnError(makeError("--autotune cannot be used with --target=simt, since times of the emulator say nothing about a "
                            "GPU; use --target=host or --target=cuda"));
    if (lowering != "auto" || !tuningFile.empty() || kernelFamily != "auto")
      exitOnError(makeError("--autotune measures what --lowering=auto chooses from; leave --lowering, --kernel-family and "
                            "--tuning-records out"));
    if (*stage != Stage::Run || benchmark > 0 || !outputs.empty() || !expectedOutputs.empty())
      exitOnError(makeError("--autotune does nothing but measure; leave --stop-after, --benchmark, --output and "
                            "--expected_output out"));
  }
  if (threads < 0 || threads > 1024)
    exitOnError(makeError("--threads takes a number from 0 to 1024, but got " + Twine(threads)));
  if (threads > 0 && target != "host")
    exitOnError(makeError("--threads needs --target=host, but the target is `" + target + "`"));
  // Read by the runtime when compiled code first asks for threads.
  if (threads > 0)
    setenv("RNNRT_THREADS", std::to_string(threads).c_str(), /*overwrite=*/1);
  if (benchmark < 0)
    exitOnError(makeError("--benchmark takes a number of calls, but got " + Twine(benchmark)));
  if (!(absoluteTolerance >= 0) || !(relativeTolerance >= 0))
    exitOnError(makeError("--atol and --rtol take numbers that are not negative"));

  DialectRegistry registry;
  registerJITDialects(registry);
  MLIRContext context(registry);
  // Import takes TensorFlow's ops, which no dialect of ours registers.
  context.allowUnregisteredDialects();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(inputFile, &message);
  if (!buffer)
    exitOnError(makeError(message));
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1; // the parser has said why
  exitOnError(*stage == Stage::Run ? run(*module) : printStage(*module, *stage));
  return 0;
}
