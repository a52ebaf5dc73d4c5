//===- rnn-fuzz.cpp - random modules through every pipeline and lowering -----===//
//
// Generates valid modules, which must compile in every pipeline and have the same results in every lowering, and
// mutates them: a mutant is rejected with a message or runs. Each runs in a child process. docs/internals/testing.md
// describes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/FrameworkDialects.h"
#include "Check.h"
#include "Corpus.h"
#include "Generator.h"
#include "Mutator.h"
#include "Random.h"
#include "Reduce.h"
#include "rnn/Emit/JIT.h"
#include "rnn/InitAllPasses.h"
#include "rnn/Support/OutputFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <chrono>
#include <cstdlib>

using namespace mlir;
using namespace mlir::rnn;
using namespace mlir::rnn::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("rnn-fuzz options");
static cl::opt<uint64_t> firstSeed("seed", cl::desc("Seed of the first module (default 1)"), cl::init(1),
                                   cl::cat(category));
static cl::opt<unsigned> moduleCount("count", cl::desc("Number of valid modules (default 20)"), cl::init(20),
                                     cl::cat(category));
static cl::opt<unsigned> mutantCount("mutants", cl::desc("Number of mutants (default 0)"), cl::init(0),
                                     cl::cat(category));
static cl::list<std::string>
    mutatedPaths("mutate", cl::desc("Folders and files: mutate their modules, which compile or are rejected, instead"),
                 cl::value_desc("PATH,..."), cl::CommaSeparated, cl::cat(category));
static cl::opt<std::string> elementType("element-type", cl::desc("f16, bf16, f32 or f64 (default: each in turn)"),
                                        cl::cat(category));
static cl::opt<unsigned> timeLimit("time-limit",
                                   cl::desc("Start no module after this many seconds (default: no limit)"),
                                   cl::value_desc("seconds"), cl::init(0), cl::cat(category));
static cl::opt<std::string> outputFolder("out-dir",
                                         cl::desc("Folder for modules with a problem (default: the current one)"),
                                         cl::init("."), cl::cat(category));
static cl::opt<bool> printModules("print", cl::desc("Print the modules, do not run them"), cl::cat(category));
static cl::opt<bool> verbose("verbose", cl::desc("Print a line for each module"), cl::cat(category));
static cl::opt<bool> reduces("reduce", cl::desc("Reduce modules with a problem (default true)"), cl::init(true),
                             cl::cat(category));
static cl::opt<bool> decomposes("decompose",
                                cl::desc("Compare the results of the pass rnn-decompose too (default true)"),
                                cl::init(true), cl::cat(category));
static cl::opt<bool> sanitizes("sanitize",
                               cl::desc("Instrument compiled code with AddressSanitizer, whose runtime must "
                                        "be in the process"),
                               cl::cat(category));
static cl::opt<std::string> checkedFile("check", cl::desc("Check FILE, a reduced module of --seed, instead"),
                                        cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    interestingKind("interesting", cl::Hidden,
                    cl::desc("With --check: exit with 1 if the problem is of this kind, else with 0"),
                    cl::cat(category));
static cl::opt<std::string> smallestFile("smallest", cl::Hidden,
                                         cl::desc("With --interesting: a file that receives the module if the "
                                                  "problem is of this kind and the file is empty or larger"),
                                         cl::cat(category));
static cl::opt<std::string> corpusFile("corpus", cl::desc("Run the malformed calls in FILE instead"),
                                       cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool> updatesCorpus("update",
                                   cl::desc("With --corpus: print each case with the message of the host plans"),
                                   cl::cat(category));
static cl::opt<std::string> checkedPositional(cl::Positional, cl::Hidden, cl::cat(category));
static cl::opt<bool> checksMutant("mutant", cl::desc("With --check: the file is a mutant"), cl::cat(category));
static cl::opt<bool> checksSource("source", cl::desc("With --check: the file is a mutant of --mutate"),
                                  cl::cat(category));
static cl::opt<Inject::Kind> injected("inject", cl::Hidden, cl::desc("Fail deliberately, to test the report"),
                                      cl::values(clEnumValN(Inject::Signal, "signal", ""),
                                                 clEnumValN(Inject::Difference, "difference", "")),
                                      cl::init(Inject::None), cl::cat(category));
static cl::opt<std::string> injectedOp("inject-op", cl::Hidden,
                                       cl::desc("With --inject: only modules with this op fail"), cl::cat(category));

namespace {
/// A module or mutant to check.
struct Case {
  GeneratedModule module;
  std::string text;
  uint64_t seed;
  bool isMutant;
  /// A mutant of a module in a file; `module` has its description only.
  bool isSource = false;

  std::string getName() const {
    if (isSource)
      return "source-" + std::to_string(seed);
    return llvm::formatv("{0}-{1}-{2}", isMutant ? "mutant" : "module", module.elementType, seed).str();
  }
};
} // namespace

static Case makeCase(uint64_t seed, bool isMutant) {
  const StringRef types[] = {"f32", "f16", "f64", "bf16"};
  std::string type = elementType.empty() ? types[seed % 4].str() : elementType;
  // Ten mutants of each module.
  GeneratedModule module = generateModule(isMutant ? 1000000 + seed / 10 : seed, type);
  std::string text = isMutant ? mutate(module.text, seed) : module.text;
  return {std::move(module), std::move(text), seed, isMutant};
}

static Problem check(const Checker &checker, const Case &one, StringRef text) {
  if (one.isSource)
    return checker.checkSource(text, one.seed);
  return one.isMutant ? checker.checkMutant(one.module, text, one.seed)
                      : checker.checkValid(one.module, text, one.seed);
}

static std::vector<std::string> getCheckArguments(const Case &one) {
  std::vector<std::string> arguments = {"--seed=" + std::to_string(one.seed)};
  if (one.isSource)
    arguments.push_back("--source");
  else
    arguments.push_back("--element-type=" + one.module.elementType);
  if (one.isMutant && !one.isSource)
    arguments.push_back("--mutant");
  if (!decomposes)
    arguments.push_back("--decompose=false");
  if (sanitizes)
    arguments.push_back("--sanitize");
  if (injected != Inject::None)
    arguments.push_back(injected == Inject::Signal ? "--inject=signal" : "--inject=difference");
  if (!injectedOp.empty())
    arguments.push_back("--inject-op=" + injectedOp);
  return arguments;
}

/// Prints one line and writes a file.
static void report(const DialectRegistry &registry, const Checker &checker, const Case &one, const Problem &problem,
                   const std::string &program) {
  std::string text = one.text;
  // A mutant may be no module.
  if (reduces && problem.step != "parse") {
    std::vector<std::string> arguments = getCheckArguments(one);
    arguments.push_back("--interesting=" + problem.kind);
    text = reduceModule(registry, text, program, arguments, 300);
  }
  if (reduces && one.isMutant)
    text =
        reduceText(text, [&](StringRef candidate) { return check(checker, one, candidate).kind == problem.kind; }, 60);
  llvm::SmallString<128> path(outputFolder);
  llvm::sys::fs::create_directories(path);
  llvm::sys::path::append(path, one.getName() + ".mlir");
  std::string command = "rnn-fuzz " + llvm::join(getCheckArguments(one), " ") + " --check=" + path.str().str();
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << "// " << problem.kind << "\n// " << command << "\n" << text;
  std::string details = problem.details;
  llvm::replace(details, '\n', ' ');
  llvm::outs() << "FAIL " << one.getName() << ": " << problem.kind << ": " << details << "; in "
               << one.module.description << "; repeat: " << command << "\n";
}

/// Reads a module to check again. The first two lines of a report are comments.
static int checkFile(const Checker &checker, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::WithColor::error(llvm::errs(), "rnn-fuzz") << path << ": " << buffer.getError().message() << "\n";
    return 2;
  }
  Case one = checksSource ? Case{{}, "", firstSeed, true, true} : makeCase(firstSeed, checksMutant);
  Problem problem = check(checker, one, (*buffer)->getBuffer());
  if (!interestingKind.empty()) {
    const bool isInteresting = problem.kind == interestingKind;
    uint64_t size = 0;
    if (isInteresting && !smallestFile.empty() &&
        (llvm::sys::fs::file_size(smallestFile, size) || size == 0 || (*buffer)->getBufferSize() < size))
      if (llvm::Error error = replaceFile(smallestFile, [&](raw_ostream &os) { os << (*buffer)->getBuffer(); }))
        llvm::WithColor::error(llvm::errs(), "rnn-fuzz")
            << smallestFile << ": " << llvm::toString(std::move(error)) << "\n";
    return isInteresting;
  }
  llvm::outs() << (problem ? "FAIL " + problem.kind + ": " + problem.details : "PASS") << "\n";
  return problem ? 1 : 0;
}

/// The modules of files: the parts between `// -----`, without comments, which have the expectations of tests.
static std::vector<std::pair<std::string, std::string>> readSources() {
  std::vector<std::pair<std::string, std::string>> modules;
  auto addFile = [&](StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return;
    std::string text;
    auto addModule = [&] {
      // Large modules take long, and their mutants are like those of small ones.
      if (!StringRef(text).trim().empty() && text.size() < 8192)
        modules.push_back({llvm::sys::path::filename(path).str(), text});
      text.clear();
    };
    SmallVector<StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n');
    for (StringRef line : lines)
      if (line.starts_with("// -----"))
        addModule();
      else if (!line.trim().starts_with("//"))
        text += line.str() + "\n";
    addModule();
  };
  for (const std::string &path : mutatedPaths) {
    if (!llvm::sys::fs::is_directory(path)) {
      addFile(path);
      continue;
    }
    std::vector<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator file(path, error), end; file != end && !error;
         file.increment(error))
      if (StringRef(file->path()).ends_with(".mlir"))
        files.push_back(file->path());
    llvm::sort(files);
    llvm::for_each(files, addFile);
  }
  return modules;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compiles and runs random modules of rnn ops, and mutants of them.\n");
  if (!elementType.empty() && !llvm::is_contained({"f16", "bf16", "f32", "f64"}, StringRef(elementType))) {
    llvm::WithColor::error(llvm::errs(), "rnn-fuzz")
        << "--element-type expects f16, bf16, f32 or f64, but got `" << elementType << "`\n";
    return 2;
  }
  rnn::registerAllPasses();
  DialectRegistry registry;
  registerJITDialects(registry);
  registerFrameworkDialects(registry);
  if (!corpusFile.empty())
    return !runCorpus(registry, corpusFile, updatesCorpus, sanitizes);
  Checker checker(registry, {injected, injectedOp}, decomposes, sanitizes);
  if (!checkedFile.empty() || !checkedPositional.empty())
    return checkFile(checker, checkedFile.empty() ? checkedPositional : checkedFile);

  const std::string program = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  const auto start = std::chrono::steady_clock::now();
  auto isTimeUp = [&] {
    return timeLimit > 0 && std::chrono::steady_clock::now() - start > std::chrono::seconds(timeLimit);
  };
  const auto sources = readSources();
  if (!mutatedPaths.empty() && sources.empty()) {
    llvm::WithColor::error(llvm::errs(), "rnn-fuzz") << "no modules in `" << llvm::join(mutatedPaths, ",") << "`\n";
    return 2;
  }
  unsigned passed[] = {0, 0}, failed = 0, parsed = 0, ran = 0;
  for (bool isMutant : {false, true})
    for (unsigned index = 0, count = isMutant          ? mutantCount
                                     : sources.empty() ? moduleCount
                                                       : 0;
         index < count && !isTimeUp(); ++index) {
      const uint64_t seed = firstSeed + index;
      Case one = sources.empty() ? makeCase(seed, isMutant) : Case{{}, "", seed, true, true};
      if (one.isSource) {
        const auto &[file, text] = sources[Random(seed).next() % sources.size()];
        one.module.description = file;
        one.text = mutate(text, seed);
      }
      if (printModules) {
        llvm::outs() << "// " << one.getName() << "\n" << one.text << "\n";
        continue;
      }
      Problem problem = check(checker, one, one.text);
      if (problem)
        ++failed, report(registry, checker, one, problem, program);
      else
        ++passed[isMutant];
      parsed += isMutant && problem.step != "parse";
      ran += isMutant && StringRef(problem.step).ends_with(": run");
      if (verbose && !problem)
        llvm::outs() << "PASS " << one.getName() << ": " << one.module.description << "\n";
      llvm::outs().flush();
    }
  if (!printModules)
    llvm::outs() << passed[0] << " modules and " << passed[1] << " mutants passed, " << failed << " failed\n";
  if (!printModules && mutantCount > 0 && sources.empty())
    llvm::outs() << parsed << " mutants were valid, " << ran << " ran\n";
  return failed > 0;
}
