//===- Measurements.cpp - times of compiled functions, as files --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/Measurements.h"
#include "JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir::rnn;

std::string mlir::rnn::printCandidates(llvm::ArrayRef<CompiledCandidate> candidates) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompiledCandidate &candidate : candidates) {
    llvm::json::OStream json(os);
    json.object([&] {
      json.attribute("version", Measurements::version);
      json.attribute("function", candidate.function);
      json.attribute("op", candidate.op);
      json.attribute("target", candidate.target);
      json.attribute("chip", candidate.chip);
      json.attribute("candidate", stringifyCandidate(candidate.candidate));
      json.attributeArray("candidates", [&] {
        for (Candidate one : candidate.all)
          json.value(stringifyCandidate(one));
      });
    });
    os << "\n";
  }
  return text;
}

namespace {
/// One line of a file.
class LineReader {
public:
  LineReader(const llvm::line_iterator &line, llvm::StringRef path)
      : text(*line), number(line.line_number()), path(path) {}

  llvm::Expected<Measurement> read() const;

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError((path + ":" + llvm::Twine(number) + ": " + message).str());
  }
  llvm::Error readCandidates(const llvm::json::Object &object, CompiledCandidate &what) const;
  llvm::Error readOutcome(const llvm::json::Object &object, Measurement &measurement) const;

  llvm::StringRef text;
  int64_t number;
  llvm::StringRef path;
};
} // namespace

llvm::Error LineReader::readCandidates(const llvm::json::Object &object, CompiledCandidate &what) const {
  llvm::StringRef expected = "expected `runtime`, `fused`, `fused/per_step` or `fused/persistent`";
  auto symbolize = [&](const llvm::json::Value &value, Candidate &candidate) {
    std::optional<llvm::StringRef> name = value.getAsString();
    std::optional<Candidate> found = name ? symbolizeCandidate(*name) : std::nullopt;
    candidate = found.value_or(Candidate::Plan);
    return found.has_value();
  };
  const llvm::json::Value *one = object.get("candidate");
  if (!one || !symbolize(*one, what.candidate))
    return fail("`candidate` must be one that there is; " + expected);
  const llvm::json::Array *all = object.getArray("candidates");
  for (const llvm::json::Value &value : all ? *all : llvm::json::Array()) {
    what.all.emplace_back();
    if (!symbolize(value, what.all.back()))
      return fail("`candidates` must be those that there are; " + expected);
  }
  if (!llvm::is_contained(what.all, what.candidate))
    return fail("`candidate` must be one of `candidates`");
  return llvm::Error::success();
}

llvm::Error LineReader::readOutcome(const llvm::json::Object &object, Measurement &measurement) const {
  const llvm::json::Value *time = object.get("microseconds");
  std::optional<llvm::StringRef> refused = object.getString("refused"), problem = object.getString("problem");
  if (bool(time) + refused.has_value() + problem.has_value() != 1)
    return fail("a measurement needs one of `microseconds`, `refused` and `problem`");
  if (time) {
    measurement.microseconds = time->getAsNumber();
    if (!measurement.microseconds || !std::isfinite(*measurement.microseconds) || !(*measurement.microseconds > 0))
      return fail("`microseconds` must be a number above 0");
    return llvm::Error::success();
  }
  measurement.refused = refused.value_or("").str();
  measurement.problem = problem.value_or("").str();
  return measurement.refused.empty() && measurement.problem.empty() ? fail("`refused` and `problem` must have a reason")
                                                                    : llvm::Error::success();
}

llvm::Expected<Measurement> LineReader::read() const {
  llvm::Expected<llvm::json::Value> value = detail::parseJSON(text);
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    llvm::consumeError(value.takeError());
    return fail("expected a measurement, which is a JSON object on one line, but got `" + text.take_front(40) +
                (text.size() > 40 ? "...`" : "`"));
  }
  if (object->getInteger("version") != Measurements::version)
    return fail("expected `version` to be " + llvm::Twine(Measurements::version) +
                "; make the library and its candidates again by rnn-compile --emit-candidates, and measure it");
  Measurement measurement;
  CompiledCandidate &what = measurement.what;
  for (auto [name, field] : {std::pair{"function", &what.function},
                             {"op", &what.op},
                             {"target", &what.target},
                             {"chip", &what.chip},
                             {"device", &measurement.device}}) {
    std::optional<llvm::StringRef> found = object->getString(name);
    if (!found && name == llvm::StringRef("device"))
      return fail(
          "nothing was measured; these are candidates of rnn-compile --emit-candidates, to which a program that "
          "measures adds `device` and `microseconds`");
    if (!found)
      return fail(llvm::Twine("a measurement needs `") + name + "`, a string");
    *field = found->str();
  }
  if (llvm::Error error = readCandidates(*object, what))
    return error;
  if (llvm::Error error = readOutcome(*object, measurement))
    return error;
  return measurement;
}

llvm::Expected<Measurements> Measurements::parse(llvm::StringRef text, llvm::StringRef path) {
  Measurements result;
  auto buffer = llvm::MemoryBuffer::getMemBuffer(text, path, /*RequiresNullTerminator=*/false);
  for (llvm::line_iterator line(*buffer); !line.is_at_end(); ++line) {
    llvm::Expected<Measurement> one = LineReader(line, path).read();
    if (!one)
      return one.takeError();
    result.list.push_back(std::move(*one));
  }
  if (result.list.empty())
    return llvm::createStringError(
        (path + ": holds no measurements; a program that measures writes a line for each").str());
  return result;
}

llvm::Expected<Measurements> Measurements::read(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(
        ("cannot read measurements from `" + path + "`: " + buffer.getError().message()).str());
  return parse((*buffer)->getBuffer(), path);
}

/// A record from the last measurement of each candidate. If a candidate has none, logs that and returns none.
static std::optional<TuningRecord> decideOne(llvm::ArrayRef<const Measurement *> of, llvm::raw_ostream &log) {
  const CompiledCandidate &what = of.front()->what;
  TuningRecord record;
  record.op = what.op;
  record.target = what.target;
  record.chip = what.chip;
  record.device = of.front()->device;
  bool complete = true;
  log << record.op << ":";
  for (Candidate candidate : what.all) {
    const Measurement *last = nullptr;
    for (const Measurement *one : of)
      if (one->what.candidate == candidate)
        last = one;
    log << " " << stringifyCandidate(candidate) << " ";
    if (last && last->microseconds) {
      record.times.push_back({candidate, *last->microseconds});
      record.function += (record.function.empty() ? "" : ", ") + last->what.function;
      log << formatMicroseconds(*last->microseconds) << ",";
      continue;
    }
    const bool refused = last && !last->refused.empty();
    log << (!last ? "not measured" : (refused ? "refused (" + last->refused : "failed (" + last->problem) + ")") << ",";
    complete &= refused;
  }
  if (!complete || record.times.size() < 2) {
    log << " so no tuning record\n";
    return std::nullopt;
  }
  record.choose();
  record.alone = true; // --emit-candidates lists functions of one op only
  log << " so " << stringifyCandidate(record.choice) << "\n";
  return record;
}

llvm::Expected<size_t> Measurements::decide(TuningRecords &records, llvm::raw_ostream &log) const {
  std::map<std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef, llvm::StringRef>,
           llvm::SmallVector<const Measurement *>>
      groups;
  for (const Measurement &one : list) {
    if (one.what.target == "simt")
      return llvm::createStringError(
          "`" + one.what.function +
          "` was measured on target `simt`, whose times do not predict those of a GPU; measure on "
          "`host` or `cuda`");
    auto &group = groups[{one.what.target, one.what.chip, one.device, one.what.op}];
    if (!group.empty() && group.front()->what.all != one.what.all)
      return llvm::createStringError(
          "`" + one.what.function + "` and `" + group.front()->what.function +
          "` run the same op, but were compiled with other candidates for it; measure both again "
          "with libraries of one compiler");
    group.push_back(&one);
  }
  size_t count = 0;
  for (const auto &[key, group] : groups)
    if (std::optional<TuningRecord> record = decideOne(group, log)) {
      records.add(std::move(*record));
      ++count;
    }
  return count;
}
