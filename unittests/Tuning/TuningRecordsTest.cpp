//===- TuningRecordsTest.cpp - files of measured choices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/TuningRecords.h"
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
  EXPECT_EQ(makeRecord("a", "one", 6, 2).choice, Candidate::Plan);
  EXPECT_EQ(makeRecord("a", "one", 100, 90).choice, Candidate::Loops);
  TuningRecord record = makeRecord("a", "one", 100, 90);
  record.times = {{Candidate::PerStep, 97}, {Candidate::Persistent, 90}, {Candidate::Plan, 93}};
  record.choose();
  EXPECT_EQ(record.choice, Candidate::Plan);
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
  EXPECT_EQ(parseError(file(good)), "no error");
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
            "file.json:5: `fused` of `microseconds` must be a number that is not negative");
  EXPECT_EQ(with("\"choice\": \"runtime\"", "\"choice\": \"fused/per_step\""),
            "file.json:5: `choice` must be one of the candidates in `microseconds`");
  EXPECT_EQ(with("\"choice\"", "\"alone\": 1, \"choice\""), "file.json:5: `alone` must be true or false");
  EXPECT_EQ(with("{\"runtime\": 1, \"fused\": 2}", "{}"),
            "file.json:5: a tuning record needs `microseconds`, an object with a number for each candidate");
}
