//===- CostModelTest.cpp - the cost model compared with measured times -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/CostModel.h"
#include "gtest/gtest.h"
#include <fstream>
#include <set>
#include <sstream>

using namespace mlir::rnn;

static LayerProblem makeProblem(int64_t T, int64_t B, int64_t I, int64_t H, ElementKind element, bool backward) {
  LayerProblem p;
  p.T = T;
  p.B = B;
  p.I = I;
  p.H = p.P = H;
  p.L = p.D = 1;
  p.gates = 4;
  p.element = element;
  p.backward = backward;
  return p;
}

static const TargetInfo cuda(TargetKind::Cuda);

/// One line of host_rows.txt.
struct Row {
  std::string text, processor;
  LayerProblem problem;
  unsigned threads;
  double plan, fused;
  std::string note;
};

static std::vector<Row> readRows() {
  std::ifstream file(RNN_HOST_ROWS);
  EXPECT_TRUE(file.good()) << RNN_HOST_ROWS;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream fields(line);
    Row row;
    row.text = line;
    std::string cell, pass, element;
    LayerProblem &p = row.problem;
    EXPECT_TRUE(fields >> row.processor >> cell >> pass >> p.T >> p.B >> p.I >> p.H >> p.L >> p.D >> element >>
                row.threads >> row.plan >> row.fused)
        << line;
    fields >> row.note;
    p.P = p.H;
    p.gates = cell == "lstm" ? 4 : cell == "gru" ? 3 : 1;
    p.backward = pass == "backward";
    EXPECT_TRUE(symbolizeElementKind(element)) << line;
    p.element = symbolizeElementKind(element).value_or(ElementKind::F32);
    rows.push_back(row);
  }
  return rows;
}

TEST(CostModel, SelectsTheFasterInEveryMeasuredRow) {
  int planFaster = 0, fusedFaster = 0;
  for (const Row &row : readRows()) {
    // Rows that differ by less are within the noise of a machine with other load.
    double ratio = row.plan / row.fused;
    if (ratio < 1.1 && ratio > 1 / 1.1)
      continue;
    // Fused loops that save so little are not worth it (`worth.microseconds`).
    if (row.plan > row.fused && row.plan - row.fused < 2)
      continue;
    const TargetInfo target(TargetKind::Host, row.processor);
    double plan = estimateMicroseconds(row.problem, Candidate::Plan, target, row.threads);
    double fused = estimateMicroseconds(row.problem, Candidate::Loops, target, row.threads);
    EXPECT_EQ(isWorthMoreThanPlan(fused, plan), row.fused < row.plan)
        << row.text << ": estimated " << plan << " us and " << fused << " us";
    ++(row.fused < row.plan ? fusedFaster : planFaster);
  }
  EXPECT_GE(fusedFaster, 20);
  // Single times are noisy; only their magnitude is checked.
  for (const Row &row : readRows()) {
    if (row.threads != 1 || row.note == "ratio")
      continue;
    for (auto [candidate, measured] : {std::pair{Candidate::Plan, row.plan}, {Candidate::Loops, row.fused}}) {
      double estimated = estimateMicroseconds(row.problem, candidate, TargetInfo(TargetKind::Host, row.processor), 1);
      EXPECT_LT(estimated, 2 * measured) << row.text << " " << stringifyCandidate(candidate).str();
      EXPECT_GT(estimated, measured / 2) << row.text << " " << stringifyCandidate(candidate).str();
    }
  }
}

/// Microseconds of one step, without the GEMMs over all steps.
static double getStepTime(LayerProblem p, Candidate candidate, int64_t blocks = 0) {
  p.inputGradient = p.weightGradient = false;
  LayerProblem longer = p;
  longer.T += 1000;
  return (estimateMicroseconds(longer, candidate, cuda, 1, blocks) -
          estimateMicroseconds(p, candidate, cuda, 1, blocks)) /
         1000;
}

/// The means of both passes in docs/internals/gpu-time-steps.md.
TEST(CostModel, StepsAreThoseOfTheMachineCode) {
  struct Row {
    ElementKind element;
    bool tf32;
    int64_t H, blocks;
    double microseconds;
  };
  for (Row row : {Row{ElementKind::F16, false, 256, 8, 0.57},
                  {ElementKind::F16, false, 512, 16, 0.68},
                  {ElementKind::F16, false, 768, 16, 1.34},
                  {ElementKind::F32, true, 512, 16, 1.2},
                  {ElementKind::F32, false, 512, 16, 2.74}}) {
    LayerProblem p = makeProblem(100, 16, row.H, row.H, row.element, true);
    p.tf32 = row.tf32;
    EXPECT_NEAR(getStepTime(p, Candidate::Persistent, row.blocks), row.microseconds, 0.25 * row.microseconds) << row.H;
  }
  for (auto [tf32, microseconds] : {std::pair{true, 2.86}, {false, 4.76}}) {
    LayerProblem p = makeProblem(100, 16, 512, 512, ElementKind::F32, true);
    p.tf32 = tf32;
    EXPECT_NEAR(getStepTime(p, Candidate::PerStep), microseconds, 0.25 * microseconds);
  }
  for (auto [H, microseconds] : {std::pair{512, 1.32}, {768, 1.63}})
    EXPECT_NEAR(getStepTime(makeProblem(100, 16, H, H, ElementKind::F16, true), Candidate::PerStep), microseconds,
                0.25 * microseconds)
        << H;
  // Bound by the weights, which the table does not count.
  EXPECT_GT(getStepTime(makeProblem(100, 16, 1024, 1024, ElementKind::F16, true), Candidate::PerStep), 2.08);
  // cuDNN, published.
  EXPECT_NEAR(estimateMicroseconds(makeProblem(1024, 16, 768, 768, ElementKind::F16, true), Candidate::Plan, cuda),
              3180, 200);
}

TEST(CostModel, StepsOfUnsplitKernelsAreThoseOfTheMachineCode) {
  // gpu-time-steps.md, "Kernels for sm_80".
  for (auto [H, backward, microseconds] :
       {std::tuple{512, true, 2.8}, {512, false, 1.53}, {768, true, 4.07}, {768, false, 2.04}}) {
    LayerProblem p = makeProblem(100, 16, /*I=*/0, H, ElementKind::F16, backward); // no GEMM besides the steps
    p.splitsSteps = false;
    const double time = getStepTime(p, Candidate::PerStep);
    EXPECT_NEAR(time, microseconds, 0.05 * microseconds) << H;
    p.overlapsLaunches = false;
    EXPECT_GT(getStepTime(p, Candidate::PerStep), time + 0.5);
  }
}

TEST(CostModel, LayersOfAStackOverlap) {
  auto ratio = [](LayerProblem p, Candidate candidate) {
    LayerProblem one = p;
    one.L = 1;
    p.L = 4;
    return estimateMicroseconds(p, candidate, cuda, 1, 16) / estimateMicroseconds(one, candidate, cuda, 1, 16);
  };
  const LayerProblem layer = makeProblem(512, 16, 512, 512, ElementKind::F16, false);
  // gpu-time-steps.md, "Stacks as a wavefront": 1.41.
  EXPECT_NEAR(ratio(layer, Candidate::Persistent), 1.41, 0.15);
  EXPECT_LT(ratio(layer, Candidate::PerStep), 2);
  EXPECT_NEAR(ratio(layer, Candidate::Plan), 2.4, 0.1);
  auto isOneAfterTheOther = [&](LayerProblem p, Candidate candidate) { return ratio(p, candidate) > 3.8; };
  for (Candidate candidate : {Candidate::Persistent, Candidate::PerStep}) {
    LayerProblem off = layer;
    off.wavefrontChunk = 0;
    EXPECT_TRUE(isOneAfterTheOther(off, candidate));
    LayerProblem few = layer;
    few.T = 63;
    EXPECT_TRUE(isOneAfterTheOther(few, candidate));
    few.wavefrontChunk = 8;
    EXPECT_FALSE(isOneAfterTheOther(few, candidate));
  }
  LayerProblem both = layer;
  both.D = 2;
  EXPECT_TRUE(isOneAfterTheOther(both, Candidate::Persistent));
  EXPECT_TRUE(isOneAfterTheOther(both, Candidate::Plan));
  // The clusters of one layer occupy the device.
  LayerProblem full = layer;
  full.B = 64;
  EXPECT_TRUE(isOneAfterTheOther(full, Candidate::Persistent));
}

TEST(CostModel, EstimatesOfPerStepKernelsDoNotReplacePlans) {
  EXPECT_FALSE(mayReplacePlan(Candidate::PerStep, TargetKind::Cuda));
  EXPECT_TRUE(mayReplacePlan(Candidate::Persistent, TargetKind::Cuda));
  EXPECT_TRUE(mayReplacePlan(Candidate::Loops, TargetKind::Host));
}

TEST(CostModel, GrowsWithEverySize) {
  for (TargetKind target : {TargetKind::Host, TargetKind::Cuda})
    for (Candidate candidate : {Candidate::Plan, target == TargetKind::Host ? Candidate::Loops : Candidate::PerStep})
      for (bool backward : {false, true}) {
        LayerProblem small = makeProblem(50, 8, 64, 64, ElementKind::F32, backward);
        double time = estimateMicroseconds(small, candidate, TargetInfo(target));
        EXPECT_GT(time, 0);
        for (int64_t LayerProblem::*size : {&LayerProblem::T, &LayerProblem::B, &LayerProblem::I, &LayerProblem::L}) {
          LayerProblem larger = small;
          larger.*size *= 2;
          EXPECT_GT(estimateMicroseconds(larger, candidate, TargetInfo(target)), time);
        }
      }
}

TEST(CostModel, HostConstantsAreThoseOfTheProcessor) {
  const LayerProblem p = makeProblem(64, 32, 256, 256, ElementKind::BF16, true);
  auto estimate = [&](llvm::StringRef processor) {
    return estimateMicroseconds(p, Candidate::Loops, TargetInfo(TargetKind::Host, processor));
  };
  EXPECT_EQ(estimate("emeraldrapids"), estimate("sapphirerapids"));
  EXPECT_LT(estimate("sapphirerapids"), estimate("znver3") / 5);
  for (llvm::StringRef processor : {"", "znver2", "haswell", "rapids"})
    EXPECT_EQ(estimate(processor), estimate("znver3")) << processor.str();
}

TEST(CostModel, RecurrentWeightsBeyondL2TakeLonger) {
  auto getStep = [](int64_t H) {
    const TargetInfo target(TargetKind::Host, "sapphirerapids");
    LayerProblem p = makeProblem(100, 1, H, H, ElementKind::F32, false), longer = p;
    longer.T += 100;
    return (estimateMicroseconds(longer, Candidate::Plan, target) - estimateMicroseconds(p, Candidate::Plan, target)) /
           double(H * H);
  };
  EXPECT_GT(getStep(1024), 2 * getStep(256));
}

TEST(CostModel, GemmsAreCounted) {
  LayerProblem p = makeProblem(2, 3, 5, 7, ElementKind::F32, false);
  EXPECT_EQ(p.getStepMacs(), 3 * 4 * 7 * 7);
  EXPECT_EQ(p.getOtherMacs(), 2 * 3 * 4 * 7 * 5);
  p.backward = true;
  // dx, and dW of both matrices.
  EXPECT_EQ(p.getOtherMacs(), 2 * 3 * 4 * 7 * (5 + 5 + 7));
  p.inputGradient = false;
  EXPECT_EQ(p.getOtherMacs(), 2 * 3 * 4 * 7 * (5 + 7));
  p.weightGradient = false;
  EXPECT_EQ(p.getOtherMacs(), 0);
  // The second layer has the outputs of both directions as input, and passes their gradient on in any case.
  p.L = p.D = 2;
  EXPECT_EQ(p.getOtherMacs(), 2 * 2 * 3 * 4 * 7 * 14);
}

TEST(CostModel, ConstantsHaveNamesAndSources) {
  std::set<std::string> names;
  for (const CostConstant &constant : getCostConstants()) {
    EXPECT_TRUE(names.insert(constant.name.str()).second) << constant.name.str();
    EXPECT_TRUE(constant.source.starts_with("measured on ") || constant.source.starts_with("estimate") ||
                constant.source.starts_with("choice: "))
        << constant.name.str();
    EXPECT_GE(constant.value, 0) << constant.name.str();
  }
}

/// The documentation page has the same table.
TEST(CostModel, DocumentHasTheTable) {
  std::ifstream file(RNN_SELECTION_PAGE);
  ASSERT_TRUE(file.good()) << RNN_SELECTION_PAGE;
  std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const CostConstant &constant : getCostConstants()) {
    std::ostringstream line;
    line << "| `" << constant.name.str() << "` | " << constant.value << " | " << constant.unit.str() << " | "
         << constant.source.str() << " |";
    EXPECT_NE(page.find(line.str()), std::string::npos) << line.str();
  }
}

TEST(CostModel, CandidatesHaveNames) {
  for (Candidate candidate : {Candidate::Plan, Candidate::Loops, Candidate::PerStep, Candidate::Persistent})
    EXPECT_EQ(symbolizeCandidate(stringifyCandidate(candidate)), candidate);
  EXPECT_FALSE(symbolizeCandidate("fused/grid"));
  EXPECT_EQ(formatMicroseconds(12.34), "12.3 us");
  EXPECT_EQ(formatMicroseconds(12345), "12.35 ms");
}
