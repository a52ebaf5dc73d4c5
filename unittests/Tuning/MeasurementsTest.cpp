//===- MeasurementsTest.cpp - tuning records from files of measurements ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Tuning/Measurements.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir::rnn;

static CompiledCandidate makeCandidate(std::string function, Candidate candidate) {
  return {std::move(function),
          "op T=4",
          "cuda",
          "sm_90a",
          candidate,
          {Candidate::Plan, Candidate::PerStep, Candidate::Persistent}};
}

/// The line of the compiler with the fields that a measuring program appends.
static std::string makeLine(const CompiledCandidate &candidate, llvm::StringRef outcome,
                            llvm::StringRef device = "GPU") {
  std::string line = printCandidates(candidate);
  EXPECT_EQ(line.substr(line.size() - 2), "}\n");
  return line.substr(0, line.size() - 2) + ",\"device\":\"" + device.str() + "\"," + outcome.str() + "}\n";
}
static std::string makeLine(Candidate candidate, llvm::StringRef outcome, llvm::StringRef device = "GPU") {
  return makeLine(makeCandidate("f_" + stringifyCandidate(candidate).str(), candidate), outcome, device);
}

namespace {
struct Outcome {
  TuningRecords records;
  std::string log, error;
};
} // namespace

static Outcome decide(llvm::StringRef text) {
  Outcome outcome;
  auto take = [&](llvm::Error error) { outcome.error = llvm::toString(std::move(error)); };
  llvm::Expected<Measurements> measurements = Measurements::parse(text, "file");
  if (!measurements) {
    take(measurements.takeError());
    return outcome;
  }
  llvm::raw_string_ostream log(outcome.log);
  llvm::Expected<size_t> count = measurements->decide(outcome.records, log);
  if (!count)
    take(count.takeError());
  else
    EXPECT_EQ(*count, outcome.records.getAll().size());
  return outcome;
}

static const std::string plan = makeLine(Candidate::Plan, "\"microseconds\":90"),
                         steps = makeLine(Candidate::PerStep, "\"microseconds\":70.5"),
                         cluster = makeLine(Candidate::Persistent, "\"microseconds\":40");

TEST(Measurements, ALineBeginsWithItsFunction) {
  // Programs without a JSON library search for the function name at this position.
  EXPECT_TRUE(llvm::StringRef(plan).starts_with("{\"version\":1,\"function\":\"f_runtime\",")) << plan;
}

TEST(Measurements, FastestIsChosen) {
  Outcome outcome = decide(cluster + plan + steps);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.log,
            "op T=4: runtime 90.0 us, fused/per_step 70.5 us, fused/persistent 40.0 us, so fused/persistent\n");
  const TuningRecord *found = outcome.records.find({"op T=4", "cuda", "sm_90a", "GPU"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, Candidate::Persistent);
  EXPECT_EQ(found->function, "f_runtime, f_fused/per_step, f_fused/persistent");
  ASSERT_EQ(found->times.size(), 3u);
  EXPECT_EQ(found->times[1].second, 70.5);
  // Written candidates are read back unchanged.
  llvm::Expected<TuningRecords> read = TuningRecords::parse(outcome.records.print(), "file");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->print(), outcome.records.print());
}

TEST(Measurements, AnotherTimeIsAnotherChoice) {
  auto choose = [](llvm::StringRef text) { return decide(text).records.getAll().front().choice; };
  EXPECT_EQ(choose(plan + steps + makeLine(Candidate::Persistent, "\"microseconds\":400")), Candidate::PerStep);
  EXPECT_EQ(choose(makeLine(Candidate::Plan, "\"microseconds\":9") + steps + cluster), Candidate::Plan);
  // The later of two measurements counts.
  EXPECT_EQ(choose(plan + steps + cluster + makeLine(Candidate::Persistent, "\"microseconds\":400")),
            Candidate::PerStep);
  EXPECT_EQ(choose(makeLine(Candidate::Persistent, "\"problem\":\"lost\"") + plan + steps + cluster),
            Candidate::Persistent);
}

TEST(Measurements, RefusedCandidatesAreIgnored) {
  Outcome outcome = decide(plan + steps + makeLine(Candidate::Persistent, "\"refused\":\"no cluster fits\""));
  EXPECT_EQ(outcome.log, "op T=4: runtime 90.0 us, fused/per_step 70.5 us, fused/persistent refused (no cluster fits), "
                         "so fused/per_step\n");
  ASSERT_EQ(outcome.records.getAll().size(), 1u);
  EXPECT_EQ(outcome.records.getAll().front().times.size(), 2u);
}

TEST(Measurements, IncompleteMeasurementsAreNoRecord) {
  Outcome outcome = decide(makeLine(Candidate::Plan, "\"problem\":\"cuDNN is missing\"") + steps + cluster);
  EXPECT_EQ(outcome.log, "op T=4: runtime failed (cuDNN is missing), fused/per_step 70.5 us, fused/persistent 40.0 us, "
                         "so no tuning record\n");
  EXPECT_TRUE(outcome.records.getAll().empty());
  outcome = decide(steps + cluster);
  EXPECT_EQ(outcome.log,
            "op T=4: runtime not measured, fused/per_step 70.5 us, fused/persistent 40.0 us, so no tuning record\n");
  EXPECT_TRUE(outcome.records.getAll().empty());
  // With one candidate left there is no choice.
  outcome = decide(plan + makeLine(Candidate::PerStep, "\"refused\":\"a\"") +
                   makeLine(Candidate::Persistent, "\"refused\":\"b\""));
  EXPECT_TRUE(outcome.records.getAll().empty());
}

TEST(Measurements, DevicesAreSeparate) {
  EXPECT_TRUE(decide(plan + steps + makeLine(Candidate::Persistent, "\"microseconds\":40", "another"))
                  .records.getAll()
                  .empty());
  std::string all = plan + steps + cluster;
  for (auto [candidate, time] :
       {std::pair{Candidate::Plan, "9"}, {Candidate::PerStep, "70"}, {Candidate::Persistent, "40"}})
    all += makeLine(candidate, std::string("\"microseconds\":") + time, "another");
  Outcome outcome = decide(all);
  ASSERT_EQ(outcome.records.getAll().size(), 2u);
  EXPECT_EQ(outcome.records.find({"op T=4", "cuda", "sm_90a", "GPU"})->choice, Candidate::Persistent);
  EXPECT_EQ(outcome.records.find({"op T=4", "cuda", "sm_90a", "another"})->choice, Candidate::Plan);
}

TEST(Measurements, ErrorsNameTheLine) {
  auto with = [](std::string text, llvm::StringRef from, llvm::StringRef to) {
    size_t place = text.find(from.str());
    EXPECT_NE(place, std::string::npos);
    return decide(plan + text.replace(place, from.size(), to.str())).error;
  };
  EXPECT_EQ(decide("").error, "file: holds no measurements; a program that measures writes a line for each");
  EXPECT_EQ(decide("\n\n").error, "file: holds no measurements; a program that measures writes a line for each");
  EXPECT_EQ(decide("{\"version\": 2, \"records\": [\n]}\n").error,
            "file:1: expected a measurement, which is a JSON object on one line, but got `{\"version\": 2, "
            "\"records\": [`");
  EXPECT_EQ(decide("7").error, "file:1: expected a measurement, which is a JSON object on one line, but got `7`");
  EXPECT_EQ(decide(plan + steps.substr(0, 60)).error,
            "file:2: expected a measurement, which is a JSON object on one line, but got `" + steps.substr(0, 40) +
                "...`");
  EXPECT_EQ(
      decide(printCandidates(makeCandidate("f", Candidate::Plan))).error,
      "file:1: nothing was measured; these are candidates of rnn-compile --emit-candidates, to which a program that "
      "measures adds `device` and `microseconds`");
  EXPECT_EQ(
      with(steps, "\"version\":1", "\"version\":2"),
      "file:2: expected `version` to be 1; make the library and its candidates again by rnn-compile --emit-candidates, "
      "and measure it");
  EXPECT_EQ(with(steps, "\"op\":", "\"no\":"), "file:2: a measurement needs `op`, a string");
  EXPECT_EQ(with(steps, "\"fused/per_step\"", "\"magic\""),
            "file:2: `candidate` must be one that there is; expected `runtime`, "
            "`fused`, `fused/per_step` or `fused/persistent`");
  EXPECT_EQ(with(steps, "[\"runtime\"", "[\"magic\""), "file:2: `candidates` must be those that there are; expected "
                                                       "`runtime`, `fused`, `fused/per_step` or `fused/persistent`");
  EXPECT_EQ(with(steps, "\"fused/per_step\"", "\"fused\""), "file:2: `candidate` must be one of `candidates`");
  EXPECT_EQ(with(steps, "70.5", "0"), "file:2: `microseconds` must be a number above 0");
  EXPECT_EQ(with(steps, "70.5", "\"fast\""), "file:2: `microseconds` must be a number above 0");
  EXPECT_EQ(with(steps, "\"microseconds\":70.5", "\"times\":1"),
            "file:2: a measurement needs one of `microseconds`, `refused` and `problem`");
  EXPECT_EQ(with(steps, "\"microseconds\":70.5", "\"microseconds\":1,\"problem\":\"none\""),
            "file:2: a measurement needs one of `microseconds`, `refused` and `problem`");
  EXPECT_EQ(with(steps, "\"microseconds\":70.5", "\"problem\":\"\""),
            "file:2: `refused` and `problem` must have a reason");
  EXPECT_EQ(with(steps, "\"runtime\",\"fused/per_step\"", "\"fused/per_step\""),
            "`f_fused/per_step` and `f_runtime` run the same op, but were compiled with other candidates for it; "
            "measure both "
            "again with libraries of one compiler");
  EXPECT_EQ(with(steps, "\"target\":\"cuda\"", "\"target\":\"simt\""),
            "`f_fused/per_step` was measured on target `simt`, whose times do not predict those of a GPU; measure on "
            "`host` or `cuda`");
}
