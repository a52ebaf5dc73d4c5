//===- Model.h - a character model whose steps are compiled functions -*- C++ -*-===//
//
// Instantiates an MLIR template, compiles it with the library interface of the compiler, and keeps the tensors that one
// step passes to the next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CHAR_LSTM_MODEL_H
#define CHAR_LSTM_MODEL_H

#include "mlir/IR/MLIRContext.h"
#include "rnn/Emit/JIT.h"
#include <random>

class Runtime;

/// The template and its sizes.
struct ModelOptions {
  enum class Kind { CudnnLSTM, CudnnGRU, BlockLSTM };
  Kind kind = Kind::CudnnLSTM;
  int64_t steps = 64;     ///< T, characters per sequence and training step
  int64_t batch = 8;      ///< B, parallel sequences
  int64_t embedding = 64; ///< E, numbers per character
  int64_t hidden = 128;   ///< H
  int64_t characters = 0; ///< V
};

/// The MLIR module of a model as text.
std::string getModuleText(const ModelOptions &options);

/// Numbers in [0, 1) that depend on the seed alone; the results of the standard's distributions are
/// implementation-defined.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  double next() { return static_cast<double>(engine() >> 11) * 0x1p-53; }

private:
  std::mt19937_64 engine;
};

class Model {
public:
  ~Model();

  /// Compiles the functions and initializes the parameters with small random numbers.
  static llvm::Expected<std::unique_ptr<Model>> create(const ModelOptions &options, Random &random);

  const ModelOptions &getOptions() const { return options; }
  int64_t getNumTrained() const { return theta.getNumElements(); }
  /// All parameters, concatenated in the order of models/common.mlir.in.
  const mlir::rnn::HostTensor &getParameters() const { return theta; }

  /// One training step on characters [T + 1, B]: the mean loss in nats per character, before the step. The layers
  /// start with the state of the previous step.
  llvm::Expected<double> train(const mlir::rnn::HostTensor &text, double rate);

  /// The loss without a step, on a text of its own: each call updates `state`, which is empty before the first.
  llvm::Expected<double> evaluate(const mlir::rnn::HostTensor &text,
                                  llvm::SmallVectorImpl<mlir::rnn::HostTensor> &state) const;

  /// Generates `count` characters after `token`. Low temperatures prefer the likeliest ones.
  llvm::Expected<std::vector<uint8_t>> sample(uint8_t token, int64_t count, double temperature, Random &random) const;

private:
  Model() = default;
  llvm::Error initialize(Random &random);

  ModelOptions options;
  std::unique_ptr<mlir::MLIRContext> context; // the signatures of `compiled` hold its types
  std::unique_ptr<mlir::rnn::CompiledModule> compiled;
  std::unique_ptr<Runtime> runtime;
  mlir::rnn::HostTensor theta, m, v, stepsDone;
  llvm::SmallVector<mlir::rnn::HostTensor> state;
};

#endif // CHAR_LSTM_MODEL_H
