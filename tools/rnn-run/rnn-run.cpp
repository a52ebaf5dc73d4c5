//===- rnn-run.cpp - compile a module in process and run a function ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FileSizeLimit.h"
#include "../common/InputModule.h"
#include "../common/OutOfMemory.h"
#include "Autotune.h"
#include "RandomTensor.h"
#include "Runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include "rnn/Support/Compare.h"
#include "rnn/Support/Npy.h"
#include "rnn/Support/TensorText.h"
#include "rnn/Target/Processors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include <chrono>

using namespace mlir;
using namespace mlir::rnn;
namespace cl = llvm::cl;

static cl::OptionCategory category("rnn-run options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE.mlir, or - for standard input"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string>
    functionName("function",
                 cl::desc("Public function to run; others are not compiled (default: the only one, else main)"),
                 cl::cat(category));
static cl::opt<std::string> autotuneFile(
    "autotune",
    cl::desc("Measure the function with every candidate of its rnn ops (host: and with every "
             "vector width and bf16 method) and write tuning records to FILE; records of other ops in FILE are kept"),
    cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    measurementsFile("measurements",
                     cl::desc("With --autotune: read times from FILE, measured on another machine for "
                              "functions listed by rnn-compile --emit-candidates"),
                     cl::value_desc("FILE"), cl::cat(category));
static cl::list<std::string> inputs(
    "input",
    cl::desc("Argument, one flag each, in order or as NAME=VALUE: @file.npy, 7, f32=1.5, 2x3xf32=0.5 (all elements), "
             "2x3xf32=[[1,2,3],[4,5,6]], random:SEED or, with dynamic dimensions, random:SEED:5x2x3 "
             "(uniform: floats in [-1, 1), integers 0 to 9). The default type is that of the function's "
             "argument; an npy file of <u2 is read as bf16 or f16 if the argument has that type"),
    cl::value_desc("value"), cl::cat(category));
static cl::list<std::string>
    outputs("output",
            cl::desc("Destination of a result, one flag each, in order: @file.npy, or - to print "
                     "it. Without this flag, all results are printed, those of more than 1000 elements in parts"),
            cl::value_desc("destination"), cl::cat(category));
static cl::list<std::string>
    expectedOutputs("expected-output",
                    cl::desc("Expected result, one flag each, in order, in the forms of --input; `-` "
                             "skips a result. A difference above --atol and --rtol is an error"),
                    cl::value_desc("value"), cl::cat(category));
static cl::opt<double> absoluteTolerance("atol", cl::desc("Absolute tolerance of --expected-output (default 0)"),
                                         cl::init(0.0), cl::cat(category));
static cl::opt<double> relativeTolerance("rtol", cl::desc("Relative tolerance of --expected-output (default 0)"),
                                         cl::init(0.0), cl::cat(category));
static cl::opt<int> benchmark("benchmark", cl::desc("After one warm-up, time N calls and print min, median and max"),
                              cl::value_desc("N"), cl::init(0), cl::cat(category));
enum class Sanitizer { None, Address };
static cl::opt<Sanitizer> sanitizer(
    "sanitize", cl::desc("Check memory accesses of compiled code"),
    cl::values(clEnumValN(Sanitizer::Address, "address",
                          "AddressSanitizer, whose runtime must be in the process: an rnn-run built with it, or "
                          "LD_PRELOAD")),
    cl::init(Sanitizer::None), cl::cat(category));
static cl::opt<bool> printStatistics("print-statistics", cl::desc("Print compile time, memory and plans"),
                                     cl::cat(category));
static cl::opt<std::string>
    simtSchedule("simt-schedule",
                 cl::desc("Target simt: order in which threads run: fifo, reverse or random:SEED "
                          "(default: RNNRT_SIMT_SCHEDULE, else fifo)"),
                 cl::value_desc("schedule"), cl::cat(category));
static cl::opt<int64_t> dropoutDraw("dropout-draw",
                                    cl::desc("Draw of the dropout stream to use in every call (default: the next one)"),
                                    cl::value_desc("N"), cl::init(-1), cl::cat(category));

static llvm::ExitOnError exitOnError;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message.str());
}

/// The type of a command-line value without a type: that of the function's argument.
static std::optional<RequestedType> getRequestedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementKind> kind = getElementKind(tensor ? tensor.getElementType() : type);
  if (!kind)
    return std::nullopt;
  RequestedType requested{*kind, {}};
  if (tensor)
    for (int64_t size : tensor.getShape())
      requested.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return requested;
}

/// Reads `@file.npy`, `random:SEED` or a value. Errors name the flag.
static llvm::Expected<HostTensor> readValue(StringRef text, Type type, const Twine &flag) {
  std::optional<RequestedType> requested = getRequestedType(type);
  const bool isFile = text.consume_front("@") || text.ends_with(".npy");
  auto tensor = isFile ? readNpy(text, requested ? std::optional(requested->kind) : std::nullopt)
                : text.consume_front("random:") ? makeRandomTensor(text, type)
                                                : parseTensorText(text, requested ? &*requested : nullptr);
  if (tensor)
    return tensor;
  return makeError(flag + ": " + llvm::toString(tensor.takeError()));
}

/// "x: tensor<3xf32>, i32".
static std::string describe(ArrayRef<Type> types, ArrayRef<std::string> names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(llvm::zip_equal(types, names), os, [&](auto argument) {
    if (!std::get<1>(argument).empty())
      os << std::get<1>(argument) << ": ";
    os << std::get<0>(argument);
  });
  return text;
}

/// Checks that a flag is repeated once for each argument or result.
static llvm::Error checkCount(StringRef flag, size_t given, ArrayRef<Type> types, ArrayRef<std::string> names,
                              StringRef what, bool mayBeEmpty) {
  if (given == types.size() || (mayBeEmpty && given == 0))
    return llvm::Error::success();
  return makeError("`" + functionName + "` has " + Twine(types.size()) + " " + what + "(s) (" + describe(types, names) +
                   "), but got " + Twine(given) + " --" + flag + " flag(s)");
}

/// The texts of --input by argument: NAME=VALUE is that of the argument NAME, the others are in order.
static llvm::Expected<SmallVector<StringRef>> orderInputs(ArrayRef<std::string> names) {
  SmallVector<StringRef> ordered(names.size());
  SmallVector<StringRef> unnamed;
  for (StringRef text : inputs) {
    auto [name, value] = text.split('=');
    const auto *found = name.empty() || value.empty() ? names.end() : llvm::find(names, name);
    if (found == names.end()) {
      // A word before `=` that is no type, such as f32, was meant as a name.
      bool isWord = !name.empty() && !llvm::isDigit(name.front()) &&
                    llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (!value.empty() && isWord && !symbolizeElementKind(name)) {
        std::string known;
        llvm::raw_string_ostream os(known);
        llvm::interleaveComma(names, os);
        return makeError("`" + functionName + "` has no argument `" + name + "` (--input=" + name +
                         "=...); its arguments are " + known);
      }
      unnamed.push_back(text);
      continue;
    }
    StringRef &place = ordered[found - names.begin()];
    if (!place.empty())
      return makeError("--input=" + name + "=... occurs twice");
    place = value;
  }
  for (StringRef &place : ordered)
    if (place.data() == nullptr) {
      place = unnamed.front();
      unnamed.erase(unnamed.begin());
    }
  return ordered;
}

/// The function of --function, or the default.
static llvm::Error chooseFunction(const CompiledModule &module) {
  ArrayRef<std::string> names = module.getFunctionNames();
  if (!functionName.empty())
    return llvm::Error::success();
  if (names.size() != 1 && !llvm::is_contained(names, "main") && !names.empty()) {
    std::string list;
    llvm::raw_string_ostream os(list);
    llvm::interleaveComma(names, os, [&](StringRef name) { os << "`" << name << "`"; });
    return makeError("the module has " + Twine(names.size()) + " public functions (" + list +
                     ") and none of them is `main`; select one with --function");
  }
  functionName = names.size() == 1 ? names.front() : "main";
  return llvm::Error::success();
}

/// Longer results are printed in parts, unless --output=- requests them.
static constexpr int64_t mostPrinted = 1000;

static llvm::Error writeOutputs(ArrayRef<HostTensor> results) {
  for (auto [index, result] : llvm::enumerate(results)) {
    StringRef destination = outputs.empty() ? "-" : StringRef(outputs[index]);
    if (destination.consume_front("@")) {
      if (llvm::Error error = writeNpy(destination, result))
        return error;
      continue;
    }
    const bool isSummary = outputs.empty() && result.getNumElements() > mostPrinted;
    llvm::outs() << (isSummary ? summarizeTensor(result) : printTensorText(result)) << "\n";
  }
  return llvm::Error::success();
}

static llvm::Error checkExpected(ArrayRef<HostTensor> results, ArrayRef<Type> types) {
  llvm::Error errors = llvm::Error::success();
  for (auto [index, text] : llvm::enumerate(expectedOutputs)) {
    if (text == "-")
      continue;
    auto expected = readValue(text, types[index], "--expected-output " + Twine(index));
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

static llvm::Error run(ModuleOp module, const PipelineOptions &pipeline, const RunOptions &passes) {
  std::unique_ptr<RuntimeSession> session;
  auto openSession = [&]() -> llvm::Error {
    return RuntimeSession::create(stringifyTargetKind(pipeline.target).str() +
                                      (simtSchedule.empty() ? "" : ":" + simtSchedule),
                                  dropoutDraw)
        .moveInto(session);
  };
  JITOptions options;
  options.pipeline = pipeline;
  options.function = functionName;
  if (pipeline.target == TargetKind::Cuda && !pipeline.tuningRecords.empty() && pipeline.device.empty()) {
    if (llvm::Error error = openSession())
      return error;
    options.pipeline.device = getDeviceName(*session);
  }
  auto symbols = RuntimeSession::getSymbols(stringifyTargetKind(pipeline.target));
  if (!symbols)
    return symbols.takeError();
  options.symbols = *symbols;
  options.sanitizeAddress = sanitizer == Sanitizer::Address;
  options.passes = passes;
  OwningOpRef<ModuleOp> original;
  if (!autotuneFile.empty())
    original = module.clone();
  Clock::time_point start = Clock::now();
  auto compiled = CompiledModule::compile(module, options);
  if (!compiled)
    return compiled.takeError();
  double compileTime = millisecondsSince(start);

  if (llvm::Error error = chooseFunction(**compiled))
    return error;
  auto found = (*compiled)->getSignature(functionName);
  if (!found)
    return found.takeError();
  const FunctionSignature &signature = **found;
  ArrayRef<Type> inputTypes = signature.inputs, resultTypes = signature.results;
  if (llvm::Error error =
          checkCount("input", inputs.size(), inputTypes, signature.inputNames, "argument", /*mayBeEmpty=*/false))
    return error;
  if (llvm::Error error =
          checkCount("output", outputs.size(), resultTypes, signature.resultNames, "result", /*mayBeEmpty=*/true))
    return error;
  if (llvm::Error error = checkCount("expected-output", expectedOutputs.size(), resultTypes, signature.resultNames,
                                     "result", /*mayBeEmpty=*/true))
    return error;
  auto ordered = orderInputs(signature.inputNames);
  if (!ordered)
    return ordered.takeError();
  SmallVector<HostTensor> arguments;
  for (auto [index, text] : llvm::enumerate(*ordered)) {
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
  // With --benchmark or --expected-output, results are printed only on request.
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

/// Prints the IR after the stage that options name.
static llvm::Error printStage(ModuleOp module, PipelineOptions options, const RunOptions &passes) {
  options.processor = getHostProcessorName();
  if (llvm::Error error = runPipeline(module, options, passes))
    return error;
  module.print(llvm::outs());
  return llvm::Error::success();
}

/// Checks the flags that are not options of the pipeline.
static llvm::Error checkFlags(const PipelineOptions &pipeline, int threads) {
  if (pipeline.target != TargetKind::Simt && !simtSchedule.empty())
    return makeError("--simt-schedule requires --target=simt, but the target is `" +
                     stringifyTargetKind(pipeline.target) + "`");
  if (dropoutDraw.getNumOccurrences() > 0 && dropoutDraw < 0)
    return makeError("--dropout-draw expects a draw of at least 0, but got " + Twine(dropoutDraw));
  if (!measurementsFile.empty()) {
    if (autotuneFile.empty())
      return makeError("--measurements requires --autotune=FILE, the file for the tuning records");
    if (inputFile.getNumOccurrences() > 0 || functionName.getNumOccurrences() > 0 || !inputs.empty())
      return makeError("--measurements reads measured times from a file; remove the module, --function and --input");
  } else if (!autotuneFile.empty()) {
    if (pipeline.target == TargetKind::Simt)
      return makeError(
          "--autotune cannot be used with --target=simt, since times of the emulator do not predict those of a GPU; "
          "use --target=host or --target=cuda");
    if (pipeline.lowering != LoweringPreference::Auto || !pipeline.tuningRecords.empty() ||
        pipeline.fusedKernel != KernelPreference::Auto)
      return makeError("--autotune measures the candidates of --lowering=auto; remove --lowering, --fused-kernel and "
                       "--tuning-records");
    if (pipeline.stopAfter != Stage::Run || benchmark > 0 || !outputs.empty() || !expectedOutputs.empty())
      return makeError("--autotune cannot be combined with --stop-after, --benchmark, --output or --expected-output; "
                       "remove them");
  }
  if (threads < 0 || threads > 1024)
    return makeError("--threads expects a number from 0 to 1024, but got " + Twine(threads));
  if (threads > 0 && pipeline.target != TargetKind::Host)
    return makeError("--threads requires --target=host, but the target is `" + stringifyTargetKind(pipeline.target) +
                     "`");
  for (StringRef destination : outputs)
    if (destination != "-" && !(destination.starts_with("@") && destination.size() > 1))
      return makeError("--output expects @file.npy or -, but got `" + destination + "`");
  if (benchmark.getNumOccurrences() > 0 && benchmark < 1)
    return makeError("--benchmark expects at least 1 call, but got " + Twine(benchmark));
  if (!(absoluteTolerance >= 0) || !(relativeTolerance >= 0))
    return makeError("--atol and --rtol expect numbers that are not negative");
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  exitIfOutOfMemory("rnn-run");
  failOnLargeFiles();
  // LLVM has a flag of this name, which does not apply here.
  if (cl::Option *theirs = cl::getRegisteredOptions().lookup("threads"))
    theirs->removeArgument();
  PipelineCommandLine commandLine(category);
  cl::opt<int> threads("threads",
                       cl::desc("Target host: threads of compiled loops; results do not depend on it (0, the default: "
                                "RNNRT_THREADS, else as many as processors)"),
                       cl::value_desc("N"), cl::init(0), cl::cat(category));
  parseToolCommandLine(argc, argv, category,
                       "Compiles a module in process and runs one of its functions. TensorFlow's RNN ops in "
                       "generic form are imported first.\n");
  exitOnError.setBanner("rnn-run: error: ");

  PipelineOptions pipeline = exitOnError(commandLine.getOptions());
  if (pipeline.target == TargetKind::Simt)
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv("RNN_SIMT_CHECK"))
      pipeline.simtCheck |= !value->empty() && *value != "0";
  exitOnError(checkFlags(pipeline, threads));
  if (!measurementsFile.empty()) {
    exitOnError(autotuneByMeasurements(measurementsFile, autotuneFile));
    return 0;
  }
  // Read by the runtime when compiled code first uses threads.
  if (threads > 0)
    setenv("RNNRT_THREADS", std::to_string(threads).c_str(), /*overwrite=*/1);

  // The names of arguments would change the printed module of --stop-after.
  InputModule module;
  exitOnError(module.read(inputFile, commandLine, /*namesArguments=*/pipeline.stopAfter == Stage::Run));
  if (!module)
    return 1; // the parser reported the error
  RunOptions passes = commandLine.getRunOptions();
  exitOnError(pipeline.stopAfter == Stage::Run ? run(*module, pipeline, passes)
                                               : printStage(*module, pipeline, passes));
  return 0;
}
