//===- Model.cpp - a character model whose steps are compiled functions ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Templates.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "rnn_runtime/abi.h"
#include "rnn_runtime/api.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::rnn;
using Kind = ModelOptions::Kind;

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Rows of a gate's two matrices times the number of gates and layers, and two biases each; see `rnn.cudnn_forward`.
static int64_t getCudnnParamsSize(const ModelOptions &options, int64_t gates) {
  int64_t E = options.embedding, H = options.hidden;
  return gates * H * (E + H + 2) + gates * H * (H + H + 2);
}

/// The number of parameters of the recurrent layers.
static int64_t getLayersSize(const ModelOptions &options) {
  switch (options.kind) {
  case Kind::CudnnLSTM:
    return getCudnnParamsSize(options, 4);
  case Kind::CudnnGRU:
    return getCudnnParamsSize(options, 3);
  case Kind::BlockLSTM:
    return (options.embedding + options.hidden + 1) * 4 * options.hidden;
  }
  llvm_unreachable("unknown kind");
}

static const char *getTemplate(Kind kind) {
  switch (kind) {
  case Kind::CudnnLSTM:
    return cudnnLSTMTemplate;
  case Kind::CudnnGRU:
    return cudnnGRUTemplate;
  case Kind::BlockLSTM:
    return blockLSTMTemplate;
  }
  llvm_unreachable("unknown kind");
}

std::string getModuleText(const ModelOptions &options) {
  int64_t T = options.steps, B = options.batch, E = options.embedding, H = options.hidden, V = options.characters;
  // theta is the concatenation of table [V, E], the recurrent layers' parameters, w_out [H, V] and b_out [V].
  int64_t layers = getLayersSize(options), layersAt = V * E, outputAt = layersAt + layers;
  llvm::StringMap<std::string> values;
  auto set = [&](llvm::StringRef name, int64_t value) { values[name] = std::to_string(value); };
  set("T", T), set("B", B), set("E", E), set("H", H), set("V", V);
  set("T_PLUS_1", T + 1), set("T_MINUS_1", T - 1), set("TB", T * B), set("E_PLUS_H", E + H), set("H4", 4 * H);
  values["ONE_OVER_TB"] = llvm::formatv("{0:E9}", 1.0 / (T * B)).str();
  set("TABLE_SIZE", V * E);
  set("LAYERS_AT", layersAt), set("LAYERS_SIZE", layers);
  set("W_OUT_AT", outputAt), set("W_OUT_SIZE", H * V), set("B_OUT_AT", outputAt + H * V);
  set("N", outputAt + H * V + V);
  set("LSTM_W_SIZE", (E + H) * 4 * H), set("LSTM_BIAS_AT", layersAt + (E + H) * 4 * H);

  std::string text;
  std::string both = std::string(commonTemplate) + getTemplate(options.kind);
  llvm::StringRef rest = both;
  for (size_t begin; (begin = rest.find("${")) != llvm::StringRef::npos;) {
    size_t end = rest.find('}', begin);
    auto value = values.find(rest.slice(begin + 2, end));
    text += rest.take_front(begin);
    // Text that is not a name is kept: a comment of the templates contains ${...}.
    text += value != values.end() ? value->second : rest.slice(begin, end + 1).str();
    rest = rest.drop_front(end + 1);
  }
  return text + rest.str();
}

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

/// A device, and a call that every step reuses.
class Runtime {
public:
  static llvm::Expected<std::unique_ptr<Runtime>> create() {
    auto runtime = std::make_unique<Runtime>();
    if (llvm::Error error = toError(rnnrt_device_create("host", /*options=*/nullptr, &runtime->device)))
      return std::move(error);
    if (llvm::Error error =
            toError(rnnrt_call_create(runtime->device, /*stream=*/nullptr, /*options=*/nullptr, &runtime->call)))
      return std::move(error);
    return runtime;
  }
  ~Runtime() {
    rnnrt_call_release(call);
    rnnrt_device_release(device);
  }

  /// Calls a function of compiled code. A failure in the call's status is returned as an error.
  llvm::Expected<SmallVector<HostTensor>> run(const CompiledModule &compiled, StringRef function,
                                              ArrayRef<HostTensor> inputs) {
    rnnrt_call_reset(call);
    auto outputs = compiled.invoke(function, call, inputs);
    if (!outputs)
      return outputs.takeError();
    if (llvm::Error error = toError(rnnrt_status_clone(rnnrt_call_status(call))))
      return std::move(error);
    return outputs;
  }

  /// The runtime entries for the JIT: the compiler does not link the runtime, its user does.
  static SmallVector<RuntimeSymbol> getSymbols() {
    size_t count = 0;
    const rnnrt_abi_symbol_t *table = rnnrt_abi_symbols(&count);
    SmallVector<RuntimeSymbol> symbols;
    for (size_t index = 0; index < count; ++index)
      symbols.push_back({table[index].name, table[index].address});
    return symbols;
  }

private:
  static llvm::Error toError(rnnrt_status_t status) {
    if (!status)
      return llvm::Error::success();
    std::string message =
        std::string(rnnrt_status_code_name(rnnrt_status_code(status))) + ": " + rnnrt_status_message(status);
    rnnrt_status_release(status);
    return llvm::createStringError(message);
  }

  rnnrt_device_t *device = nullptr;
  rnnrt_call_t *call = nullptr;
};

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

Model::~Model() = default;

llvm::Expected<std::unique_ptr<Model>> Model::create(const ModelOptions &options, Random &random) {
  std::unique_ptr<Model> model(new Model);
  model->options = options;
  DialectRegistry registry;
  registerJITDialects(registry);
  model->context = std::make_unique<MLIRContext>(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, model->context.get());
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(getModuleText(options), model->context.get(), /*sourceName=*/"char-lstm");
  if (!module)
    return llvm::createStringError("the model's module could not be parsed, see the errors above");

  // The shared parts are functions for readability; inlining them lets the compiler optimize across them.
  PassManager pm(model->context.get());
  pm.addPass(createInlinerPass());
  if (failed(pm.run(*module)))
    return llvm::createStringError("the model's functions could not be inlined, see the errors above");

  JITOptions jit;
  SmallVector<RuntimeSymbol> symbols = Runtime::getSymbols();
  jit.symbols = symbols;
  auto compiled = CompiledModule::compile(*module, jit);
  if (!compiled)
    return compiled.takeError();
  model->compiled = std::move(*compiled);
  auto runtime = Runtime::create();
  if (!runtime)
    return runtime.takeError();
  model->runtime = std::move(*runtime);
  if (llvm::Error error = model->initialize(random))
    return std::move(error);
  return model;
}

/// Zeros for the state operands of `function`, which are all but the first and the last few.
static llvm::Expected<SmallVector<HostTensor>> makeState(const CompiledModule &compiled, StringRef function,
                                                         size_t before, size_t after) {
  auto signature = compiled.getSignature(function);
  if (!signature)
    return signature.takeError();
  SmallVector<HostTensor> state;
  for (Type type : ArrayRef<Type>((*signature)->inputs).drop_front(before).drop_back(after)) {
    auto zeros = HostTensor::allocate(ElementKind::F32, cast<RankedTensorType>(type).getShape());
    if (!zeros)
      return zeros.takeError();
    state.push_back(std::move(*zeros));
  }
  return state;
}

// The index of the state among the operands: train_step takes (theta, m, v, steps, state..., text, rate) and
// sample_step takes (theta, state..., token).
static llvm::Expected<SmallVector<HostTensor>> makeTrainingState(const CompiledModule &compiled) {
  return makeState(compiled, "train_step", 4, 2);
}
static llvm::Expected<SmallVector<HostTensor>> makeSamplingState(const CompiledModule &compiled) {
  return makeState(compiled, "sample_step", 1, 1);
}

llvm::Error Model::initialize(Random &random) {
  auto initial = makeTrainingState(*compiled);
  if (!initial)
    return initial.takeError();
  state = std::move(*initial);
  auto signature = compiled->getSignature("train_step");
  if (!signature)
    return signature.takeError();
  ArrayRef<int64_t> shape = cast<RankedTensorType>((*signature)->inputs.front()).getShape();
  for (HostTensor *tensor : {&theta, &m, &v, &stepsDone}) {
    auto zeros = HostTensor::allocate(ElementKind::F32, tensor == &stepsDone ? ArrayRef<int64_t>() : shape);
    if (!zeros)
      return zeros.takeError();
    *tensor = std::move(*zeros);
  }

  int64_t E = options.embedding, H = options.hidden, V = options.characters;
  float *next = theta.getDataAs<float>();
  auto fill = [&](int64_t count, double bound) {
    for (int64_t index = 0; index < count; ++index)
      *next++ = bound * (2 * random.next() - 1);
  };
  double bound = 1 / std::sqrt(static_cast<double>(H));
  fill(V * E, 1.0);
  // Biases come last and start at zero, but those of an LSTM's forget gate at one, so that the initial cell keeps its
  // state. The block op adds that one itself (`forget_bias`).
  int64_t gates = options.kind == Kind::CudnnGRU ? 3 : 4;
  int64_t biases = options.kind == Kind::BlockLSTM ? 4 * H : 2 * 2 * gates * H;
  fill(getLayersSize(options) - biases, bound);
  if (options.kind == Kind::CudnnLSTM)
    for (int64_t layer = 0; layer < 2; ++layer)
      std::fill_n(next + layer * 2 * gates * H + /*gate f of i f g o=*/1 * H, H, 1.0f);
  next += biases;
  fill(H * V, bound);
  return llvm::Error::success();
}

static llvm::Expected<HostTensor> makeScalar(double value) {
  auto scalar = HostTensor::allocate(ElementKind::F32, {});
  if (scalar)
    scalar->setFromDouble(0, value);
  return scalar;
}

llvm::Expected<double> Model::train(const HostTensor &text, double rate) {
  auto rateTensor = makeScalar(rate);
  if (!rateTensor)
    return rateTensor.takeError();
  SmallVector<HostTensor> inputs = {theta, m, v, stepsDone};
  inputs.append(state);
  inputs.append({text, *rateTensor});
  auto outputs = runtime->run(*compiled, "train_step", inputs);
  if (!outputs)
    return outputs.takeError();
  theta = (*outputs)[0], m = (*outputs)[1], v = (*outputs)[2], stepsDone = (*outputs)[3];
  state.assign(outputs->begin() + 4, outputs->end() - 1);
  return outputs->back().getAsDouble(0);
}

llvm::Expected<double> Model::evaluate(const HostTensor &text, SmallVectorImpl<HostTensor> &ownState) const {
  if (ownState.empty()) {
    auto initial = makeTrainingState(*compiled);
    if (!initial)
      return initial.takeError();
    ownState = std::move(*initial);
  }
  auto rate = makeScalar(0);
  if (!rate)
    return rate.takeError();
  // A training step whose new theta is discarded: its loss is that of the old theta.
  SmallVector<HostTensor> inputs = {theta, m, v, stepsDone};
  inputs.append(ownState);
  inputs.append({text, *rate});
  auto outputs = runtime->run(*compiled, "train_step", inputs);
  if (!outputs)
    return outputs.takeError();
  ownState.assign(outputs->begin() + 4, outputs->end() - 1);
  return outputs->back().getAsDouble(0);
}

/// Samples an index of `logits` with probability softmax(logits / temperature).
static int64_t draw(const HostTensor &logits, double temperature, Random &random) {
  const float *values = logits.getDataAs<float>();
  int64_t count = logits.getNumElements();
  double highest = *std::max_element(values, values + count), sum = 0;
  std::vector<double> weights;
  for (int64_t index = 0; index < count; ++index) {
    weights.push_back(std::exp((values[index] - highest) / temperature));
    sum += weights.back();
  }
  double left = random.next() * sum;
  for (int64_t index = 0; index < count; ++index)
    if ((left -= weights[index]) < 0)
      return index;
  return std::max_element(values, values + count) - values;
}

llvm::Expected<std::vector<uint8_t>> Model::sample(uint8_t token, int64_t count, double temperature,
                                                   Random &random) const {
  auto own = makeSamplingState(*compiled);
  if (!own)
    return own.takeError();
  std::vector<uint8_t> sampled;
  for (int64_t index = 0; index < count; ++index) {
    auto number = HostTensor::allocate(ElementKind::I32, {});
    if (!number)
      return number.takeError();
    number->setFromInteger(0, token);
    SmallVector<HostTensor> inputs = {theta};
    inputs.append(*own);
    inputs.push_back(*number);
    auto outputs = runtime->run(*compiled, "sample_step", inputs);
    if (!outputs)
      return outputs.takeError();
    own->assign(outputs->begin() + 1, outputs->end());
    token = draw(outputs->front(), temperature, random);
    sampled.push_back(token);
  }
  return sampled;
}
