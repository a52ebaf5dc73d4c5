//===- rnn-compile.cpp - compile a module ahead of time ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FileSizeLimit.h"
#include "../common/InputModule.h"
#include "../common/OutOfMemory.h"
#include "Kernels.h"
#include "Outputs.h"
#include "rnn/Emit/JIT.h"
#include "rnn/Emit/Object.h"
#include "rnn/Target/Processors.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace mlir;
using namespace mlir::rnn;
namespace cl = llvm::cl;

static cl::OptionCategory category("rnn-compile options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE.mlir, or - for standard input"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string>
    outputFile("o",
               cl::desc("Output: FILE.so, a shared library; FILE.o, an object file; FILE.ll, "
                        "LLVM IR; FILE.mlir or - (standard output), MLIR after the last stage; with --target=cuda "
                        "FILE.ptx or FILE.cubin, the kernels"),
               cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> headerFile("emit-header",
                                       cl::desc("Write a C header of the public functions (- prints it)"),
                                       cl::value_desc("FILE.h"), cl::cat(category));
static cl::opt<std::string>
    candidatesFile("emit-candidates",
                   cl::desc("With -o FILE.so or FILE.o: list the op and the candidate of each function, for "
                            "measuring on machines without the compiler"),
                   cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    prefix("prefix", cl::desc("Prefix of the names of functions in C (default: the name of the output file)"),
           cl::value_desc("NAME"), cl::cat(category));
static cl::opt<std::string>
    cpu("cpu",
        cl::desc("Processor to compile for, by LLVM's name, or native (default: the oldest of its "
                 "architecture, so that the result runs on all), and features of LLVM that differ"),
        cl::value_desc("NAME[,+FEATURE,-FEATURE...]"), cl::cat(category));
static cl::opt<std::string> triple("triple", cl::desc("System to compile for (default: this one)"),
                                   cl::value_desc("TRIPLE"), cl::cat(category));
static cl::opt<std::string> linker("linker",
                                   cl::desc("Linker of FILE.so: ld.lld, ld, or a compiler (default: the first of "
                                            "ld.lld-22, ld.lld, cc and ld)"),
                                   cl::value_desc("PROGRAM"), cl::cat(category));
static cl::opt<unsigned> optimizationLevel("O", cl::Prefix, cl::desc("Optimization: -O0 to -O3 (default -O3)"),
                                           cl::value_desc("LEVEL"), cl::init(3), cl::cat(category));
enum class Sanitizer { None, Address };
static cl::opt<Sanitizer> sanitizer("sanitize", cl::desc("Check memory accesses of compiled code at run time"),
                                    cl::values(clEnumValN(Sanitizer::Address, "address",
                                                          "AddressSanitizer; link the program with clang "
                                                          "-fsanitize=address")),
                                    cl::init(Sanitizer::None), cl::cat(category));
static cl::opt<bool> printStatistics("print-statistics", cl::desc("Print compile time, sizes and functions"),
                                     cl::cat(category));
static llvm::ExitOnError exitOnError;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message.str());
}

enum class Form { SharedLibrary, Object, LLVMIR, MLIR, PTX, Cubin };

/// The files of kernels need their target, and machine code its assembler.
static llvm::Error checkKernelForm(Form form, const PipelineOptions &pipeline) {
  if (pipeline.target != TargetKind::Cuda)
    return makeError("the output `" + outputFile +
                     "` holds GPU kernels, which require --target=cuda, but the target is `" +
                     stringifyTargetKind(pipeline.target) + "`");
  if (form == Form::Cubin && pipeline.chip.empty())
    return makeError("the output `" + outputFile + "` is machine code of one GPU; name it, as --chip=sm_90a");
  if (form == Form::Cubin && !hasPtxas())
    return makeError("the output `" + outputFile +
                     "` requires ptxas, which is neither on the path nor in the CUDA toolkit "
                     "(CUDA_HOME); use -o FILE.ptx");
  return llvm::Error::success();
}

static llvm::Expected<Form> getForm(const PipelineOptions &pipeline) {
  const Stage stopAfter = pipeline.stopAfter;
  StringRef extension = llvm::sys::path::extension(outputFile);
  if (outputFile.empty())
    return makeError("no output; name one with -o FILE.so, FILE.o, FILE.ll, FILE.mlir, FILE.ptx or FILE.cubin");
  std::optional<Form> form = llvm::StringSwitch<std::optional<Form>>(extension)
                                 .Case(".so", Form::SharedLibrary)
                                 .Case(".o", Form::Object)
                                 .Case(".ll", Form::LLVMIR)
                                 .Case(".mlir", Form::MLIR)
                                 .Case(".ptx", Form::PTX)
                                 .Case(".cubin", Form::Cubin)
                                 .Default(std::nullopt);
  if (outputFile == "-")
    form = Form::MLIR;
  if (!form)
    return makeError("the output `" + outputFile +
                     "` has an unknown extension; expected .so, .o, .ll, .mlir, .ptx or .cubin");
  if (stopAfter != Stage::Run && form != Form::MLIR)
    return makeError("--stop-after=" + stringifyStage(stopAfter) + " produces MLIR, which cannot be written as `" +
                     outputFile + "`; use -o FILE.mlir or -o -");
  const bool isKernels = form == Form::PTX || form == Form::Cubin;
  if (isKernels)
    if (llvm::Error error = checkKernelForm(*form, pipeline))
      return std::move(error);
  if (!headerFile.empty() && (form == Form::MLIR || isKernels))
    return makeError("--emit-header describes compiled functions; use it with -o FILE.so, FILE.o or FILE.ll");
  if (!candidatesFile.empty() && form != Form::SharedLibrary && form != Form::Object)
    return makeError("--emit-candidates lists callable functions; use it with -o FILE.so or FILE.o");
  return *form;
}

static llvm::Error checkFlags() {
  if (optimizationLevel > 3)
    return makeError("-O expects a level from 0 to 3, but got " + Twine(optimizationLevel));
  if (!prefix.empty() && makeCIdentifier(prefix) != prefix)
    return makeError("--prefix expects a name of letters, digits and `_` that does not begin with a digit, but got `" +
                     prefix + "`");
  return llvm::Error::success();
}

/// The prefix of C names: `model` for model.so and libmodel.so.
static std::string getPrefix() {
  if (!prefix.empty())
    return prefix;
  StringRef stem = llvm::sys::path::stem(outputFile);
  stem.consume_front("lib");
  return makeCIdentifier(stem);
}

/// Checks that no output would replace the input or another output.
static llvm::Error checkFiles() {
  const std::pair<StringRef, StringRef> files[] = {
      {"-o", outputFile}, {"--emit-header", headerFile}, {"--emit-candidates", candidatesFile}};
  for (auto [index, file] : llvm::enumerate(files)) {
    auto [flag, path] = file;
    if (path.empty() || path == "-")
      continue;
    bool isInput = false;
    if (inputFile != "-" && !llvm::sys::fs::equivalent(path, inputFile, isInput) && isInput)
      return makeError(flag + " names the input `" + path + "`, which it would replace");
    for (auto [other, otherPath] : llvm::ArrayRef(files).drop_front(index + 1))
      if (otherPath == path)
        return makeError(flag + " and " + other + " name the same file, `" + path + "`");
  }
  return llvm::Error::success();
}

static llvm::Error run(ModuleOp module, Form form, PipelineOptions pipeline, const RunOptions &passes) {
  // For MLIR outputs, which are not made for a target machine; otherwise that names the processor.
  StringRef processor = StringRef(cpu).split(',').first;
  pipeline.processor = processor == "native" ? getHostProcessorName() : processor.str();
  pipeline.exportPrefix = getPrefix();
  pipeline.exportAll = true;
  ObjectOptions options;
  options.cpu = cpu;
  options.triple = triple;
  Outputs outputs;
  if (form == Form::MLIR) {
    if (llvm::Error error = cpu.empty() ? llvm::Error::success() : checkProcessor(options))
      return error;
    if (llvm::Error error = runPipeline(module, pipeline, passes))
      return error;
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    if (llvm::Error error = outputs.write(outputFile, text))
      return error;
    return outputs.commit();
  }
  if (form == Form::PTX || form == Form::Cubin) {
    pipeline.kernelForm = form == Form::PTX ? PipelineOptions::KernelForm::PTX : PipelineOptions::KernelForm::Cubin;
    if (llvm::Error error = runPipeline(module, pipeline, passes))
      return error;
    auto kernels = getKernels(module);
    if (!kernels)
      return kernels.takeError();
    if (llvm::Error error = outputs.write(outputFile, *kernels))
      return error;
    return outputs.commit();
  }

  options.pipeline = pipeline;
  options.optimizationLevel = optimizationLevel;
  options.passes = passes;
  options.listCandidates = !candidatesFile.empty();
  options.sanitizeAddress = sanitizer == Sanitizer::Address;
  auto start = std::chrono::steady_clock::now();
  auto compiled = compileObject(module, options,
                                form == Form::LLVMIR          ? ObjectForm::LLVMIR
                                : form == Form::SharedLibrary ? ObjectForm::Archive
                                                              : ObjectForm::Object);
  if (!compiled)
    return compiled.takeError();
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  if (compiled->functions.empty())
    llvm::errs() << "rnn-compile: warning: `" << outputFile << "` has no function to call, since `" << inputFile
                 << "` has no public function with a body\n";

  if (!headerFile.empty()) {
    auto header = writeCHeader(compiled->functions, {getPrefix(), llvm::sys::path::filename(inputFile).str()});
    if (!header)
      return header.takeError();
    if (llvm::Error error = outputs.write(headerFile, *header))
      return error;
  }
  if (!candidatesFile.empty())
    if (llvm::Error error = outputs.write(candidatesFile, printCandidates(compiled->candidates)))
      return error;
  if (form != Form::SharedLibrary) {
    if (llvm::Error error = outputs.write(outputFile, compiled->bytes))
      return error;
  } else {
    auto library = outputs.create(outputFile);
    if (!library)
      return library.takeError();
    if (llvm::Error error = linkSharedLibrary(compiled->bytes, *library, llvm::sys::path::filename(outputFile), linker))
      return error;
  }
  if (llvm::Error error = outputs.commit())
    return error;
  if (printStatistics) {
    llvm::outs() << llvm::formatv("compile time: {0:f1} ms\nobject: {1} bytes\n", time.count(), compiled->bytes.size());
    if (pipeline.target == TargetKind::Host)
      llvm::outs() << llvm::formatv("fused loops: vectors of {0} bits, bf16 GEMM {1}, of one row {2}\n",
                                    compiled->vectorBits, stringifyBF16Gemm(compiled->bf16Gemm),
                                    stringifyBF16Gemm(compiled->bf16GemmOneRow));
    for (const ExportedFunction &function : compiled->functions)
      llvm::outs() << llvm::formatv("function: {0}, {1} argument(s), {2} result(s), entry {3}\n", function.name,
                                    function.inputs.size(), function.results.size(), function.symbol);
  }
  return llvm::Error::success();
}

// The package of Python has the program in its library.
#ifdef RNN_COMPILE_MAIN
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT int RNN_COMPILE_MAIN(int argc, char **argv);
#else
#define RNN_COMPILE_MAIN main
#endif

int RNN_COMPILE_MAIN(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  exitIfOutOfMemory("rnn-compile");
  failOnLargeFiles();
  PipelineCommandLine commandLine(category);
  parseToolCommandLine(argc, argv, category,
                       "Compiles a module to a library for C programs, which need librnn_runtime to run it. "
                       "TensorFlow's RNN ops in generic form are imported first.\n");
  exitOnError.setBanner("rnn-compile: error: ");

  PipelineOptions pipeline = exitOnError(commandLine.getOptions());
  exitOnError(checkFlags());
  Form form = exitOnError(getForm(pipeline));
  exitOnError(checkFiles());

  InputModule module;
  exitOnError(module.read(inputFile, commandLine));
  if (!module)
    return 1; // the parser reported the error
  exitOnError(run(*module, form, pipeline, commandLine.getRunOptions()));
  return 0;
}
