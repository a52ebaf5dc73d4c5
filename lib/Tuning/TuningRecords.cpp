//===- TuningRecords.cpp - files of tuning records ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/TuningRecords.h"
#include "JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
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

void OptionRecord::choose(llvm::StringRef initial) {
  constexpr double worthRatio = 0.95;
  auto isInitial = [&](const auto &time) { return time.first == initial; };
  auto isFaster = [](const auto &a, const auto &b) { return a.second < b.second; };
  auto best = llvm::min_element(times, isFaster);
  if (auto own = llvm::find_if(times, isInitial); own != times.end() && best->second >= worthRatio * own->second)
    best = own;
  choice = best->first;
}

llvm::StringRef OptionRecord::getChoice(llvm::function_ref<bool(llvm::StringRef)> isAvailable) const {
  if (isAvailable(choice))
    return choice;
  const std::pair<std::string, double> *best = nullptr;
  for (const auto &time : times)
    if (isAvailable(time.first) && (!best || time.second < best->second))
      best = &time;
  return best ? llvm::StringRef(best->first) : llvm::StringRef();
}

/// Whether `value` is one of the option's, without `auto`. An unknown option has none.
static bool isOptionValue(llvm::StringRef option, llvm::StringRef value) {
  if (option == "vector-bits")
    return value == "128" || value == "256" || value == "512";
  std::optional<BF16Gemm> gemm = symbolizeBF16Gemm(value);
  return (option == "bf16-gemm" || option == "bf16-gemm-one-row") && gemm && *gemm != BF16Gemm::Auto;
}

static auto getKey(const TuningRecord &record) {
  return std::tie(record.target, record.chip, record.device, record.op);
}
static auto getKey(const OptionRecord &record) {
  return std::tie(record.target, record.chip, record.device, record.option);
}

namespace {
/// Reads one file. LLVM's parser reports text that is not JSON. JSON values have no locations, so for other errors the
/// text is scanned again for the line of the record.
class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef path) : text(text), path(path) {}

  llvm::Error read(llvm::SmallVectorImpl<TuningRecord> &records, llvm::SmallVectorImpl<OptionRecord> &options);

private:
  llvm::Error fail(unsigned line, const llvm::Twine &message) const {
    return llvm::createStringError((path + ":" + llvm::Twine(line) + ": " + message).str());
  }
  llvm::SmallVector<unsigned> getRecordLines() const;
  using Fields = std::initializer_list<std::pair<llvm::StringLiteral, std::string *>>;
  /// Reports a field that is not one of `names`, and a target that does not exist.
  llvm::Error checkFields(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> names, unsigned line) const;
  llvm::Error readStrings(const llvm::json::Object &object, Fields fields, unsigned line) const;
  llvm::Error readTimes(const llvm::json::Object &object, unsigned line,
                        llvm::function_ref<llvm::Error(llvm::StringRef, double)> add) const;
  llvm::Expected<TuningRecord> readRecord(const llvm::json::Object &object, unsigned line) const;
  llvm::Expected<OptionRecord> readOption(const llvm::json::Object &object, unsigned line) const;

  llvm::StringRef text, path;
};
} // namespace

/// Requires valid JSON: a record is an object or array that opens at depth 2.
llvm::SmallVector<unsigned> Reader::getRecordLines() const {
  llvm::SmallVector<unsigned> lines;
  detail::forEachJSONBracket(text, [&](const detail::JSONBracket &bracket) {
    if (bracket.depth == 2)
      lines.push_back(bracket.line);
    return true;
  });
  return lines;
}

llvm::Error Reader::checkFields(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> names,
                                unsigned line) const {
  for (const auto &[name, value] : object)
    if (!llvm::is_contained(names, llvm::StringRef(name)))
      return fail(line, "unknown field `" + llvm::Twine(name.str()) + "` of a tuning record; expected `" +
                            llvm::join(names, "`, `") + "`");
  std::optional<llvm::StringRef> target = object.getString("target");
  if (target && !symbolizeTargetKind(*target))
    return fail(line, "unknown target `" + *target + "`; expected `host`, `cuda` or `simt`");
  return llvm::Error::success();
}

llvm::Error Reader::readStrings(const llvm::json::Object &object, Fields fields, unsigned line) const {
  for (auto [name, field] : fields) {
    std::optional<llvm::StringRef> found = object.getString(name);
    if (!found)
      return fail(line, "a tuning record needs `" + name + "`, a string");
    *field = found->str();
  }
  return llvm::Error::success();
}

llvm::Error Reader::readTimes(const llvm::json::Object &object, unsigned line,
                              llvm::function_ref<llvm::Error(llvm::StringRef, double)> add) const {
  const llvm::json::Object *times = object.getObject("microseconds");
  if (!times || times->empty())
    return fail(line, "a tuning record needs `microseconds`, an object with a number for each candidate");
  for (const auto &[name, time] : *times) {
    std::optional<double> number = time.getAsNumber();
    // Printed times are exact up to 2^53.
    if (number && *number >= 0 && *number <= 1e15) {
      if (llvm::Error error = add(name, *number))
        return error;
      continue;
    }
    return fail(line, "`" + llvm::Twine(name.str()) + "` of `microseconds` must be a number from 0 to 1e15");
  }
  return llvm::Error::success();
}

llvm::Expected<OptionRecord> Reader::readOption(const llvm::json::Object &object, unsigned line) const {
  OptionRecord record;
  if (llvm::Error error =
          checkFields(object, {"option", "target", "chip", "device", "function", "microseconds", "choice"}, line))
    return std::move(error);
  if (llvm::Error error = readStrings(object,
                                      {{"option", &record.option},
                                       {"target", &record.target},
                                       {"chip", &record.chip},
                                       {"device", &record.device},
                                       {"function", &record.function},
                                       {"choice", &record.choice}},
                                      line))
    return std::move(error);
  if (record.option != "vector-bits" && record.option != "bf16-gemm" && record.option != "bf16-gemm-one-row")
    return fail(line, "unknown option `" + llvm::Twine(record.option) +
                          "`; expected `vector-bits`, `bf16-gemm` or `bf16-gemm-one-row`");
  auto add = [&](llvm::StringRef value, double time) -> llvm::Error {
    if (!isOptionValue(record.option, value))
      return fail(line, "`" + value + "` of `microseconds` is not a value of the option `" + record.option + "`");
    record.times.push_back({value.str(), time});
    return llvm::Error::success();
  };
  if (llvm::Error error = readTimes(object, line, add))
    return std::move(error);
  llvm::sort(record.times);
  if (llvm::none_of(record.times, [&](const auto &time) { return time.first == record.choice; }))
    return fail(line, "`choice` must be one of the candidates in `microseconds`");
  return record;
}

llvm::Expected<TuningRecord> Reader::readRecord(const llvm::json::Object &object, unsigned line) const {
  TuningRecord record;
  if (llvm::Error error =
          checkFields(object, {"op", "target", "chip", "device", "function", "microseconds", "choice", "alone"}, line))
    return std::move(error);
  if (llvm::Error error = readStrings(object,
                                      {{"op", &record.op},
                                       {"target", &record.target},
                                       {"chip", &record.chip},
                                       {"device", &record.device},
                                       {"function", &record.function}},
                                      line))
    return std::move(error);
  auto add = [&](llvm::StringRef name, double time) -> llvm::Error {
    std::optional<Candidate> candidate = symbolizeCandidate(name);
    if (!candidate)
      return fail(line, "unknown candidate `" + name +
                            "`; expected `runtime`, `fused`, `fused/per_step` or `fused/persistent`");
    record.times.push_back({*candidate, time});
    return llvm::Error::success();
  };
  if (llvm::Error error = readTimes(object, line, add))
    return std::move(error);
  llvm::sort(record.times);
  std::optional<llvm::StringRef> choice = object.getString("choice");
  std::optional<Candidate> chosen = choice ? symbolizeCandidate(*choice) : std::nullopt;
  if (!chosen || llvm::none_of(record.times, [&](const auto &time) { return time.first == *chosen; }))
    return fail(line, "`choice` must be one of the candidates in `microseconds`");
  record.choice = *chosen;
  if (const llvm::json::Value *alone = object.get("alone")) {
    if (!alone->getAsBoolean())
      return fail(line, "`alone` must be true or false");
    record.alone = *alone->getAsBoolean();
  }
  return record;
}

llvm::Error Reader::read(llvm::SmallVectorImpl<TuningRecord> &records, llvm::SmallVectorImpl<OptionRecord> &options) {
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
  // getRecordLines returns what opens at depth 2, so there must be no other fields.
  for (const auto &[name, value] : *object)
    if (name != "version" && name != "records")
      return fail(1, "unknown field `" + llvm::Twine(name.str()) + "`; expected `version` and `records`");
  const llvm::SmallVector<unsigned> lines = getRecordLines();
  // A record that is neither an object nor an array has no bracket: its error names the last line.
  const unsigned lastLine = 1 + text.count('\n');
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::set<Key> opKeys, optionKeys;
  for (auto [index, value] : llvm::enumerate(*array)) {
    const unsigned line = index < lines.size() ? lines[index] : lastLine;
    const llvm::json::Object *record = value.getAsObject();
    if (!record)
      return fail(line, "a tuning record must be an object");
    const bool isOption = record->get("option");
    if (llvm::Error error = isOption ? readOption(*record, line).moveInto(options.emplace_back())
                                     : readRecord(*record, line).moveInto(records.emplace_back()))
      return error;
    const bool isNew =
        isOption ? optionKeys.insert(getKey(options.back())).second : opKeys.insert(getKey(records.back())).second;
    if (!isNew)
      return fail(line, "a record of the same op or option, target, chip and device stands before; remove one of them");
  }
  return llvm::Error::success();
}

llvm::Expected<TuningRecords> TuningRecords::parse(llvm::StringRef text, llvm::StringRef path) {
  TuningRecords result;
  if (llvm::Error error = Reader(text, path).read(result.records, result.options))
    return std::move(error);
  return result;
}

llvm::Expected<TuningRecords> TuningRecords::read(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(
        ("cannot read tuning records from `" + path + "`: " + buffer.getError().message()).str());
  return parse((*buffer)->getBuffer(), path);
}

template <typename Record>
static const Record *findRecord(llvm::ArrayRef<Record> records, std::string Record::*name, const TuningQuery &query) {
  for (const Record &record : records)
    if (record.*name == query.op && record.target == query.target && record.chip == query.chip &&
        (query.device.empty() || record.device == query.device))
      return &record;
  return nullptr;
}

const TuningRecord *TuningRecords::find(const TuningQuery &query) const {
  return findRecord<TuningRecord>(records, &TuningRecord::op, query);
}

const OptionRecord *TuningRecords::findOption(const TuningQuery &query) const {
  return findRecord<OptionRecord>(options, &OptionRecord::option, query);
}

template <typename Record> static void replace(llvm::SmallVectorImpl<Record> &records, Record record) {
  llvm::erase_if(records, [&](const Record &old) { return getKey(old) == getKey(record); });
  records.push_back(std::move(record));
}

void TuningRecords::add(TuningRecord record) {
  replace(records, std::move(record));
}

void TuningRecords::add(OptionRecord record) {
  replace(options, std::move(record));
}

static llvm::StringRef getName(Candidate candidate) {
  return stringifyCandidate(candidate);
}
static llvm::StringRef getName(llvm::StringRef value) {
  return value;
}

/// Prints the fields that both kinds of records have after the first one.
template <typename Record> static void printFields(llvm::json::OStream &json, const Record &record) {
  json.attribute("target", record.target);
  json.attribute("chip", record.chip);
  json.attribute("device", record.device);
  json.attribute("function", record.function);
  json.attributeObject("microseconds", [&] {
    for (const auto &[candidate, time] : record.times) {
      json.attributeBegin(getName(candidate));
      json.rawValue(llvm::formatv("{0:f1}", time).str());
      json.attributeEnd();
    }
  });
  json.attribute("choice", getName(record.choice));
}

static void printRecord(llvm::json::OStream &json, const TuningRecord &record) {
  json.attribute("op", record.op);
  printFields(json, record);
  if (record.alone)
    json.attribute("alone", true);
}

static void printRecord(llvm::json::OStream &json, const OptionRecord &record) {
  json.attribute("option", record.option);
  printFields(json, record);
}

std::string TuningRecords::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"version\": " << version << ", \"records\": [";
  llvm::StringRef separator = "\n";
  auto printSorted = [&](auto sorted) {
    llvm::sort(sorted, [](const auto &a, const auto &b) { return getKey(a) < getKey(b); });
    for (const auto &record : sorted) {
      os << std::exchange(separator, ",\n");
      llvm::json::OStream json(os);
      json.object([&] { printRecord(json, record); });
    }
  };
  printSorted(records);
  printSorted(options);
  os << "\n]}\n";
  return text;
}
