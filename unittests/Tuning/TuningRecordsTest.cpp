//===- TuningRecordsTest.cpp - files of measured choices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/TuningRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::rnn;

static TuningRecord makeRecord(std::string op, std::string device, double plan, double loops) {
  TuningRecord record;
  record.op = std::move(op);
  record.target = "host";
  record.chip = "znver3";
  record.device = std::move(device);
  record.function = "main";
  record.times = {{Candidate::Plan, plan}, {Candidate::Loops, loops}};
  record.choose();
  return record;
}

TEST(TuningRecords, RoundTrip) {
  TuningRecords records;
  records.add(makeRecord("b \"quoted\"\n", "one", 10, 20));
  records.add(makeRecord("a", "one", 20, 10));
  TuningRecord alone = makeRecord("c", "one", 20, 10);
  alone.alone = true;
  records.add(alone);
  std::string text = records.print();
  llvm::Expected<TuningRecords> read = TuningRecords::parse(text, "file");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->print(), text);
  ASSERT_EQ(read->getAll().size(), 3u);
  EXPECT_FALSE(read->getAll()[0].alone);
  EXPECT_TRUE(read->getAll()[2].alone);
  EXPECT_EQ(read->getAll()[0].op, "a");
  EXPECT_EQ(read->getAll()[0].choice, Candidate::Loops);
  EXPECT_EQ(read->getAll()[1].op, "b \"quoted\"\n");
  EXPECT_EQ(read->getAll()[1].choice, Candidate::Plan);
  EXPECT_EQ(read->getAll()[1].times[1].second, 20);
}

TEST(TuningRecords, OrderOfInsertionHasNoEffect) {
  TuningRecords one, other;
  for (const char *op : {"a", "b", "c"})
    one.add(makeRecord(op, "one", 1, 2));
  for (const char *op : {"c", "a", "b"})
    other.add(makeRecord(op, "one", 1, 2));
  EXPECT_EQ(one.print(), other.print());
}

TEST(TuningRecords, TheNewerReplacesTheOlder) {
  TuningRecords records;
  records.add(makeRecord("a", "one", 10, 20));
  records.add(makeRecord("a", "two", 10, 20));
  records.add(makeRecord("a", "one", 20, 10));
  ASSERT_EQ(records.getAll().size(), 2u);
  const TuningRecord *found = records.find({"a", "host", "znver3", "one"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, Candidate::Loops);
  EXPECT_TRUE(records.find({"a", "host", "znver3", ""}));
  EXPECT_FALSE(records.find({"a", "host", "znver4", ""}));
  EXPECT_FALSE(records.find({"a", "cuda", "znver3", ""}));
  EXPECT_FALSE(records.find({"a", "host", "znver3", "three"}));
  EXPECT_FALSE(records.find({"b", "host", "znver3", ""}));
}

TEST(TuningRecords, APlanWinsTies) {
  EXPECT_EQ(makeRecord("a", "one", 100, 97).choice, Candidate::Plan);
  EXPECT_EQ(makeRecord("a", "one", 3.9, 2).choice, Candidate::Plan);
  EXPECT_EQ(makeRecord("a", "one", 100, 90).choice, Candidate::Loops);
  TuningRecord record = makeRecord("a", "one", 100, 90);
  record.times = {{Candidate::PerStep, 97}, {Candidate::Persistent, 90}, {Candidate::Plan, 93}};
  record.choose();
  EXPECT_EQ(record.choice, Candidate::Plan);
}

static OptionRecord makeOption(std::string option, std::string chip, std::string initial,
                               llvm::SmallVector<std::pair<std::string, double>> times) {
  OptionRecord record;
  record.option = std::move(option);
  record.target = "host";
  record.chip = std::move(chip);
  record.device = "one";
  record.function = "main";
  record.times = std::move(times);
  record.choose(initial);
  return record;
}

TEST(TuningRecords, OptionsAreReadBack) {
  TuningRecords records;
  records.add(makeOption("vector-bits", "znver3", "256", {{"256", 10}, {"512", 9}}));
  records.add(makeRecord("a", "one", 20, 10));
  records.add(makeOption("bf16-gemm", "znver4", "avx512", {{"avx512", 10}, {"vnni", 20}}));
  records.add(makeOption("vector-bits", "znver3", "256", {{"256", 10}, {"512", 12.5}}));
  std::string text = records.print();
  llvm::Expected<TuningRecords> read = TuningRecords::parse(text, "file");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->print(), text);
  EXPECT_EQ(read->getAll().size(), 1u);
  ASSERT_EQ(read->getOptions().size(), 2u); // the newer vector width replaces the older
  const OptionRecord *found = read->findOption({"vector-bits", "host", "znver3", ""});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, "256");
  EXPECT_EQ(found->times[1].second, 12.5);
  EXPECT_FALSE(read->findOption({"vector-bits", "host", "znver4", ""}));
  EXPECT_FALSE(read->findOption({"bf16-gemm", "host", "znver4", "two"}));
  EXPECT_TRUE(read->findOption({"bf16-gemm", "host", "znver4", "one"}));
}

TEST(TuningRecords, TheTableWinsTiesOfOptions) {
  EXPECT_EQ(makeOption("vector-bits", "c", "512", {{"256", 96}, {"512", 100}}).choice, "512");
  EXPECT_EQ(makeOption("vector-bits", "c", "512", {{"256", 94}, {"512", 100}}).choice, "256");
  EXPECT_EQ(makeOption("vector-bits", "c", "256", {{"256", 90}, {"512", 100}}).choice, "256");
  // The processor table's value could not run.
  EXPECT_EQ(makeOption("bf16-gemm", "c", "amx", {{"f32", 99}, {"vnni", 98}}).choice, "vnni");
}

TEST(TuningRecords, AnUnavailableValueIsReplacedByTheNextFastest) {
  OptionRecord record = makeOption("bf16-gemm", "c", "amx", {{"amx", 1}, {"avx512", 2}, {"f32", 4}, {"vnni", 3}});
  auto choose = [&](std::initializer_list<llvm::StringRef> available) {
    return record.getChoice([&](llvm::StringRef value) { return llvm::is_contained(available, value); }).str();
  };
  EXPECT_EQ(choose({"f32", "vnni", "amx"}), "amx");
  EXPECT_EQ(choose({"f32", "vnni"}), "vnni");
  EXPECT_EQ(choose({"neon"}), "");
}

static std::string parseError(llvm::StringRef text) {
  llvm::Expected<TuningRecords> read = TuningRecords::parse(text, "file.json");
  return read ? "no error" : llvm::toString(read.takeError());
}

TEST(TuningRecords, ErrorsNameTheLine) {
  const std::string good = R"({"op": "[{a", "target": "host", "chip": "c", "device": "d", "function": "f",
 "microseconds": {"runtime": 1, "fused": 2}, "choice": "runtime"})";
  auto file = [&](llvm::StringRef last) {
    return "{\"version\": 2,\n\"records\": [\n" + good + ",\n" + last.str() + "\n]}";
  };
  EXPECT_EQ(parseError("{\"version\": 2, \"records\": [" + good + "]}"), "no error");
  EXPECT_EQ(parseError(file(good)), "file.json:5: a record of the same op or option, target, chip and device stands "
                                    "before; remove one of them");
  EXPECT_EQ(parseError("{\"version\": 2,\n\n  oops}").substr(0, 21), "file.json:3: not JSON");
  EXPECT_EQ(parseError("").substr(0, 21), "file.json:1: not JSON");
  EXPECT_EQ(parseError("{\"version\": 2, \"records\":\n" + std::string(100000, '[')),
            "file.json:2: not JSON: objects and arrays are nested more than 64 deep");
  // Brackets in strings do not nest.
  EXPECT_EQ(parseError("{\"version\": 2, \"records\": [], \"" + std::string(100, '[') + "\": 0}").substr(0, 28),
            "file.json:1: unknown field `");
  EXPECT_EQ(parseError("[]"), "file.json:1: expected an object with `version` and `records`");
  EXPECT_EQ(parseError("{\"version\": 1, \"records\": []}"),
            "file.json:1: expected `version` to be 2, but got 1; write the file again by rnn-run --autotune");
  EXPECT_EQ(parseError("{\"records\": []}"),
            "file.json:1: expected `version` to be 2, but got none; write the file again by rnn-run --autotune");
  EXPECT_EQ(parseError("{\"version\": 2}"), "file.json:1: expected `records`, an array");
  EXPECT_EQ(parseError("{\"version\": 2, \"records\": [], \"more\": 1}"),
            "file.json:1: unknown field `more`; expected `version` and `records`");
  EXPECT_EQ(parseError(file("{}")), "file.json:5: a tuning record needs `op`, a string");
  EXPECT_EQ(parseError(file("7")).substr(0, 12), "file.json:6:");
  auto with = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t place = text.find(from.str());
    EXPECT_NE(place, std::string::npos);
    return parseError(file(text.replace(place, from.size(), to.str())));
  };
  EXPECT_EQ(with("\"fused\"", "\"magic\""), "file.json:5: unknown candidate `magic`; expected `runtime`, `fused`, "
                                            "`fused/per_step` or `fused/persistent`");
  EXPECT_EQ(with("\"fused\": 2", "\"fused\": -2"),
            "file.json:5: `fused` of `microseconds` must be a number from 0 to 1e15");
  EXPECT_EQ(with("\"fused\": 2", "\"fused\": 1e15"), "file.json:5: a record of the same op or option, target, chip and "
                                                     "device stands before; remove one of them");
  EXPECT_EQ(with("\"fused\": 2", "\"fused\": 1.001e15"),
            "file.json:5: `fused` of `microseconds` must be a number from 0 to 1e15");
  // Printed with one decimal, such a number would be read back as another one.
  EXPECT_EQ(with("\"fused\": 2", "\"fused\": 2.5e30"),
            "file.json:5: `fused` of `microseconds` must be a number from 0 to 1e15");
  EXPECT_EQ(with("\"choice\": \"runtime\"", "\"choice\": \"fused/per_step\""),
            "file.json:5: `choice` must be one of the candidates in `microseconds`");
  EXPECT_EQ(with("\"choice\"", "\"alone\": 1, \"choice\""), "file.json:5: `alone` must be true or false");
  EXPECT_EQ(with("\"choice\"", "\"alonee\": true, \"choice\""),
            "file.json:5: unknown field `alonee` of a tuning record; expected `op`, `target`, `chip`, `device`, "
            "`function`, `microseconds`, `choice`, `alone`");
  EXPECT_EQ(with("\"target\": \"", "\"target\": \"x"),
            "file.json:5: unknown target `xhost`; expected `host`, `cuda` or "
            "`simt`");
  EXPECT_EQ(with("{\"runtime\": 1, \"fused\": 2}", "{}"),
            "file.json:5: a tuning record needs `microseconds`, an object with a number for each candidate");
}

TEST(TuningRecords, ErrorsOfOptionsNameTheLine) {
  auto parse = [](llvm::StringRef option, llvm::StringRef times, llvm::StringRef choice) {
    return parseError("{\"version\": 2, \"records\": [\n{\"option\": " + option.str() +
                      ", \"target\": \"host\", \"chip\": \"c\", \"device\": \"d\", \"function\": \"f\", "
                      "\"microseconds\": " +
                      times.str() + ", \"choice\": " + choice.str() + "}]}");
  };
  EXPECT_EQ(parse("\"vector-bits\"", "{\"256\": 1}", "\"256\""), "no error");
  EXPECT_EQ(parse("\"lanes\"", "{\"256\": 1}", "\"256\""),
            "file.json:2: unknown option `lanes`; expected `vector-bits`, `bf16-gemm` or `bf16-gemm-one-row`");
  EXPECT_EQ(parse("\"vector-bits\", \"alone\": true", "{\"256\": 1}", "\"256\""),
            "file.json:2: unknown field `alone` of a tuning record; expected `option`, `target`, `chip`, `device`, "
            "`function`, `microseconds`, `choice`");
  EXPECT_EQ(parse("7", "{\"256\": 1}", "\"256\""), "file.json:2: a tuning record needs `option`, a string");
  EXPECT_EQ(parse("\"vector-bits\"", "{\"1024\": 1}", "\"1024\""),
            "file.json:2: `1024` of `microseconds` is not a value of the option `vector-bits`");
  EXPECT_EQ(parse("\"bf16-gemm\"", "{\"auto\": 1}", "\"auto\""),
            "file.json:2: `auto` of `microseconds` is not a value of the option `bf16-gemm`");
  EXPECT_EQ(parse("\"vector-bits\"", "{\"256\": \"1\"}", "\"256\""),
            "file.json:2: `256` of `microseconds` must be a number from 0 to 1e15");
  EXPECT_EQ(parse("\"vector-bits\"", "{\"256\": 1}", "\"512\""),
            "file.json:2: `choice` must be one of the candidates in `microseconds`");
}
