//===- CostModel.cpp - estimated times of rnn ops -----------------------------===//
//
// A sum of terms that docs/Selection.md explains. The estimates rank candidates; they are not predictions of times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/CostModel.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir::rnn;

static constexpr llvm::StringLiteral candidateNames[] = {"runtime", "fused", "fused/per_step", "fused/persistent"};

llvm::StringRef mlir::rnn::stringifyCandidate(Candidate candidate) {
  return candidateNames[static_cast<size_t>(candidate)];
}

std::optional<Candidate> mlir::rnn::symbolizeCandidate(llvm::StringRef name) {
  for (size_t index = 0; index < std::size(candidateNames); ++index)
    if (candidateNames[index] == name)
      return static_cast<Candidate>(index);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define HOST "measured on 1 core of an AMD EPYC (Zen 3, AVX2), 2026-11-21 (fit)"
#define FLOOR "estimate (lower bound)"
#define GUESS "estimate (no source)"
#define SASS "estimate (benchmarks/gpu-sass.py)"

/// Names of host constants are host.CANDIDATE.PASS.TERM.
static constexpr CostConstant constants[] = {
    {"host.plan.forward.call", 4, "us", HOST},
    {"host.plan.forward.step", 0.2, "us", HOST},
    {"host.plan.forward.gmac", 33900, "us per 1e9 multiply-adds", HOST},
    {"host.plan.forward.gate", 3380, "us per 1e6 values", HOST},
    {"host.plan.forward.pack", 0, "us per 1e6 weights", HOST},
    {"host.plan.forward.weight", 56.3, "us per 1e6 recurrent weights and step", HOST},
    {"host.plan.backward.call", 6.7, "us", HOST},
    {"host.plan.backward.step", 0, "us", HOST},
    {"host.plan.backward.gmac", 26800, "us per 1e9 multiply-adds", HOST},
    {"host.plan.backward.gate", 709, "us per 1e6 values", HOST},
    {"host.plan.backward.pack", 900, "us per 1e6 weights", HOST},
    {"host.plan.backward.weight", 44, "us per 1e6 recurrent weights and step", HOST},
    {"host.plan.f16", 1.05, "of f32", HOST},
    {"host.plan.bf16", 1.05, "of f32", HOST},
    {"host.plan.f64", 2, "of f32", HOST},
    {"host.fused.forward.call", 4, "us", HOST},
    {"host.fused.forward.step", 0, "us", HOST},
    {"host.fused.forward.gmac", 24500, "us per 1e9 multiply-adds", HOST},
    {"host.fused.forward.gate", 0, "us per 1e6 values", HOST},
    {"host.fused.forward.pack", 108, "us per 1e6 weights", HOST},
    {"host.fused.forward.weight", 51.6, "us per 1e6 recurrent weights and step", HOST},
    {"host.fused.backward.call", 3.8, "us", HOST},
    {"host.fused.backward.step", 0, "us", HOST},
    {"host.fused.backward.gmac", 23800, "us per 1e9 multiply-adds", HOST},
    {"host.fused.backward.gate", 0, "us per 1e6 values", HOST},
    {"host.fused.backward.pack", 620, "us per 1e6 weights", HOST},
    {"host.fused.backward.weight", 42.7, "us per 1e6 recurrent weights and step", HOST},
    {"host.fused.f16", 0.8, "of f32", HOST},
    {"host.fused.bf16", 1.06, "of f32", HOST},
    {"host.fused.f64", 2.2, "of f32", HOST},
    {"worth.ratio", 0.95, "of a plan's time", "choice: smaller differences are within the noise"},
    {"worth.microseconds", 5, "us", "choice: kernels take 0.3 s longer to compile, 60000 calls that save this"},
    {"cuda.gemm.f16", 590, "TFLOP/s", FLOOR},
    {"cuda.gemm.tf32", 295, "TFLOP/s", FLOOR},
    {"cuda.gemm.f32", 45, "TFLOP/s", GUESS},
    {"cuda.gemm.f64", 45, "TFLOP/s", GUESS},
    {"cuda.fused.gemm", 0.62, "of cuda.gemm", FLOOR},
    {"cuda.l2", 5.5, "TB/s", FLOOR},
    {"cuda.clock", 1850, "MHz", SASS},
    {"cuda.multiprocessors", 132, "", FLOOR},
    {"cuda.plan.call", 15, "us", GUESS},
    {"cuda.plan.step", 1.8, "us", "estimate (published cuDNN backward on an H100, 3.18 ms at T=1024 B=16 H=768 f16)"},
    {"cuda.step.launch", 0.74, "us, with the exchange of a cluster", SASS},
    {"cuda.step.forward", 0.1, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.backward", 0.073, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.split", 4, "blocks per tile", "choice: lib/Codegen/GPU/Gemm.cpp"},
    {"cuda.fused.kernel", 3, "us", GUESS},
    {"cuda.cluster.latency", 560, "cycles", SASS},
    {"cuda.cluster.macs.f16", 640, "multiply-adds/cycle", SASS},
    {"cuda.cluster.macs.tf32", 334, "multiply-adds/cycle", SASS},
    {"cuda.cluster.macs.f32", 119, "multiply-adds/cycle", SASS},
    {"cuda.cluster.exchange", 45, "bytes/cycle", SASS},
    {"cuda.cluster.rows", 8, "examples", "choice: columns of mma.sync"},
};

llvm::ArrayRef<CostConstant> mlir::rnn::getCostConstants() {
  return constants;
}

/// All names are literals of this file, so a missing one is a bug here.
static double get(const llvm::Twine &name) {
  llvm::SmallString<64> buffer;
  llvm::StringRef text = name.toStringRef(buffer);
  for (const CostConstant &constant : constants)
    if (constant.name == text)
      return constant.value;
  llvm_unreachable("a constant that the table of the cost model lacks");
}

//===----------------------------------------------------------------------===//
// Work of a layer
//===----------------------------------------------------------------------===//

int64_t LayerProblem::assume(char symbol) {
  switch (symbol) {
  case 'T':
    return 128;
  case 'B':
    return 32;
  case 'L':
    return 1;
  default: // I, H and P
    return 256;
  }
}

double LayerProblem::getStepMacs() const {
  // With a projection the state has P units, and each step multiplies it by [H, P] as well.
  double macs = double(B) * gates * H * P + (P == H ? 0.0 : double(B) * H * P);
  return macs;
}

double LayerProblem::getOtherMacs() const {
  double forward = 0, weights = 0;
  for (int64_t layer = 0; layer < std::min<int64_t>(L, 1) + (L > 1); ++layer) {
    // Layers above the first have equal sizes.
    double count = layer == 0 ? 1.0 : double(L - 1);
    double input = layer == 0 ? double(I) : double(D) * P;
    forward += count * D * T * B * gates * H * input;
    weights += count * D * T * (double(B) * gates * H * input + getStepMacs());
  }
  if (!backward)
    return forward;
  // Layers above the first need the gradients of their input in any case.
  double inputs = inputGradient ? forward : forward - double(D) * T * B * gates * H * I;
  return inputs + (weightGradient ? weights : 0.0);
}

double LayerProblem::getStepWeightBytes() const {
  return (double(gates) * H * P + (P == H ? 0.0 : double(H) * P)) * getElementSize(element);
}

double LayerProblem::getWeights() const {
  double above = double(D) * P;
  return double(D) * gates * H * (I + P + (L - 1) * (above + P));
}

double LayerProblem::getGateValues() const {
  return double(L) * D * T * B * gates * H;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static double estimateHost(const LayerProblem &p, Candidate candidate, unsigned threads) {
  std::string prefix = std::string("host.") + (candidate == Candidate::Plan ? "plan." : "fused.") +
                       (p.backward ? "backward." : "forward.");
  llvm::StringRef type = stringifyElementKind(p.element);
  // Plans are single-threaded.
  double share = candidate == Candidate::Loops ? std::max(1u, threads) : 1;
  double steps = double(p.L) * p.D * p.T;
  double macs = steps * p.getStepMacs() + p.getOtherMacs();
  // Other element types scale the whole, most of which is GEMM.
  double factor = p.element == ElementKind::F32
                      ? 1.0
                      : get(std::string("host.") + (candidate == Candidate::Plan ? "plan." : "fused.") + type);
  return get(prefix + "call") + steps * get(prefix + "step") + p.getWeights() * get(prefix + "pack") * 1e-6 +
         factor *
             (macs * get(prefix + "gmac") * 1e-9 + p.getGateValues() * get(prefix + "gate") * 1e-6 +
              steps * double(p.gates) * p.H * p.P * get(prefix + "weight") * 1e-6) /
             share;
}

/// FLOP per microsecond of large GEMMs.
static double getGpuRate(const LayerProblem &p) {
  llvm::StringRef type = p.element == ElementKind::F64              ? "f64"
                         : p.element == ElementKind::F32 && !p.tf32 ? "f32"
                         : p.element == ElementKind::F32            ? "tf32"
                                                                    : "f16";
  return get("cuda.gemm." + type) * 1e6;
}

static double estimateClusterStep(const LayerProblem &p, int64_t blocks, int64_t &turns) {
  // The fewest examples per cluster with which all clusters of both directions are resident; the rest run in later
  // waves.
  int64_t resident = std::max<int64_t>(1, int64_t(get("cuda.multiprocessors")) / blocks / p.D);
  int64_t maxRows = get("cuda.cluster.rows");
  int64_t rows = std::clamp<int64_t>(llvm::divideCeil(std::max<int64_t>(p.B, 1), resident), 1, maxRows);
  turns = llvm::divideCeil(llvm::divideCeil(std::max<int64_t>(p.B, 1), rows), resident);
  double macsPerCycle = get(p.element != ElementKind::F32 ? "cuda.cluster.macs.f16"
                            : p.tf32                      ? "cuda.cluster.macs.tf32"
                                                          : "cuda.cluster.macs.f32");
  double macs = double(maxRows) * p.gates * llvm::divideCeil(p.H, blocks) * p.H;
  double bytes = double(p.H) * rows * 4;
  return (get("cuda.cluster.latency") + macs / macsPerCycle + bytes / get("cuda.cluster.exchange")) / get("cuda.clock");
}

static double estimateCuda(const LayerProblem &p, Candidate candidate, int64_t blocks) {
  // Both directions of a layer run concurrently, in fused kernels and in cuDNN.
  double steps = double(p.L) * p.T, rate = getGpuRate(p),
         weights = p.getStepWeightBytes() * p.D / (get("cuda.l2") * 1e6);
  double stepFlops = 2 * p.getStepMacs() * p.D, otherFlops = 2 * p.getOtherMacs();
  if (candidate == Candidate::Plan)
    return get("cuda.plan.call") * (p.backward ? 2 : 1) + otherFlops / rate +
           steps * (get("cuda.plan.step") + weights + stepFlops / rate);
  rate *= get("cuda.fused.gemm");
  // Besides the steps: one GEMM before a forward pass; two GEMMs and two column sums after a backward pass.
  double time = get("cuda.fused.kernel") * p.L * (p.backward ? 5 : 2) + otherFlops / rate;
  if (candidate == Candidate::PerStep) {
    // A block iterates over tiles of its slice of the depth, which is the state, or the gradients of all gates. Copies
    // of the next tiles run at the same time.
    double depth = double(p.P) * (p.backward ? p.gates : 1) * getElementSize(p.element) / 128;
    double iterations =
        std::ceil(depth / get("cuda.step.split")) * get(p.backward ? "cuda.step.backward" : "cuda.step.forward");
    return time + steps * (get("cuda.step.launch") + std::max(iterations, weights + stepFlops / rate));
  }
  int64_t turns = 1;
  double step = estimateClusterStep(p, blocks, turns);
  return time + turns * steps * step;
}

double mlir::rnn::estimateMicroseconds(const LayerProblem &problem, Candidate candidate, TargetKind target,
                                       unsigned threads, int64_t cluster) {
  if (target == TargetKind::Host)
    return estimateHost(problem, candidate, threads);
  return estimateCuda(problem, candidate, cluster);
}

bool mlir::rnn::mayReplacePlan(Candidate candidate, TargetKind target) {
  return target != TargetKind::Cuda || candidate != Candidate::PerStep;
}

bool mlir::rnn::isWorthMoreThanPlan(double other, double plan) {
  return other < ::get("worth.ratio") * plan && plan - other > ::get("worth.microseconds");
}

std::string mlir::rnn::formatMicroseconds(double microseconds) {
  return microseconds < 1000 ? llvm::formatv("{0:f1} us", microseconds).str()
                             : llvm::formatv("{0:f2} ms", microseconds / 1000).str();
}
