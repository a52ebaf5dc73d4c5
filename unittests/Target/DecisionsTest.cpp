//===- DecisionsTest.cpp - files of measured choices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/Decisions.h"
#include "gtest/gtest.h"

using namespace mlir::rnn;

static Decision makeDecision(std::string op, std::string device, double plan, double loops) {
  Decision decision;
  decision.op = std::move(op);
  decision.target = "host";
  decision.chip = "znver3";
  decision.device = std::move(device);
  decision.function = "main";
  decision.times = {{Candidate::Plan, plan}, {Candidate::Loops, loops}};
  decision.choose();
  return decision;
}

TEST(Decisions, WhatIsPrintedIsRead) {
  Decisions decisions;
  decisions.add(makeDecision("b \"quoted\"\n", "one", 10, 20));
  decisions.add(makeDecision("a", "one", 20, 10));
  Decision alone = makeDecision("c", "one", 20, 10);
  alone.alone = true;
  decisions.add(alone);
  std::string text = decisions.print();
  llvm::Expected<Decisions> read = Decisions::parse(text, "file");
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

TEST(Decisions, AnOrderOfAddingDoesNotShow) {
  Decisions one, other;
  for (const char *op : {"a", "b", "c"})
    one.add(makeDecision(op, "one", 1, 2));
  for (const char *op : {"c", "a", "b"})
    other.add(makeDecision(op, "one", 1, 2));
  EXPECT_EQ(one.print(), other.print());
}

TEST(Decisions, TheNewerReplacesTheOlder) {
  Decisions decisions;
  decisions.add(makeDecision("a", "one", 10, 20));
  decisions.add(makeDecision("a", "two", 10, 20));
  decisions.add(makeDecision("a", "one", 20, 10));
  ASSERT_EQ(decisions.getAll().size(), 2u);
  const Decision *found = decisions.find({"a", "host", "znver3", "one"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, Candidate::Loops);
  EXPECT_TRUE(decisions.find({"a", "host", "znver3", ""}));
  EXPECT_FALSE(decisions.find({"a", "host", "znver4", ""}));
  EXPECT_FALSE(decisions.find({"a", "cuda", "znver3", ""}));
  EXPECT_FALSE(decisions.find({"a", "host", "znver3", "three"}));
  EXPECT_FALSE(decisions.find({"b", "host", "znver3", ""}));
}

TEST(Decisions, APlanWinsTies) {
  EXPECT_EQ(makeDecision("a", "one", 100, 97).choice, Candidate::Plan);
  EXPECT_EQ(makeDecision("a", "one", 6, 2).choice, Candidate::Plan);
  EXPECT_EQ(makeDecision("a", "one", 100, 90).choice, Candidate::Loops);
  Decision decision = makeDecision("a", "one", 100, 90);
  decision.times = {{Candidate::Steps, 97}, {Candidate::Cluster, 90}, {Candidate::Plan, 93}};
  decision.choose();
  EXPECT_EQ(decision.choice, Candidate::Plan);
}

static std::string parseError(llvm::StringRef text) {
  llvm::Expected<Decisions> read = Decisions::parse(text, "file.json");
  return read ? "no error" : llvm::toString(read.takeError());
}

TEST(Decisions, WhatIsWrongIsSaidWithItsLine) {
  const std::string good = R"({"op": "[{a", "target": "host", "chip": "c", "device": "d", "function": "f",
 "microseconds": {"runtime": 1, "fused": 2}, "choice": "runtime"})";
  auto file = [&](llvm::StringRef last) {
    return "{\"version\": 1,\n\"decisions\": [\n" + good + ",\n" + last.str() + "\n]}";
  };
  EXPECT_EQ(parseError(file(good)), "no error");
  EXPECT_EQ(parseError("{\"version\": 1,\n\n  oops}").substr(0, 21), "file.json:3: not JSON");
  EXPECT_EQ(parseError("").substr(0, 21), "file.json:1: not JSON");
  EXPECT_EQ(parseError("[]"), "file.json:1: expected an object with `version` and `decisions`");
  EXPECT_EQ(parseError("{\"version\": 2, \"decisions\": []}"),
            "file.json:1: expected `version` to be 1, but got 2; write the file again by rnn-run --autotune");
  EXPECT_EQ(parseError("{\"decisions\": []}"),
            "file.json:1: expected `version` to be 1, but got none; write the file again by rnn-run --autotune");
  EXPECT_EQ(parseError("{\"version\": 1}"), "file.json:1: expected `decisions`, an array");
  EXPECT_EQ(parseError("{\"version\": 1, \"decisions\": [], \"more\": 1}"),
            "file.json:1: unknown field `more`; expected `version` and `decisions`");
  EXPECT_EQ(parseError(file("{}")), "file.json:5: a decision needs `op`, a string");
  EXPECT_EQ(parseError(file("7")).substr(0, 12), "file.json:6:");
  auto with = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t place = text.find(from.str());
    EXPECT_NE(place, std::string::npos);
    return parseError(file(text.replace(place, from.size(), to.str())));
  };
  EXPECT_EQ(with("\"fused\"", "\"magic\""), "file.json:5: unknown candidate `magic`; expected `runtime`, `fused`, "
                                              "`fused/step` or `fused/cluster`");
  EXPECT_EQ(with("\"fused\": 2", "\"fused\": -2"),
            "file.json:5: `fused` of `microseconds` must be a number that is not negative");
  EXPECT_EQ(with("\"choice\": \"runtime\"", "\"choice\": \"fused/step\""),
            "file.json:5: `choice` must be one of the candidates in `microseconds`");
  EXPECT_EQ(with("\"choice\"", "\"alone\": 1, \"choice\""), "file.json:5: `alone` must be true or false");
  EXPECT_EQ(with("{\"runtime\": 1, \"fused\": 2}", "{}"),
            "file.json:5: a decision needs `microseconds`, an object with a number for each candidate");
}
