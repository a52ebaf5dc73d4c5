//===- TuningRecords.cpp - files of tuning records ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/TuningRecords.h"
#include "JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <tuple>

using namespace mlir::rnn;

void TuningRecord::choose() {
  std::pair<Candidate, double> best = times.front();
  for (auto [candidate, time] : times)
    if (best.first == Candidate::Plan  ? isWorthMoreThanPlan(time, best.second)
        : candidate == Candidate::Plan ? !isWorthMoreThanPlan(best.second, time)
                                       : time < best.second)
      best = {candidate, time};
  choice = best.first;
}

namespace {
/// Reads one file. LLVM's parser reports text that is not JSON. JSON values have no locations, so for other errors the
/// text is scanned again for the line of the record.
class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef path) : text(text), path(path) {}

  llvm::Expected<llvm::SmallVector<TuningRecord>> read();

private:
  llvm::Error fail(unsigned line, const llvm::Twine &message) const {
    return llvm::createStringError((path + ":" + llvm::Twine(line) + ": " + message).str());
  }
  unsigned getRecordLine(size_t index) const;
  llvm::Expected<TuningRecord> readRecord(const llvm::json::Value &value, unsigned line) const;

  llvm::StringRef text, path;
};
} // namespace

/// Requires valid JSON: the record is the `index`-th object or array that opens at depth 2.
unsigned Reader::getRecordLine(size_t index) const {
  // A record that is neither an object nor an array has no bracket: its error names the last line.
  unsigned line = 1 + text.count('\n');
  size_t next = 0;
  detail::forEachJSONBracket(text, [&](const detail::JSONBracket &bracket) {
    bool isFound = bracket.depth == 2 && next++ == index;
    if (isFound)
      line = bracket.line;
    return !isFound;
  });
  return line;
}

llvm::Expected<TuningRecord> Reader::readRecord(const llvm::json::Value &value, unsigned line) const {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return fail(line, "a tuning record must be an object");
  TuningRecord record;
  for (auto [name, field] : {std::pair{"op", &record.op},
                             {"target", &record.target},
                             {"chip", &record.chip},
                             {"device", &record.device},
                             {"function", &record.function}}) {
    std::optional<llvm::StringRef> found = object->getString(name);
    if (!found)
      return fail(line, llvm::Twine("a tuning record needs `") + name + "`, a string");
    *field = found->str();
  }
  const llvm::json::Object *times = object->getObject("microseconds");
  if (!times || times->empty())
    return fail(line, "a tuning record needs `microseconds`, an object with a number for each candidate");
  for (const auto &[name, time] : *times) {
    std::optional<Candidate> candidate = symbolizeCandidate(name.str());
    std::optional<double> number = time.getAsNumber();
    if (!candidate)
      return fail(line, "unknown candidate `" + llvm::Twine(name.str()) +
                            "`; expected `runtime`, `fused`, `fused/per_step` or `fused/persistent`");
    if (!number || !std::isfinite(*number) || *number < 0)
      return fail(line, "`" + llvm::Twine(name.str()) + "` of `microseconds` must be a number that is not negative");
    record.times.push_back({*candidate, *number});
  }
  llvm::sort(record.times);
  std::optional<llvm::StringRef> choice = object->getString("choice");
  std::optional<Candidate> chosen = choice ? symbolizeCandidate(*choice) : std::nullopt;
  if (!chosen || llvm::none_of(record.times, [&](const auto &time) { return time.first == *chosen; }))
    return fail(line, "`choice` must be one of the candidates in `microseconds`");
  record.choice = *chosen;
  if (const llvm::json::Value *alone = object->get("alone")) {
    if (!alone->getAsBoolean())
      return fail(line, "`alone` must be true or false");
    record.alone = *alone->getAsBoolean();
  }
  return record;
}

llvm::Expected<llvm::SmallVector<TuningRecord>> Reader::read() {
  llvm::Expected<llvm::json::Value> root = detail::parseJSON(text);
  if (!root) {
    // "[line:column, byte=offset]: reason"
    std::string reason = llvm::toString(root.takeError());
    llvm::StringRef rest = reason;
    unsigned line = 1;
    if (rest.consume_front("[") && !rest.consumeInteger(10, line))
      rest = rest.split("]: ").second;
    return fail(line, "not JSON: " + rest);
  }
  const llvm::json::Object *object = root->getAsObject();
  if (!object)
    return fail(1, "expected an object with `version` and `records`");
  std::optional<int64_t> found = object->getInteger("version");
  if (!found || *found != TuningRecords::version)
    return fail(1, "expected `version` to be " + llvm::Twine(TuningRecords::version) + ", but got " +
                       (found ? llvm::Twine(*found).str() : "none") + "; write the file again by rnn-run --autotune");
  const llvm::json::Array *array = object->getArray("records");
  if (!array)
    return fail(1, "expected `records`, an array");
  // getRecordLine counts what opens at depth 2, so there must be no other fields.
  for (const auto &[name, value] : *object)
    if (name != "version" && name != "records")
      return fail(1, "unknown field `" + llvm::Twine(name.str()) + "`; expected `version` and `records`");
  llvm::SmallVector<TuningRecord> records;
  for (auto [index, value] : llvm::enumerate(*array)) {
    llvm::Expected<TuningRecord> record = readRecord(value, getRecordLine(index));
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  return records;
}

llvm::Expected<TuningRecords> TuningRecords::parse(llvm::StringRef text, llvm::StringRef path) {
  llvm::Expected<llvm::SmallVector<TuningRecord>> list = Reader(text, path).read();
  if (!list)
    return list.takeError();
  TuningRecords result;
  result.records = std::move(*list);
  return result;
}

llvm::Expected<TuningRecords> TuningRecords::read(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(
        ("cannot read tuning records from `" + path + "`: " + buffer.getError().message()).str());
  return parse((*buffer)->getBuffer(), path);
}

const TuningRecord *TuningRecords::find(const TuningQuery &query) const {
  for (const TuningRecord &record : records)
    if (record.op == query.op && record.target == query.target && record.chip == query.chip &&
        (query.device.empty() || record.device == query.device))
      return &record;
  return nullptr;
}

static auto getKey(const TuningRecord &record) {
  return std::tie(record.target, record.chip, record.device, record.op);
}

void TuningRecords::add(TuningRecord record) {
  llvm::erase_if(records, [&](const TuningRecord &old) { return getKey(old) == getKey(record); });
  records.push_back(std::move(record));
}

std::string TuningRecords::print() const {
  llvm::SmallVector<TuningRecord> sorted = records;
  llvm::sort(sorted, [](const TuningRecord &a, const TuningRecord &b) { return getKey(a) < getKey(b); });
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"version\": " << version << ", \"records\": [";
  for (const TuningRecord &record : sorted) {
    os << (&record == sorted.begin() ? "\n" : ",\n");
    llvm::json::OStream json(os);
    json.object([&] {
      json.attribute("op", record.op);
      json.attribute("target", record.target);
      json.attribute("chip", record.chip);
      json.attribute("device", record.device);
      json.attribute("function", record.function);
      json.attributeObject("microseconds", [&] {
        for (auto [candidate, time] : record.times) {
          json.attributeBegin(stringifyCandidate(candidate));
          json.rawValue(llvm::formatv("{0:f1}", time).str());
          json.attributeEnd();
        }
      });
      json.attribute("choice", stringifyCandidate(record.choice));
      if (record.alone)
        json.attribute("alone", true);
    });
  }
  os << "\n]}\n";
  return text;
}
