//===- Autotune.cpp - measures the candidates of every rnn op ----------------===//
//
// A unit is a set of ops that need one lowering or have the same tuning key. For each unit the function is compiled
// once per candidate, with the cost model's choice for all other ops. Calls of the compiled functions are interleaved.
// Before that, the vector width and the bf16 methods of the host are measured with all ops as fused loops.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Autotune.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "rnn/Support/OutputFile.h"
#include "rnn/Target/Processors.h"
#include "rnn/Transforms/Selection/Selection.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>
#include <functional>
#include <set>

using namespace mlir;
using namespace mlir::rnn;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(message.str());
}

std::string rnn::getDeviceName(const RuntimeSession &session) {
  rnnrt_device_properties_t properties;
  rnnrt_status_release(rnnrt_device_properties(session.getDevice(), &properties));
  return properties.name;
}

namespace {

/// The index of an op among all rnn ops of the module, which is the same in copies of the module.
using OpNumber = size_t;

struct Unit {
  SmallVector<OpNumber> ops;
  llvm::SmallDenseSet<OpNumber> asCudnn; ///< block ops whose plan is that of the cudnn ops they are rewritten to
  std::set<std::string> keys;
  llvm::SetVector<Candidate> candidates;
  SmallVector<double> times; ///< medians in microseconds, by candidate
};

/// An option of target host and the values to measure.
struct MeasuredOption {
  StringRef name;
  SmallVector<std::string> values; ///< the first is that of the processor table
  std::function<void(PipelineOptions &, StringRef)> set;
};

class Autotuner {
public:
  Autotuner(const JITOptions &options, StringRef function, ArrayRef<HostTensor> arguments, RuntimeSession &session)
      : options(options), function(function), arguments(arguments), session(session),
        context(TargetInfo(options.pipeline.target,
                           options.pipeline.target == TargetKind::Host ? getHostProcessorName()
                                                                       : StringRef(options.pipeline.chip),
                           options.pipeline.tf32)) {}

  llvm::Error run(ModuleOp module, StringRef path);

private:
  llvm::Error prepare(ModuleOp module);
  bool isMeasured(LayerOpInterface op) const;
  SmallVector<MeasuredOption> findOptions();
  llvm::Error measure(const MeasuredOption &option, TuningRecords &records);
  void findUnits();
  void addUnit(ArrayRef<LayerOpInterface> ops, LayerOpInterface asCudnn = {});
  void addBlockUnits(ArrayRef<LayerOpInterface> ops);
  llvm::Error measure(Unit &unit);
  llvm::Expected<SmallVector<double>> measureCalls(ArrayRef<std::unique_ptr<CompiledModule>> compiled);
  TuningRecord decide(const Unit &unit, StringRef key) const;

  JITOptions options;
  StringRef function;
  ArrayRef<HostTensor> arguments;
  RuntimeSession &session;
  SelectionContext context;
  OwningOpRef<ModuleOp> base;
  llvm::SetVector<Operation *> reached; ///< functions
  llvm::DenseMap<Operation *, OpNumber> numbers;
  SmallVector<Unit> units;
};

} // namespace

static SmallVector<LayerOpInterface> collectOps(ModuleOp module) {
  SmallVector<LayerOpInterface> ops;
  module.walk([&](LayerOpInterface op) { ops.push_back(op); });
  return ops;
}

/// Runs the stages before selection. Keys of block ops are those before rnn-block-to-cudnn, the first part of
/// selection.
llvm::Error Autotuner::prepare(ModuleOp module) {
  base = module.clone();
  PipelineOptions pipeline = options.pipeline;
  pipeline.stopAfter = Stage::Simplify;
  if (llvm::Error error = runPipeline(*base, pipeline, options.passes))
    return error;
  for (auto [number, op] : llvm::enumerate(collectOps(*base)))
    numbers[op] = number;
  if (auto callee = base->lookupSymbol<func::FuncOp>(function))
    reached = collectReached(callee);
  return llvm::Error::success();
}

/// `asCudnn`: the op that rnn-block-to-cudnn rewrites for candidate `Plan`; `ops` has the forward that this requires.
void Autotuner::addUnit(ArrayRef<LayerOpInterface> ops, LayerOpInterface asCudnn) {
  Unit unit;
  if (asCudnn)
    unit.asCudnn.insert(numbers.lookup(asCudnn));
  for (LayerOpInterface op : ops) {
    unit.ops.push_back(numbers.lookup(op));
    std::string key = getTuningKey(op, context.info.allowsTF32());
    if (key.empty())
      continue;
    unit.keys.insert(key);
    for (const CandidateCost &candidate : asCudnn ? getBlockCandidates(op, context) : getCandidates(op, context))
      unit.candidates.insert(candidate.candidate);
  }
  // Units with a common key become one.
  llvm::erase_if(units, [&](const Unit &other) {
    if (llvm::none_of(other.keys, [&](const std::string &key) { return unit.keys.count(key) != 0; }))
      return false;
    llvm::append_range(unit.ops, other.ops);
    unit.asCudnn.insert(other.asCudnn.begin(), other.asCudnn.end());
    unit.keys.insert(other.keys.begin(), other.keys.end());
    unit.candidates.insert(other.candidates.begin(), other.candidates.end());
    return true;
  });
  if (unit.candidates.size() > 1)
    units.push_back(std::move(unit));
}

/// Adds gradients with the forwards that cuDNN would run again, then forwards without a gradient, each of which may be
/// rewritten. Other block ops have kernels only.
void Autotuner::addBlockUnits(ArrayRef<LayerOpInterface> ops) {
  llvm::SmallPtrSet<Operation *, 8> done;
  for (LayerOpInterface op : ops)
    if (auto grad = dyn_cast<BlockLSTMGradOp>(op.getOperation()); grad && getReasonAgainstCudnn(op).empty())
      if (BlockLSTMOp made = findForward(grad); llvm::is_contained(ops, LayerOpInterface(made))) {
        addUnit({op, made}, op);
        done.insert(op);
        done.insert(made);
      }
  for (LayerOpInterface op : ops)
    if (!done.contains(op))
      addUnit(op, isa<BlockLSTMOp>(op) && getReasonAgainstCudnn(op).empty() ? op : LayerOpInterface());
}

bool Autotuner::isMeasured(LayerOpInterface op) const {
  return !op.getLowering() && reached.contains(op->getParentOfType<func::FuncOp>());
}

void Autotuner::findUnits() {
  SmallVector<LayerOpInterface> left = collectOps(*base);
  if (!context.info.plansShareBuffers())
    for (BufferGroup &group : collectBufferGroups(*base)) {
      llvm::erase_if(left, [&](LayerOpInterface op) { return llvm::is_contained(group.ops, op); });
      if (group.open.empty() && llvm::all_of(group.ops, [&](LayerOpInterface op) { return isMeasured(op); }))
        addUnit(group.ops);
    }
  llvm::erase_if(left, [&](LayerOpInterface op) {
    return !isMeasured(op) || getTuningKey(op, context.info.allowsTF32()).empty();
  });
  if (!context.info.hasBlockPlans())
    return addBlockUnits(left);
  for (LayerOpInterface op : left)
    addUnit(op);
}

llvm::Error Autotuner::measure(Unit &unit) {
  SmallVector<std::unique_ptr<CompiledModule>> compiled;
  for (Candidate candidate : SmallVector<Candidate>(unit.candidates.getArrayRef())) {
    OwningOpRef<ModuleOp> variant = base->clone();
    SmallVector<LayerOpInterface> ops = collectOps(*variant);
    for (OpNumber number : unit.ops) {
      if (candidate == Candidate::Plan && !hasPlan(ops[number], context.info)) {
        // The forward of a gradient is rewritten too, if possible; otherwise the cost model chooses for it.
        if (unit.asCudnn.contains(number))
          applyCandidate(ops[number], {Candidate::Plan, 0});
        continue;
      }
      SmallVector<CandidateCost> own = getCandidates(ops[number], context);
      auto *found = llvm::find_if(own, [&](const CandidateCost &cost) { return cost.candidate == candidate; });
      // Ops of a group that have no such kernel have per-step kernels.
      applyCandidate(ops[number], found != own.end() ? *found : CandidateCost{Candidate::PerStep, 0});
    }
    auto module = CompiledModule::compile(*variant, options);
    if (!module)
      return module.takeError();
    // Without cuDNN on the machine, measure the kernels of block ops only. A program with cudnn ops requires cuDNN.
    if (candidate == Candidate::Plan && !unit.asCudnn.empty())
      if (auto results = session.run(**module, function, arguments); !results) {
        llvm::outs() << "as cudnn ops: failed (" << llvm::toString(results.takeError()) << ")\n";
        unit.candidates.remove(candidate);
        continue;
      }
    compiled.push_back(std::move(*module));
  }
  if (compiled.size() < 2)
    return llvm::Error::success();
  return measureCalls(compiled).moveInto(unit.times);
}

/// The median times of calls in microseconds.
llvm::Expected<SmallVector<double>> Autotuner::measureCalls(ArrayRef<std::unique_ptr<CompiledModule>> compiled) {
  using Clock = std::chrono::steady_clock;
  constexpr int minRounds = 7, maxRounds = 101, warmUp = 2;
  constexpr std::chrono::milliseconds duration(500);
  SmallVector<SmallVector<double>> times(compiled.size());
  Clock::time_point begin = Clock::now();
  for (int round = -warmUp; round < maxRounds && (round < minRounds || Clock::now() - begin < duration); ++round) {
    for (auto [index, module] : llvm::enumerate(compiled)) {
      Clock::time_point start = Clock::now();
      auto results = session.run(*module, function, arguments);
      std::chrono::duration<double, std::micro> time = Clock::now() - start;
      if (!results)
        return results.takeError();
      if (round >= 0)
        times[index].push_back(time.count());
    }
    if (round < 0)
      begin = Clock::now();
  }
  SmallVector<double> medians;
  for (SmallVector<double> &list : times) {
    llvm::sort(list);
    medians.push_back(list[list.size() / 2]);
  }
  return medians;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The options that the command line does not give and on which the code of measured ops depends.
SmallVector<MeasuredOption> Autotuner::findOptions() {
  SmallVector<MeasuredOption> found;
  bool hasLoops = false, hasRows = false, hasOneRow = false;
  for (LayerOpInterface op : collectOps(*base)) {
    std::string assumed;
    std::optional<LayerProblem> problem = getLayerProblem(op, context.info.allowsTF32(), assumed);
    if (!problem || !isMeasured(op))
      continue;
    hasLoops = true;
    if (problem->element == ElementKind::BF16)
      (StringRef(assumed).contains('B') || problem->B != 1 ? hasRows : hasOneRow) = true;
  }
  if (!context.info.isHost() || !hasLoops)
    return found;

  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const HostProcessor processor = getHostProcessor(llvm::Triple(llvm::sys::getProcessTriple()), getHostProcessorName(),
                                                   [&](StringRef feature) { return features.lookup(feature); });
  auto add = [&](StringRef name, StringRef initial, ArrayRef<std::string> values, auto set) {
    MeasuredOption option = {name, {initial.str()}, set};
    llvm::copy_if(values, std::back_inserter(option.values), [&](StringRef value) { return value != initial; });
    if (option.values.size() > 1)
      found.push_back(std::move(option));
  };
  if (options.pipeline.vectorBits == 0) {
    SmallVector<std::string> widths;
    for (unsigned bits = 256; bits <= processor.maxVectorBits; bits *= 2)
      widths.push_back(std::to_string(bits));
    add("vector-bits", std::to_string(processor.vectorBits), widths,
        [](PipelineOptions &pipeline, StringRef value) { (void)value.getAsInteger(10, pipeline.vectorBits); });
  }
  if (options.pipeline.bf16Gemm != BF16Gemm::Auto || (!hasRows && !hasOneRow))
    return found;
  // Once one of them is given, `auto` no longer means the processor table.
  options.pipeline.bf16Gemm = processor.bf16Gemm;
  options.pipeline.bf16GemmOneRow = processor.bf16GemmOneRow;
  SmallVector<std::string> methods;
  // Not `dot`: it rounds as the instructions do, without their speed.
  for (BF16Gemm gemm : {BF16Gemm::F32, BF16Gemm::VNNI, BF16Gemm::AVX512, BF16Gemm::NEON, BF16Gemm::AMX})
    if (processor.has(gemm))
      methods.push_back(stringifyBF16Gemm(gemm).str());
  if (hasRows)
    add("bf16-gemm", stringifyBF16Gemm(processor.bf16Gemm), methods,
        [](PipelineOptions &pipeline, StringRef value) { pipeline.bf16Gemm = *symbolizeBF16Gemm(value); });
  if (hasOneRow)
    add("bf16-gemm-one-row", stringifyBF16Gemm(processor.bf16GemmOneRow), methods,
        [](PipelineOptions &pipeline, StringRef value) { pipeline.bf16GemmOneRow = *symbolizeBF16Gemm(value); });
  return found;
}

/// Measures the option, adds a record, and sets the option for the measurements that follow.
llvm::Error Autotuner::measure(const MeasuredOption &option, TuningRecords &records) {
  OptionRecord record;
  record.option = option.name.str();
  record.target = context.info.getName().str();
  record.chip = context.info.getChip().str();
  record.device = getDeviceName(session);
  record.function = function.str();
  SmallVector<std::unique_ptr<CompiledModule>> compiled;
  llvm::outs() << option.name << ":";
  for (const std::string &value : option.values) {
    JITOptions variant = options;
    variant.pipeline.lowering = LoweringPreference::Fused;
    option.set(variant.pipeline, value);
    OwningOpRef<ModuleOp> module = base->clone();
    auto code = CompiledModule::compile(*module, variant);
    if (!code)
      return code.takeError();
    // The operating system may refuse AMX.
    if (auto results = session.run(**code, function, arguments); !results) {
      llvm::outs() << " " << value << " failed (" << llvm::toString(results.takeError()) << "),";
      continue;
    }
    compiled.push_back(std::move(*code));
    record.times.push_back({value, 0});
  }
  if (compiled.size() < 2) {
    llvm::outs() << " so no tuning record\n";
    return llvm::Error::success();
  }
  auto times = measureCalls(compiled);
  if (!times)
    return times.takeError();
  for (auto [time, median] : llvm::zip(record.times, *times)) {
    time.second = median;
    llvm::outs() << " " << time.first << " " << formatMicroseconds(median) << ",";
  }
  record.choose(option.values.front());
  llvm::outs() << " so " << record.choice << "\n";
  option.set(options.pipeline, record.choice);
  llvm::sort(record.times);
  records.add(std::move(record));
  return llvm::Error::success();
}

TuningRecord Autotuner::decide(const Unit &unit, StringRef key) const {
  TuningRecord record;
  record.op = key.str();
  record.target = context.info.getName().str();
  record.chip = context.info.getChip().str();
  record.device = getDeviceName(session);
  record.function = function.str();
  for (auto [candidate, time] : llvm::zip(unit.candidates, unit.times))
    record.times.push_back({candidate, time});
  llvm::sort(record.times);
  record.choose();
  return record;
}

/// The records of an existing file.
static llvm::Expected<TuningRecords> readOld(StringRef path) {
  return llvm::sys::fs::exists(path) ? TuningRecords::read(path) : TuningRecords();
}

static llvm::Error explainUnwritable(llvm::Error error, StringRef path) {
  return error ? makeError("cannot write tuning records to `" + path + "`: " + llvm::toString(std::move(error)))
               : llvm::Error::success();
}

static llvm::Error write(const TuningRecords &records, StringRef path) {
  return explainUnwritable(replaceFile(path, [&](llvm::raw_ostream &os) { os << records.print(); }), path);
}

llvm::Error Autotuner::run(ModuleOp module, StringRef path) {
  // Report errors of the file before measuring.
  auto records = readOld(path);
  if (!records)
    return records.takeError();
  if (llvm::Error error = explainUnwritable(checkReplaceable(path), path))
    return error;
  if (llvm::Error error = prepare(module))
    return error;
  findUnits();
  SmallVector<MeasuredOption> measuredOptions = findOptions();
  if (units.empty() && measuredOptions.empty())
    return makeError("`" + function +
                     "` reaches no rnn op that could be run in more than one way; --autotune has nothing to "
                     "measure");
  for (const MeasuredOption &option : measuredOptions)
    if (llvm::Error error = measure(option, *records))
      return error;
  for (Unit &unit : units) {
    if (llvm::Error error = measure(unit))
      return error;
    for (const std::string &key : unit.keys) {
      if (unit.times.empty()) {
        llvm::outs() << key << ": only " << stringifyCandidate(unit.candidates.front())
                     << " is left, so no tuning record\n";
        continue;
      }
      TuningRecord record = decide(unit, key);
      llvm::outs() << key << ":";
      for (auto [candidate, time] : record.times)
        llvm::outs() << " " << stringifyCandidate(candidate) << " " << formatMicroseconds(time) << ",";
      llvm::outs() << " so " << stringifyCandidate(record.choice) << "\n";
      records->add(std::move(record));
    }
  }
  return write(*records, path);
}

llvm::Error rnn::autotuneByMeasurements(StringRef measurementsPath, StringRef path) {
  auto measurements = Measurements::read(measurementsPath);
  if (!measurements)
    return measurements.takeError();
  auto records = readOld(path);
  if (!records)
    return records.takeError();
  auto count = measurements->decide(*records, llvm::outs());
  if (!count)
    return count.takeError();
  if (*count == 0)
    return makeError("`" + measurementsPath + "` yields no tuning record, see above; `" + path + "` was not changed");
  return write(*records, path);
}

llvm::Error rnn::autotune(ModuleOp module, const JITOptions &options, StringRef function,
                          ArrayRef<HostTensor> arguments, RuntimeSession &session, StringRef path) {
  return Autotuner(options, function, arguments, session).run(module, path);
}
