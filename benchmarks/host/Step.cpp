//===- Step.cpp - a worker that runs training steps of examples/char-lstm ----===//
//
// The model, its compilation and its data are those of the example. Requests:
//
//   step              seconds of one training step, measured as in Worker.h
//   loss              loss of the last of the ten steps that run before the worker is ready, in nats per character
//   parameters FILE   writes the initial parameters in f32, concatenated as in examples/char-lstm/models
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../examples/char-lstm/Model.h"
#include "../../examples/char-lstm/Text.h"
#include "Worker.h"

using namespace mlir::rnn;

static constexpr int stepsBefore = 10;
static constexpr double learningRate = 0.002;

namespace {

template <typename Value> Value get(llvm::Expected<Value> value) {
  if (!value)
    worker::fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

class Training {
public:
  Training(const ModelOptions &options, const Text &text)
      : streams(text.tokens, options.batch),
        tokens(get(HostTensor::allocate(ElementKind::I32, {options.steps + 1, options.batch}))) {
    Random random(1);
    model = get(Model::create(options, random));
    const HostTensor &theta = model->getParameters();
    initial.assign(theta.getDataAs<float>(), theta.getDataAs<float>() + theta.getNumElements());
    for (int step = 0; step < stepsBefore; ++step)
      run();
    lossBefore = loss;
  }

  void run() {
    streams.next(model->getOptions().steps, tokens.getDataAs<int32_t>());
    loss = get(model->train(tokens, learningRate));
  }

  std::vector<float> initial;
  double lossBefore = 0;

private:
  Streams streams;
  HostTensor tokens;
  std::unique_ptr<Model> model;
  double loss = 0;
};

} // namespace

int main(int argc, char **argv) {
  worker::Problem problem;
  std::string path;
  bool isBlock = false;
  for (int index = 1; index < argc; ++index) {
    std::string flag = argv[index];
    if (flag.rfind("--text=", 0) == 0)
      path = flag.substr(7);
    else if (flag == "--model=block" || flag == "--model=cudnn")
      isBlock = flag == "--model=block";
    else if (!problem.read(flag))
      worker::fail("unknown argument `" + flag +
                   "`; expected --text=, --model=block|cudnn, --cell=, --shape= or --threads=");
  }
  if (path.empty() || problem.T == 0)
    worker::fail("expects --text= and --shape=T,B,I,H, where I is the size of the embedding");
  if (isBlock && !problem.isLstm)
    worker::fail("expects --cell=lstm with --model=block");
  setenv("RNNRT_THREADS", std::to_string(problem.threads).c_str(), 1);

  long loaded = worker::maximalMemory();
  Text text = get(Text::read(path));
  if (static_cast<int64_t>(text.tokens.size()) < problem.B * (problem.T + 1))
    worker::fail("the text `" + path + "` has " + std::to_string(text.tokens.size()) +
                 " characters, but --shape needs " + std::to_string(problem.B * (problem.T + 1)));
  ModelOptions options;
  options.kind = isBlock          ? ModelOptions::Kind::BlockLSTM
                 : problem.isLstm ? ModelOptions::Kind::CudnnLSTM
                                  : ModelOptions::Kind::CudnnGRU;
  options.steps = problem.T, options.batch = problem.B, options.embedding = problem.I, options.hidden = problem.H;
  options.characters = text.alphabet.size();
  Training training(options, text);

  std::printf("ready %ld ours\n", loaded);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "step")
      std::printf("%.9f\n", worker::secondsOf([&] { training.run(); }));
    else if (line == "loss")
      std::printf("%.9f\n", training.lossBefore);
    else if (line.rfind("parameters ", 0) == 0)
      worker::write(line.substr(11), training.initial), std::puts("saved");
    else
      worker::fail("unknown request `" + line + "`");
    std::fflush(stdout);
  }
  return 0;
}
