//===- CostModel.cpp - estimated times of rnn ops -----------------------------===//
//
// A sum of terms that docs/Selection.md explains. The estimates rank candidates; they are not predictions of times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rnn/Target/CostModel.h"
#include "rnn/Target/InPlaceWeights.h"
#include "rnn/Target/Wavefront.h"
#include "llvm/ADT/StringExtras.h"
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

#define FLOOR "estimate (lower bound)"
#define GUESS "estimate (no source)"
#define SASS "estimate (benchmarks/gpu-sass.py)"

/// Names of host constants are host.FAMILY.CANDIDATE.PASS.TERM; the file describes them.
static constexpr CostConstant constants[] = {
#define RNN_HOST_COST_FAMILY(family, processors, cache, source) {"host." family ".cache", cache, "KiB of L2", source},
#define RNN_HOST_COSTS(family, candidate, pass, call, step, gmac, gate, pack, weight, far, source)                     \
  {"host." family "." candidate "." pass ".call", call, "us", source},                                                 \
      {"host." family "." candidate "." pass ".step", step, "us", source},                                             \
      {"host." family "." candidate "." pass ".gmac", gmac, "us per 1e9 multiply-adds", source},                       \
      {"host." family "." candidate "." pass ".gate", gate, "us per 1e6 values", source},                              \
      {"host." family "." candidate "." pass ".pack", pack, "us per 1e6 weights", source},                             \
      {"host." family "." candidate "." pass ".weight", weight, "us per 1e6 recurrent weights and step", source},      \
      {"host." family "." candidate "." pass ".far", far, "us per 1e6 recurrent weights beyond L2 and step", source},
#define RNN_HOST_TYPE(family, candidate, type, factor, source)                                                         \
  {"host." family "." candidate "." type, factor, "of f32", source},
#include "HostCosts.def"
    {"worth.ratio", 0.95, "of a plan's time", "choice: smaller differences are within the noise"},
    {"worth.microseconds", 2, "us", "choice: kernels take 0.3 s longer to compile, 150000 calls that save this"},
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
    {"cuda.plan.layer", 0.45, "of the steps of one layer, for each other layer in one direction",
     "estimate (step 3 of NVIDIA's \"Optimizing Recurrent Neural Networks in cuDNN 5\", as quoted in keras-team/keras "
     "issue 3692: overlapping 4 layers is 1.7 times as fast, so they take 2.35 times one)"},
    {"cuda.step.launch", 0.54, "us", SASS},
    {"cuda.step.launch.before_sm_90", 1.2, "us", GUESS},
    {"cuda.step.exchange", 0.2, "us, of a cluster", SASS},
    {"cuda.step.forward.f16", 0.1, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.forward.tf32", 0.227, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.forward.f32", 0.52, "us per 128 bytes of a block's depth; also f64", SASS},
    {"cuda.step.backward.f16", 0.073, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.backward.tf32", 0.131, "us per 128 bytes of a block's depth", SASS},
    {"cuda.step.backward.f32", 0.25, "us per 128 bytes of a block's depth; also f64", SASS},
    {"cuda.step.unsplit.forward", 1.24, "of a split depth", SASS},
    {"cuda.step.unsplit.backward", 1, "of a split depth", SASS},
    {"cuda.step.split", 4, "blocks per tile", "choice: lib/Codegen/GPU/Gemm.cpp"},
    {"cuda.wavefront.enqueued", 1, "us, a kernel or an event", GUESS},
    {"cuda.wavefront.flag", 1, "us, the end of a chunk in a kernel that goes on", GUESS},
    {"cuda.wavefront.gemm", 0.31, "of the time of input GEMMs beside the steps", SASS},
    {"cuda.wavefront.fill", 7, "us per layer, for the input GEMM of its first chunk", SASS},
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

static std::optional<double> find(const llvm::Twine &name) {
  llvm::SmallString<64> buffer;
  llvm::StringRef text = name.toStringRef(buffer);
  for (const CostConstant &constant : constants)
    if (constant.name == text)
      return constant.value;
  return std::nullopt;
}

/// All names are literals of this file, so a missing one is a bug here.
static double get(const llvm::Twine &name) {
  if (std::optional<double> value = find(name))
    return *value;
  llvm_unreachable("a constant that the table of the cost model lacks");
}

/// The family of constants for a processor, by LLVM's name.
static llvm::StringRef getCostFamily(llvm::StringRef processor) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> families[] = {
#define RNN_HOST_COST_FAMILY(family, processors, cache, source) {family, processors},
#include "HostCosts.def"
  };
  for (const auto &[family, processors] : families)
    if (llvm::is_contained(llvm::split(processors, ' '), processor))
      return family;
  return families[0].first;
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

static double estimateHost(const LayerProblem &p, Candidate candidate, llvm::StringRef processor, unsigned threads) {
  const std::string family = ("host." + getCostFamily(processor) + ".").str();
  const std::string base = family + (candidate == Candidate::Plan ? "plan." : "fused.");
  const std::string type = stringifyElementKind(p.element).str(), pass = p.backward ? "backward." : "forward.";
  double weights = double(p.gates) * p.H * p.P;
  // Calls that read the weights in place: of few steps with few rows, and, with any number of rows, of one step.
  const int64_t most = InPlaceProducts::getMost(int64_t(weights * 4));
  const bool isOnce = (p.T == 1 || double(p.T) * p.B <= most) && find(base + "once." + pass + "gmac");
  const std::string name = base + (isOnce ? "once." : "");
  // An element type without constants of its own has those of f32, multiplied by one factor: most of the time is GEMM.
  const bool hasOwn = p.element != ElementKind::F32 && find(name + type + "." + pass + "gmac");
  const double factor = hasOwn || p.element == ElementKind::F32 ? 1.0 : get(base + type);
  const std::string prefix = name + (hasOwn ? type + "." : "") + pass;
  // Plans are single-threaded.
  double share = candidate == Candidate::Loops ? std::max(1u, threads) : 1;
  double steps = double(p.L) * p.D * p.T;
  double macs = steps * p.getStepMacs() + p.getOtherMacs();
  double readings = isOnce ? steps - double(p.L) * p.D : steps; // the first one is part of `pack`
  double far = std::max(0.0, weights - get(family + "cache") * 1024 / getElementSize(p.element));
  return get(prefix + "call") + steps * get(prefix + "step") + p.getWeights() * get(prefix + "pack") * 1e-6 +
         factor *
             (macs * get(prefix + "gmac") * 1e-9 + p.getGateValues() * get(prefix + "gate") * 1e-6 +
              (readings * weights * get(prefix + "weight") + steps * far * get(prefix + "far")) * 1e-6) /
             share;
}

/// How a GPU multiplies.
static llvm::StringRef getGpuType(const LayerProblem &p) {
  return p.element == ElementKind::F64              ? "f64"
         : p.element == ElementKind::F32 && !p.tf32 ? "f32"
         : p.element == ElementKind::F32            ? "tf32"
                                                    : "f16";
}

/// FLOP per microsecond of large GEMMs.
static double getGpuRate(const LayerProblem &p) {
  return get("cuda.gemm." + getGpuType(p)) * 1e6;
}

/// Clusters that the device holds together, of one direction.
static int64_t getResidentClusters(const LayerProblem &p, int64_t blocks) {
  return std::max<int64_t>(1, int64_t(get("cuda.multiprocessors")) / blocks / p.D);
}

/// Examples of a cluster at most.
static int64_t getMostRows() {
  return int64_t(get("cuda.cluster.rows"));
}

/// Clusters of one layer and direction, if there are as few as possible.
static int64_t getLeastClusters(const LayerProblem &p) {
  return llvm::divideCeil(std::max<int64_t>(p.B, 1), getMostRows());
}

/// Examples per cluster with which all clusters are among `resident`, at most those that a kernel supports.
static int64_t getRows(const LayerProblem &p, int64_t resident) {
  return std::clamp<int64_t>(llvm::divideCeil(std::max<int64_t>(p.B, 1), resident), 1, getMostRows());
}

/// A step of a layer that has `resident` clusters, in which clusters that do not fit run in later turns.
static double estimateClusterStep(const LayerProblem &p, int64_t blocks, int64_t resident) {
  int64_t rows = getRows(p, resident);
  int64_t turns = llvm::divideCeil(llvm::divideCeil(std::max<int64_t>(p.B, 1), rows), resident);
  double macsPerCycle = get(p.element != ElementKind::F32 ? "cuda.cluster.macs.f16"
                            : p.tf32                      ? "cuda.cluster.macs.tf32"
                                                          : "cuda.cluster.macs.f32");
  double macs = double(getMostRows()) * p.gates * llvm::divideCeil(p.H, blocks) * p.H;
  double bytes = double(p.H) * rows * 4;
  return turns * (get("cuda.cluster.latency") + macs / macsPerCycle + bytes / get("cuda.cluster.exchange")) /
         get("cuda.clock");
}

/// A step of one layer as a kernel of its own; all directions.
static double estimatePerStep(const LayerProblem &p, double stepWork) {
  // A block iterates over tiles of its slice of the depth, which is the state, or the gradients of all gates. Copies
  // of the next tiles run at the same time.
  std::string pass = p.backward ? "backward" : "forward";
  double depth = double(p.P) * (p.backward ? p.gates : 1) * getElementSize(p.element) / 128;
  std::string type = p.element == ElementKind::F64 ? "f32" : getGpuType(p).str();
  double iterations = std::ceil(p.splitsSteps ? depth / get("cuda.step.split") : depth) *
                      get("cuda.step." + pass + "." + type) * (p.splitsSteps ? 1.0 : get("cuda.step.unsplit." + pass));
  return get(p.overlapsLaunches ? "cuda.step.launch" : "cuda.step.launch.before_sm_90") +
         (p.splitsSteps ? get("cuda.step.exchange") : 0.0) + std::max(iterations, stepWork);
}

/// True if a kernel goes on with the next chunk of its layer.
static bool goesOn(const LayerProblem &p, int64_t blocks) {
  return blocks && p.L <= WavefrontRule::mostLayers;
}

/// The steps of a chunk if the layers run as a wavefront, else 0. `blocks`: of a cluster, for persistent kernels.
static int64_t getChunk(const LayerProblem &p, int64_t blocks) {
  using Rule = WavefrontRule;
  if (p.wavefrontChunk == 0 || p.L < 2 || p.D == 2)
    return 0;
  if (p.wavefrontChunk > 0)
    return p.wavefrontChunk < p.T ? p.wavefrontChunk : 0;
  if (p.T < Rule::enoughSteps)
    return 0;
  if (blocks && 2 * getLeastClusters(p) > getResidentClusters(p, blocks))
    return 0;
  const Rule rule = Rule::get(goesOn(p, blocks));
  const int64_t chunks = rule.chunksPerLayer * std::min(p.L, Rule::mostLayers);
  return std::clamp<int64_t>(llvm::divideCeil(p.T, chunks), rule.leastChunk, rule.mostChunk);
}

/// All steps of all layers of fused kernels, with their launches but those of GEMMs over all steps.
/// `blocks`: of a cluster; 0: per-step kernels.
static double estimateSteps(const LayerProblem &p, int64_t blocks, double stepWork) {
  const int64_t chunk = getChunk(p, blocks), resident = blocks ? getResidentClusters(p, blocks) : 0;
  auto step = [&](int64_t part) {
    return blocks ? estimateClusterStep(p, blocks, part) : estimatePerStep(p, stepWork);
  };
  if (!chunk)
    return double(p.L) * p.T * step(resident);
  // As many layers run together as the device holds, if each has as few clusters as possible.
  int64_t together = p.L;
  if (blocks)
    together = std::clamp<int64_t>(resident / getLeastClusters(p), 1, p.L);
  const int64_t chunks = llvm::divideCeil(p.T, chunk);
  const int64_t waves = std::max<int64_t>(chunks + p.L - 1, llvm::divideCeil(p.L * chunks, together) + together - 1);
  // Each launch of a persistent kernel loads the weights again; a multiprocessor has its share of the L2 cache. Steps
  // and GEMM of a layer are stages of their own: each waits for an event and launches a kernel.
  double weights = blocks ? p.getStepWeightBytes() / blocks * get("cuda.multiprocessors") / (get("cuda.l2") * 1e6) : 0;
  const double launches = 2 * get("cuda.wavefront.enqueued");
  if (goesOn(p, blocks) && together == p.L)
    return waves * (get("cuda.wavefront.flag") + chunk * step(std::max<int64_t>(resident / together, 1))) +
           double(p.L) * (2 * launches + get("cuda.wavefront.fill") + weights) + 2 * launches;
  return waves * (launches + weights + chunk * step(std::max<int64_t>(resident / together, 1))) +
         double(p.L) * (launches + get("cuda.wavefront.fill"));
}

/// FLOP of input GEMMs, or of their gradients, that a wavefront hides beside the steps.
static double getHiddenFlops(const LayerProblem &p, int64_t blocks) {
  // A persistent kernel leaves room for GEMMs if registers hold its weights (PersistentChoice.h). Per-step kernels may
  // leave some too, which no estimate counts.
  constexpr double bytesInRegisters = 128 * 1024;
  const bool hasRoom =
      blocks && getElementSize(p.element) == 2 && p.getStepWeightBytes() / double(blocks) <= bytesInRegisters;
  if (!getChunk(p, blocks) || !hasRoom)
    return 0;
  LayerProblem inputs = p;
  inputs.weightGradient = false;
  return (1 - get("cuda.wavefront.gemm")) * 2 * inputs.getOtherMacs();
}

static double estimateCuda(const LayerProblem &p, Candidate candidate, int64_t blocks) {
  // Both directions of a layer run concurrently, in fused kernels and in cuDNN.
  double rate = getGpuRate(p), weights = p.getStepWeightBytes() * p.D / (get("cuda.l2") * 1e6);
  double stepFlops = 2 * p.getStepMacs() * p.D, otherFlops = 2 * p.getOtherMacs();
  if (candidate == Candidate::Plan) {
    // cuDNN overlaps the layers of stacks in one direction, too.
    double layers = p.D == 1 ? 1 + (p.L - 1) * get("cuda.plan.layer") : p.L;
    return get("cuda.plan.call") * (p.backward ? 2 : 1) + otherFlops / rate +
           layers * p.T * (get("cuda.plan.step") + weights + stepFlops / rate);
  }
  rate *= get("cuda.fused.gemm");
  if (candidate == Candidate::PerStep)
    blocks = 0;
  // Besides the steps: one GEMM before a forward pass; two GEMMs and two column sums after a backward pass. Tasks of a
  // wavefront contain the GEMM of the input, or of its gradient.
  int64_t launches = getChunk(p, blocks) ? (p.backward ? 3 : 0) : p.backward ? 5 : 2;
  return get("cuda.fused.kernel") * p.L * launches + (otherFlops - getHiddenFlops(p, blocks)) / rate +
         estimateSteps(p, blocks, weights + stepFlops / rate);
}

double mlir::rnn::estimateMicroseconds(const LayerProblem &problem, Candidate candidate, const TargetInfo &target,
                                       unsigned threads, int64_t cluster) {
  if (target.isHost())
    return estimateHost(problem, candidate, target.getChip(), threads);
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
