// CudnnSupport.cpp - stacks of recurrent layers on device `cuda`, with copies to and from device memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudnnSupport.h"

#include <dlfcn.h>

#include <sstream>
#include <stdexcept>

using namespace rnntest;

/// Loads a fake from the path that the runtime will use. A path that is set already is kept, for manual runs.
static void *load(const char *variable, const char *name) {
  setenv(variable, RNN_FAKE_CUDA_DIRECTORY, 0);
  const std::string path = std::string(std::getenv(variable)) + "/" + name;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  return library;
}

#define RNN_MEMBER(result, name, parameters) made.name = reinterpret_cast<decltype(made.name)>(dlsym(library, #name));

const FakeCudnn &FakeCudnn::get() {
  static const FakeCudnn fake = [] {
    FakeDriver::get();
    void *library = load("RNNRT_CUDNN_PATH", "libcudnn.so.9");
    FakeCudnn made;
    FAKE_CUDNN_CONTROLS(RNN_MEMBER)
    return made;
  }();
  return fake;
}

const FakeDriver &FakeDriver::get() {
  static const FakeDriver fake = [] {
    void *library = load("RNNRT_CUDA_PATH", "libcuda.so.1");
    FakeDriver made;
    FAKE_CUDA_CONTROLS(RNN_MEMBER)
    return made;
  }();
  return fake;
}

int FakeCudnn::count(const std::string &name, const std::string &word) const {
  std::istringstream stream(log());
  int lines = 0;
  for (std::string line; std::getline(stream, line);)
    lines += line.substr(0, line.find(' ')) == name && line.find(word) != std::string::npos;
  return lines;
}

//===-- CudaSession ----------------------------------------------------------------------------------------------===//

CudaSession::CudaSession(bool ownStream, int64_t dropoutDraw) {
  failure = take(rnnrt_device_create("cuda", nullptr, &device));
  makeCall(ownStream, dropoutDraw);
}

CudaSession::CudaSession(const CudaSession &other, bool ownStream) : device(other.device), failure(other.failure) {
  rnnrt_device_retain(device);
  makeCall(ownStream, -1);
}

void CudaSession::makeCall(bool ownStream, int64_t dropoutDraw) {
  if (failure.empty() && ownStream)
    failure = take(rnnrt_stream_create(device, &stream));
  rnnrt_call_options_t options;
  rnnrt_call_options_init(&options);
  options.dropout_draw = dropoutDraw;
  if (failure.empty())
    failure = take(rnnrt_call_create(device, stream, &options, &call));
}

CudaSession::~CudaSession() {
  rnnrt_call_release(call);
  rnnrt_stream_release(stream);
  rnnrt_device_release(device);
}

std::string CudaSession::message() const {
  return failure.empty() ? rnnrt_status_message(rnnrt_call_status(call)) : failure;
}

//===-- Buffer ---------------------------------------------------------------------------------------------------===//

Buffer::Buffer(CudaSession &session, int64_t bytes, int64_t offset) : bytes(bytes), session(session), offset(offset) {
  if (session.call)
    rnnrt_call_fail(session.call, rnnrt_memory_alloc(session.device, bytes + offset, &base));
}

Buffer::~Buffer() {
  if (base) {
    EXPECT_EQ(take(rnnrt_memory_free(session.device, base)), "");
  }
}

void Buffer::upload(const void *source) {
  if (base && bytes)
    rnnrt_call_fail(session.call, rnnrt_memory_copy(session.device, session.stream, data(), source, bytes));
}

void Buffer::download(void *target) const {
  if (base && bytes)
    rnnrt_abi_read(session.call, data(), target, bytes);
}

//===-- CudnnProblem ---------------------------------------------------------------------------------------------===//

CudnnProblem::CudnnProblem(CudaSession &session, const Case &c, int64_t offset, int64_t dropoutDraw)
    : c(c), hostSession(dropoutDraw), host(hostSession, c), lengths(c.lengths()), session(session), offset(offset) {
  host.forward();
  host.backward();
  EXPECT_CALL_OK(hostSession);
}

Buffer &CudnnProblem::buffer(const std::string &name, int64_t bytes) {
  std::unique_ptr<Buffer> &slot = buffers[name];
  if (!slot || slot->bytes != bytes)
    slot = std::make_unique<Buffer>(session, bytes, offset);
  return *slot;
}

void *CudnnProblem::upload(const std::string &name, const Tensor &tensor) {
  Buffer &target = buffer(name, tensor.bytes());
  target.upload(tensor.data());
  return target.data();
}

const int32_t *CudnnProblem::uploadLengths() {
  if (lengths.empty())
    return nullptr;
  // Integer-valued operands stay integers.
  std::unique_ptr<Buffer> &slot = buffers["lengths"];
  const auto bytes = int64_t(lengths.size() * sizeof(int32_t));
  if (!slot)
    slot = std::make_unique<Buffer>(session, bytes, 0);
  slot->upload(lengths.data());
  return static_cast<const int32_t *>(slot->data());
}

void *CudnnProblem::out(Tensors &tensors, const std::string &name, int64_t count, const std::string &only) {
  tensors.erase(name);
  if (!only.empty() && only != name)
    return nullptr;
  // Poisoned, so that unwritten elements are detected.
  tensors[name] = Tensor(c.dtype(), count);
  return upload(name, tensors[name]);
}

void CudnnProblem::fetch(Tensors &tensors) {
  for (auto &[name, tensor] : tensors)
    if (name != "dparams")
      buffers.at(name)->download(tensor.data());
}

void CudnnProblem::makePlan(bool training) {
  plan = rnnrt_abi_rnn_plan(session.call, c.dtype(), c.mode(), c.skip(), int32_t(c.D - 1), training, c.batchMajor(),
                            c.number("dropout", 0), int64_t(c.number("seed", 0)), int64_t(c.number("seed2", 0)), c.T,
                            c.B, c.I, c.H, c.P(), c.L);
}

std::vector<int64_t> CudnnProblem::canonicalSizes(int64_t &weights) const {
  std::vector<int64_t> sizes;
  const int64_t gates = c.gates(), P = c.P(), pseudoLayers = c.L * c.D;
  for (int64_t k = 0; k < pseudoLayers; ++k) {
    const int64_t columns = k >= c.D ? c.D * P : c.skip() ? 0 : c.I;
    sizes.insert(sizes.end(), size_t(gates), c.H * columns);
    sizes.insert(sizes.end(), size_t(gates), c.H * P);
    if (P != c.H)
      sizes.push_back(P * c.H);
  }
  weights = int64_t(sizes.size());
  sizes.insert(sizes.end(), size_t(2 * gates * pseudoLayers), c.H);
  return sizes;
}

void CudnnProblem::packParams() {
  int64_t weights = 0;
  const std::vector<int64_t> sizes = canonicalSizes(weights);
  // The host's buffer is the concatenation of the canonical tensors.
  const char *from = static_cast<const char *>(host.operands["params"].data());
  std::vector<std::unique_ptr<Buffer>> parts;
  std::vector<const void *> pointers;
  for (int64_t size : sizes) {
    const int64_t bytes = size * rnnrt_dtype_size(c.dtype());
    parts.push_back(std::make_unique<Buffer>(session, bytes, 0));
    parts.back()->upload(from);
    pointers.push_back(parts.back()->data());
    from += bytes;
  }
  const int64_t count = rnnrt_abi_rnn_params_size(session.call, plan);
  Tensor poison(c.dtype(), count);
  void *target = upload("params", poison);
  rnnrt_abi_rnn_pack_params(session.call, plan, weights, int64_t(sizes.size()) - weights, pointers.data(), sizes.data(),
                            target, count);
}

void CudnnProblem::unpackGradient() {
  int64_t weights = 0;
  const std::vector<int64_t> sizes = canonicalSizes(weights);
  std::vector<std::unique_ptr<Buffer>> parts;
  std::vector<void *> pointers;
  for (int64_t size : sizes) {
    parts.push_back(std::make_unique<Buffer>(session, size * rnnrt_dtype_size(c.dtype()), 0));
    pointers.push_back(parts.back()->data());
  }
  Buffer &source = *buffers.at("dparams");
  rnnrt_abi_rnn_unpack_params(session.call, plan, weights, int64_t(sizes.size()) - weights, pointers.data(),
                              sizes.data(), source.data(), rnnrt_abi_rnn_params_size(session.call, plan));
  Tensor dense(c.dtype(), host.operands["params"].size());
  auto *to = static_cast<char *>(dense.data());
  for (const auto &part : parts) {
    part->download(to);
    to += part->bytes;
  }
  gradients["dparams"] = dense;
}

void CudnnProblem::forward(bool training) {
  makePlan(training);
  packParams();
  const int64_t states = c.L * c.D * c.B;
  void *y = out(outputs, "y", c.T * c.B * c.D * c.P(), "");
  void *hn = out(outputs, "hn", states * c.P(), "");
  void *cn = c.isLstm() ? out(outputs, "cn", states * c.H, "") : nullptr;
  const int64_t bytes = rnnrt_abi_rnn_reserve_size(session.call, plan);
  reserve = training ? std::make_unique<Buffer>(session, bytes, 0) : nullptr;
  rnnrt_abi_rnn_forward(session.call, plan, uploadLengths(), upload("x", host.operands["x"]),
                        upload("h0", host.operands["h0"]), c.isLstm() ? upload("c0", host.operands["c0"]) : nullptr,
                        buffers.at("params")->data(), rnnrt_abi_rnn_params_size(session.call, plan), y, hn, cn,
                        reserve ? reserve->data() : nullptr, training ? bytes : 0);
  fetch(outputs);
}

void CudnnProblem::backwardData(const std::string &only) {
  void *dx = out(gradients, "dx", host.operands["x"].size(), only);
  void *dh0 = out(gradients, "dh0", host.operands["h0"].size(), only);
  void *dc0 = c.isLstm() ? out(gradients, "dc0", host.operands["c0"].size(), only) : nullptr;
  const void *dcn = c.isLstm() ? upload("dcn", host.seeds["dcn"]) : nullptr;
  const void *dy = upload("dy", host.seeds["dy"]), *dhn = upload("dhn", host.seeds["dhn"]);
  if (!reserve || !buffers.count("params"))
    return; // the forward pass failed
  rnnrt_abi_rnn_backward_data(session.call, plan, uploadLengths(), buffers.at("x")->data(), buffers.at("h0")->data(),
                              c.isLstm() ? buffers.at("c0")->data() : nullptr, buffers.at("params")->data(),
                              rnnrt_abi_rnn_params_size(session.call, plan), buffers.at("y")->data(), dy, dhn, dcn, dx,
                              dh0, dc0, reserve->data(), reserve->bytes);
  fetch(gradients);
}

void CudnnProblem::backwardWeights() {
  if (!reserve || !buffers.count("params"))
    return;
  const int64_t count = rnnrt_abi_rnn_params_size(session.call, plan);
  Tensor poison(c.dtype(), count);
  void *dparams = upload("dparams", poison);
  rnnrt_abi_rnn_backward_weights(session.call, plan, uploadLengths(), buffers.at("x")->data(), buffers.at("h0")->data(),
                                 buffers.at("y")->data(), dparams, count, reserve->data(), reserve->bytes);
  unpackGradient();
}

void CudnnProblem::backward(const std::string &only) {
  gradients.clear();
  backwardData(only);
  if (only.empty() || only == "dparams")
    backwardWeights();
}

std::vector<double> CudnnProblem::read(const std::string &name) {
  const Buffer &source = *buffers.at(name);
  Tensor tensor(c.dtype(), source.bytes / rnnrt_dtype_size(c.dtype()));
  source.download(tensor.data());
  return tensor.values();
}

void CudnnProblem::enqueue(bool withLengths) {
  auto at = [&](const char *name) -> void * {
    auto it = buffers.find(name);
    return it == buffers.end() ? nullptr : it->second->data();
  };
  const auto *given = withLengths ? static_cast<const int32_t *>(at("lengths")) : nullptr;
  const int64_t count = rnnrt_abi_rnn_params_size(session.call, plan);
  rnnrt_abi_rnn_forward(session.call, plan, given, at("x"), at("h0"), at("c0"), at("params"), count, at("y"), at("hn"),
                        at("cn"), reserve->data(), reserve->bytes);
  rnnrt_abi_rnn_backward_data(session.call, plan, given, at("x"), at("h0"), at("c0"), at("params"), count, at("y"),
                              at("dy"), at("dhn"), at("dcn"), at("dx"), at("dh0"), at("dc0"), reserve->data(),
                              reserve->bytes);
  rnnrt_abi_rnn_backward_weights(session.call, plan, given, at("x"), at("h0"), at("y"), at("dparams"), count,
                                 reserve->data(), reserve->bytes);
}

void CudnnProblem::expectHostResults(const Tensors &values, const Tensors &reference) const {
  for (const auto &[name, tensor] : values) {
    const std::vector<double> got = tensor.values(), expected = reference.at(name).values();
    ASSERT_EQ(got.size(), expected.size()) << name << repeat(c);
    for (size_t k = 0; k < got.size(); ++k)
      ASSERT_EQ(got[k], expected[k]) << name << "[" << k << "]" << repeat(c);
  }
}

void CudnnProblem::expectHostResults() const {
  EXPECT_EQ(outputs.size(), c.isLstm() ? 3u : 2u);
  EXPECT_EQ(gradients.size(), c.isLstm() ? 4u : 3u);
  expectHostResults(outputs, host.outputs);
  expectHostResults(gradients, host.gradients);
}
