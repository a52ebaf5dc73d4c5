//===- char-lstm.cpp - trains a character model by compiled rnn ops ----------===//
//
// Reads a text, compiles a training step (models/), trains for a minute, and prints text that the model generates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Report.h"
#include "Text.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cmath>

using namespace mlir::rnn;
namespace cl = llvm::cl;
using llvm::formatv;

static cl::OptionCategory category("char-lstm options");
static cl::opt<std::string> textFile("text",
                                     cl::desc("Text to learn (default: the King James Bible of the Debian package "
                                              "bible-kjv)"),
                                     cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> modelName("model",
                                      cl::desc("cudnn: two layers by rnn.cudnn_forward and rnn.cudnn_backprop "
                                               "(default); block: one LSTM layer by rnn.block_lstm and "
                                               "rnn.block_lstm_grad"),
                                      cl::init("cudnn"), cl::cat(category));
static cl::opt<std::string> cellName("cell", cl::desc("lstm (default) or gru, for --model=cudnn"), cl::init("lstm"),
                                     cl::cat(category));
static cl::opt<int64_t> maxSteps("steps", cl::desc("Training steps (default: as many as --seconds allows)"),
                                 cl::init(0), cl::cat(category));
static cl::opt<double> maxSeconds("seconds", cl::desc("Time to train (default 60, or no limit with --steps)"),
                                  cl::init(60), cl::cat(category));
static cl::opt<double> learningRate("lr", cl::desc("Learning rate at its highest (default 0.01)"), cl::init(0.01),
                                    cl::cat(category));
static cl::opt<int64_t> unroll("unroll", cl::desc("Characters of a sequence in one training step (default 64)"),
                               cl::init(64), cl::cat(category));
static cl::opt<int64_t> batch("batch", cl::desc("Parallel sequences (default 8)"), cl::init(8), cl::cat(category));
static cl::opt<int64_t> hidden("hidden", cl::desc("Hidden units of a layer (default 128)"), cl::init(128),
                               cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of initial numbers and sample (default 1)"), cl::init(1),
                              cl::cat(category));
static cl::opt<int64_t> sampleLength("sample", cl::desc("Characters to make up in the end (default 600)"),
                                     cl::init(600), cl::cat(category));
static cl::opt<double> temperature("temperature", cl::desc("Of the sample: low is likely, high is bold (default 0.6)"),
                                   cl::init(0.6), cl::cat(category));
static cl::opt<std::string> outDir("out-dir", cl::desc("Folder for the picture and the sample (default .)"),
                                   cl::init("."), cl::cat(category));
static cl::opt<bool> check("check", cl::desc("Fail unless the loss ends below the text's unigram entropy"),
                           cl::cat(category));
static cl::opt<bool> printModule("print-module", cl::desc("Print the model's MLIR module and stop"), cl::cat(category));

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message.str());
}

static llvm::Expected<ModelOptions> readFlags() {
  for (auto [flag, value, low, high] :
       {std::tuple("unroll", unroll.getValue(), 1, 4096),
        {"batch", batch.getValue(), 1, 4096},
        {"hidden", hidden.getValue(), 1, 4096},
        {"sample", sampleLength.getValue(), 0, 1000000},
        {"steps", maxSteps.getValue(), maxSteps.getNumOccurrences() ? 1 : 0, 1000000000}})
    if (value < low || value > high)
      return makeError("--" + llvm::Twine(flag) + " expects a number from " + llvm::Twine(low) + " to " +
                       llvm::Twine(high) + ", but got " + llvm::Twine(value));
  for (auto [flag, value] : {std::pair("seconds", maxSeconds.getValue()),
                             {"lr", learningRate.getValue()},
                             {"temperature", temperature.getValue()}})
    if (!(value > 0) || !std::isfinite(value))
      return makeError("--" + llvm::Twine(flag) + " expects a number above 0, but got " + formatv("{0}", value).str());

  ModelOptions options;
  options.steps = unroll, options.batch = batch, options.hidden = hidden;
  if (modelName == "cudnn" && cellName == "lstm")
    options.kind = ModelOptions::Kind::CudnnLSTM;
  else if (modelName == "cudnn" && cellName == "gru")
    options.kind = ModelOptions::Kind::CudnnGRU;
  else if (modelName == "block" && cellName == "lstm")
    options.kind = ModelOptions::Kind::BlockLSTM;
  else if (modelName == "block" && cellName == "gru")
    return makeError("--model=block has --cell=lstm only; use --model=cudnn --cell=gru");
  else if (modelName != "cudnn" && modelName != "block")
    return makeError("unknown model `" + modelName + "` in --model; expected cudnn or block");
  else
    return makeError("unknown cell `" + cellName + "` in --cell; expected lstm or gru");
  return options;
}

/// The results of a run.
struct Training {
  std::vector<double> losses; ///< bits per character
  SmoothedLoss smoothed;
  double seconds = 0;
};

static constexpr double bitsPerNat = 1.4426950408889634;

/// Trains for the given steps or time. The learning rate increases over the first steps, then follows a cosine to the
/// end.
static llvm::Expected<Training> train(Model &model, Streams &streams) {
  using Clock = std::chrono::steady_clock;
  bool timed = maxSeconds.getNumOccurrences() || !maxSteps;
  int64_t T = model.getOptions().steps, B = model.getOptions().batch;
  auto text = HostTensor::allocate(ElementKind::I32, {T + 1, B});
  if (!text)
    return text.takeError();
  Training training;
  ProgressBar bar;
  Status status;
  Clock::time_point start = Clock::now();
  while (status.done < 1) {
    double warmUp = std::min(1.0, (status.step + 1) / 20.0);
    double rate = learningRate * warmUp * (0.52 + 0.48 * std::cos(3.14159265358979 * status.done));
    streams.next(T, text->getDataAs<int32_t>());
    auto loss = model.train(*text, rate);
    if (!loss)
      return loss.takeError();
    ++status.step;
    if (!std::isfinite(*loss))
      return makeError("the loss of step " + llvm::Twine(status.step) + " is not finite; try a lower --lr than " +
                       formatv("{0}", learningRate.getValue()).str());
    training.losses.push_back(*loss * bitsPerNat);
    training.smoothed.add(training.losses.back());
    training.seconds = std::chrono::duration<double>(Clock::now() - start).count();

    status.bits = training.smoothed.get();
    status.charactersPerSecond = status.step * T * B / training.seconds;
    double byTime = timed ? training.seconds / maxSeconds : 0;
    double bySteps = maxSteps ? static_cast<double>(status.step) / maxSteps : 0;
    status.done = std::min(1.0, std::max(byTime, bySteps));
    status.secondsLeft = training.seconds * (1 / status.done - 1);
    bar.update(status);
  }
  bar.finish(status);
  return training;
}

/// The mean loss in bits per character over `steps` steps of `streams`. If there are several, the first one only
/// initializes the state of the layers.
static llvm::Expected<double> evaluate(const Model &model, Streams &streams, int64_t steps) {
  int64_t T = model.getOptions().steps, B = model.getOptions().batch;
  auto text = HostTensor::allocate(ElementKind::I32, {T + 1, B});
  if (!text)
    return text.takeError();
  llvm::SmallVector<HostTensor> state;
  double sum = 0;
  for (int64_t step = 0; step < steps; ++step) {
    streams.next(T, text->getDataAs<int32_t>());
    auto loss = model.evaluate(*text, state);
    if (!loss)
      return loss.takeError();
    if (step > 0 || steps == 1)
      sum += *loss * bitsPerNat;
  }
  return sum / std::max<int64_t>(steps - 1, 1);
}

static std::string makePath(llvm::StringRef name, llvm::StringRef ending) {
  llvm::SmallString<128> path(outDir);
  llvm::sys::path::append(path, name + "." + ending);
  return path.str().str();
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef content) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << content;
    os.close();
    code = os.error();
    os.clear_error();
  }
  return code ? makeError("cannot write `" + path + "`: " + code.message()) : llvm::Error::success();
}

static llvm::Error run() {
  auto options = readFlags();
  if (!options)
    return options.takeError();
  auto text = textFile.empty() ? Text::readBible() : Text::read(textFile);
  if (!text)
    return text.takeError();
  options->characters = text->alphabet.size();
  int64_t total = text->tokens.size(), T = options->steps, B = options->batch;
  // The last twentieth of the text, and at least one step, is held out for the test.
  int64_t heldOutSize = std::max(total / 20, B * (T + 1));
  if (total < 2 * B * (T + 1))
    return makeError("the text `" + text->name + "` has " + llvm::Twine(total) +
                     " characters, but --batch=" + llvm::Twine(B) + " --unroll=" + llvm::Twine(T) + " need " +
                     llvm::Twine(2 * B * (T + 1)) + "; make them smaller or take a longer text");
  if (printModule) {
    llvm::outs() << getModuleText(*options);
    return llvm::Error::success();
  }
  double entropy = text->getUnigramEntropy();
  llvm::outs() << formatv("text: {0}, {1} characters, {2} different ones, unigram entropy {3:f3} bits/char\n",
                          text->name, total, text->alphabet.size(), entropy);
  llvm::outs().flush();
  if (std::error_code code = llvm::sys::fs::create_directories(outDir))
    return makeError("cannot make the folder `" + outDir + "`: " + code.message());

  auto start = std::chrono::steady_clock::now();
  Random random(seed);
  auto model = Model::create(*options, random);
  if (!model)
    return model.takeError();
  llvm::outs() << formatv("model: {0}, {1} of {2} units, {3} trained numbers, compiled in {4:f2} s\n",
                          modelName.getValue(),
                          modelName == "block" ? "one LSTM layer"
                          : cellName == "gru"  ? "two GRU layers"
                                               : "two LSTM layers",
                          options->hidden, (*model)->getNumTrained(),
                          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());

  llvm::ArrayRef<uint8_t> tokens = text->tokens;
  Streams trainStreams(tokens.drop_back(heldOutSize), B), heldOutStreams(tokens.take_back(heldOutSize), B);
  auto training = train(**model, trainStreams);
  if (!training)
    return training.takeError();
  int64_t heldOutSteps = std::max<int64_t>(1, std::min<int64_t>(heldOutSize, 50000) / (B * T + B));
  auto heldOut = evaluate(**model, heldOutStreams, heldOutSteps);
  if (!heldOut)
    return heldOut.takeError();
  int64_t steps = training->losses.size(), characters = steps * T * B;
  double final = training->smoothed.get();
  llvm::outs() << formatv("trained {0} steps on {1} characters in {2:f1} s: {3:f1}k chars/s\n", steps, characters,
                          training->seconds, characters / training->seconds / 1000)
               << formatv("loss: {0:f3} at first, {1:f3} in the end (smoothed), {2:f3} on text held out; unigram "
                          "entropy {3:f3} bits/char\n",
                          training->losses.front(), final, *heldOut, entropy);

  std::string name = "char-lstm-" + modelName + (cellName == "gru" ? "-gru" : "");
  auto sampled = (*model)->sample(text->getToken('\n'), sampleLength, temperature, random);
  if (!sampled)
    return sampled.takeError();
  std::string sample;
  for (uint8_t token : *sampled)
    sample.push_back(text->alphabet[token]);
  std::string curvePath = makePath(name, "svg"), samplePath = makePath(name, "txt");
  LossCurve curve{formatv("char-lstm --model={0}{1}: {2}", modelName.getValue(), cellName == "gru" ? " --cell=gru" : "",
                          llvm::sys::path::filename(text->name)),
                  T * B, std::move(training->losses), entropy, *heldOut};
  if (llvm::Error error = writeLossCurve(curvePath, curve))
    return error;
  if (llvm::Error error = writeFile(samplePath, sample + "\n"))
    return error;
  llvm::outs() << "loss curve: " << curvePath << "\nsample: " << samplePath << "\n---\n" << sample << "\n---\n";

  if (check && !(final < entropy))
    return makeError("the loss ended at " + formatv("{0:f3}", final).str() +
                     " bits/char, which is not below the "
                     "text's unigram entropy of " +
                     formatv("{0:f3}", entropy).str());
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Trains a character model: one compiled function is one training step.\n");
  llvm::ExitOnError exitOnError("char-lstm: error: ");
  exitOnError(run());
  return 0;
}
