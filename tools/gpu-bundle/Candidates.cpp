// Candidates.cpp - operands, fused kernels and plans of Candidates.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Candidates.h"

using namespace bundle;

//===-- Memory and operands --------------------------------------------------------------------------------------===//

Memory::Memory(const Place &place, int64_t bytes) : device(place.device) {
  check(rnnrt_memory_alloc(device, std::max<int64_t>(bytes, 1), &pointer));
}

Memory::Memory(const Place &place, const Tensor &tensor, int32_t dtype)
    : Memory(place, tensor.elements() * rnnrt_dtype_size(dtype)) {
  std::vector<char> bytes = tensor.convert(dtype);
  check(rnnrt_memory_copy(device, place.stream, pointer, bytes.data(), bytes.size()));
  place.synchronize();
}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(device, other.device);
  std::swap(pointer, other.pointer);
  return *this;
}

Memory::~Memory() {
  if (pointer)
    rnnrt_status_release(rnnrt_memory_free(device, pointer));
}

Tensor Memory::read(const Place &place, int32_t dtype, std::vector<int64_t> shape) const {
  rnnrt_tensor_t tensor = rnnrt_tensor_make(pointer, dtype, int32_t(shape.size()), shape.data());
  std::vector<char> bytes(rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(dtype));
  check(rnnrt_memory_copy(place.device, place.stream, bytes.data(), pointer, bytes.size()));
  place.synchronize();
  return Tensor::read(tensor, bytes);
}

Tensor bundle::draw(const char *name, int32_t dtype, double scale, std::vector<int64_t> shape) {
  Tensor tensor;
  Random random(name);
  tensor.shape = std::move(shape);
  tensor.values.resize(tensor.elements());
  for (double &value : tensor.values)
    value = scale * (2 * random.uniform() - 1);
  tensor.round(dtype);
  return tensor;
}

/// Calls `visit(offset in the dense buffer, offset in w or b, whether it is the second bias)` for each element: the
/// matrices of cuDNN's gates i f g o, input before state, as [H, I] and [H, H]; two biases, whose sum is b.
template <typename F> static void forEachParameter(const Shape &shape, F visit) {
  const int64_t I = shape[2], H = shape[3], columns = 4 * H;
  const int64_t blockGate[] = {0, 2, 1, 3}; // in the block form i c f o
  int64_t place = 0;
  for (int64_t first : {int64_t(0), I})
    for (int64_t gate : blockGate)
      for (int64_t unit = 0; unit < H; ++unit)
        for (int64_t row = first, end = first ? I + H : I; row < end; ++row)
          visit(place++, row * columns + gate * H + unit, false, false);
  for (bool second : {false, true})
    for (int64_t gate : blockGate)
      for (int64_t unit = 0; unit < H; ++unit)
        visit(place++, gate * H + unit, true, second);
}

Layer::Layer(const Place &place, const Shape &shape, int32_t dtype) : place(place), shape(shape), dtype(dtype) {
  const auto [T, B, I, H] = shape;
  const double scale = 1 / std::sqrt(double(H)); // as PyTorch initializes: the recurrence does not amplify
  x = draw("x", dtype, 1, {T, B, I});
  c0 = draw("c0", dtype, 1, {B, H});
  h0 = draw("h0", dtype, 1, {B, H});
  w = draw("w", dtype, scale, {I + H, 4 * H});
  b = draw("b", dtype, scale, {4 * H});
  dy = draw("dy", dtype, 1, {T, B, H});
  params.shape = {4 * H * (I + H + 2)};
  params.values.resize(params.elements());
  forEachParameter(shape, [&](int64_t target, int64_t source, bool bias, bool second) {
    params.values[target] = second ? 0 : bias ? b.values[source] : w.values[source];
  });
  onX = Memory(place, x, dtype);
  onC0 = Memory(place, c0, dtype);
  onH0 = Memory(place, h0, dtype);
  onW = Memory(place, w, dtype);
  onB = Memory(place, b, dtype);
  onDy = Memory(place, dy, dtype);
  Tensor nothing;
  nothing.shape = {T, B, H};
  nothing.values.assign(nothing.elements(), 0);
  zeros = Memory(place, nothing, dtype);
}

double Results::errorAgainst(const Results &expected) const {
  double worst = 0;
  for (auto [some, other] : {std::pair(&dx, &expected.dx),
                             {&dc0, &expected.dc0},
                             {&dh0, &expected.dh0},
                             {&dw, &expected.dw},
                             {&db, &expected.db},
                             {&y, &expected.y}}) {
    double error = some->errorAgainst(*other);
    if (!(error <= worst)) // also when it is NaN
      worst = error;
    if (std::isnan(worst))
      break;
  }
  return worst;
}

void Results::fromParams(const StackData &data, std::vector<double> params) {
  if (!data.layer) {
    dw.shape = data.params.shape;
    dw.values = std::move(params);
    return;
  }
  const Layer &layer = *data.layer;
  dw.shape = layer.w.shape;
  db.shape = layer.b.shape;
  dw.values.assign(dw.elements(), 0);
  db.values.assign(db.elements(), 0);
  forEachParameter(layer.shape, [&](int64_t source, int64_t target, bool bias, bool second) {
    if (!second) // both biases have the same gradient
      (bias ? db : dw).values[target] = params[source];
  });
}

//===-- Compiled functions ---------------------------------------------------------------------------------------===//

Compiled::Compiled(const Place &place, const rnnrt_function_t &function, bool graphs)
    : place(place), function(function), outputs(function.num_outputs) {
  // A call reads the variable when it is created.
  if (!graphs)
    setenv("RNNRT_GRAPHS", "0", /*overwrite=*/1);
  check(rnnrt_call_create(place.device, place.stream, nullptr, &context));
  if (!graphs)
    unsetenv("RNNRT_GRAPHS");
}

Compiled::~Compiled() {
  rnnrt_status_release(rnnrt_stream_synchronize(place.stream));
  release();
  rnnrt_call_release(context);
}

void Compiled::operand(void *data, int32_t dtype, std::vector<int64_t> shape) {
  inputs.push_back(rnnrt_tensor_make(data, dtype, int32_t(shape.size()), shape.data()));
}

bool Compiled::call() {
  release();
  std::vector<const rnnrt_tensor_t *> in;
  std::vector<rnnrt_tensor_t *> out;
  for (const rnnrt_tensor_t &tensor : inputs)
    in.push_back(&tensor);
  for (rnnrt_tensor_t &tensor : outputs)
    out.push_back(&tensor);
  function.entry(context, in.data(), int64_t(in.size()), out.data(), int64_t(out.size()));
  if (rnnrt_status_t status = rnnrt_call_status(context)) {
    problem = rnnrt_status_message(status);
    rnnrt_call_reset(context);
  } else if (const char *reason = rnnrt_call_skipped(context)) {
    skipReason = reason;
    skippedBy = rnnrt_call_skipped_by(context);
  }
  return problem.empty();
}

bool Compiled::callFor(Candidate &candidate) {
  const bool good = call();
  candidate.problem = problem;
  if (skipReason.empty())
    return good;
  if (candidate.isPersistent) {
    (skippedBy == RNNRT_SKIPPED_BY_DEVICE ? candidate.refused : candidate.problem) = skipReason;
  } else {
    candidate.note = "without clusters: " + skipReason;
    candidate.isTypical = skippedBy == RNNRT_SKIPPED_BY_DEVICE;
  }
  return good;
}

void Compiled::release() {
  for (rnnrt_tensor_t &tensor : outputs)
    rnnrt_tensor_release(&tensor);
}

Tensor Compiled::read(size_t index) const {
  const rnnrt_tensor_t &tensor = outputs[index];
  std::vector<char> bytes(rnnrt_tensor_elements(&tensor) * rnnrt_dtype_size(tensor.dtype));
  check(rnnrt_memory_copy(place.device, place.stream, bytes.data(), tensor.data, bytes.size()));
  place.synchronize();
  return Tensor::read(tensor, bytes);
}

//===-- The block ops --------------------------------------------------------------------------------------------===//

/// The operands that come first in both passes of the block form.
static std::unique_ptr<Compiled> blockCall(const Layer &layer, const rnnrt_function_t &function, bool graphs) {
  const auto [T, B, I, H] = layer.shape;
  auto call = std::make_unique<Compiled>(layer.place, function, graphs);
  call->operand(layer.onX.data(), layer.dtype, {T, B, I});
  call->operand(layer.onC0.data(), layer.dtype, {B, H});
  call->operand(layer.onH0.data(), layer.dtype, {B, H});
  call->operand(layer.onW.data(), layer.dtype, {I + H, 4 * H});
  for (int peephole = 0; peephole < 3; ++peephole)
    call->operand(layer.zeros.data(), layer.dtype, {H});
  call->operand(layer.onB.data(), layer.dtype, {4 * H});
  return call;
}

std::unique_ptr<Compiled> bundle::blockForward(const Layer &layer, const rnnrt_function_t &function) {
  return blockCall(layer, function, /*graphs=*/true);
}

namespace {

/// One pass by a compiled function.
class Block : public Candidate {
public:
  Block(const Layer &layer, const rnnrt_function_t &function, std::string name, bool graphs)
      : Candidate(std::move(name)), place(layer.place), call(blockCall(layer, function, graphs)) {}

  void run() override { call->callFor(*this); }
  void after() override { call->release(); }
  Results results() override {
    run();
    place.synchronize();
    return problem.empty() ? read() : Results();
  }

private:
  virtual Results read() const = 0;

protected:
  const Place &place;
  const std::unique_ptr<Compiled> call;
};

class BlockForward : public Block {
public:
  using Block::Block;

private:
  Results read() const override {
    Results results;
    results.y = call->read(6);
    return results;
  }
};

class BlockBackward : public Block {
public:
  BlockBackward(const Layer &layer, const rnnrt_function_t &function, const Compiled &forward, std::string name,
                bool graphs)
      : Block(layer, function, std::move(name), graphs) {
    const std::vector<int64_t> shape = {layer.steps(), layer.batch(), layer.hidden()};
    for (size_t saved = 0; saved < 7; ++saved)
      call->operand(forward.result(saved).data, layer.dtype, shape);
    call->operand(layer.zeros.data(), layer.dtype, shape);
    call->operand(layer.onDy.data(), layer.dtype, shape);
  }

private:
  Results read() const override {
    return {call->read(0), call->read(1), call->read(2), call->read(3), call->read(4), {}};
  }
};

//===-- Plans ----------------------------------------------------------------------------------------------------===//

/// The shape of a state in results: without layers, if there is one.
std::vector<int64_t> stateShape(const StackData &data) {
  return data.layer ? std::vector<int64_t>{data.shape[1], data.shape[3]} : data.state();
}

/// A plan of the device, and the parameters of the layers in the plan's layout.
class DevicePlan {
public:
  DevicePlan(const StackData &data, const std::string &algorithm, bool packed) : data(data), place(data.place) {
    const auto [T, B, I, H] = data.shape;
    check(rnnrt_call_create(place.device, place.stream, nullptr, &call));
    // The plan reads RNNRT_CUDNN_ALGO when it is created; it is not part of the cache key.
    check(rnnrt_device_clear_plans(place.device));
    setenv("RNNRT_CUDNN_ALGO", algorithm.c_str(), /*overwrite=*/1);
    setenv("RNNRT_CUDNN_PACKED", packed ? "1" : "0", /*overwrite=*/1);
    enum { Lstm = 2 };
    plan =
        rnnrt_abi_rnn_plan(call, data.dtype, Lstm, 0, 0, 1, data.isBatchMajor, 0.0, 0, 0, T, B, I, H, H, data.layers);
    unsetenv("RNNRT_CUDNN_ALGO");
    unsetenv("RNNRT_CUDNN_PACKED");
    if (failed())
      return;
    count = rnnrt_abi_rnn_params_size(call, plan);
    dense = Memory(place, data.params, data.dtype);
    params = Memory(place, count * data.elementBytes());
    std::vector<const void *> tensors;
    for (void *tensor : canonical())
      tensors.push_back(tensor);
    rnnrt_abi_rnn_pack_params(call, plan, 8 * data.layers, 8 * data.layers, tensors.data(), sizes.data(), params.data(),
                              count);
    place.synchronize();
    failed();
    // Candidates that run by other plans create their own.
    check(rnnrt_device_clear_plans(place.device));
  }
  DevicePlan(const DevicePlan &) = delete;
  ~DevicePlan() {
    place.synchronize();
    rnnrt_call_release(call);
  }

  bool failed() {
    if (rnnrt_status_t status = rnnrt_call_status(call))
      problem = rnnrt_status_message(status);
    return !problem.empty();
  }
  /// The gradients of the parameters in `from`, in the layout of the dense buffer.
  std::vector<double> unpack(void *from) {
    rnnrt_abi_rnn_unpack_params(call, plan, 8 * data.layers, 8 * data.layers, canonical().data(), sizes.data(), from,
                                count);
    return failed() ? std::vector<double>() : dense.read(place, data.dtype, data.params.shape).values;
  }

  std::string problem;
  rnnrt_call_t *call = nullptr;
  rnnrt_plan_t *plan = nullptr;
  int64_t count = 0;
  Memory params;

private:
  /// The tensors of the dense buffer, and their sizes.
  std::vector<void *> canonical() {
    const int64_t I = data.shape[2], H = data.shape[3], count = 8 * data.layers;
    std::vector<void *> tensors;
    sizes.clear();
    char *place = dense.data();
    for (int64_t index = 0; index < 2 * count; ++index) {
      sizes.push_back(index < 4 ? H * I : index < count ? H * H : H);
      tensors.push_back(place);
      place += sizes.back() * data.elementBytes();
    }
    return tensors;
  }

  const StackData data;
  const Place &place;
  std::vector<int64_t> sizes;
  Memory dense;
};

class Plan : public Candidate {
public:
  Plan(const StackData &data, const std::string &algorithm, bool packed, bool backward, std::string name)
      : Candidate(std::move(name)), data(data), place(data.place), backward(backward), plan(data, algorithm, packed) {
    const auto [T, B, I, H] = data.shape;
    if (failed())
      return;
    reserveBytes = rnnrt_abi_rnn_reserve_size(plan.call, plan.plan);
    const int64_t bytes = data.elementBytes();
    dparams = Memory(place, plan.count * bytes);
    reserve = Memory(place, reserveBytes);
    for (Memory *state : {&hn, &cn, &dh0, &dc0})
      *state = Memory(place, data.layers * B * H * bytes);
    y = Memory(place, T * B * H * bytes);
    dx = Memory(place, T * B * I * bytes);
    failed();
  }
  void before() override {
    if (backward)
      forward();
  }
  void run() override {
    if (!backward)
      return forward();
    rnnrt_abi_rnn_backward_data(plan.call, plan.plan, nullptr, data.x, data.h0, data.c0, plan.params.data(), plan.count,
                                y.data(), data.dy, data.zeros, data.zeros, dx.data(), dh0.data(), dc0.data(),
                                reserve.data(), reserveBytes);
    rnnrt_abi_rnn_backward_weights(plan.call, plan.plan, nullptr, data.x, data.h0, y.data(), dparams.data(), plan.count,
                                   reserve.data(), reserveBytes);
    failed();
  }
  Results results() override {
    before();
    run();
    place.synchronize();
    const int64_t I = data.shape[2], H = data.shape[3];
    Results results;
    if (failed())
      return results;
    if (!backward) {
      results.y = y.read(place, data.dtype, data.sequence(H));
      return results;
    }
    std::vector<double> gradients = plan.unpack(dparams.data());
    if (failed())
      return results;
    results.dx = dx.read(place, data.dtype, data.sequence(I));
    results.dh0 = dh0.read(place, data.dtype, stateShape(data));
    results.dc0 = dc0.read(place, data.dtype, stateShape(data));
    results.fromParams(data, std::move(gradients));
    return results;
  }

private:
  void forward() {
    rnnrt_abi_rnn_forward(plan.call, plan.plan, nullptr, data.x, data.h0, data.c0, plan.params.data(), plan.count,
                          y.data(), hn.data(), cn.data(), reserve.data(), reserveBytes);
    failed();
  }
  bool failed() {
    plan.failed();
    problem = plan.problem;
    return !problem.empty();
  }

  const StackData data;
  const Place &place;
  const bool backward;
  DevicePlan plan;
  int64_t reserveBytes = 0;
  Memory dparams, reserve, hn, cn, dh0, dc0, y, dx;
};

//===-- The cudnn ops --------------------------------------------------------------------------------------------===//

class Stack : public Candidate {
public:
  Stack(const StackData &data, const rnnrt_function_t &forwardFunction, const rnnrt_function_t *backwardFunction,
        bool byPlans, std::string name, bool graphs)
      : Candidate(std::move(name)), data(data), backwardFunction(backwardFunction), graphs(graphs),
        forward(data.place, forwardFunction, graphs) {
    if (byPlans) {
      plan = std::make_unique<DevicePlan>(data, "", /*packed=*/false);
      problem = plan->problem;
      params = std::move(plan->params);
    } else {
      params = Memory(data.place, data.params, data.dtype);
    }
    addOperands(forward);
    addMarks(forward);
  }
  void before() override {
    if (!backwardFunction)
      return;
    // Of per-step kernels, also for a persistent backward pass.
    if (!forward.call()) {
      problem = forward.problem;
      return;
    }
    backward = std::make_unique<Compiled>(data.place, *backwardFunction, graphs);
    addOperands(*backward);
    for (size_t saved = 0; saved < 3; ++saved)
      addResult(saved);
    backward->operand(data.dy, data.dtype, data.sequence(data.shape[3]));
    backward->operand(data.zeros, data.dtype, data.state());
    backward->operand(data.zeros, data.dtype, data.state());
    addResult(3);
    addMarks(*backward);
  }
  void run() override {
    if (canRun())
      (backwardFunction ? *backward : forward).callFor(*this);
  }
  void after() override {
    forward.release();
    if (backward)
      backward->release();
  }
  Results results() override {
    before();
    run();
    data.place.synchronize();
    Results results;
    if (!problem.empty())
      return results;
    if (!backwardFunction) {
      results.y = forward.read(0);
      return results;
    }
    results.dx = backward->read(0);
    results.dh0 = backward->read(1);
    results.dc0 = backward->read(2);
    results.dh0.shape = results.dc0.shape = stateShape(data);
    results.fromParams(data, plan ? plan->unpack(backward->result(3).data) : backward->read(3).values);
    if (plan)
      problem = plan->problem;
    return results;
  }

private:
  void addOperands(Compiled &call) {
    call.operand(data.x, data.dtype, data.sequence(data.shape[2]));
    call.operand(data.h0, data.dtype, data.state());
    call.operand(data.c0, data.dtype, data.state());
    call.operand(params.data(), data.dtype, {plan ? plan->count : data.params.shape[0]});
  }
  void addMarks(Compiled &call) {
    if (data.marks)
      call.operand(data.marks, RNNRT_DTYPE_I1, {data.shape[0], data.shape[1]});
  }
  void addResult(size_t index) {
    const rnnrt_tensor_t &result = forward.result(index);
    backward->operand(result.data, result.dtype, std::vector<int64_t>(result.shape, result.shape + result.rank));
  }

  const StackData data;
  const rnnrt_function_t *backwardFunction;
  const bool graphs;
  std::unique_ptr<DevicePlan> plan;
  Memory params;
  Compiled forward;
  std::unique_ptr<Compiled> backward;
};

} // namespace

std::unique_ptr<Candidate> bundle::blockForward(const Layer &layer, const rnnrt_function_t &function, std::string name,
                                                bool graphs) {
  return std::make_unique<BlockForward>(layer, function, std::move(name), graphs);
}

std::unique_ptr<Candidate> bundle::blockBackward(const Layer &layer, const rnnrt_function_t &function,
                                                 const Compiled &forward, std::string name, bool graphs) {
  return std::make_unique<BlockBackward>(layer, function, forward, std::move(name), graphs);
}

std::unique_ptr<Candidate> bundle::stack(const StackData &data, const rnnrt_function_t &forward,
                                         const rnnrt_function_t *backward, bool byPlans, std::string name,
                                         bool graphs) {
  return std::make_unique<Stack>(data, forward, backward, byPlans, std::move(name), graphs);
}

std::unique_ptr<Candidate> bundle::plan(const StackData &data, const std::string &algorithm, bool packed,
                                        bool backward) {
  std::string name = algorithm.empty() ? "plan" : "cuDNN, " + algorithm + (packed ? ", packed" : "");
  return std::make_unique<Plan>(data, algorithm, packed, backward, name + (data.marks ? ", without resets" : ""));
}
