//===- Decisions.cpp - a file of measured choices ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Decisions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <tuple>

using namespace mlir::rnn;

void Decision::choose() {
  std::pair<Candidate, double> best = times.front();
  for (auto [candidate, time] : times)
    if (best.first == Candidate::Plan        ? isWorthMoreThanPlan(time, best.second)
        : candidate == Candidate::Plan       ? !isWorthMoreThanPlan(best.second, time)
                                             : time < best.second)
      best = {candidate, time};
  choice = best.first;
}

namespace {
/// Reads one file. Text that is not JSON is reported by LLVM's parser; for the rest, JSON values do not know where they
/// stood, so the text is looked through again for the line of a decision.
class Reader {
public:
  Reader(llvm::StringRef text, llvm::StringRef path) : text(text), path(path) {}

  llvm::Expected<llvm::SmallVector<Decision>> read();

private:
  llvm::Error fail(unsigned line, const llvm::Twine &message) const {
    return llvm::createStringError((path + ":" + llvm::Twine(line) + ": " + message).str());
  }
  unsigned lineOfDecision(size_t index) const;
  llvm::Expected<Decision> readDecision(const llvm::json::Value &value, unsigned line) const;

  llvm::StringRef text, path;
};
} // namespace

/// The text is valid JSON: a decision is the `index`-th object that opens at depth 2, inside of the array.
unsigned Reader::lineOfDecision(size_t index) const {
  unsigned line = 1, depth = 0;
  size_t next = 0;
  bool inString = false;
  for (size_t place = 0; place < text.size(); ++place) {
    char c = text[place];
    if (c == '\n')
      ++line;
    if (inString) {
      if (c == '\\')
        ++place;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (depth == 2 && next++ == index)
        return line;
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return line;
}

llvm::Expected<Decision> Reader::readDecision(const llvm::json::Value &value, unsigned line) const {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return fail(line, "a decision must be an object");
  Decision decision;
  for (auto [name, place] : {std::pair{"op", &decision.op}, {"target", &decision.target}, {"chip", &decision.chip},
                             {"device", &decision.device}, {"function", &decision.function}}) {
    std::optional<llvm::StringRef> found = object->getString(name);
    if (!found)
      return fail(line, llvm::Twine("a decision needs `") + name + "`, a string");
    *place = found->str();
  }
  const llvm::json::Object *times = object->getObject("microseconds");
  if (!times || times->empty())
    return fail(line, "a decision needs `microseconds`, an object with a number for each candidate");
  for (const auto &[name, time] : *times) {
    std::optional<Candidate> candidate = symbolizeCandidate(name.str());
    std::optional<double> number = time.getAsNumber();
    if (!candidate)
      return fail(line, "unknown candidate `" + llvm::Twine(name.str()) +
                            "`; expected `runtime`, `fused`, `fused/step` or `fused/cluster`");
    if (!number || !std::isfinite(*number) || *number < 0)
      return fail(line, "`" + llvm::Twine(name.str()) + "` of `microseconds` must be a number that is not negative");
    decision.times.push_back({*candidate, *number});
  }
  llvm::sort(decision.times);
  std::optional<llvm::StringRef> choice = object->getString("choice");
  std::optional<Candidate> chosen = choice ? symbolizeCandidate(*choice) : std::nullopt;
  if (!chosen || llvm::none_of(decision.times, [&](const auto &time) { return time.first == *chosen; }))
    return fail(line, "`choice` must be one of the candidates in `microseconds`");
  decision.choice = *chosen;
  if (const llvm::json::Value *alone = object->get("alone")) {
    if (!alone->getAsBoolean())
      return fail(line, "`alone` must be true or false");
    decision.alone = *alone->getAsBoolean();
  }
  return decision;
}

llvm::Expected<llvm::SmallVector<Decision>> Reader::read() {
  llvm::Expected<llvm::json::Value> root = llvm::json::parse(text);
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
    return fail(1, "expected an object with `version` and `decisions`");
  std::optional<int64_t> found = object->getInteger("version");
  if (!found || *found != Decisions::version)
    return fail(1, "expected `version` to be " + llvm::Twine(Decisions::version) + ", but got " +
                       (found ? llvm::Twine(*found).str() : "none") + "; write the file again by rnn-run --autotune");
  const llvm::json::Array *array = object->getArray("decisions");
  if (!array)
    return fail(1, "expected `decisions`, an array");
  // Lines are counted by what opens in front of a decision, which is other decisions alone.
  for (const auto &[name, value] : *object)
    if (name != "version" && name != "decisions")
      return fail(1, "unknown field `" + llvm::Twine(name.str()) + "`; expected `version` and `decisions`");
  llvm::SmallVector<Decision> decisions;
  for (auto [index, value] : llvm::enumerate(*array)) {
    llvm::Expected<Decision> decision = readDecision(value, lineOfDecision(index));
    if (!decision)
      return decision.takeError();
    decisions.push_back(std::move(*decision));
  }
  return decisions;
}

llvm::Expected<Decisions> Decisions::parse(llvm::StringRef text, llvm::StringRef path) {
  llvm::Expected<llvm::SmallVector<Decision>> list = Reader(text, path).read();
  if (!list)
    return list.takeError();
  Decisions result;
  result.decisions = std::move(*list);
  return result;
}

llvm::Expected<Decisions> Decisions::read(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(("cannot read decisions from `" + path + "`: " + buffer.getError().message()).str());
  return parse((*buffer)->getBuffer(), path);
}

const Decision *Decisions::find(const DecisionQuery &query) const {
  for (const Decision &decision : decisions)
    if (decision.op == query.op && decision.target == query.target && decision.chip == query.chip &&
        (query.device.empty() || decision.device == query.device))
      return &decision;
  return nullptr;
}

static auto getKey(const Decision &decision) {
  return std::tie(decision.target, decision.chip, decision.device, decision.op);
}

void Decisions::add(Decision decision) {
  llvm::erase_if(decisions, [&](const Decision &old) { return getKey(old) == getKey(decision); });
  decisions.push_back(std::move(decision));
}

std::string Decisions::print() const {
  llvm::SmallVector<Decision> sorted = decisions;
  llvm::sort(sorted, [](const Decision &a, const Decision &b) { return getKey(a) < getKey(b); });
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"version\": " << version << ", \"decisions\": [";
  for (const Decision &decision : sorted) {
    os << (&decision == sorted.begin() ? "\n" : ",\n");
    llvm::json::OStream json(os);
    json.object([&] {
      json.attribute("op", decision.op);
      json.attribute("target", decision.target);
      json.attribute("chip", decision.chip);
      json.attribute("device", decision.device);
      json.attribute("function", decision.function);
      json.attributeObject("microseconds", [&] {
        for (auto [candidate, time] : decision.times) {
          json.attributeBegin(stringifyCandidate(candidate));
          json.rawValue(llvm::formatv("{0:f1}", time).str());
          json.attributeEnd();
        }
      });
      json.attribute("choice", stringifyCandidate(decision.choice));
      if (decision.alone)
        json.attribute("alone", true);
    });
  }
  os << "\n]}\n";
  return text;
}
